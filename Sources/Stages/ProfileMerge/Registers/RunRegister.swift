package import Pipeline

extension FactKind {
  /// With `name` 0, a number of events of the key that an earlier state has counted; with `name` 1,
  /// the words are a digest of a person that the installation was linked to in this run. Never in
  /// a state.
  static var run: Self { Self(5, hasWords: true) }
}

/// What a run adds to a key, for its report: new events, and people linked to an installation.
///
/// ```
/// events of all sources − duplicates − those that states had counted = new events
/// ```
/// A source without an earlier state in it has only links of this run, so records of their people
/// are needed only if there are several.
struct RunRegister: Register {
  /// The number of gathered events that earlier states have counted, and of such states.
  var earlierEvents = 0
  private var earlierStates = 0
  /// The people that the installation was linked to in this run: digests of their keys, after
  /// `settle` in order and at most ``HotIDs/mostPeople``.
  private(set) var people: [Fingerprint] = []
  /// The only person so far, of links: without a second one, or records, none is hashed.
  private var person: ByteView?
  private var ownsLinks = true

  static var kinds: Mutation.Kinds { Mutation.Kinds(.run) }
  static var heard: Mutation.Kinds { Mutation.Kinds(.run, .link) }

  static func isSound(_ record: Mutation, _ place: inout RecordPlace) -> Bool {
    let count = Int(Int64(bitPattern: record.words.0))
    return place.content != .state && record.time == 0 && record.value.isEmpty
      && (record.name == 1 || record.name == 0 && place.takes(count))
  }

  mutating func removeAll() {
    (earlierEvents, earlierStates, person) = (0, 0, nil)
    people.removeAll(keepingCapacity: true)
  }

  mutating func begin(_ origin: KeyRegisters.Origin) { ownsLinks = origin == .run }

  mutating func add(_ record: Mutation, rank: UInt32) {
    if record.kind == .link {
      if ownsLinks { add(person: record.value) }
    } else if record.name == 0 {
      earlierEvents += Int(Int64(bitPattern: record.words.0))
      earlierStates += 1
      // Links of an earlier state are not of this run.
      ownsLinks = false
    } else {
      people.append(record.fingerprint)
    }
  }

  private mutating func add(person key: ByteView) {
    if person == key { return }
    if person == nil, people.isEmpty {
      person = key
    } else {
      hashPerson()
      people.append(Erasures.digest(of: key))
    }
  }

  private mutating func hashPerson() {
    if let person { people.append(Erasures.digest(of: person)) }
    person = nil
  }

  mutating func settle() {
    // Beside an earlier state nothing else tells of a person.
    if !people.isEmpty || earlierStates > 0 { hashPerson() }
    if people.count > 1 { people = Array(Set(people).sorted().prefix(HotIDs.mostPeople)) }
  }

  /// The number of people that are counted, after `settle`; nil: all.
  func people(where isCounted: ((Fingerprint) -> Bool)?) -> Int {
    guard let isCounted else { return person == nil ? people.count : 1 }
    guard let person else { return people.count(where: isCounted) }
    return isCounted(Erasures.digest(of: person)) ? 1 : 0
  }

  func forEachRecord(_ body: (Mutation) -> Void) {
    if earlierStates > 0 { body(Mutation(earlierEvents: earlierEvents)) }
    for person in people { body(Mutation(.run, name: 1, words: (person.low, person.high))) }
  }
}

extension Mutation {
  init(earlierEvents count: Int) { self.init(.run, words: (UInt64(bitPattern: Int64(count)), 0)) }
}

extension KeyState {
  /// The records, of the state of an earlier run, behind that of their events; they are in `bytes`.
  package func copyEarlierRecords(to bytes: inout ByteBuffer) {
    var count = 0
    forEach { if $0.isOfEvents { count += $0.eventRegister.count } }
    bytes.removeAll()
    Mutation(earlierEvents: count).append(to: &bytes)
    bytes.append(records)
  }
}
