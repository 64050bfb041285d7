import Pipeline
import Stages

/// Checks the lines of published profiles (docs/file-formats.md): who it is, the order of names and
/// times, and the part; and counts events per name.
final class ProfileCheck: LineCheck {
  /// What profiles say of an event name.
  struct Tally: Equatable {
    /// Profiles that have the event.
    var profiles = 0
    /// Events in them.
    var events = 0

    mutating func add(events: Int) {
      profiles += 1
      self.events &+= events
    }
  }

  let tape = Tape()
  /// The part whose lines come next.
  var part = OutputPart(partition: 0, partitions: 1)
  /// By number of the name on the tape: most names are counted without being looked up.
  private var numbered = [Tally](repeating: Tally(), count: InternTable.most + 1)
  private var others: [String: Tally] = [:]

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    var seen = [Int?](repeating: nil, count: Member.allCases.count)
    tape.forEachMember(of: root) { name in
      guard let member = Member(tape.bytes(at: name)) else {
        return findings.add("no profile has a member \(tape.bytes(at: name).shown)")
      }
      if seen[member.rawValue] != nil {
        findings.add("it has two members \(tape.bytes(at: name).shown)")
      }
      seen[member.rawValue] = name + 1
    }
    checkIdentifiers(seen[Member.identifiers.rawValue], root, findings, key: &key)
    let range = range(
      seen[Member.firstSeen.rawValue], seen[Member.lastSeen.rawValue], findings, of: "it")
    if let attributes = seen[Member.attributes.rawValue] {
      checkNames(attributes, "attributes", findings)
    }
    if let location = seen[Member.location.rawValue] { checkLocation(location, findings) }
    if let word = seen[Member.optedOut.rawValue], tape[word].kind != .true {
      findings.add("its opted_out is not true")
    }
    if let events = seen[Member.events.rawValue] { checkEvents(events, within: range, findings) }
  }

  /// What was counted so far, by event name.
  var tallies: [String: Tally] {
    var all = others
    for number in 1..<numbered.count where numbered[number].profiles > 0 {
      all[tape.names.text(number).text, default: Tally()].add(numbered[number])
    }
    return all
  }
}

extension ProfileCheck.Tally {
  /// Adds what others counted.
  mutating func add(_ other: Self) {
    profiles += other.profiles
    events &+= other.events
  }
}

// MARK: - Members

/// The members a profile may have.
private enum Member: Int, CaseIterable {
  case id, kind, identifiers, attributes, events, location, optedOut, firstSeen, lastSeen

  init?(_ name: ByteView) {
    switch name {
    case "id": self = .id
    case "kind": self = .kind
    case "identifiers": self = .identifiers
    case "attributes": self = .attributes
    case "events": self = .events
    case "location": self = .location
    case "opted_out": self = .optedOut
    case "first_seen": self = .firstSeen
    case "last_seen": self = .lastSeen
    default: return nil
    }
  }
}

extension ProfileCheck {
  /// Appends the key text that the identifiers stand for, and compares it with what the line begins
  /// with.
  private func checkIdentifiers(
    _ identifiers: Int?, _ root: Int, _ findings: FrameFindings, key: inout ByteBuffer
  ) {
    guard let identifiers, tape[identifiers].kind == .object else {
      return findings.add("it has no identifiers")
    }
    let person = tape.member("custom_id", of: identifiers)
    let installation = tape.member("installation_id", of: identifiers)
    let folded = tape.member("installation_ids", of: identifiers)
    var members = 0
    tape.forEachMember(of: identifiers) { _ in members += 1 }
    if let id = tape.string(at: person), installation == nil, members == (folded == nil ? 1 : 2) {
      key.append(KeySection.custom.prefix)
      key.append(id)
      checkBeginning(of: root, id, "person", findings)
    } else if let id = tape.string(at: installation), members == 1 {
      key.append(KeySection.install.prefix)
      key.append(id)
      checkBeginning(of: root, id, "installation", findings)
    } else {
      return findings.add("its identifiers are neither a person nor an installation")
    }
    part.check(key.view, findings)
    if let folded { checkFolded(folded, findings) }
  }

  /// Checks that the line begins with `id` and `kind`.
  private func checkBeginning(
    of root: Int, _ id: ByteView, _ kind: ByteView, _ findings: FrameFindings
  ) {
    guard tape.bytes(at: root + 1) == "id", tape.string(at: root + 2) == id,
      tape.bytes(at: root + 3) == "kind", tape.string(at: root + 4) == kind
    else { return findings.add("it does not begin with its id and its kind") }
  }

  private func checkFolded(_ list: Int, _ findings: FrameFindings) {
    let ids = tape.items(of: list).map { tape.string(at: $0) }
    guard !ids.isEmpty, ids.allSatisfy({ $0 != nil }) else {
      return findings.add("its installation_ids are no list of texts")
    }
    for (first, second) in zip(ids, ids.dropFirst()) {
      if let first, let second, !(first < second) {
        return findings.add("its installation_ids are out of order")
      }
    }
  }

  /// Checks that the names of an object's members are sorted and different.
  private func checkNames(_ object: Int, _ name: StaticString, _ findings: FrameFindings) {
    guard tape[object].kind == .object, tape[object].next > object + 1 else {
      return findings.add("its \(name) are no object with members")
    }
    var last: Int?
    var isSorted = true
    tape.forEachMember(of: object) { key in
      if let last, !(tape.bytes(at: last) < tape.bytes(at: key)) { isSorted = false }
      last = key
    }
    if !isSorted { findings.add("its \(name) are out of order") }
  }

  private func checkLocation(_ location: Int, _ findings: FrameFindings) {
    guard tape[location].kind == .object, GeoPoint(location, of: tape).isValid(in: tape),
      tape.time(at: tape.member("time", of: location)) != nil
    else { return findings.add("its location is no place with a time") }
  }

  private func checkEvents(
    _ events: Int, within range: ClosedRange<Int>?, _ findings: FrameFindings
  ) {
    checkNames(events, "events", findings)
    tape.forEachMember(of: events) { key in
      let event = key + 1
      let name = tape.bytes(at: key)
      guard let count = tape.count(at: tape.member("count", of: event)), count > 0 else {
        return findings.add("its event \(name.shown) has no count")
      }
      let seen = self.range(
        tape.member("first_seen", of: event), tape.member("last_seen", of: event), findings,
        of: "its event \(name.shown)")
      if let seen,
        range.map({ !($0.contains(seen.lowerBound) && $0.contains(seen.upperBound)) })
          ?? true
      {
        findings.add("its event \(name.shown) was seen outside of first_seen to last_seen")
      }
      let number = Int(tape[key].number)
      if number > 0 {
        numbered[number].add(events: count)
      } else if others.count < EventCounts.mostNames {
        others[name.text, default: Tally()].add(events: count)
      }
    }
  }

  /// The times between which something was seen; nil when neither stands there.
  private func range(
    _ first: Int?, _ last: Int?, _ findings: FrameFindings, of what: @autoclosure () -> String
  ) -> ClosedRange<Int>? {
    if first == nil, last == nil { return nil }
    guard let from = tape.time(at: first), let to = tape.time(at: last) else {
      findings.add("\(what()) has a first_seen or last_seen that is no time")
      return nil
    }
    guard from <= to else {
      findings.add("\(what()) has a first_seen behind its last_seen")
      return nil
    }
    return from...to
  }
}
