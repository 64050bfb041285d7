import Pipeline

/// The partials to merge: each once, and no input in two of them.
struct PartialSet {
  private static let doing = "merging partials"

  /// In an order that does not depend on the arguments.
  let partials: [PartialDirectory]
  /// The facts of all of them.
  let facts: PartialFacts
  /// Number of repeated partials.
  let repeated: Int

  /// Opens the partials at `paths`, and checks that they belong together.
  ///
  /// - Throws: `usage` when they do not; `corrupt`, `io`.
  init(_ paths: [String], system: System) throws(Failure) {
    let opened = try paths.map { path throws(Failure) in
      try PartialDirectory(path, system: system)
    }
    // Of equal ones always the same is used, in any order of arguments.
    var known = Set<[[UInt8]]>()
    typealias Named = (identity: [[UInt8]], partial: PartialDirectory)
    let sorted = opened.map { Named($0.identity, $0) }.sorted { (a: Named, b: Named) -> Bool in
      if a.identity == b.identity { return a.partial.xxh64 < b.partial.xxh64 }
      return a.identity.lexicographicallyPrecedes(b.identity) { $0.lexicographicallyPrecedes($1) }
    }
    partials = sorted.filter { known.insert($0.identity).inserted }.map(\.partial)
    repeated = opened.count - partials.count
    if let first = partials.first {
      for other in partials.dropFirst()
      where other.manifest.options != first.manifest.options {
        throw PartialSet.refusal(
          other.path, "it was made with other options than \(first.path)",
          "make all partials with the same options")
      }
    }
    for other in partials
    where other.facts.tracking?.plan != partials[0].facts.tracking?.plan {
      throw PartialSet.refusal(
        other.path, "it was made with another tracking plan than \(partials[0].path)",
        "make all partials with the same plan: eventmill cluster partial --tracking PLAN")
    }
    var counted = 0
    for partial in partials {
      counted += partial.manifest.counted
      guard counted <= DocumentReading.most else {
        throw PartialDirectory.damaged(
          partial.path, "the counts of the partials exceed what logs can hold")
      }
    }
    var owners: [FilePath: String] = [:]
    for partial in partials {
      for input in partial.inputs {
        if let owner = owners.updateValue(partial.path, forKey: FilePath(input)) {
          throw PartialSet.refusal(
            partial.path, "it contains the input \(input), and so does \(owner)",
            "make partials of inputs that are not in others")
        }
      }
    }
    facts = PartialFacts(merging: partials.map(\.facts))
  }

  /// Writes the rejects of all partials, in the order of their inputs, without the text of lines
  /// that name one of `erasures`.
  ///
  /// - Throws: `corrupt`, `io`.
  func writeRejects(
    to writer: SeekableTextWriter, without redaction: RejectRedaction? = nil
  ) throws(Failure) {
    let sources = partials.map { partial in
      RejectsMerge.Source(inputs: partial.inputs) { () throws(Failure) in
        try partial.rejects()
      }
    }
    try RejectsMerge(inputs: facts.outcomes).write(sources, to: writer, without: redaction)
  }

  static func refusal(_ path: String, _ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: doing, path: path, why: why, advice: advice)
  }
}
