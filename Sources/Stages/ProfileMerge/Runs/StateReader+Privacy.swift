import Pipeline

/// Place, consent, and what was erased.
extension StateReader {
  /// Reads where the key was last.
  mutating func readLocation(_ object: Int, of tape: Tape) throws(Failure) {
    guard tape[object].kind == .object, let time = tape.member("time", of: object),
      let node = tape.member("place", of: object)
    else { throw corrupt("a place is incomplete") }
    let place = GeoPoint(node, of: tape)
    guard place.isValid(in: tape) else { throw corrupt("a place is not on earth") }
    value.removeAll()
    place.append(of: tape, to: &value)
    let location = LocationRegister(time: try self.time(time, tape), place: value.view)
    Mutation(location).append(to: &records)
  }

  /// Reads the latest word about consent.
  mutating func readConsent(_ object: Int, of tape: Tape) throws(Failure) {
    guard tape[object].kind == .object, let time = tape.member("time", of: object),
      let word = tape.member("opted_out", of: object),
      tape[word].kind == .true || tape[word].kind == .false
    else { throw corrupt("the consent is incomplete") }
    let consent = ConsentRegister(
      time: try self.time(time, tape), isOptedOut: tape[word].kind == .true)
    Mutation(consent).append(to: &records)
  }

  /// Reads the hashes of erased event names.
  mutating func readErased(_ array: Int, of tape: Tape) throws(Failure) {
    guard tape[array].kind == .array else { throw corrupt("erased events are no array") }
    try tape.forEachItem(of: array) { item, _ throws(Failure) in
      guard tape[item].kind == .string, let words = StateNumber.words(tape.bytes(at: item)) else {
        throw corrupt("an erased event is not a hash")
      }
      Mutation(erased: Fingerprint(low: words.low, high: words.high)).append(to: &records)
    }
  }
}
