import Pipeline
import Stages

/// The options that manifests, reports and checkpoints record, that partials must agree on, that a
/// merge takes from them, and that decide when parts of an earlier output can be copied. Which
/// ones these are follows from the rows of ``Option/facts``; their order and names are here.
extension Option {
  /// The recorded options, in document order; new ones follow in the order of the table.
  fileprivate static let recorded: [Option] = {
    let first: [Option] = [
      .v1, .dialect, .defaultTime, .notBefore, .notAfter, .since, .until, .maxLine, .foreign,
      .identityKeys, .realmObjects, .repair, .unknownFields, .stitch, .dedupeDays, .noValues,
      .partitions, .level, .keepGoing, .reingest,
    ]
    return first + allCases.filter { !$0.facts.documents.isEmpty && !first.contains($0) }
  }()

  /// Options without which a manifest is rejected.
  private static let required: Set<Option> = [.v1, .dialect, .maxLine, .partitions, .keepGoing]

  /// The name in documents.
  fileprivate var field: String {
    switch self {
    case .noValues: "values"
    case .noDays: "days"
    default: rawValue.replacing("-", with: "_")
    }
  }

  /// Reads it from a manifest; false when that has a value that this program does not write. If it
  /// is missing, the merge uses its own.
  fileprivate func read(_ manifest: Manifest, _ options: inout CommandOptions) -> Bool {
    let value = manifest.options[field]
    guard facts.setting.read(value, &options) else { return false }
    return value != nil || !Option.required.contains(self)
  }
}

extension RunOptions {
  /// A hash of the requests of an output, and of all marks in its state.
  static let eraseOption = "erase"
  /// The moment of these requests, if one without a time needs it.
  static let erasedAtOption = "erased_at"
  /// The same for a partial.
  static let erasuresOption = "erasures"
  /// A hash of all consent statements of installations.
  static let consentsOption = "consents"
  /// A hash of the files with these statements, in a partial.
  static let consentSourcesOption = "consents_of"
  /// Whether opt-outs are honored, in an output.
  static let honorsOptOutOption = "honor_opt_out"

  func recorded(_ document: OptionFacts.Documents) -> RecordedOptions {
    RecordedOptions { write(document, to: &$0) }
  }

  private func write(_ document: OptionFacts.Documents, to json: inout JSONWriter) {
    for option in Option.recorded where option.facts.documents.contains(document) {
      option.facts.setting.write(option.field, CommandOptions(self), &json)
      if option == .maxLine { json.member("raises_max_line", read.rules.raisesMaxLine) }
    }
  }

  /// The options recorded by the manifest of an output, without the data of `erasures`.
  func recorded(_ erasures: Erasures) -> RecordedOptions {
    RecordedOptions { json in
      write(.output, to: &json)
      if merge.honorsOptOut { json.member(Self.honorsOptOutOption, true) }
      // The requests of earlier nights are in their state.
      if erasures.hasNew { json.member(Self.eraseOption, XXH64.text(erasures.hash)) }
      if erasures.needsMoment, let moment = merge.moment {
        json.member(Self.erasedAtOption, Timestamp.text(moment))
      }
    }
  }

  /// The options that merged partials have in common.
  func recorded(_ findings: PrivacyFindings) -> RecordedOptions {
    let (erasures, consents) = (findings.erasures, findings.consents)
    return RecordedOptions { json in
      write(.partial, to: &json)
      if !erasures.isEmpty { json.member(Self.erasuresOption, XXH64.text(erasures.hash)) }
      if merge.honorsOptOut { json.member(Self.consentsOption, XXH64.text(consents.hash)) }
      if let sources = findings.consentSources {
        json.member(Self.consentSourcesOption, XXH64.text(sources))
      }
    }
  }

  /// The options combined with those of a manifest's partials or partitions.
  ///
  /// - Throws: `corrupt`, when the manifest has options that this program does not write.
  func taking(_ manifest: Manifest, path: String) throws(Failure) -> RunOptions {
    var options = CommandOptions(self)
    options.run.merge.honorsOptOut =
      manifest.options[Self.consentsOption] != nil
      || manifest.options[Self.honorsOptOutOption]?.bool == true
    let raisesMaxLine = manifest.options["raises_max_line"].map(\.bool) ?? false
    guard options.set(\.run.read.rules.raisesMaxLine, raisesMaxLine),
      Option.recorded.allSatisfy({ $0.read(manifest, &options) })
    else {
      throw Failure(
        .corrupt, doing: "reading the manifest in", path: path,
        why: "it has options that this program does not write",
        advice: "make it again with this version of eventmill")
    }
    return options.run
  }
}

/// Options as a manifest records them.
struct RecordedOptions: DocumentValue, Equatable {
  let all: [(name: String, value: JSONValue)]

  static let expected = "an object"

  init() { all = [] }

  init(_ write: (inout JSONWriter) -> Void) {
    let text = JSONWriter.document(.compact, write)
    guard let document = try? JSONDocument(text.view) else {
      preconditionFailure("options are written as JSON")
    }
    all = document.root.members
  }

  /// The same in a report, with the number of cores.
  func with(jobs: Int) -> RecordedOptions {
    RecordedOptions { json in
      writeFields(to: &json)
      json.member("jobs", jobs)
    }
  }

  subscript(name: String) -> JSONValue? { all.last { $0.name == name }?.value }

  /// Each as spelled in the manifest, to be compared.
  var texts: [String] { all.map { "\($0.name)=\($0.value.source)" } }

  static func == (one: Self, other: Self) -> Bool { one.texts == other.texts }

  func write(to json: inout JSONWriter) { json.object { writeFields(to: &$0) } }

  func writeFields(to json: inout JSONWriter) { Named(all).writeFields(to: &json) }

  static func read(
    _ value: JSONValue, _ reading: inout DocumentReading
  ) throws(DocumentDamage) -> RecordedOptions {
    guard value.kind == .object else { throw .isNot(expected) }
    // A document of its own: otherwise the options would keep the whole manifest in memory.
    return RecordedOptions { Named(value.members).writeFields(to: &$0) }
  }
}
