import Pipeline

/// The field names in paths. Immutable once the mappings are sealed.
struct MappedWords: Sendable {
  /// Maximum number of field names in all mappings of a run.
  static let most = 2_000

  private var numbers: [[UInt8]: Int] = [:]
  /// The same, sorted by bytes, for lookup by bytes of a line.
  private var sorted: [(text: [UInt8], number: Int)] = []

  /// The words that are an index of a list.
  private var indexes: [Int: Int] = [:]

  var count: Int { numbers.count }

  /// Returns the number of `text`, adding it if it is new.
  mutating func add(_ text: [UInt8]) -> Int {
    if let number = numbers[text] { return number }
    numbers[text] = numbers.count + 1
    return numbers.count
  }

  /// Prepares the words for lookup.
  mutating func seal() {
    sorted = numbers.map { ($0.key, $0.value) }
      .sorted { $0.text.lexicographicallyPrecedes($1.text) }
    for (text, number) in sorted {
      let text = String(decoding: text, as: UTF8.self)
      if let index = Int(text), index >= 0, "\(index)" == text { indexes[index] = number }
    }
  }

  fileprivate func isIndex(_ word: Int) -> Bool { indexes.values.contains(word) }

  /// The number of the word that is the index `index` of a list; 0 = not in a path.
  func number(ofIndex index: Int) -> Int { indexes[index] ?? 0 }

  /// The number of the word equal to `text`; 0 = not in a path. Complexity: O(log words).
  func number(of text: ByteView) -> Int {
    let index = sorted.indices.binarySearch { ByteView.with(sorted[$0].text) { $0 < text } }
    return index < sorted.count && text == sorted[index].text ? sorted[index].number : 0
  }
}

/// A step of a path.
enum MappedStep: Hashable, Sendable {
  /// Into the field named by this word.
  case field(Int)
  /// Into the first item of a list that contains the rest of the path.
  case item
}

/// Paths into lines, as a tree: one walk over a line finds them all.
///
/// ```
/// /context/os/name   /context/page   /type        1 ─ context ─ 2 ─ os ─ 3 ─ name ─ 4 (number 0)
///                                                  │            └─ page ─ 5 (number 1)
///                                                  └─ type ─ 6 (number 2)
/// ```
struct MappedPaths: Sendable {
  /// Maximum number of steps of a path.
  static let longest = 16

  /// Number of numbered values: of paths, and of paths as a type.
  private(set) var count = 0
  private var points = [MappedTree.Point()]
  private var steps: [[MappedStep: Int]] = [[:]]
  private var conversions: [MappedTree.Conversion] = []

  /// The number of the path with these steps.
  mutating func number(of path: [MappedStep]) -> Int {
    let point = point(of: path)
    if points[point].number < 0 {
      points[point].number = Int32(count)
      count += 1
    }
    return Int(points[point].number)
  }

  /// The number of the value at the path as one of that type; without it, or as another one, it has
  /// another number.
  mutating func number(of path: [MappedStep], as type: MappedType?) -> Int {
    let number = number(of: path)
    guard let type else { return number }
    if type == .json {
      self[path].isJSON = true
      return number
    }
    if let known = conversions.first(where: { $0.source == number && $0.type == type }) {
      return known.number
    }
    conversions.append(MappedTree.Conversion(source: number, type: type, number: count))
    count += 1
    return count - 1
  }

  /// The point of the path with these steps.
  subscript(path: [MappedStep]) -> MappedTree.Point {
    mutating get { points[point(of: path)] }
    set { points[point(of: path)] = newValue }
  }

  /// Number of points: of steps of all paths.
  var pointCount: Int { points.count }

  /// Whether a value is kept that contains the one at the path, perhaps as any item of a list.
  func isKept(around path: ArraySlice<MappedStep>, from point: Int = 0) -> Bool {
    guard let step = path.first else { return false }
    return points[point].isKept
      || steps[point].contains { next, child in
        (next == step || next == .item || step == .item)
          && isKept(around: path.dropFirst(), from: child)
      }
  }

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

