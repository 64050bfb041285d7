import Pipeline
import Stages

/// The counts of an event name, in the counts and in the state alike.
struct EventCount: Equatable {
  let count: Int
  let duplicates: Int
  /// Published profiles that have the event; nil if not recorded.
  var profiles: Int?
  /// The first and last time; never, if not recorded.
  let seen: Seen
  /// The source names.
  let sourceNames: SourceNames
}

extension EventCount {
  /// The counts in the object `root` of a line of the state; nil when a number is missing, or the
  /// source names are invalid. Implied values are omitted there.
  init?(totals root: Int, of tape: Tape) {
    func number(_ member: ByteView, else implied: Int?) -> Int? {
      guard let index = tape.member(member, of: root) else { return implied }
      return tape[index].kind == .integer ? Int(tape.bytes(at: index).text) : nil
    }
    guard let count = number("count", else: 1), let duplicates = number("duplicates", else: 0),
      let sourceNames = SourceNames(ofMemberOf: root, of: tape)
    else { return nil }
    var seen = Seen.never
    if tape.member("first", of: root) != nil || tape.member("last", of: root) != nil {
      guard let last = number("last", else: nil), let first = number("first", else: last) else {
        return nil
      }
      seen = Seen(first: first, last: last)
    }
    self.init(
      count: count, duplicates: duplicates,
      profiles: tape.count(at: tape.member("profiles", of: root)), seen: seen,
      sourceNames: sourceNames)
  }

  /// Whether both are equal, as far as both are recorded.
  func agrees(with other: EventCount) -> Bool {
    var other = other
    if profiles == nil { other.profiles = nil }
    return self == other
  }
}

/// The counts of an output, from `event_counts.ndjson`.
///
/// All of them are in memory: there are as many as event names.
struct EventCounts {
  private static let doing = FrameWalk.doing
  /// Most names that are read: a damaged file may have any number.
  static let mostNames = 10_000_000
  /// Longest line of the counts that is read, in bytes; a name has 30. A byte of a source name may
  /// be written as 6.
  private static let longestLine = 4096 + SourceNames.most * (6 * SourceNames.longest + 3)

  /// The names in line order.
  private(set) var names: [String] = []
  /// The counts of each of them.
  private(set) var counts: [String: EventCount] = [:]

