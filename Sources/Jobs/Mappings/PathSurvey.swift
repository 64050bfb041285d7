import Pipeline
import Stages

/// Statistics about each path in some lines, for proposing a mapping. Its memory is limited. For
/// one thread.
struct PathSurvey: Sendable {
  /// Maximum number of lines read; later ones add little.
  private static let mostLines = 100_000
  /// Maximum number of paths; later ones are ignored.
  private static let mostPaths = 2_000
  /// Maximum number of steps of a path. Mappings rarely use longer ones.
  private static let deepest = 6
  /// Maximum number of different values counted per path.
  private static let mostValues = 5_000
  /// Maximum size of a name or value that is read, in bytes.
  private static let longestValue = 200
  /// The forms of times: text, then numbers, with the name of the unit in a mapping.
  static let timeForms: [(unit: DecimalNumber.Unit?, name: String)] = [
    (nil, "auto"), (.seconds, "s"), (.milliseconds, "ms"), (.microseconds, "us"),
    (.nanoseconds, "ns"),
  ]

  /// What events may be: the lines, or the objects of a list in them.
  struct Items: Sendable {
    /// The path of an item; empty for lines.
    let names: [String]
    /// The number of the items that these are in; that of the lines for lines.
    let outer: Int
    /// How many there are.
    fileprivate(set) var count = 0
  }

  /// The statistics of one path.
  struct Path: Sendable {
    /// The steps of the path: field names, and `*` for the items of a list.
    let names: [String]
    /// The number of the innermost items with the path.
    let items: Int
    /// Number of values that are not null.
    fileprivate(set) var count = 0
    fileprivate(set) var objects = 0
    fileprivate(set) var texts = 0
    fileprivate(set) var integers = 0
    /// Number of values that may be times, by form.
    fileprivate(set) var times = timeForms.map { _ in 0 }
    /// Number of times that are not before the one above, and that one.
    fileprivate(set) var inOrder = 0
    fileprivate var lastTime = 0
    /// Hashes of values.
    fileprivate var values: Set<UInt64> = []
    /// Whether there are more different values than the limit.
    fileprivate(set) var hasMoreValues = false

    var differentValues: Int { values.count }
    /// Whether each value is another one.
    var isUnique: Bool { hasMoreValues || differentValues == count }
    var isScalar: Bool { texts + integers == count }
  }

  /// Lines first, then lists as they appear.
  private(set) var items = [Items(names: [], outer: 0)]
  private(set) var paths: [Path] = []
  private var children: [[String: Int]] = [[:]]
  /// The items of the list at each path, once it has an object.
  private var lists: [Int: Int] = [:]

  var lines: Int { items[0].count }

  /// Reads the lines of a block that are objects, up to the limit; `tape` is scratch memory.
  /// Complexity: O(bytes of the block).
  mutating func add(_ block: Block, _ tape: Tape) {
    guard lines < Self.mostLines, block.overlong == nil else { return }
    tape.bind(to: block.bytes)
    var cursor = LineCursor(bytes: block.bytes)
    while lines < Self.mostLines, let line = cursor.next() {
      let first = tape.count
      if UTF8Check.isValid(block.bytes[line]),
        case .value(let root) = Scanner.scan(line: line, into: tape), tape[root].kind == .object
      {
        items[0].count += 1
        add(fieldsOf: root, of: tape, point: 0, names: [], items: 0)
      }
      tape.truncate(to: first)
    }
  }

  private mutating func add(
    fieldsOf object: Int, of tape: Tape, point: Int, names: [String], items: Int
  ) {
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let next = Int(tape[key].next)
      if tape[key + 1].kind != .null, tape[key].length <= Self.longestValue {
        add(key + 1, of: tape, at: tape.bytes(at: key).text, below: point, names, items)
      }
      key = next
    }
  }

  private mutating func add(
    _ value: Int, of tape: Tape, at name: String, below point: Int, _ outer: [String], _ items: Int
  ) {
    guard let path = path(name, below: point, outer, items) else { return }
    count(value, of: tape, at: path)
    let names = paths[path].names
    switch tape[value].kind {
    case .object where names.count < Self.deepest:
      add(fieldsOf: value, of: tape, point: path + 1, names: names, items: items)
    case .array where names.count + 1 < Self.deepest:
      var item = value + 1
      while item < Int(tape[value].next) {
        if tape[item].kind == .object {
          let list = list(at: path, outer: items)
          self.items[list].count += 1
          add(fieldsOf: item, of: tape, point: path + 1, names: names + ["*"], items: list)
        }
        item = Int(tape[item].next)
      }
    default: break
    }
  }

  /// The number of the items of the list at `path`.
  private mutating func list(at path: Int, outer: Int) -> Int {
    if let known = lists[path] { return known }
    lists[path] = items.count
    items.append(Items(names: paths[path].names + ["*"], outer: outer))
    return items.count - 1
  }

  /// The index of the path to the field `name`; nil if there are too many paths.
  private mutating func path(
    _ name: String, below point: Int, _ outer: [String], _ items: Int
  ) -> Int? {
    if let known = children[point][name] { return known }
    guard paths.count < Self.mostPaths else { return nil }
    paths.append(Path(names: outer + [name], items: items))
    children.append([:])
    children[point][name] = paths.count - 1
    return paths.count - 1
  }

  private mutating func count(_ value: Int, of tape: Tape, at path: Int) {
    let entry = tape[value]
    paths[path].count += 1
    switch entry.kind {
    case .object, .array: return paths[path].objects += entry.kind == .object ? 1 : 0
    case .string: paths[path].texts += 1
    case .integer: paths[path].integers += 1
    default: break
    }
    let text = tape.bytes(entry)
    if let (form, time) = Self.time(text, entry.kind) {
      paths[path].times[form] += 1
      paths[path].inOrder += time >= paths[path].lastTime ? 1 : 0
      paths[path].lastTime = time
    }
    let hash = XXH64.hash(text)
    if paths[path].values.count < Self.mostValues {
      paths[path].values.insert(hash)
    } else if !paths[path].values.contains(hash) {
      paths[path].hasMoreValues = true
    }
  }

  /// The form of a value that may be the time of an event, and that time in milliseconds; nil for
  /// others. Only one unit is in range.
  private static func time(_ text: ByteView, _ kind: TapeKind) -> (form: Int, time: Int)? {
    guard kind == .string || kind == .integer || kind == .double else { return nil }
    for (form, (unit, _)) in timeForms.enumerated() where unit != nil || kind == .string {
      let time = unit.map { DecimalNumber.milliseconds(text, per: $0) } ?? Timestamp.parse(text)
      if let time, Rules.isTime(time) { return (form, time) }
    }
    return nil
  }
}
