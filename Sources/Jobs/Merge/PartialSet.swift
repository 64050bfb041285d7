import Pipeline

/// The partials to merge: each once, and no input in two of them.
struct PartialSet {
  private static let doing = "merging partials"

  /// In an order that does not depend on the arguments.
  let partials: [PartialDirectory]
  let facts: PartialFacts
  let repeated: Int

  /// Opens the partials at `paths`, and checks that they belong together.
  init(_ paths: [String], system: System) throws(Failure) {
    let opened = try paths.map { path throws(Failure) in
      try PartialDirectory(path, system: system)
    }
    // Of equal ones always the same is used, in any order of arguments.
    var known = Set<[[UInt8]]>()
    let sorted = opened.map { (identity: $0.identity, partial: $0) }.sorted { a, b in
      if a.identity == b.identity { return a.partial.xxh64 < b.partial.xxh64 }
      return a.identity.lexicographicallyPrecedes(b.identity) { $0.lexicographicallyPrecedes($1) }
    }
    partials = sorted.filter { known.insert($0.identity).inserted }.map(\.partial)
    repeated = opened.count - partials.count
    for partial in partials where partial.manifest.options != partials[0].manifest.options {
      throw PartialSet.refusal(
        partial.path, "it was made with other options than \(partials[0].path)",
        "make all partials with the same options")
    }
    for partial in partials where partial.facts.tracking?.plan != partials[0].facts.tracking?.plan {
      throw PartialSet.refusal(
        partial.path, "it was made with another tracking plan than \(partials[0].path)",
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

  static func refusal(_ path: String, _ why: String, _ advice: String) -> Failure {
    Failure(.usage, doing: doing, path: path, why: why, advice: advice)
  }
}
