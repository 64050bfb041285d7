import Jobs
import Pipeline

/// The inputs of `migrate`, one by one.
enum MigrateTables {
  /// Inputs listed in a text.
  private static let mostNamed = 20

  /// A line for each input whose target differs from its path, and for ignored files.
  static func destinations(
    _ inputs: [ArchiveReport.Input], ignoredFiles: IgnoredFiles
  ) -> [String] {
    let remarkable = inputs.filter {
      $0.target.isRenamed || $0.target.isPlaced || $0.target.outside != nil
    }
    var lines = remarkable.prefix(mostNamed).map { input in
      let target = input.target
      if let outside = target.outside {
        return "linked      \(input.path) leads out of its directory, to \(outside)"
      }
      return "\(target.isRenamed ? "renamed     " : "placed      ")\(input.path) → \(target.path)"
    }
    if remarkable.count > mostNamed {
      lines.append(
        "            and \(NumberFormat.grouped(remarkable.count - mostNamed)) more: see the report"
      )
    }
    lines += ignoredFiles.files.map { "ignored     \($0.path): \($0.what)" }
    let more = ignoredFiles.count - ignoredFiles.files.count
    if more > 0 { lines.append("            and \(NumberFormat.grouped(more)) more") }
    return lines
  }

  /// The ledgers of inputs with rejected or lost parts, up to the limit, of the others together,
  /// and in total; with events outside of `--since` and `--until` if there are any.
  static func ledgers(_ inputs: [ArchiveReport.Input], total: Ledger) -> TextTable {
    let columns: [(title: String, count: KeyPath<Ledger, Int>)] = [
      ("lines", \.lines), ("blank", \.blank), ("records", \.records),
      ("rejected", \.rejectedLines), ("events", \.events), ("accepted", \.accepted),
      ("rejected", \.rejected), ("outside", \.outside), ("operations", \.operations),
      ("applied", \.applied), ("refused", \.refused),
    ].filter { $0.title != "outside" || total.outside > 0 }
    var table = TextTable([("ledger", .left)] + columns.map { ($0.title, .right) })
    func cells(_ name: String, _ ledger: Ledger) -> [String] {
      [name] + columns.map { NumberFormat.grouped(ledger[keyPath: $0.count]) }
    }
    var others = Ledger()
    var otherCount = 0
    var named = 0
    for input in inputs {
      if named < mostNamed, input.hasSomethingToTell || inputs.count == 1 {
        named += 1
        table.add(
          cells(input.lost == nil ? input.path : "\(input.path) (lost in part)", input.ledger))
      } else {
        others.add(input.ledger)
        otherCount += 1
      }
    }
    if otherCount > 0 {
      let count = NumberFormat.grouped(otherCount)
      let name = named == 0 ? "inputs" : otherCount == 1 ? "other" : "others"
      table.add(cells("\(count) \(name)", others))
    }
    table.add(cells("total", total))
    return table
  }

  /// Writes the field `inputs`: all of them.
  static func write(_ inputs: [ArchiveReport.Input], to json: inout JSONWriter) {
    json.objects("inputs", of: inputs) { input, json in
      json.members(["path": input.path, "output": input.target.path])
      input.target.write(to: &json)
      if input.lost != nil { json.member("lost", true) }
      input.ledger.write("ledger", to: &json)
    }
  }
}

extension ArchiveReport.Input {
  /// Whether any part of it was rejected or lost.
  fileprivate var hasSomethingToTell: Bool {
    lost != nil || ledger.rejectedLines + ledger.rejected + ledger.refused > 0
  }
}
