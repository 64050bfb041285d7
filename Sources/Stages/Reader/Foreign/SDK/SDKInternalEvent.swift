import Pipeline

/// The internal events with which the SDKs report facts about a person and a device (dialects 2):
/// they become links and operations, not events.
struct SDKInternalEvent {
  let name: Int
  /// Tape index of `params`, if present.
  let params: Node
  let batch: RecordBatch
  let reader: DialectReader
  private var tape: Tape { batch.tape }
  private var hasParams: Bool { params.exists && tape[params].kind == .object }

  /// Tape index of the value of a parameter that is present and not null.
  private func param(_ name: ByteView) -> Int? {
    params.exists ? tape.present(name, of: params.index) : nil
  }

  /// Reads the event called `name`, which may have no effect.
  func read(_ name: ByteView, _ record: inout RecordEntry) {
    switch name {
    case "_PROFILE_IDENTIFY":
      noteUnknown(besides: RootField.identifiers.bit)
      readIdentify(&record)
    case "_PROFILE_DATA_CHANGED":
      noteUnknown(names: Self.profileNames)
      readProfile()
    case "_INSTALL_DATA_CHANGED":
      noteUnknown(names: ["version", "added", "removed"])
      readInstallation(&record)
    case "_LOCATION_CHANGED":
      noteUnknown(besides: RootField.date.bit, names: ["lat", "lng", "acc"])
      readLocation(&record)
    case "_OPTOUT", "_OPT_OUT": readConsent(.true)
    case "_OPTIN", "_OPT_IN": readConsent(.false)
    case "_OPTOUT_WIPE_DATA":
      readConsent(.true)
      batch.addOperation(.erase, value: scalar(.true), onInstallation: true)
    default: break
    }
  }

  private func readConsent(_ value: TapeKind) {
    noteUnknown()
    batch.addOperation(.register(.consent), value: scalar(value))
  }

  /// Notes the parameters that the event does not define.
  private func noteUnknown(besides known: FieldSet = 0, names: [StaticString] = []) {
    guard hasParams else { return }
    reader.inner.read(params.index, of: batch)
    reader.inner.keepUnknown { key in !names.contains { ByteView($0) == tape.bytes(at: key) } }
    reader.noteUnknown(in: reader.inner, besides: known, at: FieldPath(root: "params"), of: batch)
  }

  // MARK: - Identify

  /// Reads a link, from the installation named in it, or from that of the line.
  private func readIdentify(_ record: inout RecordEntry) {
    let identifiers = param("identifiers")
    let custom = identifiers.flatMap { tape.present("custom_id", of: $0) }
    if let identifiers, let node = tape.present("install_id", of: identifiers) {
      if reader.placeholders.contain(tape[node], as: .installation, of: tape) {
        let path = FieldPath(root: "params").field(identifiers - 1)
        batch.unread.add(.nobodyID, key: Node(node - 1), in: path, of: tape)
      } else {
        record.installationID = Node(node)
      }
    }
    guard let custom else {
      if isObject(params.index), isObject(identifiers) {
        batch.notes.note(.logout, name: name, of: batch.records.count)
      } else {
        batch.reject(&record, .badAttributes, at: "params.identifiers")
      }
      record.customID = .none
      return
    }
    record.customID = Node(custom)
    record.mayBeLink = true
    record.mayBeEmpty = false
    if !record.installationID.exists {
      batch.reject(&record, .noIdentity, at: "params.identifiers.install_id")
    }
  }

  /// Whether a value is an object, or absent.
  private func isObject(_ node: Int?) -> Bool {
    node.map { $0 < 0 || tape[$0].kind == .object } ?? true
  }

  // MARK: - Operations

  /// Reads the fields of `params` that the SDK defines.
  private func readProfile() {
    guard hasParams else { return reader.readOperations(params, isV1: false, into: batch) }
    var custom = Node(param("custom_attributes") ?? -1)
    // Of repeated fields the last one counts.
    var last = SIMD8<Int>(repeating: -1)
    func native(_ key: Int) -> Int? {
      Self.natives.firstIndex { ByteView($0.name) == tape.bytes(at: key) }
    }
    tape.forEachMember(of: params.index) { key in native(key).map { last[$0] = key } }
    let natives = tape.appendContainer(.object) {
      tape.forEachMember(of: params.index) { key in
        if let index = native(key), last[index] == key {
          tape.appendMember(tape.key(Self.natives[index].key.key)) { tape.appendCopy(of: key + 1) }
        }
      }
      if custom.exists, tape[custom].kind == .object {
        TypedMembers(tape: tape, names: reader.names).append(.change, of: custom.index)
        custom = .none
      }
    }
    reader.readOperations(Node(natives), isV1: false, into: batch)
    reader.readOperations(custom, isV1: false, into: batch)
  }

  /// The parameters of a change of a profile that are native attributes.
  private static let natives: [(name: StaticString, key: NativeKey)] = [
    ("email", .emailAddress), ("email_marketing", .emailMarketing), ("phone_number", .phoneNumber),
    ("sms_marketing", .smsMarketing), ("language", .language), ("region", .region),
  ]
  private static let profileNames = natives.map(\.name) + ["custom_attributes"]

  /// Reads attributes of the installation: added ones are set, others that were removed are unset.
  /// Of a name the later wins.
  private func readInstallation(_ record: inout RecordEntry) {
    let (removed, added) = (param("removed"), param("added"))
    guard isObject(params.index), isObject(removed), isObject(added) else {
      return batch.reject(&record, .badAttributes, at: "params")
    }
    let members = TypedMembers(tape: tape, names: reader.names, hasCollections: true)
    let object = tape.appendContainer(.object) {
      if let removed { members.append(.unset, of: removed) }
      if let added { members.append(.set, of: added) }
    }
    // What is added again was not only removed.
    reader.readInstallationOperations(Node(object), nulls: false, into: batch)
  }

  /// Reads the location of the person or the installation, at the location's own time.
  private func readLocation(_ record: inout RecordEntry) {
    guard hasParams else { return batch.reject(&record, .badAttributes, at: "params") }
    if let date = param("date") { record.timeNode = Node(date) }
    let location = tape.appendContainer(.object) {
      for (name, member) in [
        ("lat", "latitude"), ("lng", "longitude"), ("acc", "accuracy"),
      ] as [(ByteView, StaticString)] {
        if let value = param(name) {
          tape.appendMember(tape.key(member)) { tape.appendCopy(of: value) }
        }
      }
    }
    batch.addOperation(.register(.location), value: Node(location))
  }

  private func scalar(_ kind: TapeKind) -> Node { Node(tape.appendScalar(TapeEntry(kind: kind))) }
}
