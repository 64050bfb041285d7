package import Pipeline

/// Marks as lines of the state's totals (``StateTotals``): `{"erased":HEX32,"time":T}` or
/// `{"erased":HEX32,"forever":true}`, sorted by the digits.
extension Erasures {
  /// Appends a line per mark.
  package func append(to out: inout ByteBuffer) {
    for (key, mark) in marks.sorted(by: { $0.key < $1.key }) {
      JSONWriter.line(to: &out) { json in
        json.member("erased", XXH64.text(key.high) + XXH64.text(key.low))
        if mark.isForever { json.member("forever", true) } else { json.member("time", mark.time) }
      }
    }
  }
}

extension TotalsReader {
  /// Reads a line that begins with `erased` and these digits.
  func readErasure(
    _ digits: ByteView, _ members: Range<Int>, of tape: Tape
  ) throws(Failure) -> (key: Fingerprint, mark: Erasures.Mark) {
    guard let words = StateNumber.words(digits) else {
      throw corrupt("an erased key is not a hash")
    }
    var mark: Erasures.Mark?
    var position = members.lowerBound
    while position < members.upperBound {
      let (member, value) = (tape.bytes(at: position), position + 1)
      if member == "forever", tape[value].kind == .true {
        mark = Erasures.Mark(time: .min, isForever: true)
      } else if member == "time" {
        mark = Erasures.Mark(time: try time(value, tape), isForever: false)
      } else {
        throw corrupt("an erased key has an unknown field")
      }
      position = Int(tape[position].next)
    }
    guard let mark else { throw corrupt("an erased key has no time") }
    return (Fingerprint(low: words.low, high: words.high), mark)
  }
}
