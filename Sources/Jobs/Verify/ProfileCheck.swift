import Pipeline
import Stages

/// Checks the lines of published profiles (docs/reference/file-formats.md): identifiers, the order
/// of names and times, and the part; and counts events per name.
final class ProfileCheck: LineCheck {
  /// The counts of an event name in profiles.
  struct Tally: Equatable {
    var profiles = 0
    var events = 0

    mutating func add(_ other: Self) {
      profiles += other.profiles
      events &+= other.events
    }
  }

  /// Most event names that are counted: a damaged file may have any number.
  private static let mostNames = 10_000_000

  let tape = Tape()
  var part = OutputPart(partition: 0, partitions: 1)
  /// By number of the name on the tape: most names are counted without a lookup.
  private var numbered = [Tally](repeating: Tally(), count: InternTable.most + 1)
  private var found = Found()

  struct Found {
    /// Their counts, by event name.
    fileprivate(set) var tallies: [String: Tally] = [:]
    fileprivate(set) var folds = FoldTally()

    mutating func add(_ other: Found) {
      for (name, tally) in other.tallies { tallies[name, default: Tally()].add(tally) }
      folds.merge(other.folds)
    }
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    var seen = [Int?](repeating: nil, count: Member.names.count)
    tape.forEachMember(of: root) { name in
      let text = tape.bytes(at: name)
      guard let member = Member.names.firstIndex(where: { ByteView($0) == text }) else {
        return findings.add(.unknownMember, text.shown)
      }
      if seen[member] != nil { findings.add(.repeatedMember, text.shown) }
      seen[member] = name + 1
    }
    checkIdentifiers(seen[Member.identifiers.rawValue], root, findings, key: &key)
    let range = range(seen[Member.firstSeen.rawValue], seen[Member.lastSeen.rawValue], findings)
    if let attributes = seen[Member.attributes.rawValue] {
      checkNames(attributes, "attributes", findings)
    }
    for (register, value) in zip(RegisterKind.allCases, seen[Member.registers.rawValue...]) {
      if let value { check(register, value, findings) }
    }
    if let list = seen[Member.optedOut.rawValue] {
      checkInstallations(list, "opted_out_installations", findings)
    }
    if let events = seen[Member.events.rawValue] { checkEvents(events, within: range, findings) }
  }

  var all: Found {
    var all = found
    for number in 1..<numbered.count where numbered[number].profiles > 0 {
      all.tallies[tape.names.text(number).text, default: Tally()].add(numbered[number])
    }
    return all
  }
}

// MARK: - Fields

/// The fields of a profile, those of registers after the others.
private enum Member: Int {
  case id, kind, identifiers, attributes, events, optedOut, firstSeen, lastSeen, registers

  static let names: [StaticString] =
    [
      "id", "kind", "identifiers", "attributes", "events", "opted_out_installations", "first_seen",
      "last_seen",
    ]
    + RegisterKind.allCases.map(\.field)
}

extension ProfileCheck {
  /// Appends the key text of the identifiers, and checks that the line begins with id and kind.
  private func checkIdentifiers(
    _ identifiers: Int?, _ root: Int, _ findings: FrameFindings, key: inout ByteBuffer
  ) {
    guard let identifiers, tape[identifiers].kind == .object else {
      return findings.add(.noIdentifiers)
    }
    let person = tape.member("custom_id", of: identifiers)
    let installation = tape.member("installation_id", of: identifiers)
    let folded = tape.member("installation_ids", of: identifiers)
    var members = 0
    tape.forEachMember(of: identifiers) { _ in members += 1 }
    let isPerson = installation == nil && members == (folded == nil ? 1 : 2)
    guard isPerson || members == 1, let id = tape.string(at: isPerson ? person : installation)
    else { return findings.add(.badIdentifiers) }
    key.append((isPerson ? KeySection.custom : .install).prefix)
    key.append(id)
    let beginsWithID =
      tape.bytes(at: root + 1) == "id" && tape.string(at: root + 2) == id
      && tape.bytes(at: root + 3) == "kind"
      && tape.string(at: root + 4) == (isPerson ? "person" : "installation")
    if !beginsWithID { findings.add(.beginsWithoutID) }
    part.check(key.view, findings)
    guard let folded else { return }
    checkInstallations(folded, "installation_ids", findings)
    for item in tape.items(of: folded) {
      if let id = tape.string(at: item) { found.folds.add(id, into: key.view) }
    }
  }

  private func checkInstallations(_ list: Int, _ name: StaticString, _ findings: FrameFindings) {
    let ids = tape.items(of: list).map { tape.string(at: $0) }
    guard !ids.isEmpty, ids.allSatisfy({ $0 != nil }) else {
      return findings.add(.badInstallations, name)
    }
    for (first, second) in zip(ids, ids.dropFirst()) {
      if let first, let second, !(first < second) { return findings.add(.membersOutOfOrder, name) }
    }
  }

