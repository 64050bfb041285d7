package import Pipeline
import Stages

/// Finds the published profiles of ids through the index of an output, without reading the rest of
/// it (`eventmill inspect OUT ID…`). For one thread.
///
/// Complexity of a lookup: the index of one partition, read once, and one frame of its state and
/// profiles; two for an installation that is part of a person.
package struct ProfileLookup: ~Copyable {
  /// The result for an id.
  package enum Outcome {
    /// A profile; for a person, with the requested installation if that is part of it.
    case profile(JSONValue, installation: String?)
    /// The state has the key, and nothing of it is published.
    case unpublished(key: String)
  }

  /// The result for one key.
  private struct Known {
    let profile: JSONValue?
    /// The key of the person it is linked to.
    let person: String?
  }

  private let output: String
  let run: Output
  /// All names of the output, and those that were read since.
  let names: RunNames
  /// Whose data the output suppresses.
  let erasures: Erasures
  private let cursor: RunCursor
  private var parts: [Int: SortedRun] = [:]
  /// The newest time of the output (``ReadDays``), in milliseconds since 1970; nil without events.
  package let newest: Int?

  /// Opens the output in the directory `output`.
  ///
  /// - Throws: `usage`, when the directory is not an output; `corrupt`, `io`.
  package init(_ output: String, control: JobControl) throws(Failure) {
    let run = try Output(output, system: control.system)
    let names = RunNames(limit: InspectJob.mostNames)
    let totals = try run.totals(names)
    if let failure = names.failure { throw failure }
    let cursor = try RunCursor(names: names)
    (self.output, self.run) = (output, run)
    (self.names, erasures) = (names, totals.erasures)
    self.cursor = cursor
    newest = totals.readDays.newest
  }

  /// The results for `id`: a custom id, an installation id, or one of both with the prefix
  /// `custom:` or `install:`. Empty when it is unknown; two when it is both kinds of id.
  ///
  /// - Throws: `corrupt`, `io`.
  package mutating func find(_ id: String) throws(Failure) -> [Outcome] {
    var outcomes: [Outcome] = []
    for key in Self.keys(of: id) {
      if let outcome = try outcome(of: key) { outcomes.append(outcome) }
    }
    return outcomes
  }

  /// The keys that `id` may mean, in stored form.
  static func keys(of id: String) -> [String] {
    var keys = [KeySection.custom, .install].map { "\($0.prefix.text)\(id)" }
    if ["custom:", "install:"].contains(where: id.hasPrefix) { keys.append(id) }
    return keys.map(stored)
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

  /// The complete state of a key; nil when it is unknown. Valid until the next call.
  /// - Throws: `corrupt`, `io`.
  mutating func whole(_ text: String) throws(Failure) -> KeyState? {
    guard try find(key: text) != nil else { return nil }
    return try cursor.whole(keepsIDs: true)
  }

  private mutating func find(key text: String) throws(Failure) -> KeyState? {
    let key = ByteBuffer(text: text)
    let part = try part(KeyHash.partition(XXH64.hash(key.view), of: run.partitions))
    return try cursor.find(key.view, in: part)
  }

  private mutating func look(up text: String) throws(Failure) -> Known? {
    let output = output
    guard let found = try find(key: text) else { return nil }
    return Known(
      profile: try cursor.profile.map { line throws(Failure) in try Self.profile(line, of: output)
      },
      person: found.link?.target.text)
  }

  /// The profile in the published `line`.
  private static func profile(_ line: ByteView, of output: String) throws(Failure) -> JSONValue {
    do throws(JSONDocument.Fault) {
      return try JSONDocument(line[0..<line.count - 1]).root
    } catch {
      throw OutputKind.output.damaged(output, "a profile \(error.why)", doing: Output.doing)
    }
  }

  private mutating func part(_ number: Int) throws(Failure) -> SortedRun {
    if let known = parts[number] { return known }
    let opened = try run.part(number)
    parts[number] = opened
    return opened
  }
}
