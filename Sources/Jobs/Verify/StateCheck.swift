import Pipeline
import Stages

/// Reads the frames of a state, and of its profiles, for checks. One per lane.
final class StateFrames {
  private let profiles: FrameFile?
  private let frameReader: FrameFileReader
  private let reader: KeyFrameReader
  private var frame = KeyFrame()

  /// A reader of frames whose profiles are in the file `path`, and whose names become `names`.
  init(profiles path: String, names: RunNames = RunNames()) throws(Failure) {
    frameReader = try FrameFileReader()
    reader = try KeyFrameReader(names: names)
    // The check of the profiles reports that they cannot be read.
    profiles = try? FrameFile(path, doing: FrameWalk.doing)
  }

  /// Calls `body` with the complete state of each key of `unit`, and with what is stored of it, and
  /// sets their number there, if all could be read.
  /// - Returns: false when the profiles cannot be read.
  func forEach(
    in unit: FrameCheckUnit, _ body: (_ state: KeyState, _ stored: KeyState) -> Void
  ) throws(Failure) -> Bool {
    guard try readProfiles(of: unit) else {
      unit.linesAreKnown = false
      return false
    }
    frame.text.removeAll()
    frame.text.append(unit.text.view)
    guard reader.bind(&frame, .state) else {
      unit.linesAreKnown = false
      unit.findings.add(.noStates)
      return true
    }
    var position = KeyFrame.Position()
    while !frame.isEnd(position) {
      unit.findings.line = unit.lines
      guard let key = frame.next(&position),
        let state = reader.whole(key, frame.profile(before: position), keepsIDs: true)
      else {
        unit.linesAreKnown = false
        unit.findings.add(.badState)
        break
      }
      unit.lines += 1
      body(state, key)
    }
    unit.findings.line = nil
    return true
  }

  /// Reads the profiles beside `unit`, and takes notes for the index; false when they cannot be
  /// read.
  func readProfiles(of unit: FrameCheckUnit) throws(Failure) -> Bool {
    let number = unit.sequence
    guard let profiles, profiles.frames.indices.contains(number) else { return false }
    frame.profiles.removeAll()
    do throws(Failure) {
      try frameReader.decode(frame: number, of: profiles, into: &frame.profiles)
    } catch {
      guard error.kind == .corrupt else { throw error }
      return false
    }
    unit.hashes = (XXH64.half(unit.compressed.view), frameReader.hash)
    return true
  }
}

/// Checks the frames of a state: header, names, keys and their order, the part, and that profiles
/// have the events that it refers to. These are the properties that the next run relies on.
final class StateCheck: FrameCheck {
  private var part = OutputPart(partition: 0, partitions: 1)
  private var frames: StateFrames?
  private(set) var found: Found
  private let stitch: Stitch
  private var days = DaySet()
  private let tape = Tape(numbersNames: false)
  private var line = ByteBuffer()

  struct Found {
    /// All names; those of events by their numbers.
    let names: RunNames
    fileprivate(set) var active = ActivePeople()
    /// The installations that fold into people.
    fileprivate(set) var folds = FoldTally()
    /// By number of the name.
    private var events: [Int] = []

    init(_ names: RunNames) { self.names = names }

    mutating func add(_ other: Found) {
      active.merge(other.active)
      folds.merge(other.folds)
      for (name, count) in other.events.enumerated() { add(count, of: name) }
    }

    fileprivate mutating func add(_ count: Int, of name: Int) {
      if name >= events.count {
        events.append(contentsOf: repeatElement(0, count: name + 1 - events.count))
      }
      events[name] &+= count
    }

    var eventCounts: [String: Int] {
      let names = names.lists.events
      return Dictionary(
        uniqueKeysWithValues: events.indices.filter { events[$0] > 0 }
          .map { (names[UInt32($0)].text, events[$0]) })
    }
  }