  /// Checks that the field names of an object are sorted and different.
  private func checkNames(_ object: Int, _ name: StaticString, _ findings: FrameFindings) {
    guard tape[object].kind == .object, tape[object].next > object + 1 else {
      return findings.add(.noMembers, name)
    }
    var last: Int?
    var isSorted = true
    tape.forEachMember(of: object) { key in
      if let last, !(tape.bytes(at: last) < tape.bytes(at: key)) { isSorted = false }
      last = key
    }
    if !isSorted { findings.add(.membersOutOfOrder, name) }
  }

  private func check(_ register: RegisterKind, _ value: Int, _ findings: FrameFindings) {
    if register.form == .flag {
      if tape[value].kind != .true { findings.add(.badFlag, register.field) }
      return
    }
    guard register.form.fits(value, of: tape), register.form.fault(value, of: tape) == nil,
      tape.time(at: tape.member("time", of: value)) != nil
    else { return findings.add(.badRegister, register.field, register.form.rawValue) }
  }

  private func checkEvents(
    _ events: Int, within range: ClosedRange<Int>?, _ findings: FrameFindings
  ) {
    checkNames(events, "events", findings)
    tape.forEachMember(of: events) { key in
      let event = key + 1
      let name = tape.bytes(at: key)
      guard let count = tape.count(at: tape.member("count", of: event)), count > 0 else {
        return findings.add(.eventHasNoCount, name.shown)
      }
      let seen = self.range(
        tape.member("first_seen", of: event), tape.member("last_seen", of: event), findings,
        ofEvent: name)
      if let seen, range?.contains(seen) != true { findings.add(.eventSeenOutside, name.shown) }
      let number = Int(tape[key].number)
      if number > 0 {
        numbered[number].add(Tally(profiles: 1, events: count))
      } else if found.tallies.count < Self.mostNames {
        found.tallies[name.text, default: Tally()].add(Tally(profiles: 1, events: count))
      }
    }
  }

  /// The first and last time of the profile, or of its event; nil without either.
  private func range(
    _ first: Int?, _ last: Int?, _ findings: FrameFindings, ofEvent name: ByteView? = nil
  ) -> ClosedRange<Int>? {
    if first == nil, last == nil { return nil }
    let times = tape.time(at: first).flatMap { from in tape.time(at: last).map { (from, $0) } }
    if let (from, to) = times, from <= to { return from...to }
    findings.add(
      times == nil ? .badTimes : .reversedTimes, name.map { "its event \($0.shown)" } ?? "it")
    return nil
  }
}

/// A part of profiles or state, by which keys are checked.
struct OutputPart: Equatable {
  let partition: Int
  let partitions: Int

  func file(in folder: String) -> String { RunFiles.part(partition, of: partitions, in: folder) }

  /// Adds a finding when the key text `key` belongs to another part
  /// (docs/reference/file-formats.md).
  func check(_ key: ByteView, _ findings: FrameFindings) {
    let right = KeyHash.partition(XXH64.hash(key), of: partitions)
    if right != partition { findings.add(.otherPart, key.shown, right, partition) }
  }
}

/// Checks the lines of changes (docs/reference/file-formats.md): their keys, and that added and
/// changed profiles are those that are published, and removed ones are not.
final class ChangeCheck: LineCheck {
  let tape = Tape(numbersNames: false)
  /// The part of the next lines, and its profiles; nil where they cannot be read.
  private var part = OutputPart(partition: 0, partitions: 1)
  private var profiles: SortedRun?
  private let cursor: RunCursor
  private var text = ByteBuffer()

  init() throws(Failure) { cursor = try RunCursor(names: RunNames()) }

  /// Prepares for the lines of `part`, whose profiles are in `profiles`.
  func begin(_ part: OutputPart, _ profiles: SortedRun?) {
    (self.part, self.profiles) = (part, profiles)
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    guard let change = ChangeLine(tape.bytes(at: root)), change.readKey(of: root, tape, into: &key)
    else { return findings.add(.noChange) }
    part.check(key.view, findings)
    guard let section = KeySection(of: key.view) else { return }
    do throws(Failure) {
      guard let profiles else { return }
      let state = try cursor.find(key.view, in: profiles)
      let profile = state == nil ? nil : cursor.profile
      let isTrue =
        change.kind == .removed
        ? state != nil && profile == nil
          && change.profile == ChangeLine(gone: key.view, section, in: &text).profile
        : profile.map { ChangeLine(change.kind, line: $0).profile } == change.profile
      if !isTrue { findings.add(.otherChange) }
    } catch {
      // The checks of states and profiles report what cannot be read.
      self.profiles = nil
    }
  }
}
