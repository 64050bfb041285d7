"""Draws the pictures of docs/design; called by scripts/draw-docs.sh."""

import html
import pathlib
import sys

DESIGN = pathlib.Path(__file__).resolve().parent.parent / "docs/design"

# The folders of Sources, each with what it may use; a folder of Stages uses only Record. ArchitectureTests and the
# targets of Package.swift check the same.
TARGETS = {"eventmill": ["Jobs"], "Jobs": ["Stages"], "Stages": ["Pipeline"], "Pipeline": []}
STAGES = ["Reader", "Validator", "Migration", "ProfileMerge", "Aggregation"]
CONTENTS = {
    "eventmill": "the command line",
    "Jobs": "a folder per command",
    "Pipeline": "bytes, JSON, zstd, tables, flow, files",
    "Record": "the batch of records, names, limits, reasons",
}

STYLE = """
  .ground { fill: #ffffff }
  .box { fill: #e8f0fb; stroke: #3b6db3 }
  .group { fill: none; stroke: #8c959f; stroke-dasharray: 5 4 }
  .file { fill: #f6f8fa; stroke: #8c959f }
  .arrow { fill: none; stroke: #57606a; stroke-width: 1.5; marker-end: url(#head) }
  .head { fill: #57606a }
  text { fill: #1f2328; font: 14px system-ui, -apple-system, "Segoe UI", sans-serif; text-anchor: middle }
  .note { fill: #57606a; font-size: 12px }
  @media (prefers-color-scheme: dark) {
    .ground { fill: #0d1117 }
    .box { fill: #16263d; stroke: #6ea8fe }
    .file { fill: #1c2128; stroke: #768390 }
    .group { stroke: #768390 }
    .arrow { stroke: #9ea7b3 }
    .head, .note { fill: #9ea7b3 }
    text { fill: #e6edf3 }
  }
"""


class Drawing:
    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def rectangle(self, kind, x, y, width, height, lines=(), notes=()):
        """A box with its lines of text in the middle; the notes below them are smaller."""
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        texts = [(line, "") for line in lines] + [(note, ' class="note"') for note in notes]
        top = y + height / 2 - 9 * len(texts) + 14
        for index, (text, style) in enumerate(texts):
            self.text(x + width / 2, top + 18 * index, text, style)

    def text(self, x, y, text, style=""):
        self.parts.append(f'<text x="{x:g}" y="{y:g}"{style}>{html.escape(text)}</text>')

    def arrow(self, *points):
        self.parts.append('<path class="arrow" d="M' + " L".join(f"{x:g},{y:g}" for x, y in points) + '"/>')

    def svg(self):
        width, height = self.size
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'role="img">',
            f"<title>{html.escape(self.title)}</title>",
            f"<style>{STYLE}</style>",
            '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
            '<path class="head" d="M0,0 L8,4 L0,8 z"/></marker>',
            f'<rect class="ground" width="{width}" height="{height}" rx="8"/>',
            *self.parts, "</svg>", ""])


def flow():
    drawing = Drawing(920, 360, "From log lines to profiles and counts")
    top, bottom = 120, 185
    stages = {
        "reader": "bytes to records", "validator": "accept or reject", "migration": "v1 to v2",
        "profile merge": "operations by key", "aggregation": "totals",
    }
    drawing.rectangle("file", 20, top, 110, bottom - top, ["inputs"], ["plain, .zst, .gz …"])
    lefts = {}
    for index, (stage, note) in enumerate(stages.items()):
        left = lefts[stage] = 160 + 150 * index
        drawing.arrow((left - 30, 152), (left, 152))
        drawing.rectangle("box", left, top, 120, bottom - top, [stage], [note])
    merge = lefts["profile merge"]
    for left, lines in [(merge - 85, ["last night", "state/, profiles/"]), (merge + 65, ["spills, partials", "sorted by key"])]:
        drawing.rectangle("file", left, 20, 140, 55, lines[:1], lines[1:])
        end = merge + (40 if left < merge else 80)
        drawing.arrow((left + 70, 75), (left + 70, 97), (end, 97), (end, top))
    drawing.rectangle("group", 10, 225, 900, 125)
    drawing.text(75, 246, "OUT, one rename", ' class="note"')
    outputs = [
        (20, 130, ["manifest.json", "report.json", "report.html"], []),
        (lefts["reader"], 270, ["rejects.ndjson.zst"], ["lines, events, operations with all reasons"]),
        (merge - 10, 130, ["profiles/", "changes/", "state/"], []),
        (lefts["aggregation"] - 20, 160, ["event_counts.*", "daily_counts.ndjson"], []),
    ]
    for left, width, lines, notes in outputs:
        drawing.rectangle("file", left, 262, width, 76, lines, notes)
    for stage in ["reader", "validator", "profile merge", "aggregation"]:
        drawing.arrow((lefts[stage] + 60, bottom), (lefts[stage] + 60, 262))
    return drawing.svg()


def house():
    drawing = Drawing(760, 500, "Which folder of Sources may use which")
    tops = {"eventmill": (20, 50), "Jobs": (100, 50), "Stages": (180, 220), "Pipeline": (430, 50)}
    for name, (top, height) in tops.items():
        if name == "Stages":
            drawing.rectangle("group", 20, top, 720, height)
            drawing.text(55, top + 22, name)
        else:
            drawing.rectangle("box", 20, top, 720, height, [name], [CONTENTS[name]])
        for other in TARGETS[name]:
            drawing.arrow((380, top + height), (380, tops[other][0]))
    row, record = 255, 335
    drawing.rectangle("box", 35, record, 690, 50, ["Record"], [CONTENTS["Record"]])
    for index, name in enumerate(STAGES):
        left = 35 + 140 * index
        drawing.rectangle("box", left, row, 125, 45, [name])
        drawing.arrow((left + 62, row + 45), (left + 62, record))
    return drawing.svg()


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit("usage: scripts/draw-docs.sh [--check]")
    for name, text in [("flow.svg", flow()), ("house.svg", house())]:
        path = DESIGN / name
        if not arguments:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            sys.exit(f"{path} is out of date; run scripts/draw-docs.sh")


main(sys.argv[1:])
