import Pipeline

extension RunOptions {
  /// The options with those that a manifest's partials or partitions were made with.
  ///
  /// - Throws: `corrupt`, when the manifest holds others than this program writes.
  func taking(_ manifest: ManifestFile, path: String) throws(Failure) -> RunOptions {
    var options = self
    func time(_ name: String) -> Int? {
      guard let text = manifest.option(name)?.text else { return nil }
      var bytes = ByteBuffer()
      bytes.append(text: text)
      return Timestamp.parse(bytes.view)
    }
    guard let v1 = manifest.option("v1")?.text.flatMap(V1Policy.init(rawValue:)),
      let maxLine = manifest.option("max_line")?.int,
      let partitions = manifest.option("partitions")?.int,
      1...StateHeader.maximumPartitions ~= partitions,
      let keepGoing = manifest.option("keep_going")?.bool
    else {
      throw Failure(
        .corrupt, doing: "reading the manifest in", path: path,
        why: "its options are not those that this program writes",
        advice: "make it again with this version of eventmill")
    }
    let dialect = manifest.option("dialect")?.text
    options.rules.v1 = v1
    options.rules.dialect = Dialect.allCases.first { $0.name == dialect }
    options.rules.defaultTime = time("default_time")
    options.rules.notBefore = time("not_before")
    options.rules.notAfter = time("not_after")
    options.rules.maxLine = maxLine
    options.partitions = partitions
    options.keepGoing = keepGoing
    if let stitch = manifest.option("stitch")?.text.flatMap(Stitch.init(rawValue:)) {
      options.stitch = stitch
    }
    options.dedupeDays = manifest.option("dedupe_days")?.int ?? options.dedupeDays
    options.withValues = manifest.option("values")?.bool ?? options.withValues
    options.level = manifest.option("level")?.int ?? options.level
    return options
  }
}
