import Pipeline

extension StateReader {
  /// Reads the members of the line of a person or an installation.
  mutating func readKey(
    _ key: ByteView, _ section: KeySection, _ members: Range<Int>, of tape: Tape
  ) throws(Failure) -> KeyState {
    var state = KeyState(key: key)
    var seen = Seen(first: -1, last: -1)
    var hasErasedLink = false
    var place = members.lowerBound
    while place < members.upperBound {
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "attributes" {
        try readAttributes(value, of: tape)
      } else if member == "events" {
        try readEvents(value, of: tape)
      } else if member == "first" {
        seen.first = try time(value, tape)
      } else if member == "last" {
        seen.last = try time(value, tape)
      } else if member == "clear" {
        state.clear = try time(value, tape)
      } else if member == "at" {
        try readLocation(value, of: tape)
      } else if member == "consent" {
        try readConsent(value, of: tape)
      } else if member == "erase" {
        state.eraseMark = try time(value, tape)
      } else if member == "erased" {
        try readErased(value, of: tape)
      } else if member == "unlinked", tape[value].kind == .true {
        hasErasedLink = true
      } else if member == "touched", tape[value].kind == .true {
        state.isTouched = true
      } else if member == "link", section == .install {
        let (time, id) = try readLink(value, of: tape)
        state.links.merge(
          InstallationLink(time: time, target: Self.name(id, in: &person)))
      } else if member == "latest_link", section == .install {
        let (time, id) = try readLink(value, of: tape)
        state.links.merge(
          InstallationLink(time: time, target: Self.name(id, in: &latestPerson)))
      } else {
        throw corrupt("the key has a member that is not known")
      }
      place = Int(tape[place].next)
    }
    if seen.first >= 0 || seen.last >= 0 { state.seen = try times(seen, of: "the key") }
    if hasErasedLink { state.links.merge(InstallationLinks(afterErased: nil)) }
    state.records = records.view
    return state
  }

  /// When a link was made, and the custom id it names.
  private func readLink(
    _ object: Int, of tape: Tape
  ) throws(Failure) -> (time: Int, id: ByteView) {
    guard tape[object].kind == .object else { throw corrupt("the link is not an object") }
    var linkTime = -1
    var id = ByteView("")
    try tape.forEachMember(of: object) { place throws(Failure) in
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "custom_id", tape[value].kind == .string {
        id = tape.bytes(at: value)
      } else if member == "time" {
        linkTime = try time(value, tape)
      } else {
        throw corrupt("the link has a member that is not known")
      }
    }
    guard !id.isEmpty, linkTime >= 0 else { throw corrupt("the link is incomplete") }
    return (linkTime, id)
  }

  /// Makes the key text of the person `id` of a link.
  private static func name(_ id: ByteView, in person: inout ByteBuffer) -> ByteView {
    person.removeAll()
    person.append(KeySection.custom.prefix)
    person.append(id)
    return person.view
  }

  private mutating func readEvents(_ object: Int, of tape: Tape) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("events are no object") }
    try tape.forEachMember(of: object) { place throws(Failure) in
      let name = try eventName(tape.bytes(at: place))
      try readEvent(name, place + 1, of: tape)
    }
  }

  private mutating func readEvent(
    _ name: UInt32, _ object: Int, of tape: Tape
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("an event is no object") }
    var register = EventRegister(count: 1, seen: .never, value: "")
    var seen = Seen(first: -1, last: -1)
    var ids: Int?
    try tape.forEachMember(of: object) { place throws(Failure) in
      let (member, value) = (tape.bytes(at: place), place + 1)
      if member == "count" {
        register.count = try count(value, tape)
      } else if member == "first" {
        seen.first = try time(value, tape)
      } else if member == "last" {
        seen.last = try time(value, tape)
      } else if member == "untimed" {
        register.untimed = try count(value, tape)
        guard register.untimed > 0 else { throw corrupt("an event has 0 events without time") }
      } else if member == "value", tape[value].kind == .object {
        register.value = tape.bytes(at: value)
      } else if member == "ids", tape[value].kind == .object {
        ids = value
      } else {
        throw corrupt("an event has a member that is not known")
      }
    }
    guard register.untimed == 0 || register.timed >= 0 else {
      throw corrupt("an event has more events without time than events")
    }
    if register.untimed == 0 || register.timed > 0 || seen.first >= 0 || seen.last >= 0 {
      register.seen = try times(seen, of: "an event")
      Mutation(register, name: name).append(to: &records)
    }
    if register.untimed > 0 { Mutation(untimedOf: register, name: name).append(to: &records) }
    if let ids { try readIDs(of: name, ids, tape) }
  }

  private mutating func readAttributes(_ object: Int, of tape: Tape) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("attributes are no object") }
    try tape.forEachMember(of: object) { place throws(Failure) in
      let name = try attributeKey(tape.bytes(at: place))
      try readAttribute(name, place + 1, of: tape)
    }
  }

  private mutating func readAttribute(
    _ name: UInt32, _ object: Int, of tape: Tape
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("an attribute is no object") }
    var record = Mutation(.unset, name: name, time: -1)
    var kinds = 0
    value.removeAll()
    try tape.forEachMember(of: object) { place throws(Failure) in
      let (member, node) = (tape.bytes(at: place), place + 1)
      if member == "add" {
        try readItems(.addItem, name, node, of: tape)
      } else if member == "remove" {
        try readItems(.removeItem, name, node, of: tape)
      } else if member == "form" {
        record.form = try form(node, tape)
      } else if member == "time" {
        record.time = try time(node, tape)
      } else if member == "unset", tape[node].kind == .true {
        kinds += 1
      } else if member == "set" {
        record.kind = .set
        try appendValue(node, of: tape)
        kinds += 1
      } else {
        throw corrupt("an attribute has a member that is not known")
      }
    }
    guard kinds == (record.time >= 0 ? 1 : 0) else {
      throw corrupt("an attribute needs a time and either a value or an unset, or none of them")
    }
    guard kinds == 1 else { return }
    record.value = value.view
    record.append(to: &records)
  }

  private mutating func readItems(
    _ kind: Mutation.Kind, _ name: UInt32, _ object: Int, of tape: Tape
  ) throws(Failure) {
    guard tape[object].kind == .object else { throw corrupt("items are no object") }
    try tape.forEachMember(of: object) { place throws(Failure) in
      let time = try time(place + 1, tape)
      Mutation(kind, name: name, time: time, value: tape.bytes(at: place)).append(to: &records)
    }
  }

  /// Appends the canonical JSON of a set value to ``value``: a scalar or an array of strings
  /// (data-model 9).
  private mutating func appendValue(_ place: Int, of tape: Tape) throws(Failure) {
    switch tape[place].kind {
    case .string: value.appendJSONString(tape.bytes(at: place))
    case .integer, .double: value.append(tape.bytes(at: place))
    case .true: value.append("true")
    case .false: value.append("false")
    case .array:
      value.append(UInt8(ascii: "["))
      for item in place + 1..<Int(tape[place].next) {
        guard tape[item].kind == .string else { throw corrupt("an array item is no string") }
        if item > place + 1 { value.append(UInt8(ascii: ",")) }
        value.appendJSONString(tape.bytes(at: item))
      }
      value.append(UInt8(ascii: "]"))
    case .object, .key, .null, .date: throw corrupt("an attribute has no value that can be set")
    }
  }
}
