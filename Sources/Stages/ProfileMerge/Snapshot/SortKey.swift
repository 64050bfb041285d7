import Pipeline

/// A key in a form for fast sorting: its first 16 bytes as two numbers, so that the text itself is
/// read only for keys with the same beginning.
struct SortKey {
  private let first: UInt64
  private let second: UInt64
  private let text: ByteView
  let position: SortedTables.Position

  init(_ text: ByteView, _ position: SortedTables.Position) {
    first = text.head64.byteSwapped
    second = text.dropFirst(min(text.count, 8)).head64.byteSwapped
    self.text = text
    self.position = position
  }

  /// Byte order. A short text is padded with zero bytes in the numbers; the texts decide whether
  /// those are real.
  static func < (a: SortKey, b: SortKey) -> Bool {
    if a.first != b.first { return a.first < b.first }
    if a.second != b.second { return a.second < b.second }
    return a.text < b.text
  }

  /// One sorted list of several. Complexity: O(n log k) for n keys in k lists.
  static func merged(_ lists: [[SortKey]]) -> [SortKey] {
    if lists.count <= 1 { return lists.first ?? [] }
    let middle = lists.count / 2
    let (a, b) = (merged(Array(lists[..<middle])), merged(Array(lists[middle...])))
    var result: [SortKey] = []
    result.reserveCapacity(a.count + b.count)
    var (i, j) = (0, 0)
    while i < a.count && j < b.count {
      if b[j] < a[i] {
        result.append(b[j])
        j += 1
      } else {
        result.append(a[i])
        i += 1
      }
    }
    result += a[i...]
    result += b[j...]
    return result
  }
}

extension [SortKey] {
  /// Those of the sorted keys, which are of `section`, that are within `range`.
  func keys(of section: KeySection, _ range: KeyRange) -> ArraySlice<SortKey> {
    func first(from limit: ByteView) -> Int {
      let limit = SortKey(section.id(of: limit), .init(shard: 0, profile: 0))
      return indices.binarySearch { self[$0] < limit }
    }
    let start = range.lower.map { first(from: $0) } ?? 0
    let end = range.upper.map { first(from: $0) } ?? count
    return self[start..<Swift.max(start, end)]
  }
}
