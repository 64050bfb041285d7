import Pipeline
import Stages

/// An option that can change a result, as manifests, reports and checkpoints record it. No path, no
/// number of threads (docs/file-formats.md).
///
/// All follows from the rows of ``all``: what documents hold, what partials must agree on, what a
/// merge takes from them, and when parts of an earlier output can be copied.
struct RecordedOption: Sendable {
  /// The documents that record an option.
  struct Documents: OptionSet, Sendable {
    let rawValue: Int

    /// The manifest of an output.
    static let output = Documents(rawValue: 1)
    /// The manifest of a partial: what decides what is read out of inputs.
    static let partial = Documents(rawValue: 2)
    /// What a job says that makes logs of logs.
    static let logs = Documents(rawValue: 4)
    /// No document, but what has to be the same for parts of an earlier output to be copied.
    static let copies = Documents(rawValue: 8)
    /// What decides what a line means.
    static let lines: Documents = [.output, .partial, .logs]
  }

  private typealias Field<Value> = any WritableKeyPath<RunOptions, Value> & Sendable

  let documents: Documents
  /// Writes it as a field of the object that is open, if it has a value.
  let write: @Sendable (RunOptions, inout JSONWriter) -> Void
  /// Takes it from a manifest; false when that has a value which this program does not write.
  let read: @Sendable (ManifestFile, inout RunOptions) -> Bool

  static let all: [RecordedOption] = [
    choice("v1", \.read.rules.v1, .lines, isRequired: true),
    text("dialect", \.read.rules.dialect, .lines, isRequired: true, { $0?.name ?? "auto" }) {
      name in
      name == "auto" ? .some(nil) : Dialect(named: name).map { .some($0) }
    },
    time("default_time", \.read.rules.defaultTime),
    time("not_before", \.read.rules.notBefore),
    time("not_after", \.read.rules.notAfter),
    time("since", \.read.rules.since),
    time("until", \.read.rules.until),
    number("max_line", \.read.rules.maxLine, 1...Int.max, .lines, isRequired: true),
    flag("raises_max_line", \.read.rules.raisesMaxLine, .lines, missing: false),
    choice("foreign", \.read.rules.foreign.policy, .lines),
    text(
      "identity_keys", \.read.rules.foreign.identityKeys, .lines, { $0.text },
      { IdentityKeys($0) }),
    choice("realm_objects", \.read.rules.foreign.realmObjects, .lines),
    flag("repair", \.read.rules.foreign.repairs, .lines),
    choice("unknown_fields", \.read.rules.unknownFields, .lines),
    choice("stitch", \.snapshot.stitch, [.output, .copies]),
    number("dedupe_days", \.snapshot.dedupeDays, 0...Int.max, .output),
    flag("values", \.snapshot.withValues, [.output, .copies]),
    number(
      "partitions", \.snapshot.partitions, 1...StateHeader.maximumPartitions,
      [.output, .partial, .copies], isRequired: true),
    number("level", \.publish.level, ZstdEncoder.levels, [.output, .logs, .copies]),
    flag("keep_going", \.read.keepGoing, .lines, isRequired: true),
    flag("reingest", \.merge.reingest, .output),
  ]
}

// MARK: - Kinds of values

extension RecordedOption {
  /// An option that a merge takes from a manifest; where that does not have it, the merge uses
  /// `missing`, or its own, and refuses one that `isRequired`.
  private init<Value: Sendable>(
    _ name: StaticString, _ field: Field<Value>, _ documents: Documents, missing: Value? = nil,
    isRequired: Bool = false,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void,
    read: @escaping @Sendable (JSONValue) -> Value?
  ) {
    self.documents = documents
    self.write = { options, json in write(options[keyPath: field], &json) }
    self.read = { manifest, options in
      let value =
        manifest.option("\(name)").map(read)
        ?? (isRequired ? nil : missing ?? options[keyPath: field])
      guard let value else { return false }
      options[keyPath: field] = value
      return true
    }
  }

  private static func flag(
    _ name: StaticString, _ field: Field<Bool>, _ documents: Documents,
    missing: Bool? = nil, isRequired: Bool = false
  ) -> RecordedOption {
    RecordedOption(
      name, field, documents, missing: missing, isRequired: isRequired,
      write: { $1.member(name, $0) }, read: { $0.bool })
  }

