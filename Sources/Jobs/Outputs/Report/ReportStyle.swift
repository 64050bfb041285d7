/// The styles of a report's page: light and dark, small screens, print.
///
/// Nothing is loaded: fonts are those of the system, and there are no pictures.
enum ReportStyle {
  /// The style sheet.
  static let sheet: StaticString = """
    :root{color-scheme:light dark;--page:#f5f6f8;--card:#fff;--ink:#18202b;--soft:#566272;
    --line:#dde2e9;--fill:#2f6fde;--track:#e9edf3;--good:#12723a;--goodback:#e2f4e8;--warn:#96500a;
    --warnback:#fdf0dc;--bad:#b3261e;--badback:#fce8e6;--k1:#2f6fde;--k2:#9aa5b4;--k3:#e0a030;
    --k4:#d1483e;--k5:#1f9d8b}
    @media (prefers-color-scheme:dark){:root{--page:#0e131a;--card:#161d27;--ink:#e7ecf3;
    --soft:#9eabbb;--line:#2b3542;--fill:#6ba3ff;--track:#232c38;--good:#5fd38a;--goodback:#12301f;
    --warn:#f2b35c;--warnback:#35270f;--bad:#ff8a80;--badback:#3b1a18;--k1:#6ba3ff;--k2:#66748a;
    --k3:#e3b04b;--k4:#f0776c;--k5:#49c2b1}}
    *{box-sizing:border-box}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{margin:0;background:var(--page);color:var(--ink);
    font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
    main,header,footer{max-width:70rem;margin:0 auto;padding:0 1.25rem}
    header{padding-top:2rem}
    h1{font-size:1.75rem;line-height:1.2;margin:0;letter-spacing:-.015em}
    h2{font-size:1.2rem;line-height:1.3;margin:0 0 .25rem}
    h3{font-size:1rem;margin:0}
    p{margin:.25rem 0}
    .soft,footer{color:var(--soft)}
    .note{color:var(--soft);font-size:.875rem;max-width:46rem}
    .title{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center}
    .verdict{border-radius:99rem;padding:.2rem .8rem;font-size:.875rem;font-weight:600}
    .good{color:var(--good);background:var(--goodback)}
    .warn{color:var(--warn);background:var(--warnback)}
    .bad{color:var(--bad);background:var(--badback)}
    section{background:var(--card);border:1px solid var(--line);border-radius:.75rem;
    padding:1.25rem;margin:1rem 0}
    .tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:.75rem;
    margin:1.25rem 0 0;padding:0}
    .tiles div{background:var(--card);border:1px solid var(--line);border-radius:.75rem;
    padding:.75rem 1rem;min-width:0}
    .tiles dt{color:var(--soft);font-size:.8125rem}
    .tiles dd{margin:0}
    .tiles .value{font-size:1.5rem;line-height:1.3;font-weight:600;letter-spacing:-.01em;
    font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
    .tiles .more{color:var(--soft);font-size:.8125rem}
    .equation{padding:.75rem 0;border-top:1px solid var(--line)}
    .equation:first-of-type{border-top:0}
    .equation p{display:flex;flex-wrap:wrap;gap:.1rem .6rem;align-items:baseline;
    font-variant-numeric:tabular-nums}
    .equation b{font-weight:600}
    .key{display:inline-block;width:.7em;height:.7em;border-radius:.15em;margin-right:.35em}
    .k1{background:var(--k1);fill:var(--k1)}.k2{background:var(--k2);fill:var(--k2)}
    .k3{background:var(--k3);fill:var(--k3)}.k4{background:var(--k4);fill:var(--k4)}
    .k5{background:var(--k5);fill:var(--k5)}
    .sum{font-size:.8125rem;font-weight:600;border-radius:99rem;padding:.05rem .6rem}
    svg{display:block}
    .stack{width:100%;height:.6rem;border-radius:.3rem;margin-top:.4rem;background:var(--track)}
    .bar{width:100%;height:.6rem;border-radius:.3rem;background:var(--track)}
    .bar rect{fill:var(--fill)}
    .columns{width:100%;height:15.5rem;overflow:visible;padding:.75rem .75rem 1.75rem 3.25rem;
    margin-top:.5rem}
    .columns text{fill:var(--soft);font-size:.75rem;font-variant-numeric:tabular-nums}
    .columns .grid{stroke:var(--line);shape-rendering:crispEdges}
    .columns .axis,.columns .tick{stroke:var(--soft);shape-rendering:crispEdges}
    .columns .column{fill:var(--fill)}
    .columns .over{fill:transparent}
    .columns g:hover .over{fill:var(--track)}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;width:100%;margin-top:.5rem;font-variant-numeric:tabular-nums}
    th,td{text-align:left;padding:.4rem .6rem;vertical-align:baseline;
    border-top:1px solid var(--line);overflow-wrap:anywhere}
    thead th,thead td{border-top:0;color:var(--soft);font-size:.8125rem;font-weight:500;
    vertical-align:bottom;overflow-wrap:normal}
    th:first-child,td:first-child{padding-left:0}
    th:last-child,td:last-child{padding-right:0}
    tbody th{font-weight:400}
    .number{text-align:right;white-space:nowrap}
    .wide{width:34%;min-width:6rem}
    .cards .wide{width:12%}
    td.wide{vertical-align:top;padding-top:.85rem}
    .name{white-space:nowrap}
    code,pre{font:.875em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
    pre{margin:.5rem 0 0;white-space:pre-wrap;overflow-wrap:anywhere}
    a{color:var(--fill)}
    nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:1rem 0 0;padding:0;
    font-size:.875rem}
    h3{margin-top:.75rem}
    .equation h3{margin-top:0}
    .names code{display:inline-block;margin-right:.9em}
    .examples{margin:.25rem 0 0}
    .examples dt{margin-top:.6rem;overflow-wrap:anywhere}
    .examples dd{margin:0;min-width:0}
    .examples pre{margin:.15rem 0 0;padding:.4rem .6rem;border-radius:.4rem;background:var(--track)}
    footer{padding-top:.5rem;padding-bottom:2.5rem;font-size:.875rem}
    @media (max-width:44rem){
    main,header,footer{padding-left:.75rem;padding-right:.75rem}
    header{padding-top:1.25rem}
    section{padding:1rem .9rem}
    .tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem}
    .tiles .value{font-size:1.25rem}
    .columns{height:13rem;padding-right:.5rem}
    .columns .second{display:none}
    thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
    table,tbody{display:block}
    tr{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.1rem .75rem;padding:.55rem 0;
    border-top:1px solid var(--line)}
    tbody tr:first-child{border-top:0}
    th,td{border:0;padding:0}
    .name{white-space:normal}
    td.wide,.cards .wide{grid-column:1/-1;width:auto;order:9;padding:.2rem 0 .1rem}
    .rows tr{display:flex;flex-wrap:wrap}
    .rows th{flex:1;min-width:50%}
    .rows .number{min-width:4rem}
    .rows .wide{flex-basis:100%}
    .cards tbody th{grid-column:1/-1}
    .cards td:empty{display:none}
    .cards td:not(:empty){display:flex;justify-content:space-between;gap:1rem;grid-column:1/-1}
    .cards td::before{content:attr(data-label);color:var(--soft);white-space:nowrap}
    .cards td.wide::before{content:none}
    .cards td:not(.number):not(.wide){text-align:right}
    }
    @media print{
    :root{color-scheme:light;--page:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;
    --fill:#2f6fde;--track:#eee;--good:#12723a;--goodback:#fff;--warn:#96500a;--warnback:#fff;
    --bad:#b3261e;--badback:#fff;--k1:#2f6fde;--k2:#9aa5b4;--k3:#e0a030;--k4:#d1483e;
    --k5:#1f9d8b}
    *{-webkit-print-color-adjust:exact;print-color-adjust:exact}
    body{font-size:10pt}
    main,header,footer{max-width:none;padding-left:0;padding-right:0}
    section{border:0;padding:.5rem 0;margin:.5rem 0}
    .verdict,.sum{border:1px solid currentColor}
    .tiles,.equation,.columns,tr{break-inside:avoid}
    nav{display:none}
    h2,h2+.note{break-after:avoid}
    thead{display:table-header-group}
    }

    """
}
