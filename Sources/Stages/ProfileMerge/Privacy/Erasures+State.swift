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
  package func append(to out: inout ByteBuffer) {
    for (key, mark) in marks.sorted(by: { $0.key < $1.key }) {
      JSONWriter.line(to: &out) { json in
        json.member("erased", key)
        if mark.isForever { json.member("forever", true) }
        // For the hash of the requests: marks in a state are not of the moment.
        if mark.isMomentary { json.member("time", Int.max) }
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
  /// Reads the line `root`, which begins with `erased` and these digits.
  func readErasure(
    _ digits: ByteView, _ root: Int, of tape: Tape
  ) throws(Failure) -> (key: Fingerprint, mark: Erasures.Mark) {
    guard let key = Fingerprint(hex: digits.text) else {
      throw corrupt("an erased key is not a hash")
    }
    var mark = Erasures.Mark(time: .min, isForever: false)
    try fields(root, of: tape, "an erased key") { field, value throws(Failure) in
      let (isTrue, isKept) = (tape[value].kind == .true, tape.string(at: value) == "keep")
      switch field {
      case "forever" where isTrue: mark.isForever = true
      case "time": mark.time = try time(value, tape)
      case "installations" where isKept: mark.keepsInstallations = true
      case "texts" where isKept: mark.leavesTexts = true
      case "unlinked" where isTrue: mark.hasErasedLink = true
      case "device": mark.deviceTime = try time(value, tape, in: ErasedDevice.times)
      default: return false
      }
      return true
    }
    guard mark.isForever || mark.end != .min else { throw corrupt("an erased key has no time") }
    return (key, mark)
  }
}