  private static func number(
    _ name: StaticString, _ field: Field<Int>, _ range: ClosedRange<Int>, _ documents: Documents,
    isRequired: Bool = false
  ) -> RecordedOption {
    RecordedOption(
      name, field, documents, isRequired: isRequired, write: { $1.member(name, $0) },
      read: { $0.int.flatMap { range.contains($0) ? $0 : nil } })
  }

  private static func text<Value: Sendable>(
    _ name: StaticString, _ field: Field<Value>, _ documents: Documents, isRequired: Bool = false,
    _ text: @escaping @Sendable (Value) -> String, _ value: @escaping @Sendable (String) -> Value?
  ) -> RecordedOption {
    RecordedOption(
      name, field, documents, isRequired: isRequired, write: { $1.member(name, text($0)) },
      read: { $0.text.flatMap(value) })
  }

  private static func choice<Value: RawRepresentable<String> & Sendable>(
    _ name: StaticString, _ field: Field<Value>, _ documents: Documents,
    isRequired: Bool = false
  ) -> RecordedOption {
    text(name, field, documents, isRequired: isRequired, { $0.rawValue }, { Value(rawValue: $0) })
  }

  /// A time that may be missing.
  private static func time(_ name: StaticString, _ field: Field<Int?>) -> RecordedOption {
    RecordedOption(
      name, field, .lines, missing: .some(nil),
      write: { time, json in if let time { json.member(name, Timestamp.text(time)) } },
      read: { value in
        guard let text = value.text else { return nil }
        let bytes = ByteBuffer(text: text)
        return Timestamp.parse(bytes.view).map { .some($0) }
      })
  }
}

// MARK: - Documents

extension RunOptions {
  /// What stands for the requests of an output, and all that its state was told before;
  static let eraseOption = "erase"
  /// for the same in a partial.
  static let erasuresOption = "erasures"
  /// What stands for everything that installations have said of their consent.
  static let consentsOption = "consents"

  /// Writes what `document` records as fields of the object that is open.
  func write(_ document: RecordedOption.Documents, to json: inout JSONWriter) {
    for option in RecordedOption.all where option.documents.contains(document) {
      option.write(self, &json)
    }
  }

  /// Writes what the manifest of an output records, whose data without `erasures`.
  func write(_ erasures: Erasures, to json: inout JSONWriter) {
    write(.output, to: &json)
    if self.merge.honorsOptOut { json.member("honor_opt_out", true) }
    // What earlier nights were asked stands in their state.
    if erasures.hasNew { json.member(named: Self.eraseOption, XXH64.text(erasures.hash)) }
  }

  /// Writes what partials that are merged have in common.
  func write(_ findings: PrivacyFindings, to json: inout JSONWriter) {
    write(.partial, to: &json)
    let (erasures, consents) = (findings.erasures, findings.consents)
    if !erasures.isEmpty { json.member(named: Self.erasuresOption, XXH64.text(erasures.hash)) }
    if self.merge.honorsOptOut {
      json.member(named: Self.consentsOption, XXH64.text(consents.hash))
    }
  }

  /// What `write` writes of options, each as a manifest spells it.
  static func texts(_ write: (inout JSONWriter) -> Void) -> [String] {
    var json = JSONWriter()
    json.object(write)
    let text = json.finish()
    guard let document = try? JSONDocument(text.view) else {
      preconditionFailure("options are written as JSON")
    }
    return document.root.members.map { "\($0.name)=\($0.value.source)" }
  }

  /// The options with those that a manifest's partials or partitions were made with.
  ///
  /// - Throws: `corrupt`, when the manifest holds others than this program writes.
  func taking(_ manifest: ManifestFile, path: String) throws(Failure) -> RunOptions {
    var options = self
    guard RecordedOption.all.allSatisfy({ $0.read(manifest, &options) }) else {
      throw Failure(
        .corrupt, doing: "reading the manifest in", path: path,
        why: "its options are not those that this program writes",
        advice: "make it again with this version of eventmill")
    }
    return options
  }
}
