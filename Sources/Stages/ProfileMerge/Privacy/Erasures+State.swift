package import Pipeline

/// Marks as lines of the state's totals (``StateTotals``), sorted by the digits:
///
/// ```
/// {"erased":HEX32,"forever":true,"time":T,"installations":"keep",     a request names the key
///  "texts":"keep"}
/// {"erased":HEX32,"time":T,"unlinked":true,"device":T}                of an installation
/// {"erased":HEX32,"device":T}                                         it went with a person
/// ```
/// `forever`, `installations`, `texts` and `unlinked` are omitted where they are not so, `device`
/// and `time` without such a mark.
extension Erasures {
  /// Appends a line per mark.
  package func append(to out: inout ByteBuffer) {
    for (key, mark) in marks.sorted(by: { $0.key < $1.key }) {
      JSONWriter.line(to: &out) { json in
        json.member("erased", XXH64.text(key.high) + XXH64.text(key.low))
        if mark.isForever { json.member("forever", true) }
        if mark.time != .min { json.member("time", mark.time) }
        if mark.keepsInstallations { json.member("installations", "keep") }
        if mark.leavesTexts { json.member("texts", "keep") }
        if mark.hasErasedLink { json.member("unlinked", true) }
        if mark.deviceTime != .min { json.member("device", mark.deviceTime) }
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
    var mark = Erasures.Mark(time: .min, isForever: false)
    var position = members.lowerBound
    while position < members.upperBound {
      let (member, value) = (tape.bytes(at: position), position + 1)
      if member == "forever", tape[value].kind == .true {
        mark.isForever = true
      } else if member == "time" {
        mark.time = try time(value, tape)
      } else if member == "installations", tape.string(at: value) == "keep" {
        mark.keepsInstallations = true
      } else if member == "texts", tape.string(at: value) == "keep" {
        mark.leavesTexts = true
      } else if member == "unlinked", tape[value].kind == .true {
        mark.hasErasedLink = true
      } else if member == "device" {
        mark.deviceTime = try time(value, tape)
      } else {
        throw corrupt("an erased key has an unknown field")
      }
      position = Int(tape[position].next)
    }
    guard mark.isForever || mark.end != .min else { throw corrupt("an erased key has no time") }
    return (Fingerprint(low: words.low, high: words.high), mark)
  }
}