  /// Reads and checks `event_counts.ndjson`.
  ///
  /// - Throws: `io` when it cannot be read.
  mutating func read(
    in output: String, problems: inout ProblemList
  ) throws(Failure) -> PlainFile {
    let tape = Tape(numbersNames: false)
    let path = RunFiles.countsJSON
    return try PlainFile(output, path, longestLine: EventCounts.longestLine) { line, number in
      func add(_ code: ProblemCode, _ figures: any CustomStringConvertible...) {
        problems.add(VerifyProblem(file: path, line: number, finding: Finding(code, figures)))
      }
      tape.bind(to: line)
      guard UTF8Check.isValid(line),
        case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: tape),
        let name = tape.string(at: tape.member("name", of: root))?.text
      else { return add(.badCount) }
      if let last = names.last, !last.utf8.lexicographicallyPrecedes(name.utf8) {
        add(.nameOutOfOrder, name)
      }
      take(name, root: root, of: tape, add)
    }
  }

  private mutating func take(
    _ name: String, root: Int, of tape: Tape,
    _ add: (ProblemCode, any CustomStringConvertible...) -> Void
  ) {
    guard let count = tape.count(at: tape.member("count", of: root)),
      let duplicates = tape.count(at: tape.member("duplicates", of: root)),
      let having = tape.count(at: tape.member("profiles", of: root)),
      let seen = Self.times(root, of: tape), let dialects = tape.member("dialects", of: root)
    else { return add(.incompleteCount, name) }
    if seen != .never, seen.isNever { add(.reversedTimes, name) }
    guard let sourceNames = SourceNames(ofMemberOf: root, of: tape) else {
      return add(.badSourceNames, name)
    }
    if sourceNames.names.contains(name) { add(.namesItself, name) }
    var read = 0
    tape.forEachMember(of: dialects) { key in read &+= tape.count(at: key + 1) ?? 0 }
    if read != count + duplicates {
      add(.otherDialectCounts, name, read, count, duplicates, count + duplicates)
    }
    guard names.count < EventCounts.mostNames else {
      return add(.tooManyNames, EventCounts.mostNames)
    }
    names.append(name)
    counts[name] = EventCount(
      count: count, duplicates: duplicates, profiles: having, seen: seen, sourceNames: sourceNames)
  }

  /// The times in a line, in any order; never, for events without time. Nil when one is missing or
  /// invalid.
  private static func times(_ root: Int, of tape: Tape) -> Seen? {
    let (first, last) = (
      tape.member("first_seen", of: root), tape.member("last_seen", of: root)
    )
    if first == nil, last == nil { return .never }
    guard let first = tape.time(at: first), let last = tape.time(at: last) else { return nil }
    return Seen(first: first, last: last)
  }

  /// Reads `event_counts.csv` and compares it with these counts.
  ///
  /// - Throws: `io` when it cannot be read.
  func compareTable(
    in output: String, problems: inout ProblemList
  ) throws(Failure) -> PlainFile {
    let path = RunFiles.countsCSV
    var rows = 0
    let file = try PlainFile(output, path, longestLine: EventCounts.longestLine) { line, number in
      rows = number
      let expected = number <= names.count + 1 ? row(number) : nil
      if line[0..<line.count - 1].text != expected {
        problems.add(
          VerifyProblem(
            file: path, line: number,
            finding: expected.map { Finding(.otherRow, [$0]) } ?? Finding(.extraRow)))
      }
    }
    if rows < names.count + 1 {
      problems.add(path, .missingRows, rows, names.count + 1)
    }
    return file
  }

  /// The row with that number, from 1, the first one being the heading.
  private func row(_ number: Int) -> String {
    guard number > 1 else { return EventCountLines.heading }
    let name = names[number - 2]
    guard let count = counts[name] else { return name }
    let times =
      count.seen == .never ? ["", ""] : [count.seen.first, count.seen.last].map(Timestamp.text)
    return
      ([name, "\(count.count)"] + times + ["\(count.profiles ?? 0)", "\(count.duplicates)"])
      .joined(separator: ",")
  }
}

/// An uncompressed file of an output, read line by line.
struct PlainFile {
  let facts: FileHash
  let lines: Int

  /// Reads the file and calls `each` with every line, its line end included, and its number, from
  /// 1. A line that is longer than `longestLine` bytes may be truncated.
  ///
  /// - Throws: `io` when it cannot be read.
  init(
    _ output: String, _ path: String, longestLine: Int,
    each: (_ line: ByteView, _ number: Int) -> Void
  ) throws(Failure) {
    var number = 0
    // The beginning of a line that continues in the next piece.
    var rest = ByteBuffer()
    func take(_ line: ByteView) {
      number += 1
      each(line, number)
    }
    facts = try FileHash(of: "\(output)/\(path)", doing: FrameWalk.doing) { piece in
      var piece = piece
      while let end = piece.firstIndex(of: UInt8(ascii: "\n")) {
        if rest.isEmpty {
          take(piece[0..<end + 1])
        } else {
          rest.append(piece[0..<min(end, longestLine - rest.count)])
          rest.append(UInt8(ascii: "\n"))
          take(rest.view)
          rest.removeAll()
        }
        piece = piece.dropFirst(end + 1)
      }
      rest.append(piece[0..<min(piece.count, longestLine - rest.count)])
    }
    lines = number + (rest.isEmpty ? 0 : 1)
    if !rest.isEmpty {
      rest.append(UInt8(ascii: "\n"))
      take(rest.view)
    }
  }
}
