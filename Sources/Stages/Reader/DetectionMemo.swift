import Pipeline

/// Remembers what dialect lines with the same root members are of, as long as nobody had to look at
/// a value to tell: lines of one source have few shapes.
///
/// Bounded, and forgotten with the block whose names it knows by their numbers. Belongs to one
/// ``DialectReader``; one thread at a time.
final class DetectionMemo {
  /// What names alone tell of a line: those that dialects know, as bits, and the numbers of all
  /// others in their order, with ``isNull`` for those that are null.
  struct Shape: BitwiseCopyable {
    static let mostOthers = 16
    static let isNull: UInt64 = 1 << 15

    let known: UInt64
    /// Four numbers in each word.
    private var others = [4 of UInt64](repeating: 0)
    /// Mixed from both.
    private(set) var mark: UInt64

    init(known: UInt32) {
      self.known = UInt64(known)
      mark = UInt64(known)
    }

    /// Adds the `number` of the name at `place` among those that are not known.
    @inline(__always)
    mutating func add(_ number: UInt64, at place: Int) {
      others[place >> 2] |= number &<< UInt64((place & 3) * 16)
      mark = (mark ^ number) &* 0x9E37_79B9_7F4A_7C15
    }

    static func == (a: Shape, b: Shape) -> Bool {
      (a.known ^ b.known) | (a.others[0] ^ b.others[0]) | (a.others[1] ^ b.others[1])
        | (a.others[2] ^ b.others[2]) | (a.others[3] ^ b.others[3]) == 0
    }
  }

  private struct Note: BitwiseCopyable {
    /// The ``Tape/block`` for which it was told; 0 = none.
    var block = 0
    var shape = Shape(known: 0)
    var dialect: UInt8 = 0
  }

  private static let placeBits: UInt64 = 6
  private var notes = PlainList(repeating: Note(), count: 1 << DetectionMemo.placeBits)

  /// The dialect of lines with this shape, if one was told in this block. Complexity: O(1).
  func dialect(of shape: Shape, in tape: Tape) -> Dialect? {
    let place = Self.place(of: shape)
    guard notes[place].block == tape.block, notes[place].shape == shape else { return nil }
    return Dialect(number: notes[place].dialect)
  }

  /// Notes that lines with this shape are of `dialect`. Complexity: O(1).
  func note(_ dialect: Dialect, of shape: Shape, in tape: Tape) {
    notes[Self.place(of: shape)] = Note(
      block: tape.block, shape: shape, dialect: dialect.number)
  }

  private static func place(of shape: Shape) -> Int { Int(shape.mark >> (64 - placeBits)) }
}

extension RootMembers {
  /// The shape of the line, unless it has too many members, or one whose name has no number.
  /// Complexity: O(members nobody knows).
  func shape(of tape: Tape) -> DetectionMemo.Shape? {
    guard unknownKeys.count <= DetectionMemo.Shape.mostOthers else { return nil }
    var shape = DetectionMemo.Shape(known: present)
    for place in unknownKeys.indices {
      let key = unknownKeys[place].index
      var number = UInt64(tape[key].number)
      if number == 0 { return nil }
      if tape[key + 1].kind == .null { number |= DetectionMemo.Shape.isNull }
      shape.add(number, at: place)
    }
    return shape
  }
}
