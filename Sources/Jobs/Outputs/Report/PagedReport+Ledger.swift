import Pipeline

/// The ledger: the outcome of every line, event and operation, and whether it balances (data-model
/// 14).
extension PagedReport {
  /// The three equations, and the fourth, by which the counts per event name are checked.
  var ledgerSection: PageSection? {
    let (ledger, counted) = (ingest.total, counted)
    return PageSection(
      "Ledger", note: "Every line, event and operation is accounted for exactly once.",
      PagePart { html in
        for equation in Ledger.equations { Self.write(equation, of: ledger, to: &html) }
        guard let counted else { return }
        html.element("div", ["class": "equation"]) { html in
          html.element("h3", "Counts")
          html.element("p") { html in
            html.text(
              "\(NumberFormat.count(ledger.accepted, "accepted event")) = "
                + "\(NumberFormat.count(counted, "event")) of this run in the counts per event name "
            )
            Self.writeCheck(ledger.accepted == counted, to: &html)
          }
        }
      })
  }

  private static func write(
    _ equation: Ledger.Equation, of ledger: Ledger, to html: inout HTMLWriter
  ) {
    let total = ledger[keyPath: equation.total]
    // What is usually zero is named only where it is not.
    let parts = Ledger.Fate.allCases.flatMap { fate in
      equation.parts.filter {
        $0.fate == fate && ([.kept, .refused].contains(fate) || ledger[keyPath: $0.count] > 0)
      }
    }.map { part in
      let count = ledger[keyPath: part.count]
      return (
        text: NumberFormat.count(count, part.label, part.name), count: count,
        style: part.fate.style
      )
    }
    html.element("div", ["class": "equation"]) { html in
      html.element("h3", equation.title)
      html.element("p") { html in
        html.element("b", "\(NumberFormat.grouped(total)) =")
        for (index, part) in parts.enumerated() {
          html.element("span") { html in
            if index > 0 { html.text("+ ") }
            html.element("span", ["class": "key \(part.style)", "aria-hidden": "true"], "")
            html.text(part.text)
          }
          html.text(" ")
        }
        writeCheck(equation.holds(in: ledger), to: &html)
      }
      // The parts side by side, by their shares.
      html.element("svg", ["class": "stack", "aria-hidden": "true"]) { html in
        var start = 0.0
        for part in parts where part.count > 0 {
          let share = Double(part.count) / Double(max(total, 1))
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
    html.endLine()
  }

  private static func writeCheck(_ holds: Bool, to html: inout HTMLWriter) {
    html.element(
      "span", ["class": holds ? "sum good" : "sum bad"],
      holds ? "✓ balances" : "✗ does not balance")
  }
}
