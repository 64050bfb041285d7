package import Pipeline

/// One reason or one loss: the code, the path in the line, and details for the message.
package struct Reason {
  package let code: ReasonCode
  /// The limit that was broken, if any, and what was found instead.
  package let limit: Int?
  package let actual: Int?
  /// For `invalid_json`, what the scanner expected; for others, the likely mistake.
  package let detail: StaticString?
  let pathStart: UInt32
  let pathLength: UInt32
  /// Length of the text after the path: the value found, repeated from the line in the message.
  let foundLength: UInt32
  /// Of a loss, a remark or an unread field.
  package fileprivate(set) var site = FindingSite()
}

/// The position of a loss, a remark or an unread field.
package struct FindingSite: BitwiseCopyable, Sendable {
  /// Index in `records`, once it is known.
  package internal(set) var record = UInt32.max
  /// Index in `events`, or in `operations`; none for the record as a whole.
  package internal(set) var event: Node = .none
  package internal(set) var operation: Node = .none
  /// The tape index of the key of an unread field, or of the attribute that a remark is about.
  package internal(set) var key: Node = .none
}

/// A range of a ``ReasonList``: the reasons of one line, event or operation.
package struct ReasonRange: BitwiseCopyable, Sendable {
  package var start: UInt32 = 0
  package var count: UInt32 = 0

  package init(start: UInt32 = 0, count: UInt32 = 0) { (self.start, self.count) = (start, count) }

  package var indices: Range<Int> { Int(start)..<Int(start) + Int(count) }
}

