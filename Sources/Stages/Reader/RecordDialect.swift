package import Pipeline

/// A form that records are written in: how a line of it is told from others, and how it is read.
///
/// Adding one is a folder, a row of ``Dialect`` and a line in the ``DialectRegistry``; see
/// docs/dialects.md. A dialect holds nothing: what it needs while it reads belongs to the
/// ``DialectReader``. Its functions run on every lane, for one line at a time.
package protocol RecordDialect: SendableMetatype {
  /// Which rules hold for its records; usually those of canonical records that the reader drafts.
  static var form: RecordForm { get }

  /// The dialects that a line must not be of as well: then it is ambiguous.
  static var rivals: [any RecordDialect.Type] { get }

  /// The members that make the line one of this dialect, or nil when it is none. Those that are
  /// told earlier have been asked already. Where the names of members decide,
  /// ``LineFields/has(_:)-(ByteView)`` is to be asked: then the answer is remembered for lines
  /// with the same members.
  static func evidence(in line: LineFields) -> Evidence?

  /// Reads the line, whose members `reader.root` holds, into the batch: events and operations
  /// there, who and when in `record`. What a form does not know it counts as unknown.
  static func read(
    _ record: inout RecordEntry, by reader: DialectReader, into batch: RecordBatch)
}

extension RecordDialect {
  static var form: RecordForm { .drafted }
  static var rivals: [any RecordDialect.Type] { [] }
}

/// The root members that decided what dialect a line is of, one to three.
package struct Evidence: Equatable {
  let first: StaticString
  let second: StaticString?
  let third: StaticString?

  init(_ first: StaticString, _ second: StaticString? = nil, _ third: StaticString? = nil) {
    self.first = first
    self.second = second
    self.third = third
  }

  /// The names of the members.
  package var members: [StaticString] { [first, second, third].compactMap(\.self) }

  package static func == (a: Evidence, b: Evidence) -> Bool {
    a.members.map { ByteView($0) } == b.members.map { ByteView($0) }
  }
}

/// The root members of a line, for those who tell dialects. A member that is null is absent; of
/// repeated ones the last counts (data-model 2). A class, so that handing it on costs nothing.
package final class LineFields {
  let root: RootFields
  let tape: Tape
  /// The only dialect that is read, or nil.
  private let fixed: Dialect?
  /// Whether somebody was told where a value stands, since that was set to false.
  var hasShownValue = false

  package init(root: RootFields, tape: Tape, fixed: Dialect? = nil) {
    self.root = root
    self.tape = tape
    self.fixed = fixed
  }

  /// Whether `--dialect` says that all lines are of this dialect.
  func isFixed(to dialect: any RecordDialect.Type) -> Bool {
    fixed.map { DialectRegistry.all[Int($0.number)] == dialect } ?? false
  }

  /// Whether the member is there.
  func has(_ member: RootField) -> Bool { root.has(member) }

  /// The same for a member that is none of ``RootField``. Complexity: O(members nobody knows), for
  /// most that are absent O(1).
  func has(_ name: ByteView) -> Bool { find(name) != nil }

  /// The tape index of the value of a member, or nil when it is absent.
  func node(_ member: RootField) -> Int? {
    guard root.has(member) else { return nil }
    hasShownValue = true
    return root[member].index
  }

  /// The same for a member that is none of ``RootField``. Complexity: as ``has(_:)-(ByteView)``.
  func node(_ name: ByteView) -> Int? {
    guard let node = find(name) else { return nil }
    hasShownValue = true
    return node
  }

  private func find(_ name: ByteView) -> Int? {
    guard root.mayHaveUnknown(name) else { return nil }
    var position = root.unknownKeys.count
    while position > 0 {
      position -= 1
      let key = root.unknownKeys[position].index
      let entry = tape[key]
      guard Int(entry.length) == name.count, tape.bytes(entry) == name else { continue }
      return tape[key + 1].kind == .null ? nil : key + 1
    }
    return nil
  }
}
