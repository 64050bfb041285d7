/// Drafted values: a record converted to another form, without writing and scanning text again.
/// Their entries are like scanned ones; their texts are in the block or in the `decoded` bytes. A
/// drafted container has no source text.
extension Tape {
  /// `fill` appends the fields or items; returns the index of the value, as all functions here do
  /// that append one without a key.
  @inlinable @discardableResult
  package func appendContainer(_ kind: TapeKind, _ fill: () -> Void) -> Int {
    let index = append(TapeEntry(kind: kind))
    fill()
    self[index].next = UInt32(count)
    return index
  }

  @inlinable package func appendMember(_ key: TapeEntry, _ value: () -> Void) {
    let index = append(key)
    value()
    self[index].next = UInt32(count)
  }

  @inlinable @inline(__always)
  package func appendMember(_ key: TapeEntry, scalar value: TapeEntry) {
    let end = UInt32(truncatingIfNeeded: count + 2)
    var (key, value) = (key, value)
    (key.next, value.next) = (end, end)
    entries.append(key)
    entries.append(value)
  }

  @inlinable @discardableResult package func appendCopy(of node: Int) -> Int {
    let index = count
    let length = Int(self[node].next) - node
    precondition(length > 0, "a value is not empty")
    entries.appendCopy(of: node..<node + length)
    let distance = UInt32(truncatingIfNeeded: index - node)
    for position in index..<count { entries[position].next &+= distance }
    return index
  }

  /// Moves the entries `range`, whole values or fields, over those from the lower index `index` on.
  package func move(_ range: Range<Int>, to index: Int) {
    let distance = UInt32(range.lowerBound - index)
    guard distance > 0 else { return }
    for position in range {
      var entry = self[position]
      entry.next -= distance
      self[position - Int(distance)] = entry
    }
  }

  @inlinable @discardableResult package func appendDate(milliseconds: Int) -> Int {
    var entry = TapeEntry(start: 0, length: 0, next: count + 1, kind: .date)
    entry.milliseconds = milliseconds
    return append(entry)
  }

  @inlinable @discardableResult package func appendInteger(_ value: Int) -> Int {
    let start = decoded.count
    decoded.append(decimal: value)
    return appendScalar(entry(decodedFrom: start, .integer))
  }

  @inlinable @inline(__always) @discardableResult
  package func appendScalar(_ entry: TapeEntry) -> Int {
    var entry = entry
    entry.next = UInt32(count + 1)
    return append(entry)
  }

  /// A key, not yet appended, with the range `part` of the text of `entry`.
  @inlinable package func key(_ entry: TapeEntry, part: Range<Int>) -> TapeEntry {
    precondition(part.upperBound <= Int(entry.length), "a part cannot be longer than the text")
    var key = entry
    key.kind = .key
    key.start += UInt32(part.lowerBound)
    key.length = UInt32(part.count)
    key.number = number(of: key, in: names)
    return key
  }

  /// A key, not yet appended, with the text that `write` appends.
  @inlinable package func key(_ write: (_ text: inout ByteBuffer) -> Void) -> TapeEntry {
    var key = text(write)
    key.kind = .key
    key.number = names.number(of: bytes(key))
    return key
  }

  package func key(_ name: StaticString) -> TapeEntry { key { $0.append(name) } }

  /// The same with the text that `write` appends to an empty buffer.
  @inlinable package func text(_ write: (_ text: inout ByteBuffer) -> Void) -> TapeEntry {
    scratch.removeAll()
    write(&scratch)
    let start = decoded.count
    decoded.append(scratch.view)
    return entry(decodedFrom: start, .string)
  }

  @inlinable func entry(decodedFrom start: Int, _ kind: TapeKind) -> TapeEntry {
    precondition(decoded.count <= Int(UInt32.max), "a block's texts exceed 4 GiB")
    return TapeEntry(
      start: start, length: decoded.count - start, next: 0, kind: kind, flags: TapeEntry.decoded)
  }
}