/// The reasons, losses, remarks or unread fields of one block, with their paths as text.
///
/// A part keeps all its reasons up to ``mostPerPart``, then only those with new codes: an array
/// with millions of invalid items takes no more space than one with a thousand. A line with
/// millions of rejected events has as many parts.
package struct ReasonList: ~Copyable {
  /// Most reasons of one event or operation, except those with new codes.
  package static let mostPerPart = 1000

  private var reasons: [Reason] = []
  /// Index of the first reason of the current part; nil = added reasons are not limited.
  private var partStart: Int?
  /// The codes of its reasons before `noted`: noted once it is full.
  private var codes: Set<ReasonCode> = []
  private var noted = 0
  private var paths = ByteBuffer(capacity: 1024)
  /// Number of reasons whose sites are known.
  private var located = 0

  package var count: Int { reasons.count }

  package subscript(index: Int) -> Reason { reasons[index] }

  /// The path of `reason`, as in `attributes.items[2].price`; valid until the list changes.
  package func path(_ reason: Reason) -> ByteView {
    paths[Int(reason.pathStart)..<Int(reason.pathStart) + Int(reason.pathLength)]
  }

  package func path(_ index: Int) -> ByteView { path(reasons[index]) }

  /// What was found instead, as text of the line; empty for most reasons. Besides the path the only
  /// part of a message that comes from the line: redaction relies on it.
  package func found(_ reason: Reason) -> ByteView {
    paths.view.dropFirst(Int(reason.pathStart) + Int(reason.pathLength))[
      0..<Int(reason.foundLength)]
  }

  /// Declares that the following reasons belong to one event or operation, until ``endPart()``.
  package mutating func beginPart() {
    (partStart, noted, codes) = (reasons.count, reasons.count, [])
  }

  package mutating func endPart() { partStart = nil }

  /// Whether the part has so many reasons that another one with `code` is omitted. Complexity: O(1)
  /// amortized, as each reason is noted once.
  private mutating func isFull(for code: ReasonCode) -> Bool {
    guard let partStart, reasons.count - partStart >= ReasonList.mostPerPart else { return false }
    codes.formUnion(reasons[noted...].lazy.map(\.code))
    noted = reasons.count
    return codes.contains(code)
  }

  mutating func recycle() {
    reasons.recycle()
    (partStart, located) = (nil, 0)
    paths.removeAll()
    paths.shrink(to: RetainedCapacity.bytes)
  }

  func range(from first: Int) -> ReasonRange {
    ReasonRange(start: UInt32(first), count: UInt32(count - first))
  }

  package mutating func truncate(to count: Int) {
    reasons.removeSubrange(count...)
    located = min(located, count)
    if let partStart, count < noted { (noted, codes) = (partStart, []) }
  }

  /// Assigns what was added since the last call to a site.
  mutating func locate(at site: FindingSite) {
    locate(from: located) { $0 = site }
    located = reasons.count
  }

  /// Changes the sites of the reasons from `first` on.
  mutating func locate(from first: Int, _ change: (inout FindingSite) -> Void) {
    for index in first..<reasons.count { change(&reasons[index].site) }
  }

  /// Removes the reasons from `count` on, and returns them; their paths stay here.
  mutating func remove(from count: Int) -> [Reason] {
    let removed = Array(reasons[count...])
    truncate(to: count)
    return removed
  }

  mutating func append(_ removed: ArraySlice<Reason>) { reasons.append(contentsOf: removed) }

  package mutating func add(
    _ code: ReasonCode, at path: StaticString, limit: Int? = nil, actual: Int? = nil,
    detail: StaticString? = nil
  ) {
    if isFull(for: code) { return }
    let start = paths.count
    paths.append(path)
    append(code, from: start, limit: limit, actual: actual, detail: detail)
  }

  package mutating func add(
    _ code: ReasonCode, at path: borrowing FieldPath, of tape: Tape, limit: Int? = nil,
    actual: Int? = nil, detail: StaticString? = nil
  ) {
    if isFull(for: code) { return }
    let start = paths.count
    path.render(of: tape, into: &paths)
    append(code, from: start, limit: limit, actual: actual, detail: detail)
  }

  package mutating func add(_ code: ReasonCode, path: ByteView) {
    if isFull(for: code) { return }
    let start = paths.count
    paths.append(path)
    append(code, from: start, limit: nil, actual: nil, detail: nil)
  }

  /// Adds a field, with its key at tape index `key`, of the object at `path`.
  mutating func add(_ code: ReasonCode, key: Node, in path: FieldPath, of tape: Tape) {
    add(code, item: path.field(key.index), ofKey: key, of: tape)
  }

  /// The same for what is at `path` in the value of that field.
  mutating func add(_ code: ReasonCode, item path: FieldPath, ofKey key: Node, of tape: Tape) {
    add(code, at: path, of: tape)
    locate(at: FindingSite(key: key))
  }

  /// Sorts the fields of `range` into source order, and returns their range.
  mutating func sort(_ range: Range<Int>) -> ReasonRange {
    // Most are in order.
    if range.dropFirst().contains(where: { reasons[$0].site.key < reasons[$0 - 1].site.key }) {
      reasons[range].sort { $0.site.key < $1.site.key }
    }
    return ReasonRange(start: UInt32(range.lowerBound), count: UInt32(range.count))
  }

  /// Adds a reason for the whole line; `write` writes what was found.
  package mutating func add(
    _ code: ReasonCode, actual: Int? = nil, detail: StaticString? = nil,
    found write: (inout ByteBuffer) -> Void
  ) {
    let start = paths.count
    write(&paths)
    append(code, from: start, pathLength: 0, limit: nil, actual: actual, detail: detail)
  }

  package mutating func add(_ range: ReasonRange, of other: borrowing ReasonList) {
    for index in range.indices { take(index, of: other) }
  }

  /// Adds a copy of the reason at `index` of `other`.
  package mutating func take(_ index: Int, of other: borrowing ReasonList) {
    let reason = other[index]
    let start = paths.count
    paths.append(other.path(reason))
    paths.append(other.found(reason))
    append(
      reason.code, from: start, pathLength: Int(reason.pathLength), limit: reason.limit,
      actual: reason.actual, detail: reason.detail)
  }

  /// Appends a reason whose path, followed by what was found, is the text from `start` on.
  private mutating func append(
    _ code: ReasonCode, from start: Int, pathLength: Int? = nil, limit: Int?, actual: Int?,
    detail: StaticString?
  ) {
    let length = pathLength ?? paths.count - start
    reasons.append(
      Reason(
        code: code, limit: limit, actual: actual, detail: detail, pathStart: UInt32(start),
        pathLength: UInt32(length), foundLength: UInt32(paths.count - start - length)))
  }
}
