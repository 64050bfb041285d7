import Pipeline

/// Where objects and values are in a line: each is a field or an item of another. Noted while the
/// line is walked; a path is made only where one is reported.
///
/// ```
/// line ─ 1
///        ├─ session ─ 3
///        │            └─ bag ─ 4
///        │                     └─ [1] ─ 5        path(of: 5) = session.bag[1]
///        └─ with ─ 6
/// ```
/// Reused from record to record. Belongs to one ``DialectReader``, one thread at a time.
final class SourcePlaces {
  private struct Place: BitwiseCopyable {
    let parent: Int32
    /// Tape index of the key, or -1 - the index of the item.
    let step: Int32
  }

  /// Not noted: the object that is drafted.
  static var none: Int32 { 0 }
  static var root: Int32 { 1 }
  /// The item of a list that is an event: its fields are never those of the line.
  static var item: Int32 { 2 }

  private var places = PlainList<Place>()

  init() { begin() }

  /// Forgets everything but the roots.
  func begin() {
    if places.count == 3 { return }
    places.recycle()
    for _ in 0..<3 { places.append(Place(parent: Self.none, step: 0)) }
  }

  /// Notes the field with the key at tape index `key` of the object at `parent`.
  @inline(__always)
  func field(_ key: Node, of parent: Int32) -> Int32 {
    add(Place(parent: parent, step: Int32(truncatingIfNeeded: key.index)))
  }

  /// Notes the item number `index` of the array at `parent`.
  @inline(__always)
  func item(_ index: Int, of parent: Int32) -> Int32 {
    add(Place(parent: parent, step: -1 - Int32(index)))
  }

  @inline(__always)
  private func add(_ place: Place) -> Int32 {
    places.append(place)
    return Int32(truncatingIfNeeded: places.count - 1)
  }

  /// The key of the field at a place; none at an item of a list, and of what has no place.
  func key(of place: Int32) -> Node {
    guard place > Self.item, places[Int(place)].step >= 0 else { return .none }
    return Node(Int(places[Int(place)].step))
  }

  /// The path from the root. Complexity: O(steps), as is the depth of the recursion.
  func path(of place: Int32) -> FieldPath {
    guard place > Self.item else { return FieldPath(root: "") }
    let (parent, step) = (places[Int(place)].parent, Int(places[Int(place)].step))
    return step < 0 ? path(of: parent).item(-1 - step) : path(of: parent).field(step)
  }
}
