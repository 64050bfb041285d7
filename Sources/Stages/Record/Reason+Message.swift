package import Pipeline

extension Reason {
  /// One sentence for a person: what was found, what would be right, and what it looks like.
  ///
  /// - Parameters:
  ///   - path: where in the line, as text.
  ///   - found: what was found instead, as text of the line.
  package func message(at path: String, found: String = "") -> String {
    if !found.isEmpty { return "\(rule(at: path)); it has \(found)" }
    let rule = rule(at: path)
    guard let detail, code != .invalidJSON else { return rule }
    return "\(rule); \(detail)"
  }

  /// What was found, and what would be right.
  private func rule(at path: String) -> String {
    let place = path.isEmpty ? "the line" : path
    let found = actual.map(String.init) ?? "more"
    let most = limit.map(String.init) ?? "0"
    switch code {
    case .invalidJSON:
      let byte = actual.map { " at byte \($0)" } ?? ""
      let wanted = detail.map { "; expected \($0)" } ?? ""
      return "the line is no valid JSON\(byte)\(wanted)"
    case .invalidUTF8: return "the line is not valid UTF-8"
    case .notObject: return "the line is JSON but no object"
    case .tooDeep: return "the line nests deeper than \(most) levels"
    case .lineTooLong: return "the line has \(found) bytes; the limit is \(most)"
    case .unknownDialect:
      return "the line is not of a known dialect; records are identified by these fields: "
        + Dialect.identifyingFields
    case .ambiguousDialect:
      return "the line could be of two dialects; --dialect tells which"
    case .badAction: return "\(place) is no action that can be read"
    case .wrongDialect: return "the line is written in another dialect than --dialect allows"
    case .badCustomID:
      return "\(place) must be a string, 1 to \(Limits.customID) characters, not blank, without "
        + "line feed, and no placeholder such as null or undefined"
    case .badInstallationID:
      return "\(place) must be a string, 1 to \(Limits.installationID) characters, without white "
        + "space"
    case .noIdentity: return "operations need a custom_id or an installation_id"
    case .emptyRecord: return "the record holds neither events nor operations, and is no link"
    case .badEvents: return "events must be an array"
    case .partMissing:
      return "the line has no part with this index any more; edited lines must keep their parts"
    case .missingName: return "the event has no name"
    case .badName:
      return "an event name is 1 to \(Characters.longestName) of the characters A-Z, a-z, 0-9 and _"
    case .missingTime: return "there is no time, and no --default-time stands in for it"
    case .invalidTime:
      return "a time is text such as 2024-05-02T09:15:00Z or a number of milliseconds since 1970"
    case .timeOutOfRange: return "the time lies outside 2000 to 2099"
    case .outsideWindow:
      return "the time \(actual.map(Timestamp.text) ?? "") is outside --not-before and --not-after"
    case .badEventID:
      return "an event id is a string of 1 to \(Limits.eventID) characters or an integer"
    case .badAttributes: return "\(place) must be an object"
    case .badKey:
      return
        "the key of \(place) must be 1 to \(Characters.longestName) of the characters A-Z, a-z, 0-9 "
        + "and _"
    case .reservedKey: return "\(place) is reserved: keys must not begin with $"
    case .wrongType:
      return "\(path.isEmpty ? "the value" : path) has a type that is not allowed here"
    case .typeNotInV1: return "\(place) has a type that v1 events do not have"
    default: return valueMessage(place: place, found: found, most: most)
    }
  }

