import Pipeline

/// Looks into lines of the previous snapshot: as little as the question needs. For one thread.
struct PreviousLines: ~Copyable {
  private let plan: MergePlan
  private var reader: StateReader
  private let tape = Tape(numbersNames: false)
  private var names: NameCache
  private var person = ByteBuffer()

  init(_ plan: MergePlan) {
    self.plan = plan
    reader = StateReader(
      path: plan.previous?.parts.values.first?.state.file.path ?? "",
      header: StateHeader(partition: 0, partitions: 1), names: plan.runNames,
      keepsIDs: plan.options.dedupeDays > 0, known: plan.names)
    names = NameCache(of: plan.runNames.events)
  }

  /// What a line of state knows; valid until the next line is read.
  /// - Throws: `corrupt`, when it does not fit the format.
  mutating func state(of line: ByteView) throws(Failure) -> KeyState {
    tape.bind(to: line)
    guard case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: tape),
      case .key(let state, _)? = try reader.read(root: root, of: tape, line: 0)
    else { throw reader.corrupt("a line is no state of a key") }
    return state
  }

  /// Whether any line of `text` has to be looked at more closely.
  mutating func hasChange(in text: ByteView, _ section: KeySection) -> Bool {
    let mayHavePersons = section == .custom && !plan.persons.isEmpty
    let mayHaveIDs = plan.previous?.hasIDs ?? false && text.contains(Self.ids)
    guard mayHavePersons || mayHaveIDs else { return false }
    var keys = StateLineKey()
    var start = 0
    while let length = text.dropFirst(start).firstIndex(of: UInt8(ascii: "\n")) {
      let line = text[start..<start + length + 1]
      start += length + 1
      guard let key = keys.key(of: line), !isChanged(line, key, section) else {
        return true
      }
    }
    return false
  }

  /// Whether a line or its profile is not to be copied, although nothing of its key came anew.
  mutating func isChanged(_ line: ByteView, _ key: ByteView, _ section: KeySection) -> Bool {
    mayBeTouched(key, section) || hasExpiredIDs(line)
  }

  /// Whether the profile of a key may be another one, although nothing of the key came anew: only of
  /// such people the installations are known.
  func mayBeTouched(_ key: ByteView, _ section: KeySection) -> Bool {
    section == .custom && plan.persons.contains(XXH64.hash(key))
  }

  /// What a line with ids has in it; one without has it only in attributes of that name.
  private static var ids: ByteView { "\"ids\":{" }

  /// Whether the line has ids that have to be forgotten.
  mutating func hasExpiredIDs(_ line: ByteView) -> Bool {
    guard plan.previous?.hasIDs ?? false, line.contains(Self.ids) else { return false }
    // Without --dedupe-days all are.
    guard plan.options.dedupeDays > 0 else { return true }
    guard let state = try? state(of: line) else { return true }
    var offset = 0
    while let record = LogRecord(state.records, at: &offset) {
      if record.kind == .earlierID, record.time < plan.oldestID { return true }
    }
    return false
  }

  /// The key of the person to whom the installation of a line is linked; nil when it is to nobody.
  /// Valid until the next call.
  ///
  /// A link stands at the end of a line, and nothing that looks like one stands behind it.
  mutating func person(of line: ByteView) -> ByteView? {
    let end: ByteView = "}}\n"
    let touched: ByteView = "},\"touched\":true}\n"
    guard line.ends(with: end) || line.ends(with: touched) else { return nil }
    let beginning: ByteView = ",\"link\":{\"custom_id\":\""
    var start = line.count - beginning.count
    while start >= 0, !line.dropFirst(start).starts(with: beginning) { start -= 1 }
    guard start >= 0 else { return nil }
    let rest = line.dropFirst(start + beginning.count)
    guard let length = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
    guard rest[0..<length].firstIndex(of: UInt8(ascii: "\\")) == nil else {
      return (try? state(of: line))?.link?.person
    }
    person.removeAll()
    person.append(KeySection.custom.prefix)
    person.append(rest[0..<length])
    return person.view
  }

  /// Takes a profile that is replaced out of the counts of profiles per event name.
  /// - Throws: `corrupt`, when it is no profile.
  mutating func uncount(_ profile: ByteView, from tally: inout SnapshotTally) throws(Failure) {
    tape.bind(to: profile)
    guard case .value(let root) = Scanner.scan(line: 0..<profile.count - 1, into: tape),
      tape[root].kind == .object
    else { throw reader.corrupt("a line of the profiles beside it is no profile") }
    var place = root + 1
    while place < Int(tape[root].next) {
      if tape.bytes(at: place) == "events", tape[place + 1].kind == .object {
        var event = place + 2
        while event < Int(tape[place + 1].next) {
          tally.uncount(names.id(of: tape.bytes(at: event)))
          event = Int(tape[event].next)
        }
      }
      place = Int(tape[place].next)
    }
  }
}

extension ByteView {
  /// Whether the view ends with `suffix`.
  fileprivate func ends(with suffix: ByteView) -> Bool {
    count >= suffix.count && dropFirst(count - suffix.count) == suffix
  }
}
