import Pipeline

/// The names that the states of a frame use, numbered in order of first use: the same states give
/// the same numbers in every process. Reusable.
///
/// ```
/// for each name: its length (8) │ its bytes
/// ```
struct FrameNames: ~Copyable {
  /// By number of the run: the number of the frame in which the name was used last (32), and its
  /// number there (32).
  private var numbers: [UInt64] = []
  private var frame: UInt64 = 0
  private var count: UInt32 = 0
  /// The encoded list.
  private(set) var text = ByteBuffer()

  init() { removeAll() }

  /// Removes the names: another frame begins.
  mutating func removeAll() {
    frame += 1
    count = 0
    text.removeAll()
  }

  /// The number in the frame of the name with the number `name` in `names`.
  mutating func number(of name: UInt32, _ names: NameList) -> UInt32 {
    known(name) ?? add(name, names)
  }

  /// The number in the frame of a name that it already has.
  func known(_ name: UInt32) -> UInt32? {
    guard Int(name) < numbers.count else { return nil }
    let known = numbers[Int(name)]
    return known >> 32 == frame ? UInt32(truncatingIfNeeded: known) : nil
  }

  private mutating func add(_ name: UInt32, _ names: NameList) -> UInt32 {
    if Int(name) >= numbers.count {
      numbers.append(contentsOf: repeatElement(0, count: names.count - numbers.count))
    }
    let number = count
    count += 1
    numbers[Int(name)] = frame << 32 | UInt64(number)
    let bytes = names[name]
    precondition(bytes.count <= Int(UInt8.max), "names are short")
    text.append(UInt8(truncatingIfNeeded: bytes.count))
    text.append(bytes)
    return number
  }
}
