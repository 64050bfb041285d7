package import Pipeline

extension FactKind {
  /// The register with the number `name` (``RegisterKind``) takes `value`.
  package static var single: Self { Self(8, isSeen: true) }
}

/// The value of each register that keeps one per key (``RegisterKind``): the latest, on equal times
/// the greater bytes, of two flags `true`.
package struct ValuesRegister: Register {
  /// By the raw value of the kind.
  private var values = [Mutation?](repeating: nil, count: RegisterKind.allCases.count)

  package init() {}
  static var kinds: Mutation.Kinds { Mutation.Kinds(.single) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    let form = UInt8(exactly: record.name).flatMap(RegisterKind.init)?.form
    return Rules.isTime(record.time) && record.form == .plain
      && form?.isKept(record.value) ?? false
  }

  mutating func removeAll() { for index in values.indices { values[index] = nil } }

  mutating func add(_ record: Mutation, rank: UInt32) {
    guard let kind = record.register else { return }
    if self[kind].map({ record.wins(over: $0) }) ?? true { self[kind] = record }
  }

  mutating func erase(through mark: Int) {
    for kind in RegisterKind.allCases where kind.row.isErasable {
      if let value = self[kind], value.time <= mark { self[kind] = nil }
    }
  }

  package subscript(kind: RegisterKind) -> Mutation? {
    get { values[Int(kind.rawValue)] }
    set { values[Int(kind.rawValue)] = newValue }
  }

  var isEmpty: Bool { values.allSatisfy { $0 == nil } }
  var seen: Seen { values.reduce(into: .never) { if let value = $1 { $0.merge(value.time) } } }

  func forEachRecord(_ body: (Mutation) -> Void) {
    for value in values { if let value { body(value) } }
  }

  func describe(in line: StateLines) {
    for kind in RegisterKind.allCases {
      guard let value = self[kind] else { continue }
      line.object(kind.row.state.field) { json in
        json.member(kind.row.state.value, JSONText(value.value))
        json.member("time", value.time)
      }
    }
  }

  /// A flag is published only if it is set; others are objects, which get their time.
  func render(in profile: inout ProfileText) {
    for kind in RegisterKind.allCases {
      guard let value = self[kind], kind.form != .flag || value.isTrue else { continue }
      profile.text.append(",\"")
      profile.text.append(kind.field)
      profile.text.append("\":")
      if kind.form == .flag {
        profile.text.append(value.value)
      } else {
        profile.text.append(value.value[0..<value.value.count - 1])
        profile.text.append(",\"time\":\"")
        profile.append(milliseconds: value.time)
        profile.text.append("\"}")
      }
    }
  }
}

extension Mutation {
  package init(_ register: RegisterKind, time: Int, value: ByteView) {
    self.init(.single, name: UInt32(register.rawValue), time: time, value: value)
  }

  /// Whether its value is a flag that is set.
  var isTrue: Bool { value == "true" }

  package var register: RegisterKind? {
    kind == .single ? UInt8(exactly: name).flatMap(RegisterKind.init) : nil
  }
}
