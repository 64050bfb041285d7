import Pipeline

/// The field names in paths.
struct MappedWords: Sendable {
  /// Most field names in all mappings of a run.
  static let most = 2_000

  /// Sorted by bytes, so that the bytes of a line are found without a copy.
  private var sorted: [(text: [UInt8], number: Int)] = []
  /// The indexes of lists, by words that are one.
  private var indexes: [Int: Int] = [:]

  var count: Int { sorted.count }

  /// Returns the number of `text`, adding it if it is new.
  mutating func add(_ text: [UInt8]) -> Int {
    let (known, index) = ByteView.with(text) { (self.number(of: $0), self.index(of: $0)) }
    if known > 0 { return known }
    let number = count + 1
    sorted.insert((text, number), at: index)
    let name = String(decoding: text, as: UTF8.self)
    if let index = Int(name), index >= 0, "\(index)" == name { indexes[number] = index }
    return number
  }

  /// The index of a list that the word is; nil for others.
  fileprivate func index(_ word: Int) -> Int? { indexes[word] }

  /// The number of the word equal to `text`; 0 = not in a path. Complexity: O(log words).
  func number(of text: ByteView) -> Int {
    let index = index(of: text)
    return index < count && text == sorted[index].text ? sorted[index].number : 0
  }

  /// The index in ``sorted`` of the first word that is not before `text`.
  private func index(of text: ByteView) -> Int {
    sorted.indices.binarySearch { ByteView.with(sorted[$0].text) { $0 < text } }
  }
}

enum MappedStep: Hashable, Sendable {
  /// Into the field named by this word.
  case field(Int)
  /// Into the first item of a list that contains the rest of the path.
  case item
  /// Into the item with this index, where a path names it so (``MappedPaths/tree(_:)``).
  case index(Int)
}

/// Paths into lines, as a tree: one walk over a line finds them all.
///
/// ```
/// /context/os/name   /context/page   /type        1 ─ context ─ 2 ─ os ─ 3 ─ name ─ 4 (number 0)
///                                                  │            └─ page ─ 5 (number 1)
///                                                  └─ type ─ 6 (number 2)
/// ```
struct MappedPaths: Sendable {
  /// Most steps of a path.
  static let longest = 16

  /// Number of numbered values: of paths, and of paths as a type.
  private(set) var count = 0
  private var points = [MappedTree.Point()]
  private var steps: [[MappedStep: Int]] = [[:]]
  private var conversions: [MappedTree.Conversion] = []

  /// The number of the value at the path; only a list has one with `isList`.
  mutating func number(of path: [MappedStep], isList: Bool = false) -> Int {
    let point = point(of: path)
    if !isList { points[point].takesAny = true }
    if points[point].number < 0 {
      points[point].number = Int32(count)
      count += 1
    }
    return Int(points[point].number)
  }

