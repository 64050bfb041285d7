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
      path: plan.previous?.parts.values.first?.state.path ?? "",
      header: StateHeader(partition: 0, partitions: 1), names: plan.runNames,
      keepsIDs: plan.options.dedupeDays > 0, known: plan.names)
    names = NameCache(of: plan.runNames.events)
  }

  /// What a line of state knows; valid until the next line is read.
  /// - Throws: `corrupt`, when it does not fit the format.
  mutating func state(of line: ByteView) throws(Failure) -> KeyState {
    tape.bind(to: line)
    guard case .value(let root) = Scanner.scan(line: 0..<line.count - 1, into: tape),
      let state = try reader.read(root: root, of: tape, line: 0)
    else { throw reader.corrupt("a line is no state of a key") }
    return state
  }

  /// Whether the profile of a key may be another one, although nothing of the key came anew: only
  /// of such people the installations are known.
  func mayBeTouched(_ key: ByteView, _ section: KeySection) -> Bool {
    section == .custom && plan.persons.contains(XXH64.hash(key))
  }

  /// What a line with ids has in it; one without has it only in attributes of that name.
  private static var ids: ByteView { "\"ids\":{" }

  /// Whether a line may have ids although none are kept, nor even read (`--dedupe-days`).
  func hasUnwantedIDs(_ line: ByteView) -> Bool {
    plan.options.dedupeDays == 0 && line.contains(Self.ids)
  }

  /// The time of the oldest id in a line, in milliseconds since 1970; the greatest time there is
  /// when it has none.
  mutating func oldestID(of line: ByteView) throws(Failure) -> Int {
    if hasUnwantedIDs(line) { return .min }
    guard plan.options.dedupeDays > 0, line.contains(Self.ids) else { return .max }
    let state = try state(of: line)
    var oldest = Int.max
    var offset = 0
    while let record = Mutation(state.records, at: &offset) {
      if record.kind == .earlierID { oldest = min(oldest, record.time) }
    }
    return oldest
  }

  /// The key of the person to whom the installation of a line is linked; nil when it is to nobody.
  /// Valid until the next call.
  ///
  /// The link stands at the end of a line, with one or two words behind it, and nothing else that
  /// ends a line looks like that.
  mutating func person(of line: ByteView) -> ByteView? {
    var end = line.count - 2
    for word: ByteView in [",\"unlinked\":true", ",\"touched\":true"]
    where line[0..<max(end, 0)].ends(with: word) {
      end -= word.count
    }
    guard end > 0, line[end - 1] == UInt8(ascii: "}") else { return nil }
    var digits = end - 1
    while digits > 0, 0x30...0x39 ~= line[digits - 1] { digits -= 1 }
    let time: ByteView = "\",\"time\":"
    guard digits < end - 1, line[0..<digits].ends(with: time) else { return nil }
    let beginning: ByteView = ",\"link\":{\"custom_id\":\""
    let idEnd = digits - time.count
    var start = idEnd - beginning.count
    while start >= 0, !line.dropFirst(start).starts(with: beginning) { start -= 1 }
    guard start >= 0 else { return nil }
    let id = line[start + beginning.count..<idEnd]
    guard id.firstIndex(of: UInt8(ascii: "\\")) == nil else {
      return (try? state(of: line))?.link?.target
    }
    guard id.firstIndex(of: UInt8(ascii: "\"")) == nil else { return nil }
    person.removeAll()
    person.append(KeySection.custom.prefix)
    person.append(id)
    return person.view
  }

  /// Takes a profile that is replaced out of the counts of profiles per event name.
  /// - Throws: `corrupt`, when it is no profile.
  mutating func uncount(_ profile: ByteView, from tally: inout SnapshotTally) throws(Failure) {
    tape.bind(to: profile)
    guard case .value(let root) = Scanner.scan(line: 0..<profile.count - 1, into: tape),
      tape[root].kind == .object
    else { throw reader.corrupt("a line of the profiles beside it is no profile") }
    tape.forEachMember(of: root) { place in
      guard tape.bytes(at: place) == "events" else { return }
      tape.forEachMember(of: place + 1) { tally.uncount(names.id(of: tape.bytes(at: $0))) }
    }
  }
}

extension ByteView {
  /// Whether the view ends with `suffix`.
  fileprivate func ends(with suffix: ByteView) -> Bool {
    count >= suffix.count && dropFirst(count - suffix.count) == suffix
  }
}
