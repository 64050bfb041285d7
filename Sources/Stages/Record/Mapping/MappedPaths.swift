import Pipeline

/// The field names that paths go through. Immutable once the mappings are made.
struct MappedWords: Sendable {
  /// The most field names of all mappings of a run.
  static let most = 2_000

  private var numbers: [[UInt8]: Int] = [:]
  /// The same in the order of their bytes, to be found by bytes of a line.
  private var sorted: [(text: [UInt8], number: Int)] = []

  var count: Int { numbers.count }

  /// The number of `text`, a new one if it has none yet.
  mutating func add(_ text: [UInt8]) -> Int {
    if let number = numbers[text] { return number }
    numbers[text] = numbers.count + 1
    return numbers.count
  }

  /// Makes the words ready to be looked up.
  mutating func seal() {
    sorted = numbers.map { ($0.key, $0.value) }
      .sorted { $0.text.lexicographicallyPrecedes($1.text) }
  }

  /// The number of the word that is `text`; 0 = no path goes through it. Complexity: O(log words).
  func number(of text: ByteView) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
      let middle = (low + high) / 2
      if text == sorted[middle].text { return sorted[middle].number }
      if text.comesAfter(sorted[middle].text) { low = middle + 1 } else { high = middle }
    }
    return 0
  }
}

extension ByteView {
  /// Whether the text is the same.
  static func == (text: ByteView, other: [UInt8]) -> Bool {
    guard text.count == other.count else { return false }
    for index in other.indices where text[index] != other[index] { return false }
    return true
  }

  /// Whether the text stands behind `other` in the order of bytes.
  fileprivate func comesAfter(_ other: [UInt8]) -> Bool {
    for index in 0..<min(count, other.count) where self[index] != other[index] {
      return self[index] > other[index]
    }
    return count > other.count
  }
}

/// A step of a path.
enum MappedStep: Hashable, Sendable {
  /// Into the field with this word.
  case field(Int)
  /// Into the first item of a list that has what the rest of the path names.
  case item
}

/// Some paths into lines, as a tree: one walk over a line finds all of them.
///
/// ```
/// /context/os/name   /context/page   /type        1 ─ context ─ 2 ─ os ─ 3 ─ name ─ 4 (number 0)
///                                                  │            └─ page ─ 5 (number 1)
///                                                  └─ type ─ 6 (number 2)
/// ```
struct MappedPaths: Sendable {
  /// The most steps of a path.
  static let longest = 16

  /// How many paths have a number.
  private(set) var count = 0
  private var points = [MappedTree.Point()]
  private var steps: [[MappedStep: Int]] = [[:]]

  /// The number of the path with these steps.
  mutating func number(of path: [MappedStep]) -> Int {
    let point = point(of: path)
    if points[point].number < 0 {
      points[point].number = Int32(count)
      count += 1
    }
    return Int(points[point].number)
  }

  /// Says that fields below the path which no other path names become attributes.
  mutating func markAttributes(_ path: [MappedStep]) { points[point(of: path)].isAttributes = true }

  /// Says that what stands at the path is read elsewhere.
  mutating func know(_ path: [MappedStep]) { points[point(of: path)].isKnown = true }

  /// Says that what stands at the path is known, and not kept.
  mutating func drop(_ path: [MappedStep]) { points[point(of: path)].isDropped = true }

  private mutating func point(of path: [MappedStep]) -> Int {
    var point = 0
    for step in path {
      if let next = steps[point][step] {
        point = next
        continue
      }
      let next = points.count
      points.append(MappedTree.Point())
      steps.append([:])
      steps[point][step] = next
      point = next
    }
    return point
  }

  /// The paths, ready to be walked, with so many words.
  func tree(words: Int) -> MappedTree {
    var points = points
    var edges = [UInt16](repeating: 0, count: points.count * (words + 1))
    var children: [UInt16] = []
    for (point, below) in steps.enumerated() {
      points[point].firstChild = UInt16(children.count)
      children += below.values.sorted().map { UInt16($0) }
      points[point].endOfChildren = UInt16(children.count)
      for (step, next) in below {
        switch step {
        case .item: points[point].item = UInt16(next)
        case .field(let word): edges[point * (words + 1) + word] = UInt16(next)
        }
      }
    }
    return MappedTree(points, children, edges, width: words + 1, count: count)
  }
}

/// ``MappedPaths`` that are walked. A class, and flat, so that a walk costs no counting of
/// references. Immutable.
final class MappedTree: Sendable {
  /// What is at a point.
  struct Point: BitwiseCopyable, Sendable {
    /// The number of the path that ends here; -1 = none does.
    var number: Int32 = -1
    /// Where its points of fields and items begin and end among ``MappedTree/children``.
    var firstChild: UInt16 = 0
    var endOfChildren: UInt16 = 0
    /// The point of the items below; 0 = none.
    var item: UInt16 = 0
    /// Whether fields of the object here that no path names become attributes.
    var isAttributes = false
    /// Whether what is here is read otherwise than by a number.
    var isKnown = false
    /// Whether what is here is known, with all that no path names, and not kept.
    var isDropped = false

    /// Whether paths go on to fields.
    var hasFields: Bool { endOfChildren - firstChild > (item > 0 ? 1 : 0) }
  }

  /// The first one is the line, or the item.
  let points: [Point]
  let children: [UInt16]
  /// By point and word: the point below, 0 = none.
  private let edges: [UInt16]
  private let width: Int
  /// How many paths have a number.
  let count: Int

  fileprivate init(
    _ points: [Point], _ children: [UInt16], _ edges: [UInt16], width: Int, count: Int
  ) {
    (self.points, self.children, self.edges) = (points, children, edges)
    (self.width, self.count) = (width, count)
  }

  /// The points below `point`.
  @inline(__always)
  func children(of point: Int) -> Range<Int> {
    Int(points[point].firstChild)..<Int(points[point].endOfChildren)
  }

  /// The point below `point` at the field with this word; 0 = no path goes there.
  @inline(__always)
  func child(of point: Int, _ word: Int) -> Int { Int(edges[point * width + word]) }
}
