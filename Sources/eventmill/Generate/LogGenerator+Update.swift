import Pipeline

/// Changes of attributes and links as the Profiles API has them.
extension LogGenerator {
  private static let changeKinds = 12

  func appendUpdateV2(_ draft: inout Draft, to text: inout ByteBuffer) {
    appendHead(draft, to: &text)
    text.append(",\"attributes\":{")
    let first = draft.random.below(LogGenerator.changeKinds)
    for index in 0...draft.random.below(4) {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendChange((first + index) % LogGenerator.changeKinds, &draft, to: &text)
    }
    text.append("}}")
  }

  /// Appends a record that says nothing but whose installation it is.
  func appendLink(_ draft: Draft, to text: inout ByteBuffer) {
    appendHead(draft, to: &text)
    text.append(UInt8(ascii: "}"))
  }

  private func appendHead(_ draft: Draft, to text: inout ByteBuffer) {
    text.append("{\"identifiers\":{")
    appendIDs(draft, to: &text)
    text.append("},\"time\":")
    LogClock.append(draft.time, to: &text)
  }

  private func appendChange(_ kind: Int, _ draft: inout Draft, to text: inout ByteBuffer) {
    switch kind {
    case 0: appendPair("\"$language\":\"", draft.random.one(of: Vocabulary.languages), to: &text)
    case 1: appendPair("\"$region\":\"", draft.random.one(of: Vocabulary.regions), to: &text)
    case 2: appendPair("\"$timezone\":\"", draft.random.one(of: Vocabulary.zones), to: &text)
    case 3: appendPair("\"city\":\"", draft.random.one(of: Vocabulary.cities), to: &text)
    case 4:
      text.append("\"age\":")
      text.append(decimal: 18 + draft.random.below(60))
    case 5:
      text.append("\"date(birthdate)\":")
      LogClock.append(86_400_000 * draft.random.below(13_000), to: &text)
    case 6: appendListChange("\"programs\":", Vocabulary.programs, &draft, to: &text)
    case 7: text.append("\"old_key\":null")
    case 8:
      text.append("\"url(avatar)\":\"https://img.example.com/a/")
      text.append(decimal: draft.random.below(1_000_000))
      text.append(UInt8(ascii: "\""))
    case 9: appendListChange("\"$topic_preferences\":", Vocabulary.topics, &draft, to: &text)
    case 10:
      text.append("\"score\":")
      appendAmount(&draft.random, to: &text)
    default: appendAddress(&draft, to: &text)
    }
  }

  /// Appends a change of a list: a new one, items added, items removed, or both.
  private func appendListChange(
    _ key: StaticString, _ words: [StaticString], _ draft: inout Draft, to text: inout ByteBuffer
  ) {
    text.append(key)
    let form = draft.random.below(4)
    if form == 0 {
      appendWords(words, &draft.random, to: &text)
      return
    }
    text.append(UInt8(ascii: "{"))
    if form != 1 {
      text.append("\"$add\":")
      appendWords(words, &draft.random, to: &text)
    }
    if form == 3 { text.append(UInt8(ascii: ",")) }
    if form != 2 {
      text.append("\"$remove\":")
      appendWords(words, &draft.random, to: &text)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Appends an e-mail address and the consent, which need a custom id; else just the consent.
  private func appendAddress(_ draft: inout Draft, to text: inout ByteBuffer) {
    if draft.identity != .installation {
      text.append("\"$email_address\":\"")
      draft.person.appendCustomID(to: &text)
      text.append("@example.com\",")
    }
    text.append(
      draft.random.chance(80)
        ? "\"$email_marketing\":\"subscribed\"" : "\"$email_marketing\":\"unsubscribed\"")
  }
}
