import Pipeline

/// The contents that the earlier nights of a chain have read, of damaged logs up to the loss, or
/// skipped for what was read: each once under each path. The last one of a path with the same first
/// line is what the path had; the others, which it had before, are only known.
///
/// Each manifest carries them on: those it inherited, and those of its own night.
struct InputHistory {
  /// Number of inputs that a manifest remembers. Above it, the first by path are forgotten: with
  /// dates in the paths, the oldest.
  static let most = 1_000_000

  /// Sorted by the bytes of their paths, then by their hashes.
  let inputs: [ManifestInput]

  private struct Key: Hashable {
    let path: FilePath
    /// The hash of the content, or of its first line.
    let hash: UInt64
    var bytes = 0
  }

  /// Creates a history of `inputs`; of equal ones the first counts. Complexity: O(n log n).
  init(_ inputs: [ManifestInput], most: Int = InputHistory.most) {
    var known: Set<Key> = []
    let all = inputs.filter { input in
      guard let content = input.content, content.hasLines else { return false }
      let key = Key(path: FilePath(input.path), hash: content.xxh64, bytes: content.bytes)
      return known.insert(key).inserted
    }
    .sorted {
      $0.path.utf8.elementsEqual($1.path.utf8)
        ? $0.facts.xxh64 < $1.facts.xxh64 : $0.path.precedes($1.path)
    }
    self.inputs = Array(all.suffix(most))
  }

  /// The inputs of the chain that ends with the output of `manifest`.
  init(_ manifest: Manifest) {
    let read = manifest.inputs
    // Whether the last line was cut, according to the inputs that were read.
    var isCut: [ContentFacts: Bool] = [:]
    for input in read + manifest.earlierInputs {
      guard let content = input.content else { continue }
      isCut[content] = input.isCut && isCut[content] ?? true
    }
    // The copy of an input that is not a log was not read.
    let skipped = manifest.alreadyRead.compactMap { input in
      isCut[input.content].map {
        ManifestInput(
          path: input.path, facts: input.facts, lines: 0, content: input.content,
          earlier: input.earlier, isCut: $0)
      }
    }
    func key(_ input: ManifestInput) -> Key? {
      input.content.map { Key(path: FilePath(input.path), hash: $0.firstLine) }
    }
    let tonight = Set((read + skipped).compactMap(key))
    let earlier = manifest.earlierInputs.map { input in
      guard let key = key(input), tonight.contains(key) else { return input }
      var input = input
      input.isSuperseded = true
      return input
    }
    self.init(read + skipped + earlier)
  }
}
