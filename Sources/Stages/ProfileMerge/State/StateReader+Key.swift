import Pipeline

extension StateReader {
  /// Reads the members of the line of a key; `key` names the key for the entries made.
  mutating func readKey(
    _ key: StateEntry, isInstallation: Bool, _ members: Range<Int>, of tape: Tape,
    into slice: StateSlice
  ) throws(Failure) {
    var seen = Seen(first: -1, last: -1)
    var place = members.lowerBound
    while place < members.upperBound {
      let (member, value) = (tape.bytes(at: place), place + 1)
      var entry = key
      if member == "attributes" {
        try readAttributes(key, value, of: tape, into: slice)
      } else if member == "events" {
        try readEvents(key, value, of: tape, into: slice)
      } else if member == "first" {
        seen.first = try time(value, tape)
      } else if member == "last" {
        seen.last = try time(value, tape)
      } else if member == "clear" {
        entry.kind = .clear
        entry.time = try time(value, tape)
        slice.entries.append(entry)
      } else if member == "touched", tape[value].kind == .true {
        entry.kind = .touch
        slice.entries.append(entry)
      } else if member == "link", isInstallation {
        try readLink(key, value, of: tape, into: slice)
      } else {
        throw corrupt("the key has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    guard seen.first >= 0 || seen.last >= 0 else { return }
    if seen.first < 0 { seen.first = seen.last }
    guard seen.last >= seen.first else {
      throw corrupt("the times of the key do not fit each other")
    }
    var entry = key
    (entry.time, entry.last) = (seen.first, seen.last)
    slice.entries.append(entry)
  }

  private func readLink(
    _ key: StateEntry, _ object: Int, of tape: Tape, into slice: StateSlice
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("the link is no object") }
    var entry = key
    entry.kind = .link
    entry.time = -1
    var place = object + 1
    while place < Int(tape[object].next) {
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "custom_id", tape[value].kind == .string {
        append(tape.bytes(at: value), to: &entry, slice)
      } else if member == "time" {
        entry.time = try time(value, tape)
      } else {
        throw corrupt("the link has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    guard entry.valueLength > 0, entry.time >= 0 else { throw corrupt("the link is incomplete") }
    slice.entries.append(entry)
  }

  private mutating func readEvents(
    _ key: StateEntry, _ object: Int, of tape: Tape, into slice: StateSlice
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("events are no object") }
    var place = object + 1
    while place < Int(tape[object].next) {
      var entry = key
      entry.kind = .event
      entry.name = try eventName(tape.bytes(at: place))
      try readEvent(entry, place + 1, of: tape, into: slice)
      place = Int(tape[place].next)
    }
  }

  private func readEvent(
    _ event: StateEntry, _ object: Int, of tape: Tape, into slice: StateSlice
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("an event is no object") }
    var entry = event
    (entry.count, entry.time, entry.last) = (1, -1, -1)
    var ids: Int?
    var place = object + 1
    while place < Int(tape[object].next) {
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "count" {
        entry.count = try count(value, tape)
      } else if member == "first" {
        entry.time = try time(value, tape)
      } else if member == "last" {
        entry.last = try time(value, tape)
      } else if member == "value", tape[value].kind == .object {
        append(tape.bytes(at: value), to: &entry, slice)
      } else if member == "ids", tape[value].kind == .object {
        ids = value
      } else {
        throw corrupt("an event has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    if entry.time < 0 { entry.time = entry.last }
    guard entry.last >= 0, entry.last >= entry.time else {
      throw corrupt("an event lacks its times")
    }
    slice.entries.append(entry)
    guard let ids else { return }
    place = ids + 1
    while place < Int(tape[ids].next) {
      guard let id = StateNumber.fingerprint(tape.bytes(at: place)) else {
        throw corrupt("an event id is no hash")
      }
      var entry = event
      entry.kind = .id
      entry.id = id
      entry.time = try time(place + 1, tape)
      slice.entries.append(entry)
      place = Int(tape[place].next)
    }
  }

  private mutating func readAttributes(
    _ key: StateEntry, _ object: Int, of tape: Tape, into slice: StateSlice
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("attributes are no object") }
    var place = object + 1
    while place < Int(tape[object].next) {
      var entry = key
      entry.name = try attributeKey(tape.bytes(at: place))
      try readAttribute(entry, place + 1, of: tape, into: slice)
      place = Int(tape[place].next)
    }
  }

  private func readAttribute(
    _ attribute: StateEntry, _ object: Int, of tape: Tape, into slice: StateSlice
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("an attribute is no object") }
    var entry = attribute
    entry.time = -1
    var kinds = 0
    var place = object + 1
    while place < Int(tape[object].next) {
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "add" {
        try readItems(attribute, .addItem, value, of: tape, into: slice)
      } else if member == "remove" {
        try readItems(attribute, .removeItem, value, of: tape, into: slice)
      } else if member == "form" {
        entry.form = try form(value, tape)
      } else if member == "time" {
        entry.time = try time(value, tape)
      } else if member == "unset", tape[value].kind == .true {
        entry.kind = .unset
        kinds += 1
      } else if member == "set" {
        entry.kind = .set
        entry.valueStart = slice.bytes.count
        try appendValue(value, of: tape, to: slice)
        entry.valueLength = slice.bytes.count - entry.valueStart
        kinds += 1
      } else {
        throw corrupt("an attribute has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    guard kinds == (entry.time >= 0 ? 1 : 0) else {
      throw corrupt("an attribute needs a time and either a value or an unset, or none of them")
    }
    if kinds == 1 { slice.entries.append(entry) }
  }

  private func readItems(
    _ attribute: StateEntry, _ kind: StateKind, _ object: Int, of tape: Tape,
    into slice: StateSlice
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("items are no object") }
    var place = object + 1
    while place < Int(tape[object].next) {
      var entry = attribute
      entry.kind = kind
      entry.time = try time(place + 1, tape)
      append(tape.bytes(at: place), to: &entry, slice)
      slice.entries.append(entry)
      place = Int(tape[place].next)
    }
  }

  private func append(_ text: ByteView, to entry: inout StateEntry, _ slice: StateSlice) {
    entry.valueStart = slice.bytes.count
    entry.valueLength = text.count
    slice.bytes.append(text)
  }

  /// Appends the canonical JSON of a set value: a scalar or an array of strings (SPEC 4.4).
  private func appendValue(
    _ place: Int, of tape: Tape, to slice: StateSlice
  ) throws(Failure) {
    switch tape[place].kind {
    case .string: slice.bytes.appendJSONString(tape.bytes(at: place))
    case .integer, .double: slice.bytes.append(tape.bytes(at: place))
    case .true: slice.bytes.append("true")
    case .false: slice.bytes.append("false")
    case .array:
      slice.bytes.append(UInt8(ascii: "["))
      for item in place + 1..<Int(tape[place].next) {
        guard tape[item].kind == .string else { throw corrupt("an array item is no string") }
        if item > place + 1 { slice.bytes.append(UInt8(ascii: ",")) }
        slice.bytes.appendJSONString(tape.bytes(at: item))
      }
      slice.bytes.append(UInt8(ascii: "]"))
    case .object, .key, .null, .date: throw corrupt("an attribute has no value that can be set")
    }
  }
}
