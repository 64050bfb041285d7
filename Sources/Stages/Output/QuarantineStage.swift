import Pipeline

/// Writes a reject entry for everything of a block that was not taken, with all its reasons and the
/// raw line (SPEC 9.2).
///
/// Runs in the lanes, behind the router; the text goes to the unit's `text`, in the order of lines,
/// then scope (line, event, operation), then index.
package struct QuarantineStage: Stage {
  package static let name = "quarantine"
  /// Longest raw text of an entry, in bytes.
  package static let longestRaw = 64 << 10

  private enum Scope {
    case line, event, operation

    var name: ByteView {
      switch self {
      case .line: "line"
      case .event: "event"
      case .operation: "operation"
      }
    }
  }

  private let sources: [[UInt8]]

  /// A stage that names inputs by `sources`, the paths in the order of the run's inputs.
  package init(sources: [String]) {
    self.sources = sources.map { path in
      var quoted = ByteBuffer()
      quoted.appendJSONString(path)
      return quoted.view.array
    }
  }

  /// Writes the unit's rejects. Complexity: O(lines + bytes of rejects).
  package mutating func process(_ unit: WorkUnit) {
    unit.text.removeAll()
    for index in unit.batch.lines.indices {
      let line = unit.batch.lines[index]
      switch line.outcome {
      case .blank: continue
      case .rejected: write(.line, 0, line.reasons, line: index, of: unit)
      case .record: writeParts(of: unit.batch.records[Int(line.record)], line: index, of: unit)
      }
    }
  }

  private func writeParts(of record: RecordEntry, line: Int, of unit: WorkUnit) {
    for event in record.eventIndices where !unit.batch.events[event].isAccepted {
      write(
        .event, event - record.eventIndices.lowerBound, unit.batch.events[event].reasons,
        line: line, of: unit)
    }
    for operation in record.operationIndices where !unit.batch.operations[operation].isApplied {
      write(
        .operation, operation - record.operationIndices.lowerBound,
        unit.batch.operations[operation].reasons, line: line, of: unit)
    }
  }

  private func write(
    _ scope: Scope, _ index: Int, _ reasons: ReasonRange, line: Int, of unit: WorkUnit
  ) {
    let entry = unit.batch.lines[line]
    unit.text.append("{\"source\":")
    unit.text.append(contentsOf: sources[unit.block.input])
    unit.text.append(",\"line\":")
    unit.text.append(decimal: unit.block.firstLine + line)
    unit.text.append(",\"offset\":")
    unit.text.append(decimal: unit.block.offset + Int(entry.start))
    if let dialect = entry.dialect {
      unit.text.append(",\"dialect\":\"")
      unit.text.append(text: dialect.name)
      unit.text.append(UInt8(ascii: "\""))
    }
    unit.text.append(",\"scope\":\"")
    unit.text.append(scope.name)
    unit.text.append("\",\"index\":")
    unit.text.append(decimal: index)
    unit.text.append(",\"reasons\":")
    unit.batch.reasons.append(reasons, to: &unit.text)
    writeRaw(entry, of: unit)
    unit.text.append("}\n")
  }

  private func writeRaw(_ entry: LineEntry, of unit: WorkUnit) {
    let line = unit.block.bytes[Int(entry.start)..<Int(entry.start) + Int(entry.length)]
    let isLong = line.count > QuarantineStage.longestRaw
    let whole = Characters.wholeCharacters(line, atMost: QuarantineStage.longestRaw)
    if UTF8Check.isValid(line[0..<whole]) {
      unit.text.append(",\"raw\":")
      unit.text.appendJSONString(line[0..<whole])
    } else {
      unit.text.append(",\"raw_base64\":\"")
      unit.text.append(base64: line[0..<min(line.count, QuarantineStage.longestRaw)])
      unit.text.append(UInt8(ascii: "\""))
    }
    if isLong || unit.block.overlong != nil { unit.text.append(",\"raw_truncated\":true") }
  }
}
