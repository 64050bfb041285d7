package import Pipeline

/// The line of a published profile (docs/reference/file-formats.md); its memory is reused.
///
/// Attributes are sorted by the bytes of their written keys, events by the bytes of their names.
struct ProfileText: RegisterVisitor, ~Copyable {
  let names: SnapshotNames
  let options: SnapshotOptions
  private var times = Timestamp.Writer()
  var text = ByteBuffer()
  var eventNames: [UInt32] = []
  var arrayOverflow = 0

  init(_ names: SnapshotNames, _ options: SnapshotOptions) {
    (self.names, self.options) = (names, options)
  }

  mutating func visit<R: Register & ~Copyable>(_ register: inout R) { register.render(in: &self) }

  /// Appends the line of the key, a person or an installation; `members` are memberships of the
  /// person, sorted by installation; those at `optedOut` have opted out. `rows` are the registers
  /// of the key and of all of them together.
  mutating func write(
    _ key: ByteView, _ section: KeySection, members: [KeyState], optedOut: [Int],
    _ rows: inout KeyRegisters
  ) {
    eventNames.removeAll(keepingCapacity: true)
    arrayOverflow = 0
    writeIdentifiers(section.id(of: key), section, members)
    rows.each(&self)
    if !optedOut.isEmpty {
      text.append(",\"opted_out_installations\":")
      append(installationsOf: optedOut.lazy.map { members[$0] })
    }
    append(rows.facts.seen.times)
    text.append("}\n")
  }

  private mutating func writeIdentifiers(
    _ id: ByteView, _ section: KeySection, _ members: [KeyState]
  ) {
    text.append(nameOf: id, section)
    text.append(
      section == .custom
        ? ",\"identifiers\":{\"custom_id\":" : ",\"identifiers\":{\"installation_id\":")
    text.appendJSONString(id)
    if !members.isEmpty {
      text.append(",\"installation_ids\":")
      append(installationsOf: members)
    }
    text.append(UInt8(ascii: "}"))
  }

  /// Appends the list of the installations of memberships, in their order.
  private mutating func append(installationsOf members: some Sequence<KeyState>) {
    var separator: ByteView = "["
    for member in members {
      text.append(separator)
      text.appendJSONString(KeySection.install.id(of: installation(of: member)))
      separator = ","
    }
    text.append(UInt8(ascii: "]"))
  }

  /// Appends the fields of the first and the last time, if there are any.
  mutating func append(_ seen: Seen) {
    if seen.isNever { return }
    text.append(",\"first_seen\":\"")
    times.append(milliseconds: seen.first, to: &text)
    text.append("\",\"last_seen\":\"")
    times.append(milliseconds: seen.last, to: &text)
    text.append(UInt8(ascii: "\""))
  }

  mutating func append(milliseconds time: Int) { times.append(milliseconds: time, to: &text) }
}

extension ByteBuffer {
  /// Appends the beginning of an object about a profile: `id` and `kind` come first, so that a
  /// reader that infers columns from the first lines finds them in each.
  package mutating func append(nameOf id: ByteView, _ section: KeySection) {
    append("{\"id\":")
    appendJSONString(id)
    append(section == .custom ? ",\"kind\":\"person\"" : ",\"kind\":\"installation\"")
  }
}