  /// The number of the value at the path as one of that type; each type has another number.
  mutating func number(
    of path: [MappedStep], as type: MappedType?, isList: Bool = false
  ) -> Int {
    let number = number(of: path, isList: isList)
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

  subscript(path: [MappedStep]) -> MappedTree.Point {
    mutating get { points[point(of: path)] }
    set { points[point(of: path)] = newValue }
  }

  var pointCount: Int { points.count }

  /// Number of points of the tree and of values with several numbers, up to about `most`.
  func treeCount(_ words: MappedWords, most: Int) -> Int {
    Joined(self, words, most: most).size
  }

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

  func tree(_ words: MappedWords) -> MappedTree {
    Joined(self, words, most: .max).tree(width: words.count + 1, count: count, conversions)
  }

  /// The points with one for each item that is named by its index: all that is true of items of the
  /// list is true of it. So each item is walked once.
  private struct Joined {
    private var points: [MappedTree.Point]
    private var steps: [[MappedStep: Int]]
    /// By point: the numbers of the paths that end there.
    private var numbers: [[Int32]]
    /// By point: its place in the order in which the mapping mentions points.
    private var order: [Int]
    private var pairs: [[Int]: Int] = [:]
    /// Number of points, and of numbers of points that have several; at most about `most`.
    private(set) var size: Int
    private let most: Int

    init(_ paths: MappedPaths, _ words: MappedWords, most: Int) {
      (self.most, size) = (most, paths.points.count)
      (points, steps) = (paths.points, paths.steps)
      numbers = points.map { $0.number < 0 ? [] : [$0.number] }
      order = Array(points.indices)
      // Points come after those that they are below.
      for (point, below) in steps.enumerated().reversed() {
        let entry = points[point]
        points[point].hasRules =
          entry.number >= 0 || entry.isDropped || entry.isLost || entry.isAttributes
          || below.values.contains { points[$0].hasRules }
      }
      var point = 0
      while point < points.count {
        for (step, child) in steps[point] {
          guard case .field(let word) = step, let index = words.index(word) else { continue }
          steps[point][.index(index)] = steps[point][.item].map { join(child, $0) } ?? child
        }
        point += 1
      }
    }

    /// The point for values to which the paths to both points lead.
    private mutating func join(_ one: Int, _ other: Int) -> Int {
      if let known = pairs[[one, other]] { return known }
      if size >= most { return one }
      let both = points.count
      pairs[[one, other]] = both
      points.append(points[one].joined(with: points[other]))
      let added = numbers[other].filter { !numbers[one].contains($0) }
      numbers.append(numbers[one] + added)
      order.append(min(order[one], order[other]))
      size += 1 + added.count
      steps.append(steps[one].merging(steps[other]) { one, _ in one })
      for (step, child) in steps[one] {
        // Those of indexes are joined when it is the turn of the point.
        if case .index = step { continue }
        guard let second = steps[other][step], second != child else { continue }
        steps[both][step] = join(child, second)
      }
      return both
    }

    func tree(width: Int, count: Int, _ conversions: [MappedTree.Conversion]) -> MappedTree {
      let sorted = points.indices.sorted { (order[$0], $0) < (order[$1], $1) }
      var places = [Int](repeating: 0, count: points.count)
      for (place, point) in sorted.enumerated() { places[point] = place }
      var flat: [MappedTree.Point] = []
      var edges = [UInt16](repeating: 0, count: points.count * width)
      var children: [UInt16] = []
      var also: [Int32] = []
      var items: [MappedTree.Item: Int] = [:]
      for point in sorted {
        var entry = points[point]
        entry.number = numbers[point].first ?? -1
        if steps[point].values.contains(where: { points[$0].hasRules }) { entry.takesAny = true }
        entry.firstAlso = UInt16(also.count)
        also += numbers[point].dropFirst()
        entry.endOfAlso = UInt16(also.count)
        entry.firstChild = UInt16(children.count)
        for (step, next) in steps[point] {
          let next = places[next]
          switch step {
          case .item: entry.item = UInt16(next)
          case .field(let word): edges[flat.count * width + word] = UInt16(next)
          case .index(let index):
            entry.hasIndexes = true
            items[MappedTree.Item(point: flat.count, index: index)] = next
            continue
          }
          children.append(UInt16(next))
        }
        children[Int(entry.firstChild)...].sort()
        entry.endOfChildren = UInt16(children.count)
        flat.append(entry)
      }
      return MappedTree(flat, children, edges, items, also, width: width, count, conversions)
    }
  }
}

/// An immutable, flat form of ``MappedPaths`` for walking. A class, so that a walk does no
/// reference counting.
final class MappedTree: Sendable {
  struct Point: BitwiseCopyable, Sendable {
    /// The number of the path that ends here; -1 = none.
    var number: Int32 = -1
    /// The range of the numbers of further paths that do, in ``MappedTree/also``.
    var firstAlso: UInt16 = 0
    var endOfAlso: UInt16 = 0
    /// The range of its child points, of fields and items, in ``MappedTree/children``.
    var firstChild: UInt16 = 0
    var endOfChildren: UInt16 = 0
    /// The point of the items; 0 = none.
    var item: UInt16 = 0
    /// Whether paths name items of it by index.
    var hasIndexes = false
    /// Whether fields of the object that are not in a path become attributes, and of a profile.
    var isAttributes = false
    var isOfProfile = false
    /// Whether any value counts as read by its paths; else only a list does.
    var takesAny = false
    /// Whether the value may be text that holds JSON.
    var isJSON = false
    /// Whether the value is data, not one of alternatives: of several items all but one are lost.
    var isData = false
    /// Whether it becomes an attribute with all that is in it.
    var isKept = false
    /// Whether a condition reads the value, and whether one of other kinds of lines does.
    var isKnown = false
    var isKnownElsewhere = false
    /// Whether anything but conditions reads the value, or a value in it.
    var hasRules = false
    /// Whether the value is lost, as if no path led to it.
    var isLost = false
    /// Whether the value is known but dropped, with all fields that are not in a path.
    var isDropped = false

    /// Whether the value, in an object whose fields become attributes, is none of them.
    var isTaken: Bool { hasRules || isKnown }

    /// A point for values for which what is true of this one, or of the other one, holds.
    fileprivate func joined(with other: Point) -> Point {
      var point = self
      if !isAttributes { point.isOfProfile = other.isOfProfile }
      for mark: WritableKeyPath<Point, Bool> in [
        \.isAttributes, \.takesAny, \.isJSON, \.isData, \.isKept, \.isKnown, \.isKnownElsewhere,
        \.hasRules, \.isLost, \.isDropped,
      ] where other[keyPath: mark] { point[keyPath: mark] = true }
      return point
    }

    var hasFields: Bool { endOfChildren - firstChild > (item > 0 ? 1 : 0) }
  }

  /// The first one is the line, or the item.
  let points: [Point]
  let children: [UInt16]
  /// The child point, by point and word; 0 = none.
  private let edges: [UInt16]
  private let width: Int
  /// The points of the items that paths name by their index.
  private let items: [Item: Int]
  /// The further numbers of points (``Point/firstAlso``).
  let also: [Int32]
  /// Number of numbered values.
  let count: Int
  let conversions: [Conversion]

  fileprivate struct Item: Hashable {
    let point: Int
    let index: Int
  }

  struct Conversion: Sendable {
    /// The number of the path.
    let source: Int
    let type: MappedType
    /// That of the value of this type.
    let number: Int
  }

  fileprivate init(
    _ points: [Point], _ children: [UInt16], _ edges: [UInt16], _ items: [Item: Int],
    _ also: [Int32], width: Int, _ count: Int, _ conversions: [Conversion]
  ) {
    (self.points, self.children, self.edges) = (points, children, edges)
    (self.items, self.also, self.width) = (items, also, width)
    (self.count, self.conversions) = (count, conversions)
  }

  /// The child points of `point`.
  @inline(__always)
  func children(of point: Int) -> Range<Int> {
    Int(points[point].firstChild)..<Int(points[point].endOfChildren)
  }

  /// The child of `point` for the field named by this word; 0 = none.
  @inline(__always)
  func child(of point: Int, _ word: Int) -> Int {
    // Words that mappings added since are in no path.
    word < width ? Int(edges[point * width + word]) : 0
  }

  /// The point of the item with that index of a list at `point`; 0 = none.
  func item(_ index: Int, of point: Int) -> Int {
    let entry = points[point]
    return entry.hasIndexes
      ? items[Item(point: point, index: index)] ?? Int(entry.item) : Int(entry.item)
  }
}
