package import Pipeline
import Stages

/// Finds the published profiles of ids through the index of an output, without reading the rest of
/// it (`eventmill inspect OUT ID…`). For one thread.
///
/// Complexity of a lookup: the index of one partition, read once, and one frame of its state and
/// profiles; two for an installation that is part of a person.
package struct ProfileLookup: ~Copyable {
  package enum Outcome {
    /// A profile; for a person, with the requested installation if that is part of it.
    case profile(JSONValue, installation: String?)
    /// The state has the key, and nothing of it is published.
    case unpublished(key: String)
  }

  private struct Known {
    let profile: JSONValue?
    /// The key of the person it folds into.
    let person: String?
  }

  let run: Output
  /// All names of the output, and those that were read since.
  let names: RunNames
  let erasures: Erasures
  private let cursor: RunCursor
  private var parts: [Int: SortedRun] = [:]
  /// The newest time of the output (``ReadDays``), in milliseconds since 1970; nil without events.
  package let newest: Int?

  /// Opens the output in the directory `output`.
  /// - Throws: `usage`, when the directory is not an output; `corrupt`, `io`.
  package init(_ output: String, control: JobControl) throws(Failure) {
    let run = try Output(output, system: control.system)
    let (totals, names) = try run.namedTotals()
    let cursor = try RunCursor(names: names)
    (self.run, self.names, self.cursor) = (run, names, cursor)
    erasures = totals.erasures
    newest = totals.readDays.newest
  }

  /// The result for `id`: a custom id, an installation id, or one of both with the prefix
  /// `custom:` or `install:`. What is published comes first, and the person before an installation
  /// with the same id. Nil when it is unknown.
  package mutating func find(_ id: String) throws(Failure) -> Outcome? {
    var unpublished: Outcome?
    for key in Self.keys(of: id) {
      let found = try outcome(of: key)
      if case .profile = found { return found }
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

  private mutating func outcome(of key: String) throws(Failure) -> Outcome? {
    guard let known = try look(up: key) else { return nil }
    if let profile = known.profile { return .profile(profile, installation: nil) }
    if let person = known.person, let profile = try look(up: person)?.profile {
      let id = String(key.dropFirst(KeySection.install.prefix.count))
      return .profile(profile, installation: id)
    }
    return .unpublished(key: key)
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
  private mutating func find(key text: String) throws(Failure) -> KeyState? {
    let key = ByteBuffer(text: text)
    let number = KeyHash.partition(XXH64.hash(key.view), of: run.partitions)
    let part = if let known = parts[number] { known } else { try run.part(number) }
    parts[number] = part
    return try cursor.find(key.view, in: part)
  }

  private mutating func look(up text: String) throws(Failure) -> Known? {
    guard let found = try find(key: text) else { return nil }
    do throws(JSONDocument.Fault) {
      let profile = try cursor.profile.map { line throws(JSONDocument.Fault) in
        try JSONDocument(line[0..<line.count - 1]).root
      }
      return Known(profile: profile, person: found.facts.links.person(run.manifest.stitch)?.text)
    } catch {
      throw run.damaged(nil, "a profile \(error.why)")
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
  mutating func person(_ profile: JSONValue, _ texts: TextStore) throws(Failure) -> Person {
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
  mutating func state(of text: String, _ texts: TextStore) throws(Failure) -> KeyState {
    let key = ByteBuffer(text: text)
    var bytes = ByteBuffer()
    if try find(key: text) != nil { try cursor.whole(keepsIDs: true).append(to: &bytes) }
    var offset = 0
    return KeyState(texts.store(bytes.view), at: &offset) ?? KeyState(key: texts.store(key.view))
  }
}
