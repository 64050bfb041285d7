import Pipeline

/// The ledger: where every line, event and operation went, and whether it adds up (data-model 14).
extension ReportPage {
  /// One side of an equation: what there was, and the parts it fell into.
  private struct Equation {
    let name: String
    let total: Int
    let parts: [(name: String, count: Int, style: String)]

    var holds: Bool { total == parts.reduce(0) { $0 + $1.count } }
  }

  /// Writes the three equations, and the fourth, which the counts per event name are checked by.
  func writeLedger(to html: inout HTMLWriter) {
    let ledger = merge.total
    section(
      "Ledger", "Every line, event and operation is accounted for exactly once.", to: &html
    ) { html in
      for equation in ReportPage.equations(ledger) { write(equation, to: &html) }
      if let counted = report.snapshot?.accepted {
        html.element("div", ["class": "equation"]) { html in
          html.element("h3", "Counts")
          html.element("p") { html in
            html.text(
              "\(Figures.grouped(ledger.accepted)) accepted events = "
                + "\(Figures.grouped(counted)) events of this run in the counts per event name ")
            ReportPage.writeCheck(ledger.accepted == counted, to: &html)
          }
        }
      }
    }
  }

  private static func equations(_ ledger: Ledger) -> [Equation] {
    [
      Equation(
        name: "Lines", total: ledger.lines,
        parts: [
          ("records", ledger.records, "k1"), ("blank", ledger.blank, "k2"),
          ("rejected", ledger.rejectedLines, "k4"),
        ]),
      Equation(
        name: "Events", total: ledger.events,
        parts: [
          ("accepted", ledger.accepted, "k1"), ("suppressed", ledger.suppressed, "k2"),
          ("outside", ledger.outside, "k5"),
          ("duplicates", ledger.duplicates, "k3"), ("rejected", ledger.rejected, "k4"),
        ]),
      Equation(
        name: "Operations", total: ledger.operations,
        parts: [("applied", ledger.applied, "k1"), ("refused", ledger.refused, "k4")]),
    ]
  }

  private func write(_ equation: Equation, to html: inout HTMLWriter) {
    html.element("div", ["class": "equation"]) { html in
      html.element("h3", equation.name)
      html.element("p") { html in
        html.element("b", "\(Figures.grouped(equation.total)) =")
        for (index, part) in equation.parts.enumerated() {
          html.element("span") { html in
            if index > 0 { html.text("+ ") }
            html.element("span", ["class": "key \(part.style)", "aria-hidden": "true"], "")
            html.text("\(Figures.grouped(part.count)) \(part.name)")
          }
          html.text(" ")
        }
        ReportPage.writeCheck(equation.holds, to: &html)
      }
      writeStack(equation, to: &html)
    }
    html.endLine()
  }

  /// The parts side by side, as long as their shares.
  private func writeStack(_ equation: Equation, to html: inout HTMLWriter) {
    let whole = Double(max(equation.total, 1))
    html.element("svg", ["class": "stack", "aria-hidden": "true"]) { html in
      var start = 0.0
      for part in equation.parts where part.count > 0 {
        let share = Double(part.count) / whole
        html.element(
          "rect",
          [
            "class": part.style, "x": HTMLWriter.percent(start),
            "width": HTMLWriter.percent(share), "height": "100%",
          ], "")
        start += share
      }
    }
  }

  private static func writeCheck(_ holds: Bool, to html: inout HTMLWriter) {
    html.element(
      "span", ["class": holds ? "sum good" : "sum bad"],
      holds ? "✓ adds up" : "✗ does not add up")
  }
}
