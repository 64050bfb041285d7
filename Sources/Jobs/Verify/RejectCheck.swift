import Pipeline
import Stages

/// Checks the entries of the rejects (data-model 15): their fields, their inputs, and their order;
/// and counts them per input and scope.
final class RejectCheck: LineCheck {
  /// Number of entries of an input, by scope.
  struct Tally: Equatable {
    var lines = 0
    var events = 0
    var operations = 0

    mutating func add(_ other: Tally) {
      lines += other.lines
      events += other.events
      operations += other.operations
    }
  }

  let tape = Tape(numbersNames: false)
  /// The counts so far, by index of the input in the manifest.
  private(set) var tallies: [Tally]
  /// The greatest line numbers of the inputs, by index in the manifest.
  private let lines: [Int]
  private let numbers: [[UInt8]: Int]
  /// The source of the previous entry, which most entries share.
  private var lastSource = ByteBuffer()
  private var lastNumber: Int?

  /// A check of entries about `inputs`, which are in the order of the entries.
  init(inputs: [ManifestInput]) {
    tallies = Array(repeating: Tally(), count: inputs.count)
    lines = inputs.map { ($0.start?.lines ?? 0) + $0.lines }
    // By bytes: two paths can differ and still be equal as characters.
    numbers = Dictionary(inputs.enumerated().map { (Array($1.path.utf8), $0) }) { first, _ in first
    }
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    guard let source = tape.string(at: tape.member("source", of: root)),
      let line = tape.count(at: tape.member("line", of: root)), line > 0,
      tape.count(at: tape.member("offset", of: root)) != nil,
      let scope = tape.string(at: tape.member("scope", of: root)).flatMap(RejectScope.init),
      let index = tape.count(at: tape.member("index", of: root))
    else { return findings.add(.incompleteReject) }
    checkReasons(tape.member("reasons", of: root), findings)
    let isText = tape.string(at: tape.member("raw", of: root)) != nil
    let isBase64 = tape.string(at: tape.member("raw_base64", of: root)) != nil
    if isText == isBase64 { findings.add(.rejectWithoutText) }
    guard let number = number(of: source) else {
      return findings.add(.rejectOfNoInput, source.shown)
    }
    if line > lines[number] {
      findings.add(.rejectOfNoLine, line, lines[number])
    }
    count(scope, number)
    // Big-endian, so that byte order is numeric order.
    for part in [number, line, Int(scope.rawValue), index] {
      key.append(word64: UInt64(part).byteSwapped)
    }
  }

  private func checkReasons(_ reasons: Int?, _ findings: FrameFindings) {
    let items = reasons.map { tape.items(of: $0) } ?? []
    let isSound = items.allSatisfy { reason in
      tape.string(at: tape.member("code", of: reason)).map { !$0.isEmpty } ?? false
        && tape.string(at: tape.member("message", of: reason)) != nil
    }
    if items.isEmpty || !isSound {
      findings.add(.rejectWithoutReason)
    }
  }

  private func number(of source: ByteView) -> Int? {
    if lastNumber == nil || lastSource.view != source {
      lastSource.removeAll()
      lastSource.append(source)
      lastNumber = numbers[source.array]
    }
    return lastNumber
  }

  private func count(_ scope: RejectScope, _ number: Int) {
    switch scope {
    case .line: tallies[number].lines += 1
    case .event: tallies[number].events += 1
    case .operation: tallies[number].operations += 1
    }
  }
}
