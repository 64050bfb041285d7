import Pipeline
import Stages

/// The treatment of inputs that are not logs.
package enum NonLogPolicy: Sendable {
  /// Nothing special: each of their lines is rejected.
  case accept
  /// The same, and the outcome lists them.
  case report
  /// They count as damaged.
  case refuse
}

/// Finds inputs that are not logs, at the ordered end of a flow: those with lines but without a
/// readable record. Such an input has produced only rejects, so nothing must be undone. One line
/// that is a record, or nearly one, ends the check.
struct LogGuard {
  private let inputs: [InputFile]
  private let policy: NonLogPolicy
  private let keepsGoing: Bool
  /// The input of the current units; nil before the first.
  private var current: Int?
  /// Its lines so far, as long as all of them are unreadable.
  private var lines = 0
  /// What the first of them looks like, and why it is unreadable.
  private var first: InputShape?
  private var isLog = false
  /// By input: why it is not a log.
  private(set) var findings: [Int: Failure] = [:]
  /// By input: the number of the last line, if it was cut short.
  private var cutShort: [Int: Int] = [:]
  /// What seems to be wrong with inputs that are logs, in their order.
  private(set) var warnings: [Failure] = []
  /// How many more inputs are compared with the mappings: each costs some megabytes of log.
  private var comparisons = 16

  init(_ inputs: [InputFile], _ policy: NonLogPolicy, keepsGoing: Bool) {
    (self.inputs, self.policy, self.keepsGoing) = (inputs, policy, keepsGoing)
  }

  /// - Throws: `corrupt`, when an input is not a log, and the job does not keep going.
  mutating func take(_ unit: WorkUnit) throws(Failure) {
    if unit.block.input != current {
      try decide()
      current = unit.block.input
      compare(unit)
    }
    if !isLog { inspect(unit) }
    if let (line, why, advice) = cut(of: unit) {
      cutShort[unit.block.input] = line
      warn(unit, line: line, why: "it was cut short: \(why)", [advice])
    }
    guard let ended = unit.notes.ended else { return }
    try decide()
    unit.notes.ended = outcome(ended, of: unit.block.input)
  }

  mutating func finish() throws(Failure) { try decide() }

  /// `read`, completed by the finding for the input with this number.
  func outcome(_ read: InputOutcome, of input: Int) -> InputOutcome {
    var outcome = read
    outcome.cutShort = cutShort[input]
    guard let finding = findings[input] else { return outcome }
    outcome.isLog = false
    if policy == .refuse { outcome.lost = outcome.lost ?? finding }
    return outcome
  }

  private mutating func warn(_ unit: WorkUnit, line: Int? = nil, why: String, _ advice: [String]) {
    warnings.append(
      Failure(
        .corrupt, doing: "reading the input", path: inputs[unit.block.input].name, line: line,
        why: why, advice: advice))
  }

  /// Names the mapping that fits the first lines of an input if few are accepted.
  private mutating func compare(_ unit: WorkUnit) {
    let batch = unit.batch
    let records = batch.records.indices.lazy.map { batch.records[$0] }
    guard comparisons > 0, !records.isEmpty, !records.contains(where: \.dialect.isMapped),
      records.filter(batch.isTaken).count * 2 < batch.lines.count
    else { return }
    comparisons -= 1
    guard let shape = mapped(unit.block.bytes) else { return }
    warn(
      unit, why: "few of its first lines are accepted; it looks like \(shape.words)", shape.advice)
  }

  /// The last line of an input that ends within it, or within the array around it.
  private func cut(of unit: WorkUnit) -> (line: Int, why: String, advice: String)? {
    let (batch, block) = (unit.batch, unit.block)
    if block.lacksLineFeed, batch.lines.count > 0 {
      let last = batch.lines[batch.lines.count - 1]
      if Int(last.number) == batch.lineCount - 1, last.outcome == .rejected, last.reasons.count > 0,
        [.invalidJSON, .invalidUTF8].contains(batch.reasons[Int(last.reasons.start)].code)
      {
        let why =
          block.records.isEmpty
          ? "its last line is not JSON and has no line feed" : "its last record is not whole"
        return (block.number(of: last), why, "the line is rejected; fetch the file again")
      }
    }
    guard block.lacksBracket, let last = block.records.last else { return nil }
    return (last.line, "its array has no end", "fetch the file again")
  }

  private mutating func inspect(_ unit: WorkUnit) {
    let batch = unit.batch
    var unreadable: LineEntry?
    for index in batch.lines.indices where batch.lines[index].outcome != .blank {
      let line = batch.lines[index]
      guard line.outcome == .rejected, line.reasons.count > 0,
        batch.reasons[Int(line.reasons.start)].code.isUnreadable
      else {
        isLog = true
        first = nil
        return
      }
      lines += 1
      unreadable = unreadable ?? line
    }
    // Only here: most logs with such a line have others, and the mappings are compared for it.
    if first == nil, let unreadable { first = shape(of: unreadable, in: unit) }
  }

  /// What the lines of a unit look like, if none of them is a record, or nearly one.
  static func shape(of unit: WorkUnit) -> InputShape? {
    var logs = LogGuard([], .accept, keepsGoing: true)
    logs.inspect(unit)
    return logs.first
  }

  private func shape(of line: LineEntry, in unit: WorkUnit) -> InputShape {
    let reason = unit.batch.reasons[Int(line.reasons.start)]
    let bytes = unit.block.bytes.dropFirst(Int(line.start))
    let isUnknown = reason.code == .unknownDialect
    if isUnknown, !inputs.isEmpty, let shape = mapped(bytes) { return shape }
    return InputShape(
      bytes[0..<min(bytes.count, InputShape.sample)], reason.code,
      message: isUnknown
        ? unit.batch.reasons.found(reason).text : unit.batch.reasons.message(of: reason))
  }

  /// What lines that begin with `bytes` are if a built-in mapping fits them.
  private func mapped(_ bytes: ByteView) -> InputShape? {
    FittingMapping.of(bytes).map { mapping in
      InputShape(mapping.rawValue, ["add --mapping \(mapping.rawValue)", "convert it"])
    }
  }

  private mutating func decide() throws(Failure) {
    defer { (current, lines, first, isLog) = (nil, 0, nil, false) }
    // The records of a log that has grown are in what an earlier run has read.
    guard let current, !isLog, let first, inputs[current].start == nil else { return }
    let count =
      lines == 1
      ? "its only line is not a record"
      : "none of its \(NumberFormat.grouped(lines)) lines is a record"
    let failure = Failure(
      .corrupt, doing: "reading the input", path: inputs[current].name,
      why: "it is not a log\(policy == .report ? ", and run refuses it" : ""): \(count); "
        + "it looks like \(first.words)",
      advice: first.advice
        + (inputs[current].root.map { ["move it out of \($0)"] } ?? [])
        + (policy == .refuse ? ["accept it with --max-rejects 100%"] : []))
    if policy == .refuse, !keepsGoing { throw failure }
    findings[current] = failure
  }
}

extension ReasonCode {
  /// Whether the reason of a rejected line means that it is not readable as a record.
  fileprivate var isUnreadable: Bool {
    switch self {
    case .invalidJSON, .invalidUTF8, .notObject, .unknownDialect, .lineTooLong, .tooDeep: true
    default: false
    }
  }
}
