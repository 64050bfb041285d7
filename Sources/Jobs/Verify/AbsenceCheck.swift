import Pipeline
import Stages

/// The people and installations that should be absent from an output (`verify --requests`).
struct AbsentIDs: Sendable {
  /// Their marks and ids, as an erasure has them: what it removes and what should be absent are one
  /// decision (``PersonSearch``).
  let erasures: Erasures
  private let folded: Set<String>

  init(_ requests: ErasureRequests) {
    erasures = requests.erasures
    folded = Set(
      requests.requests.filter { !$0.mark.leavesTexts }.map { request in
        let id = ByteBuffer(text: String(decoding: request.id, as: UTF8.self))
        return Self.folded(id.view)
      })
  }

  /// Whether an id differs from one of them only in case, in its Unicode form, or in blanks at its
  /// ends. It may be of the same person, but is another id.
  func areSimilar(to id: ByteView) -> Bool { folded.contains(Self.folded(id)) }

  /// Strings are equal if they are canonically equivalent.
  private static func folded(_ id: ByteView) -> String {
    Characters.trimmed(id).text.uppercased().lowercased()
  }
}

/// Ids that are similar to one that should be absent, and were not searched for.
struct SimilarIDs {
  static let most = 1000

  /// The first in byte order.
  private(set) var names: [String] = []
  private(set) var hasMore = false
  private(set) var lines = 0

  mutating func add(_ id: ByteView) {
    lines += 1
    insert(id.text)
  }

  mutating func add(_ other: SimilarIDs) {
    lines += other.lines
    hasMore = hasMore || other.hasMore
    for name in other.names { insert(name) }
  }

  private mutating func insert(_ name: String) {
    // Not by `==`: ids that differ in their Unicode form are equal as texts.
    let next = names.firstIndex { !$0.precedes(name) } ?? names.count
    if next < names.count, names[next].utf8.elementsEqual(name.utf8) { return }
    names.insert(name, at: next)
    if names.count > Self.most {
      names.removeLast()
      hasMore = true
    }
  }
}

// MARK: - Lines of files

/// Searches files for people and installations that should be absent from an output (`verify
/// --requests`, docs/reference/data-model.md), line by line.
final class AbsenceCheck: LineCheck, AbsenceFrames {
  let tape = Tape(numbersNames: false)
  private(set) var others = 0
  private(set) var similar = SimilarIDs()
  private let ids: AbsentIDs
  private let search: PersonSearch
  private let lines: RunFiles.Content

  /// A check that nothing is left of `ids`.
  init(_ ids: AbsentIDs, in lines: RunFiles.Content, _ identityKeys: IdentityKeys) {
    self.ids = ids
    self.lines = lines
    search = PersonSearch(ids.erasures, keys: identityKeys, sparesNames: true)
  }

  func check(root: Int, findings: FrameFindings, key: inout ByteBuffer) {
    let isAbsent =
      switch lines {
      case .profiles: isInProfile(root)
      case .changes: tape.member("profile", of: root).map(isInProfile) ?? false
      case .rejects: isInReject(root)
      case .state, .totals, .index, .text: false
      }
    if isAbsent {
      findings.add(.holdsAbsent)
    } else if search.isMentioned(in: tape.bytes(at: root)) {
      others += 1
    }
  }

  /// A profile does not contain the times of its data, so it is checked for people whose data must
  /// all be absent; for the others the state is.
  private func isInProfile(_ root: Int) -> Bool {
    // A removed profile only has an id.
    let identifiers = tape.member("identifiers", of: root) ?? root
    let folded = tape.items(of: tape.member("installation_ids", of: identifiers))
    let isPerson = tape.string(at: tape.member("kind", of: root)) == "person"
    let named: [(KeySection, Int?)] =
      [
        (.custom, tape.member("custom_id", of: identifiers)),
        (.install, tape.member("installation_id", of: identifiers)),
        (isPerson ? .custom : .install, tape.member("id", of: root)),
      ] + folded.map { (.install, $0) }
    var isSimilar = false
    for (section, node) in named {
      guard let id = tape.string(at: node) else { continue }
      if let mark = search.mark(section, id) {
        if mark.coversAll { return true }
      } else if !isSimilar, !search.isID(id), ids.areSimilar(to: id) {
        isSimilar = true
        similar.add(id)
      }
    }
    return false
  }

  // MARK: - Rejects

  private func isInReject(_ root: Int) -> Bool {
    let inLine = search.isNamed(inLineOf: root, of: tape)
    if inLine == true { return true }
    return tape.items(of: tape.member("reasons", of: root)).contains { reason in
      if let path = tape.string(at: tape.member("path", of: reason)),
        search.isNamed(inPathOfLine: path.text)
      {
        return true
      }
      // A message repeats text of the line.
      guard inLine == nil, let message = tape.string(at: tape.member("message", of: reason)),
        message != ReasonList.leftOut
      else { return false }
      return search.isMentioned(in: message)
    }
  }
}