  private func valueMessage(place: String, found: String, most: String) -> String {
    switch code {
    case .stringEmpty: return "\(place) is empty"
    case .stringBlank, .labelBlank, .tagBlank: return "\(place) is blank"
    case .stringTooLong, .labelTooLong, .tagTooLong, .urlTooLong:
      return "\(place) has \(found) characters; the limit is \(most)"
    case .stringNewline, .labelNewline, .tagNewline: return "\(place) contains a line feed"
    case .integerOutOfRange: return "\(place) does not fit into 64 bits"
    case .numberOutOfRange: return "\(place) is too large for a double"
    case .dateInvalid: return "\(place) is no date of the years 0001 to 9999"
    case .urlInvalid: return "\(place) is no URL with a scheme and a host"
    case .arrayTooLong: return "\(place) has \(found) items; the limit is \(most)"
    case .arrayMixed: return "\(place) mixes strings and objects"
    case .arrayNested: return "\(place) is an array inside an array"
    case .tooNested: return "\(place) is nested deeper than \(most) levels"
    case .tooManyAttributes: return "\(place) exceeds the limit of \(most) attributes"
    case .tooManyTags: return "\(place) exceeds the limit of \(most) tags"
    case .needsCustomID: return "\(place) needs a record with a custom_id"
    case .emailInvalid: return "\(place) is no e-mail address of at most \(Limits.email) characters"
    case .phoneInvalid: return "\(place) is no phone number: + and 1 to 15 digits"
    case .subscriptionInvalid: return "\(place) must be subscribed or unsubscribed"
    case .languageInvalid, .regionInvalid:
      return "\(place) must have \(Limits.shortestLocale) to \(Limits.longestLocale) characters"
    case .unknownReservedKey: return "\(place) is no native attribute"
    case .emptyOperation: return "\(place) changes nothing: it is empty"
    case .topicInvalid:
      return "\(place) must be 1 to \(Limits.topic) of the characters a-z, 0-9 and _"
    case .locationInvalid:
      return "\(place) needs a latitude within 90 and a longitude within 180 degrees, and an "
        + "accuracy that is not negative, if any"
    case .needsInstallationID: return "\(place) needs a record with an installation_id"
    case .unknownField: return "\(place) is a field that no rule reads"
    case .aliasIgnored: return "\(place) is another name of a field that says something else"
    case .reservedKeyInV1: return "\(place) is reserved in v1; the root member counts"
    case .rootLabelIgnored: return "a root label does not count in a v2 event; use $label"
    case .actionAttributeSkipped: return "\(place) has a type that actions do not have"
    case .actionTagSkipped: return "\(place) is no text"
    case .rootTagsIgnored: return "root tags do not count in a v2 event; use $tags"
    default: return foreignMessage(place: place, found: found, most: most)
    }
  }

  private func foreignMessage(place: String, found: String, most: String) -> String {
    switch code {
    case .notMeasurementEvent:
      return "\(place) is none of the names under which measurement events are sent"
    case .stringTruncated: return "\(place) has \(found) characters, of which \(most) are kept"
    case .arrayTruncated: return "\(place) has \(found) items, of which \(most) are kept"
    case .attributesTruncated:
      return "\(place) has \(found) attributes, of which the first \(most) by key are kept"
    case .keyCollision: return "the key of \(place) is that of another member; it got a number"
    case .timeNoZone: return "\(place) has no zone and is taken for UTC"
    case .badIDIgnored: return "\(place) cannot be an id and is taken for none"
    case .repairedTrailingComma: return "the line is JSON only without its trailing commas"
    case .badMetadata: return "\(place) is an array or object, and metadata is text"
    case .dataNotString: return "\(place) is no text, and is taken as it is"
    case .payloadNotJSON: return "\(place) is not the JSON text that events of this kind have"
    case .payloadShape: return "\(place) has another shape than events of this kind have"
    case .tooManyPreviousEvents, .tooManySourcesInfo:
      return "\(place) has \(found) items, of which the newest \(most) are kept"
    case .itemsCountMismatch: return "\(place) is not the number of params"
    case .badEnumScrollDirection, .badEnumGestureType:
      return "\(place) is a word that the format does not know"
    default: return partMessage(place: place)
    }
  }

  /// What is said of parts of an event that have codes of their own (dialects 7).
  private func partMessage(place: String) -> String {
    let code = ByteView(code.code)
    if code.starts(with: "missing") { return "\(place) is expected here, and missing" }
    if code.starts(with: "bad_field:") {
      return "\(place) has a type that the format does not allow, and is left out"
    }
    return "\(place) is not accepted"
  }
}

extension ReasonList {
  /// Writes the reasons of `range` as a JSON array of objects (data-model 15).
  package func append(_ range: ReasonRange, to text: inout ByteBuffer) {
    text.append(UInt8(ascii: "["))
    for index in range.indices {
      if index > range.indices.lowerBound { text.append(UInt8(ascii: ",")) }
      append(self[index], to: &text)
    }
    text.append(UInt8(ascii: "]"))
  }

  private func append(_ reason: Reason, to text: inout ByteBuffer) {
    text.append("{\"code\":\"")
    text.append(ByteView(reason.code.code))
    text.append("\",\"path\":")
    text.appendJSONString(path(reason))
    if let limit = reason.limit {
      text.append(",\"limit\":")
      text.append(decimal: limit)
    }
    if let actual = reason.actual {
      text.append(",\"actual\":")
      text.append(decimal: actual)
    }
    text.append(",\"message\":")
    var message = ByteBuffer(capacity: 128)
    message.append(text: self.message(of: reason))
    text.appendJSONString(message.view)
    text.append(UInt8(ascii: "}"))
  }

  /// One sentence for a person about a reason of the list.
  package func message(of reason: Reason) -> String {
    reason.message(at: path(reason).text, found: found(reason).text)
  }
}
