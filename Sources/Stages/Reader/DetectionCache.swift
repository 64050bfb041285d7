import Pipeline

/// Remembers what dialect lines with the same root fields are of, as long as nobody had to look at
/// a value to tell: lines of one source have few shapes.
///
/// Bounded, and forgotten with the block whose names it knows by their numbers. Belongs to one
/// ``DialectReader``; one thread at a time.
final class DetectionCache {
  /// What names alone tell of a line: those that dialects know, as bits, and the numbers of all
  /// others in their order, with ``isNull`` for those that are null.
  struct Shape: BitwiseCopyable {
    static let mostOthers = 16
    static let isNull: UInt64 = 1 << 15

    let known: UInt64
    /// Four numbers in each word.
    private var others = [4 of UInt64](repeating: 0)
    /// Mixed from both.
    private(set) var hash: UInt64

    init(known: UInt32) {
      self.known = UInt64(known)
      hash = UInt64(known)
    }

    /// Adds the `number` of the name at `index` among those that are not known.
    @inline(__always)
    mutating func add(_ number: UInt64, at index: Int) {
      others[index >> 2] |= number &<< UInt64((index & 3) * 16)
      hash = (hash ^ number) &* 0x9E37_79B9_7F4A_7C15
    }

    static func == (a: Shape, b: Shape) -> Bool {
      (a.known ^ b.known) | (a.others[0] ^ b.others[0]) | (a.others[1] ^ b.others[1])
        | (a.others[2] ^ b.others[2]) | (a.others[3] ^ b.others[3]) == 0
    }
  }

  private struct Entry: BitwiseCopyable {
    /// The ``Tape/block`` for which it was told; 0 = none.
    var block = 0
    var shape = Shape(known: 0)
    var dialect: UInt8 = 0
  }

  private static let indexBits: UInt64 = 6
  private var entries = PlainList(repeating: Entry(), count: 1 << DetectionCache.indexBits)

  /// The dialect of lines with this shape, if one was told in this block. Complexity: O(1).
  func dialect(of shape: Shape, in tape: Tape) -> Dialect? {
    let index = Self.index(of: shape)
    guard entries[index].block == tape.block, entries[index].shape == shape else { return nil }
    return Dialect(number: entries[index].dialect)
  }

  /// Notes that lines with this shape are of `dialect`. Complexity: O(1).
  func note(_ dialect: Dialect, of shape: Shape, in tape: Tape) {
    entries[Self.index(of: shape)] = Entry(
      block: tape.block, shape: shape, dialect: dialect.number)
  }

  private static func index(of shape: Shape) -> Int { Int(shape.hash >> (64 - indexBits)) }
}

extension RootFields {
  /// The shape of the line, unless it has too many fields, or one whose name has no number.
  /// Complexity: O(fields nobody knows).
  func shape(of tape: Tape) -> DetectionCache.Shape? {
    guard unknownKeys.count <= DetectionCache.Shape.mostOthers else { return nil }
    var shape = DetectionCache.Shape(known: present)
    for index in unknownKeys.indices {
      let key = unknownKeys[index].index
      var number = UInt64(tape[key].number)
      if number == 0 { return nil }
      if tape[key + 1].kind == .null { number |= DetectionCache.Shape.isNull }
      shape.add(number, at: index)
    }
    return shape
  }
}
