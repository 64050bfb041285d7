package import Pipeline

extension Mutation.Kind {
  /// The register with the number `name` (``RegisterKind``) takes `value`.
  package static var single: Self { Self(8, isSeen: true) }
}

/// A value of a register that keeps one per key (``RegisterKind``); the merge keeps the latest, on
/// equal times the greater bytes: of two flags `true`.
package struct TimedValue {
  /// Milliseconds since 1970.
  package let time: Int
  /// Canonical JSON.
  package let value: ByteView

  package init(time: Int, value: ByteView) {
    self.time = time
    self.value = value
  }

  /// Whether it is a flag that is set.
  var isTrue: Bool { value == "true" }

  /// Whether a merge of the two keeps this one. Equal ones do not win over each other.
  package func wins(over other: TimedValue) -> Bool {
    time != other.time ? time > other.time : other.value < value
  }
}

/// The latest value of each register that keeps one.
package struct ValuesRegister: Register {
  /// By the raw value of the kind.
  private var values = [TimedValue?](repeating: nil, count: RegisterKind.allCases.count)

  package init() {}

  static var kinds: Mutation.Kinds { Mutation.Kinds(.single) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    let form = UInt8(exactly: record.name).flatMap(RegisterKind.init)?.form
    return Rules.isTime(record.time) && form?.isKept(record.value) ?? false
  }

  mutating func removeAll() { for index in values.indices { values[index] = nil } }

  mutating func add(_ record: Mutation, rank: UInt32) {
    guard let kind = record.register else { return }
    let value = TimedValue(time: record.time, value: record.value)
    if self[kind].map({ value.wins(over: $0) }) ?? true { self[kind] = value }
  }

  mutating func erase(through mark: Int) {
    for kind in RegisterKind.allCases where kind.row.isErasable {
      if let value = self[kind], value.time <= mark { self[kind] = nil }
    }
  }

  /// The latest value, or nil.
  package subscript(kind: RegisterKind) -> TimedValue? {
    get { values[Int(kind.rawValue)] }
    set { values[Int(kind.rawValue)] = newValue }
  }

  var isEmpty: Bool { values.allSatisfy { $0 == nil } }

  var seen: Seen {
    var seen = Seen.never
    for value in values { if let value { seen.merge(value.time) } }
    return seen
  }

  func forEachRecord(_ body: (Mutation) -> Void) {
    for kind in RegisterKind.allCases { if let value = self[kind] { body(Mutation(kind, value)) } }
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
  /// The record of the value of a register.
  init(_ register: RegisterKind, _ value: TimedValue) {
    self.init(.single, name: UInt32(register.rawValue), time: value.time, value: value.value)
  }

  /// The register of the record; nil for other records.
  package var register: RegisterKind? {
    kind == .single ? UInt8(exactly: name).flatMap(RegisterKind.init) : nil
  }
}
