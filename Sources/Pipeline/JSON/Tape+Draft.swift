/// Drafted values: a record converted to another form, without writing and scanning text again.
///
/// Drafted entries follow each other like scanned ones. Their texts are in the block, or in the
/// `decoded` bytes. A drafted container has no source text.
extension Tape {
  /// Appends an object or array, whose fields or items `fill` appends; returns its index.
  @inlinable @discardableResult
  package func appendContainer(_ kind: TapeKind, _ fill: () -> Void) -> Int {
    let index = append(TapeEntry(kind: kind))
    fill()
    self[index].next = UInt32(count)
    return index
  }

  /// Appends a field with a copy of `key`; `value` appends the value.
  @inlinable
  package func appendMember(_ key: TapeEntry, _ value: () -> Void) {
    let index = append(key)
    value()
    self[index].next = UInt32(count)
  }

  /// Appends a field with a scalar value.
  @inlinable @inline(__always)
  package func appendMember(_ key: TapeEntry, scalar value: TapeEntry) {
    let end = UInt32(truncatingIfNeeded: count + 2)
    var (key, value) = (key, value)
    (key.next, value.next) = (end, end)
    entries.append(key)
    entries.append(value)
  }

  /// Appends a deep copy of the value at `node`; returns its index.
  @inlinable @discardableResult
  package func appendCopy(of node: Int) -> Int {
    let index = count
    let length = Int(self[node].next) - node
    precondition(length > 0, "a value is not empty")
    entries.appendCopy(of: node..<node + length)
    let distance = UInt32(truncatingIfNeeded: index - node)
    for position in index..<count { entries[position].next &+= distance }
    return index
  }

  /// Moves the entries `range`, whole values or fields, to the lower index `index`, overwriting the
  /// entries there.
  package func move(_ range: Range<Int>, to index: Int) {
    let distance = UInt32(range.lowerBound - index)
    guard distance > 0 else { return }
    for position in range {
      var entry = self[position]
      entry.next -= distance
      self[position - Int(distance)] = entry
    }
  }

  /// Appends a time, milliseconds since 1970.
  @inlinable @discardableResult
  package func appendDate(milliseconds: Int) -> Int {
    var entry = TapeEntry(start: 0, length: 0, next: count + 1, kind: .date)
    entry.milliseconds = milliseconds
    return append(entry)
  }

  /// Appends a whole number.
  @inlinable @discardableResult
  package func appendInteger(_ value: Int) -> Int {
    let start = decoded.count
    decoded.append(decimal: value)
    return appendScalar(entry(decodedFrom: start, .integer))
  }

  /// Appends `entry` as a scalar value; returns its index.
  @inlinable @inline(__always) @discardableResult
  package func appendScalar(_ entry: TapeEntry) -> Int {
    var entry = entry
    entry.next = UInt32(count + 1)
    return append(entry)
  }

  /// A key, not yet appended, with the range `part` of the text of `entry`, and its number.
  @inlinable
  package func key(_ entry: TapeEntry, part: Range<Int>) -> TapeEntry {
    precondition(part.upperBound <= Int(entry.length), "a part cannot be longer than the text")
    var key = entry
    key.kind = .key
    key.start += UInt32(part.lowerBound)
    key.length = UInt32(part.count)
    key.number = number(of: key, in: names)
    return key
  }

  /// A key, not yet appended, with the text that `write` appends, and its number.
  @inlinable
  package func key(_ write: (_ text: inout ByteBuffer) -> Void) -> TapeEntry {
    var key = text(write)
    key.kind = .key
    key.number = names.number(of: bytes(key))
    return key
  }

  /// A key, not yet appended, with constant text, and its number.
  package func key(_ name: StaticString) -> TapeEntry { key { $0.append(name) } }

  /// A string, not yet appended, with constant text.
  package func text(_ text: StaticString) -> TapeEntry { self.text { $0.append(text) } }

  /// A string, not yet appended, with the text that `write` appends to an empty buffer.
  @inlinable
  package func text(_ write: (_ text: inout ByteBuffer) -> Void) -> TapeEntry {
    scratch.removeAll()
    write(&scratch)
    let start = decoded.count
    decoded.append(scratch.view)
    return entry(decodedFrom: start, .string)
  }

  /// An entry for the decoded bytes from `start` on.
  @inlinable
  func entry(decodedFrom start: Int, _ kind: TapeKind) -> TapeEntry {
    precondition(decoded.count <= Int(UInt32.max), "a block's texts exceed 4 GiB")
    return TapeEntry(
      start: start, length: decoded.count - start, next: 0, kind: kind, flags: TapeEntry.decoded)
  }
}
