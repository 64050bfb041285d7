import Pipeline

/// Writes published profiles (docs/reference/file-formats.md); its memory is reused.
///
/// Attributes are sorted by the bytes of their written keys, events by the bytes of their names.
struct ProfileWriter: ~Copyable {
  private let names: SnapshotNames
  private let options: SnapshotOptions
  private var register = AttributeRegister()
  private var times = Timestamp.Writer()
  /// Decodes the items of an array.
  private let decoded = ArrayText()
  private let members = SortedMembers()

  init(_ names: SnapshotNames, _ options: SnapshotOptions) {
    self.names = names
    self.options = options
  }

  /// Appends the line of the key, a person or an installation; `members` are memberships of the
  /// person, sorted by installation; those at `optedOut` have opted out. `rows` are the registers
  /// of the key and of all of them together.
  mutating func write(
    _ key: ByteView, _ section: KeySection, members: [KeyState], optedOut: [Int],
    _ rows: borrowing KeyRegisters, into out: inout ByteBuffer, _ tally: inout SnapshotTally
  ) {
    writeIdentifiers(section.id(of: key), section, members, into: &out)
    writeAttributes(rows, into: &out, &tally)
    writeEvents(rows, into: &out, &tally)
    rows.forEachValue { append($0, $1, to: &out) }
    if !optedOut.isEmpty {
      out.append(",\"opted_out_installations\":")
      append(installationsOf: optedOut.lazy.map { members[$0] }, to: &out)
    }
    if !rows.facts.seen.isNever {
      out.append(UInt8(ascii: ","))
      append(rows.facts.seen, to: &out)
    }
    out.append("}\n")
  }

  /// Begins the line: `id` and `kind` come first, so that a reader that infers columns from the
  /// first lines finds them in each.
  private func writeIdentifiers(
    _ id: ByteView, _ section: KeySection, _ members: [KeyState], into out: inout ByteBuffer
  ) {
    out.append("{\"id\":")
    out.appendJSONString(id)
    out.append(
      section == .custom
        ? ",\"kind\":\"person\",\"identifiers\":{\"custom_id\":"
        : ",\"kind\":\"installation\",\"identifiers\":{\"installation_id\":")
    out.appendJSONString(id)
    if !members.isEmpty {
      out.append(",\"installation_ids\":")
      append(installationsOf: members, to: &out)
    }
    out.append(UInt8(ascii: "}"))
  }

  /// Appends the list of the installations of memberships, in their order.
  private func append(installationsOf members: some Sequence<KeyState>, to out: inout ByteBuffer) {
    var separator: ByteView = "["
    for member in members {
      out.append(separator)
      out.appendJSONString(KeySection.install.id(of: installation(of: member)))
      separator = ","
    }
    out.append(UInt8(ascii: "]"))
  }

  private mutating func writeAttributes(
    _ rows: borrowing KeyRegisters, into out: inout ByteBuffer, _ tally: inout SnapshotTally
  ) {
    members.removeAll()
    var position = 0
    while let name = rows.nextAttribute(&position, into: &register) {
      let base = register.base
      let needsItems = base.kind == .set && !register.items.isEmpty
      let key = names.attributes[name]
      switch register.value(baseItems: needsItems ? decoded.items(of: base.value) : nil) {
      case .absent: break
      case .base:
        members.begin(key, base.form)
        members.append(base.value)
      case .items(let items, let overflow):
        members.begin(key, .plain)
        members.append(items)
        if overflow { tally.arrayOverflow += 1 }
      }
    }
    guard !members.isEmpty else { return }
    out.append(",\"attributes\":{")
    members.append(to: &out)
    out.append(UInt8(ascii: "}"))
  }

  private mutating func writeEvents(
    _ rows: borrowing KeyRegisters, into out: inout ByteBuffer, _ tally: inout SnapshotTally
  ) {
    for index in rows.events.indices {
      let row = rows.events[index]
      out.append(index == 0 ? ",\"events\":{" : ",")
      out.append(names.profileNames[row.name])
      out.append(decimal: row.register.count)
      if !row.register.seen.isNever {
        out.append(UInt8(ascii: ","))
        append(row.register.seen, to: &out)
      }
      if options.withValues && !row.register.value.isEmpty {
        out.append(",\"value\":")
        out.append(row.register.value)
      }
      out.append(UInt8(ascii: "}"))
      tally.count(row.name)
    }
    if !rows.events.isEmpty { out.append(UInt8(ascii: "}")) }
  }

  private mutating func append(
    _ register: RegisterKind, _ value: TimedValue, to out: inout ByteBuffer
  ) {
    let isFlag = register.form == .flag
    if isFlag, !value.isTrue { return }
    out.append(",\"")
    out.append(register.field)
    out.append("\":")
    if isFlag { return out.append(value.value) }
    out.append(value.value[0..<value.value.count - 1])
    out.append(",\"time\":\"")
    times.append(milliseconds: value.time, to: &out)
    out.append("\"}")
  }

  private mutating func append(_ seen: Seen, to out: inout ByteBuffer) {
    out.append("\"first_seen\":\"")
    times.append(milliseconds: seen.first, to: &out)
    out.append("\",\"last_seen\":\"")
    times.append(milliseconds: seen.last, to: &out)
    out.append(UInt8(ascii: "\""))
  }
}
