// Measures every frame of a page when all have loaded, and writes what it found into the page.
addEventListener("load", () => {
  const looks = [...document.querySelectorAll("iframe")].map(frame => {
    const page = frame.contentDocument, root = page.documentElement;
    const sizes = [...page.querySelectorAll("body *")]
      .filter(e => [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()))
      .filter(e => e.getClientRects().length && !e.closest("title,desc,style,thead"))
      .map(e => parseFloat(frame.contentWindow.getComputedStyle(e).fontSize));
    return {
      name: frame.name, width: frame.contentWindow.innerWidth,
      contentWidth: Math.max(root.scrollWidth, page.body.scrollWidth),
      contentHeight: root.scrollHeight,
      requests: frame.contentWindow.performance.getEntriesByType("resource").length,
      marks: page.querySelectorAll("mark").length, letters: Math.min(...sizes, 100)
    };
  });
  const out = document.createElement("pre");
  out.id = "looks";
  out.textContent = JSON.stringify(looks);
  document.body.replaceChildren(out);
});
