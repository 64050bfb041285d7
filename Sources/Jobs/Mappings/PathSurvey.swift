import Pipeline
import Stages

/// Statistics about each path in some lines, for proposing a mapping. Its memory is limited. For
/// one thread.
struct PathSurvey: Sendable {
  /// Maximum number of lines read; later ones add little.
  static let mostLines = 100_000
  /// Maximum number of paths; later ones are ignored.
  private static let mostPaths = 2_000
  /// Maximum depth of paths. Mappings rarely use deeper ones.
  private static let deepest = 4
  /// Maximum number of different values counted per path.
  private static let mostValues = 5_000
  /// Maximum size of a name or value that is read, in bytes.
  private static let longestValue = 200

  /// The form of a value that may be a time.
  enum TimeForm: String, CaseIterable, Sendable {
    case text, seconds, milliseconds, microseconds, nanoseconds
  }

  /// The statistics of one path.
  struct Path: Sendable {
    /// The field names of the path.
    let names: [String]
    /// Number of lines with a non-null value at the path.
    var lines = 0
    var objects = 0
    var texts = 0
    var integers = 0
    /// Number of values that may be times, by form.
    var times = [Int](repeating: 0, count: TimeForm.allCases.count)
    /// Hashes of values.
    fileprivate(set) var values: Set<UInt64> = []
    /// Whether there are more different values than the limit.
    fileprivate(set) var hasMoreValues = false

    /// The path as a JSON Pointer.
    var pointer: String { names.map(JSONPointer.step).joined() }

    var differentValues: Int { values.count }
  }

  private(set) var lines = 0
  private(set) var paths: [Path] = []
  private var children: [[String: Int]] = [[:]]

  /// Reads the lines of a block that are objects, up to the limit; `tape` is scratch memory.
  /// Complexity: O(bytes of the block).
  mutating func add(_ block: Block, _ tape: Tape) {
    guard lines < Self.mostLines, block.overlong == nil else { return }
    tape.bind(to: block.bytes)
    var cursor = LineCursor(bytes: block.bytes)
    while lines < Self.mostLines, let line = cursor.next() {
      let first = tape.count
      guard UTF8Check.isValid(block.bytes[line]),
        case .value(let root) = Scanner.scan(line: line, into: tape), tape[root].kind == .object
      else {
        tape.truncate(to: first)
        continue
      }
      lines += 1
      add(root, of: tape, point: 0, names: [])
      tape.truncate(to: first)
    }
  }

  private mutating func add(_ object: Int, of tape: Tape, point: Int, names: [String]) {
    var key = object + 1
    let end = Int(tape[object].next)
    while key < end {
      let next = Int(tape[key].next)
      if tape[key + 1].kind != .null, tape[key].length <= Self.longestValue,
        let path = self.path(tape.bytes(at: key).text, below: point, names)
      {
        add(value: key + 1, of: tape, to: path)
        if tape[key + 1].kind == .object, names.count + 1 < Self.deepest {
          add(key + 1, of: tape, point: path + 1, names: paths[path].names)
        }
      }
      key = next
    }
  }

  /// The index of the path to the field `name`; nil if there are too many paths.
  private mutating func path(_ name: String, below point: Int, _ names: [String]) -> Int? {
    if let known = children[point][name] { return known }
    guard paths.count < Self.mostPaths else { return nil }
    let index = paths.count
    paths.append(Path(names: names + [name]))
    children.append([:])
    children[point][name] = index
    return index
  }

  private mutating func add(value node: Int, of tape: Tape, to index: Int) {
    let entry = tape[node]
    paths[index].lines += 1
    switch entry.kind {
    case .object: paths[index].objects += 1
    case .string: paths[index].texts += 1
    case .integer: paths[index].integers += 1
    default: break
    }
    guard entry.kind != .object, entry.kind != .array, entry.length <= Self.longestValue else {
      return
    }
    let text = tape.bytes(entry)
    if let form = Self.timeForm(text, entry.kind) {
      paths[index].times[TimeForm.allCases.firstIndex(of: form) ?? 0] += 1
    }
    if paths[index].values.count < Self.mostValues {
      paths[index].values.insert(XXH64.hash(text))
    } else if !paths[index].values.contains(XXH64.hash(text)) {
      paths[index].hasMoreValues = true
    }
  }

  /// The form of a value that may be a time; otherwise nil. The number of digits identifies the
  /// unit.
  private static func timeForm(_ text: ByteView, _ kind: TapeKind) -> TimeForm? {
    if kind == .string, Timestamp.parse(text) != nil { return .text }
    guard kind == .integer || kind == .double || kind == .string else { return nil }
    var digits = 0
    while digits < text.count, Characters.isDigit(text[digits]) { digits += 1 }
    guard digits == text.count || text[digits] == UInt8(ascii: "."), text.count > 0,
      text[0] != UInt8(ascii: "0")
    else { return nil }
    switch digits {
    case 9, 10: return .seconds
    case 12, 13: return .milliseconds
    case 15, 16: return .microseconds
    case 18, 19: return .nanoseconds
    default: return nil
    }
  }
}