  /// The paths as a tree for these words.
  func tree(_ sealed: MappedWords) -> MappedTree {
    let words = sealed.count
    var points = points
    var edges = [UInt16](repeating: 0, count: points.count * (words + 1))
    var children: [UInt16] = []
    // Points come after those that they are below.
    for (point, below) in steps.enumerated().reversed() {
      points[point].hasRules =
        points[point].number >= 0 || points[point].isDropped || points[point].isLost
        || points[point].isAttributes
        || below.values.contains { points[$0].hasRules }
    }
    for (point, below) in steps.enumerated() {
      points[point].firstChild = UInt16(children.count)
      children += below.values.sorted().map { UInt16($0) }
      points[point].endOfChildren = UInt16(children.count)
      for (step, next) in below {
        switch step {
        case .item: points[point].item = UInt16(next)
        case .field(let word):
          edges[point * (words + 1) + word] = UInt16(next)
          if sealed.isIndex(word) { points[point].hasIndexes = true }
        }
      }
    }
    return MappedTree(points, children, edges, width: words + 1, count: count, conversions)
  }
}

/// An immutable, flat form of ``MappedPaths`` for walking. A class, so that a walk does no
/// reference counting.
final class MappedTree: Sendable {
  /// A point of the tree.
  struct Point: BitwiseCopyable, Sendable {
    /// The number of the path that ends here; -1 = none.
    var number: Int32 = -1
    /// The range of its child points, of fields and items, in ``MappedTree/children``.
    var firstChild: UInt16 = 0
    var endOfChildren: UInt16 = 0
    /// The point of the items; 0 = none.
    var item: UInt16 = 0
    /// Whether paths name items of it by index.
    var hasIndexes = false
    /// Whether fields of the object that are not in a path become attributes.
    var isAttributes = false
    /// Whether these are attributes of a profile.
    var isOfProfile = false
    /// Whether the value may be text that holds JSON.
    var isJSON = false
    /// Whether the value is data of an event, not one of several alternatives: of several items all
    /// but the first are lost.
    var isData = false
    /// Whether it becomes an attribute with all that is in it.
    var isKept = false
    /// Whether a condition reads the value.
    var isKnown = false
    /// Whether a condition of other kinds of lines reads it.
    var isKnownElsewhere = false
    /// Whether anything but conditions reads the value, or a value in it.
    var hasRules = false
    /// Whether the value is lost, as if no path led to it.
    var isLost = false
    /// Whether the value is known but dropped, with all fields that are not in a path.
    var isDropped = false

    /// Whether the value, in an object whose fields become attributes, is none of them.
    var isTaken: Bool { hasRules || isKnown }

    /// Whether paths continue into fields.
    var hasFields: Bool { endOfChildren - firstChild > (item > 0 ? 1 : 0) }
  }

  /// The first one is the line, or the item.
  let points: [Point]
  let children: [UInt16]
  /// The child point, by point and word; 0 = none.
  private let edges: [UInt16]
  private let width: Int
  /// Number of numbered values.
  let count: Int
  let conversions: [Conversion]

  /// The value of a path as one of a type.
  struct Conversion: Sendable {
    /// The number of the path.
    let source: Int
    let type: MappedType
    /// That of the value of this type.
    let number: Int
  }

  fileprivate init(
    _ points: [Point], _ children: [UInt16], _ edges: [UInt16], width: Int, count: Int,
    _ conversions: [Conversion]
  ) {
    (self.points, self.children, self.edges) = (points, children, edges)
    (self.width, self.count, self.conversions) = (width, count, conversions)
  }

  /// The child points of `point`.
  @inline(__always)
  func children(of point: Int) -> Range<Int> {
    Int(points[point].firstChild)..<Int(points[point].endOfChildren)
  }

  /// The child of `point` for the field named by this word; 0 = none.
  @inline(__always)
  func child(of point: Int, _ word: Int) -> Int { Int(edges[point * width + word]) }
}
