import Pipeline
import Stages

extension RunOptions {
  /// The options with those that a manifest's partials or partitions were made with.
  ///
  /// - Throws: `corrupt`, when the manifest holds others than this program writes.
  func taking(_ manifest: ManifestFile, path: String) throws(Failure) -> RunOptions {
    guard let options = taking(OptionReader(manifest)) else {
      throw Failure(
        .corrupt, doing: "reading the manifest in", path: path,
        why: "its options are not those that this program writes",
        advice: "make it again with this version of eventmill")
    }
    return options
  }

  private func taking(_ manifest: OptionReader) -> RunOptions? {
    guard let v1 = manifest.text("v1").flatMap(V1Policy.init(rawValue:)),
      let dialect = manifest.text("dialect"), let known = Self.dialect(named: dialect),
      let maxLine = manifest.option("max_line")?.int, maxLine > 0,
      let partitions = manifest.option("partitions")?.int,
      1...StateHeader.maximumPartitions ~= partitions,
      let keepGoing = manifest.option("keep_going")?.bool,
      let defaultTime = manifest.time("default_time", else: nil),
      let notBefore = manifest.time("not_before", else: nil),
      let notAfter = manifest.time("not_after", else: nil),
      let since = manifest.time("since", else: nil),
      let until = manifest.time("until", else: nil),
      let foreign = ForeignRules(manifest),
      let unknownFields = manifest.value(
        "unknown_fields", else: rules.unknownFields,
        { UnknownFieldPolicy(rawValue: $0.text ?? "") }),
      let raisesMaxLine = manifest.value("raises_max_line", else: false, \.bool),
      // Those below are of the second half: a partial does not have them.
      let stitch = manifest.value("stitch", else: stitch, { Stitch(rawValue: $0.text ?? "") }),
      let dedupeDays = manifest.value("dedupe_days", else: dedupeDays, \.int), dedupeDays >= 0,
      let withValues = manifest.value("values", else: withValues, \.bool),
      let level = manifest.value("level", else: level, \.int), ZstdEncoder.levels ~= level,
      let reingest = manifest.value("reingest", else: reingest, \.bool)
    else { return nil }
    var options = self
    options.rules.v1 = v1
    options.rules.dialect = known
    options.rules.defaultTime = defaultTime
    options.rules.notBefore = notBefore
    options.rules.notAfter = notAfter
    (options.rules.since, options.rules.until) = (since, until)
    options.rules.maxLine = maxLine
    options.rules.raisesMaxLine = raisesMaxLine
    options.rules.foreign = foreign
    options.rules.unknownFields = unknownFields
    options.partitions = partitions
    options.keepGoing = keepGoing
    options.stitch = stitch
    options.dedupeDays = dedupeDays
    options.withValues = withValues
    options.level = level
    options.reingest = reingest
    return options
  }

  /// What `auto` or a dialect's name stands for; nil for any other text.
  private static func dialect(named name: String) -> Dialect?? {
    name == "auto" ? .some(nil) : Dialect(named: name).map { .some($0) }
  }
}

extension ForeignRules {
  /// Those that a manifest tells; nil when one of them is wrong.
  fileprivate init?(_ manifest: OptionReader) {
    self.init()
    guard
      let policy = manifest.value(
        "foreign", else: policy, { ForeignPolicy(rawValue: $0.text ?? "") }),
      let keys = manifest.value(
        "identity_keys", else: identityKeys, { IdentityKeys($0.text ?? "-") }),
      let objects = manifest.value(
        "realm_objects", else: realmObjects, { RealmObjects(rawValue: $0.text ?? "") }),
      let repairs = manifest.value("repair", else: repairs, \.bool)
    else { return nil }
    (self.policy, self.identityKeys, self.realmObjects) = (policy, keys, objects)
    self.repairs = repairs
  }
}

/// Reads options of a manifest, of which some may be missing.
private struct OptionReader {
  private let manifest: ManifestFile

  init(_ manifest: ManifestFile) { self.manifest = manifest }

  func option(_ name: String) -> JSONValue? { manifest.option(name) }

  func text(_ name: String) -> String? { option(name)?.text }

  /// What `read` makes of an option, `other` for one that is missing; nil for one that is wrong.
  func value<Value>(
    _ name: String, else other: Value, _ read: (JSONValue) -> Value?
  ) -> Value? {
    guard let option = option(name) else { return other }
    return read(option)
  }

  /// A time, `other` for one that is missing; nil for one that is wrong.
  func time(_ name: String, else other: Int?) -> Int?? {
    value(name, else: other) { option in
      guard let text = option.text else { return nil }
      var bytes = ByteBuffer()
      bytes.append(text: text)
      return Timestamp.parse(bytes.view).map { .some($0) }
    }
  }
}
