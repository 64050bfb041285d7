package import Pipeline
import Stages

/// Finds the published profiles and the states of ids through the index of an output, without
/// reading the rest of it (`eventmill inspect`). For one thread.
///
/// Complexity of a lookup: the index of one partition, read once, and one frame of its state and
/// profiles; two for an installation that is part of a person.
package final class ProfileLookup {
  package struct Found {
    /// In stored form.
    package let key: String
    /// Its profile, or that of the person it folds into; nil when nothing of it is published.
    package var profile: JSONValue?
    /// The id of an installation that is part of a person.
    package var installation: String?
  }

  let run: Output
  /// All names of the output, and those that were read since.
  let names: RunNames
  let erasures: Erasures
  private let cursor: RunCursor
  let control: JobControl
  private var parts: [Int: SortedRun] = [:]
  /// The newest time of the output (``ReadDays``), in milliseconds since 1970; nil without events.
  package let newest: Int?

  /// Opens the output in the directory `output`; for lines of its states `withKnownNames` only.
  /// - Throws: `usage`, when the directory is not an output; `corrupt`, `io`.
  package convenience init(
    _ output: String, withKnownNames: Bool = false, control: JobControl
  ) throws(Failure) {
    let run = try Output(output, system: control.system)
    try self.init(run, withKnownNames: withKnownNames, control: control)
  }

  init(_ run: Output, withKnownNames: Bool = false, control: JobControl) throws(Failure) {
    self.run = run
    let totals: StateTotals
    (totals, names) = try run.namedTotals()
    cursor = RunCursor(try KeyFrameReader(names: names, known: withKnownNames ? names.lists : nil))
    self.control = control
    erasures = totals.erasures
    newest = totals.readDays.newest
  }

  /// The result for `id`: a custom id, an installation id, or one of both with the prefix
  /// `custom:` or `install:`. What is published comes first, and the person before an installation
  /// with the same id. Nil when it is unknown.
  package func find(_ id: String) throws(Failure) -> Found? {
    var unpublished: Found?
    for key in Self.keys(of: id) {
      guard let found = try look(up: key) else { continue }
      if found.profile != nil { return found }
      unpublished = unpublished ?? found
    }
    return unpublished
  }

  /// The keys that `id` may mean, in stored form.
  static func keys(of id: String) -> [String] {
    let prefixes = [KeySection.custom, .install].map(\.prefix.text)
    let keys = prefixes.map { $0 + id }
    return ((prefixes.contains(where: id.hasPrefix) ? [id] : []) + keys).map(stored)
  }

  private func look(up key: String) throws(Failure) -> Found? {
    guard let state = try find(key: key) else { return nil }
    let person = state.facts.links.person(run.manifest.stitch)?.text
    if let profile = try profile() { return Found(key: key, profile: profile) }
    guard let person, try find(key: person) != nil, let profile = try profile() else {
      return Found(key: key)
    }
    let id = String(key.dropFirst(KeySection.install.prefix.count))
    return Found(key: key, profile: profile, installation: id)
  }

  /// The profile at the cursor.
  private func profile() throws(Failure) -> JSONValue? {
    try cursor.profile.map { line throws(Failure) in try run.profile(line[0..<line.count - 1]) }
  }

  /// A key in stored form: UUIDs of installations in upper case (data-model 5).
  private static func stored(_ key: String) -> String {
    let text = ByteBuffer(text: key)
    guard KeySection(of: text.view) == .install else { return key }
    let id = KeySection.install.id(of: text.view)
    guard UUIDText.shape(id).isMixed else { return key }
    return "\(KeySection.install.prefix.text)\(id.text.uppercased())"
  }

  /// Moves the cursor to a key; nil when it is unknown.
  private func find(key text: String) throws(Failure) -> KeyState? {
    let key = ByteBuffer(text: text)
    let number = run.part(of: key.view)
    let part = if let known = parts[number] { known } else { try run.part(number) }
    parts[number] = part
    return try cursor.find(key.view, in: part)
  }
}