  /// A check of frames whose names become `names`, which all lanes share.
  init(stitch: Stitch, _ names: RunNames) { (self.stitch, found) = (stitch, Found(names)) }

  /// Prepares for the frames of `part`, whose profiles are in the file `profiles`.
  func begin(_ part: OutputPart, profiles: String) throws(Failure) {
    self.part = part
    frames = try StateFrames(profiles: profiles, names: found.names)
  }

  func check(_ unit: FrameCheckUnit) throws(Failure) {
    if unit.findings.isFirstFrame {
      _ = try frames?.readProfiles(of: unit)
      return checkHeader(unit)
    }
    _ = try frames?.forEach(in: unit) { state, stored in
      let hasProfile = stored.hasProfile
      unit.key.removeAll()
      unit.key.append(state.key)
      part.check(state.key, unit.findings)
      unit.findings.index.facts.begin(state.key, XXH64.hash(state.key))
      state.forEach { unit.findings.index.facts.add($0) }
      unit.findings.index.facts.end()
      checkPublished(state, hasProfile, unit.findings)
      if stored.contains(where: { !isText($0) }) { unit.findings.add(.badState) }
      state.forEach { record in
        if record.isOfEvents { found.add(record.eventRegister.count, of: Int(record.name)) }
      }
      if hasProfile {
        state.readProfileDays(into: &days)
        found.active.add(1, days)
      }
      unit.noteKey()
    }
  }

  /// Checks that a key with data is published: by itself, or with the person it folds into.
  private func checkPublished(_ state: KeyState, _ hasProfile: Bool, _ findings: FrameFindings) {
    guard let section = KeySection(of: state.key), section != .anonymous else { return }
    if section == .install, let person = state.facts.links.person(stitch) {
      found.folds.add(section.id(of: state.key), into: person)
    } else if !hasProfile, state.isPublic {
      findings.add(.unpublished)
    }
  }

  /// Whether the value of a record is one that a profile can show: those of profiles are checked
  /// there.
  private func isText(_ record: Mutation) -> Bool {
    guard record.hasText, !record.value.isEmpty else { return true }
    guard UTF8Check.isValid(record.value) else { return false }
    guard record.isOfEvents || record.kind == .set || record.kind == .single else { return true }
    line.removeAll()
    line.append(record.value)
    line.append(UInt8(ascii: "\n"))
    tape.bind(to: line.view)
    // The scanner takes a line feed between tokens for a space.
    guard record.value.firstIndex(of: UInt8(ascii: "\n")) == nil,
      case .value(let root) = Scanner.scan(line: 0..<record.value.count, into: tape)
    else { return false }
    return !record.isOfEvents || tape[root].kind == .object
  }

  private func checkHeader(_ unit: FrameCheckUnit) {
    guard let end = unit.text.view.firstIndex(of: UInt8(ascii: "\n")),
      let root = (try? JSONDocument(unit.text[0..<end]))?.root,
      let version = root["eventmill_state"]?.int, version >= 0
    else { return unit.findings.add(.badHeader) }
    if version != StateHeader.version {
      unit.findings.add(.otherStateFormat, version, StateHeader.version)
    }
    if root["partition"]?.int != part.partition || root["partitions"]?.int != part.partitions {
      unit.findings.add(.headerOfOtherPart, part.partition, part.partitions)
    }
  }
}

/// The installations that fold into people, as a number and a sum of hashes: the state knows them
/// by their links, and the profiles list them. The sum does not depend on the order.
struct FoldTally: Equatable {
  private(set) var count = 0
  private var sum: UInt64 = 0

  /// Adds an installation that folds into the person with the key text `person`.
  mutating func add(_ installation: ByteView, into person: ByteView) {
    count += 1
    sum &+= XXH64.hash(installation, seed: XXH64.hash(person))
  }

  mutating func merge(_ other: FoldTally) {
    count += other.count
    sum &+= other.sum
  }
}