extension PersonSearch {
  /// Whether a path in a line, of rejects, losses and samples, names one of them, other than as a
  /// valid name of events or attributes, which others may have.
  func isNamed(inPathOfLine path: String) -> Bool {
    guard isNamed(inPath: path) else { return false }
    return !path.split(whereSeparator: { ".[]()".contains($0) }).contains { name in
      let segment = ByteBuffer(text: String(name))
      return Self.isValidName(segment.view) && isID(segment.view)
    }
  }
}

/// A search of the frames of a file for people who should be absent from it.
protocol AbsenceFrames: FrameCheck {
  /// Lines or keys in which the bytes of an id occur as something else.
  var others: Int { get }
  /// Profiles of similar ids.
  var similar: SimilarIDs { get }
}

// MARK: - Keys of a state

/// Searches a state for people and installations that should be absent (`verify --requests`,
/// docs/reference/data-model.md), key by key.
final class AbsentStates: AbsenceFrames {
  private(set) var others = 0
  let similar = SimilarIDs()
  private let search: PersonSearch

  private let frames: StateFrames

  /// A check that nothing is left of `ids` in a state whose profiles are in the file `profiles`.
  init(_ ids: AbsentIDs, profiles: String) throws(Failure) {
    search = PersonSearch(ids.erasures)
    frames = try StateFrames(profiles: profiles)
  }

  func check(_ unit: FrameCheckUnit) throws(Failure) {
    if unit.findings.isFirstFrame { return }
    let isReadable = try frames.forEach(in: unit) { state, _ in
      if isAbsent(state) {
        unit.findings.add(.holdsAbsent)
      } else if holds(state) {
        others += 1
      }
    }
    if !isReadable { unit.findings.add(.mayHoldAbsent) }
  }

  private func isAbsent(_ state: KeyState) -> Bool {
    guard let section = KeySection(of: state.key) else { return false }
    if let mark = search.mark(section, section.id(of: state.key)),
      mark.coversAll || hasAny(state, through: mark.time)
    {
      return true
    }
    return state.facts.links.all.contains { link in
      guard let mark = search.mark(.custom, KeySection.custom.id(of: link.target)) else {
        return false
      }
      return mark.coversAll || link.time <= mark.time
    }
  }

  /// Whether any data of a key that should be erased has that time or an earlier one.
  private func hasAny(_ state: KeyState, through time: Int) -> Bool {
    let facts = state.facts
    if facts.clear.time != .min, facts.clear.time <= time { return true }
    if facts.links.all.contains(where: { $0.time <= time }) { return true }
    return state.contains { record in record.isErasable && record.earliest <= time }
  }

  /// Whether the bytes of an id are in the state other than in a name.
  private func holds(_ state: KeyState) -> Bool {
    search.isMentioned(in: state.key)
      || state.contains { $0.hasText && search.isMentioned(in: $0.value) }
  }
}

// MARK: - Canonical logs

/// Searches canonical logs for people and installations that should be absent (`verify --requests`
/// for outputs of migrate and redrive, data-model 13.6). One stage object per thread.
struct AbsenceStage: Stage {
  static let name = "absence"

  /// The findings in a log.
  struct Found {
    var (lines, first) = (0, Int.max)
    /// Lines about similar ids.
    var similar = SimilarIDs()

    fileprivate mutating func add(_ line: Int) {
      lines += 1
      first = min(first, line)
    }
  }

  /// The findings of all lanes, by the number of the log.
  private let found: Locked<[Int: Found]>
  private let ids: AbsentIDs
  private let search: PersonSearch

  /// A search for `ids`, which adds to `found`.
  init(_ ids: AbsentIDs, found: Locked<[Int: Found]>) {
    (self.ids, self.found) = (ids, found)
    search = PersonSearch(ids.erasures)
  }

  /// Searches the records of the unit. Complexity: O(records + their events).
  func process(_ unit: WorkUnit) {
    let batch = unit.batch
    for index in batch.records.indices {
      let record = batch.records[index]
      let named = [(KeySection.custom, record.customID), (.install, record.installationID)]
        .compactMap { section, node in
          batch.tape.string(at: node.exists ? node.index : nil).map { (section, $0) }
        }
      let marks = named.compactMap { search.mark($0, $1) }
      if marks.contains(where: { covers($0, record, in: batch) }) {
        let line = unit.block.number(of: batch.lines[Int(record.line)])
        found.withLock { $0[unit.block.input, default: Found()].add(line) }
      } else if let (_, id) = named.first(where: { !search.isID($1) && ids.areSimilar(to: $1) }) {
        found.withLock { $0[unit.block.input, default: Found()].similar.add(id) }
      }
    }
  }

  /// Whether any data of a record of a person with that mark should be absent.
  private func covers(_ mark: Erasures.Mark, _ record: RecordEntry, in batch: RecordBatch) -> Bool {
    mark.coversAll || record.isLinkOnly && mark.covers(record.time)
      || record.operationCount > 0 && mark.covers(record.time)
      || record.eventIndices.contains { mark.covers(batch.events[$0].time) }
  }
}