extension ProfileLookup {
  /// Calls `body` with the states of all keys as lines of JSON (docs/reference/file-formats.md), or
  /// of those of one part: part by part, in key order.
  /// - Throws: `corrupt`, `io`; what `body` throws.
  package func forEachState(
    of partition: Int? = nil, _ body: (ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    let lines = StateLines(SnapshotNames(names))
    var text = ByteBuffer()
    for number in partition.map({ $0..<$0 + 1 }) ?? 0..<run.partitions {
      let part = try run.part(number)
      for stretch in KeySection.allCases.flatMap({ part.stretches($0) }) {
        try control.check()
        try cursor.begin(stretch: stretch, of: part)
        while try cursor.next() != nil { try writeState(by: lines, &text, body) }
      }
    }
  }

  /// Calls `body` with the line of the key `key`.
  /// - Returns: false when the state does not have it.
  package func state(
    of key: String, _ body: (ByteView) throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    guard try find(key: key) != nil else { return false }
    var text = ByteBuffer()
    try writeState(by: StateLines(SnapshotNames(names)), &text, body)
    return true
  }

  private func writeState(
    by lines: StateLines, _ text: inout ByteBuffer, _ body: (ByteView) throws(Failure) -> Void
  ) throws(Failure) {
    text.removeAll()
    lines.append(try cursor.whole(keepsIDs: true), to: &text)
    try body(text.view)
  }
}

extension Output {
  static let mostNames = 100_000_000

  /// The totals of the state, and its names, as many as a run may have been allowed.
  func namedTotals() throws(Failure) -> (totals: StateTotals, names: RunNames) {
    let names = RunNames(limit: Self.mostNames)
    let totals = try totals(names)
    if let failure = names.failure { throw failure.at(path) }
    return (totals, names)
  }

  /// The number of the part that a key is in.
  func part(of key: ByteView) -> Int { KeyHash.partition(XXH64.hash(key), of: partitions) }

  /// Reads a line of the profiles, without its line end.
  func profile(_ line: ByteView) throws(Failure) -> JSONValue {
    do throws(JSONDocument.Fault) { return try JSONDocument(line).root } catch {
      throw damaged(nil, "a profile \(error.why)")
    }
  }
}

/// The subject of a question: the keys of a person or installation, and their states.
struct Person {
  /// The person's own key first, then those of its installations.
  let keys: [String]
  /// By key, with all events and ids.
  let states: [KeyState]
}

extension ProfileLookup {
  /// The keys of the published `profile`, and their states, whose texts are in `texts`.
  func person(_ profile: JSONValue, _ texts: TextStore) throws(Failure) -> Person {
    let section = profile["kind"]?.text == "person" ? KeySection.custom : .install
    let ids = profile["identifiers"]?["installation_ids"]?.items.compactMap(\.text) ?? []
    let keys =
      ["\(section.prefix.text)\(profile["id"]?.text ?? "")"]
      + ids.map { "\(KeySection.install.prefix.text)\($0)" }
    let states = try keys.map { key throws(Failure) in try state(of: key, texts) }
    return Person(keys: keys, states: states)
  }

  /// The possible owners of `id`, for which nothing is published.
  func stranger(_ id: String, _ texts: TextStore) -> Person {
    let keys = Self.keys(of: id)
    return Person(
      keys: keys,
      states: keys.map { key in
        let text = ByteBuffer(text: key)
        return KeyState(key: texts.store(text.view))
      })
  }

  /// The state of a key, whose texts are in `texts`; an empty one of an unknown key.
  func state(of text: String, _ texts: TextStore) throws(Failure) -> KeyState {
    let key = ByteBuffer(text: text)
    var bytes = ByteBuffer()
    if try find(key: text) != nil { try cursor.whole(keepsIDs: true).append(to: &bytes) }
    var offset = 0
    return KeyState(texts.store(bytes.view), at: &offset) ?? KeyState(key: texts.store(key.view))
  }
}
