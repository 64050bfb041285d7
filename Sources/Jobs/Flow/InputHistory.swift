import Pipeline

/// The inputs that the earlier nights of a chain have read completely, or skipped for what was
/// read: each content once under each path.
///
/// Each manifest carries them on: those it inherited, and those of its own night.
struct InputHistory {
  /// Number of inputs that a manifest remembers. Above it, the first by path are forgotten: with
  /// dates in the paths, the oldest.
  static let most = 1_000_000

  /// Sorted by the bytes of their paths, then by their hashes.
  let inputs: [ManifestInput]

  private struct Key: Hashable {
    let path: [UInt8]
    /// The hash of the content, or of its first line.
    let hash: UInt64
    var bytes = 0
  }

  /// Creates a history of `inputs`. Complexity: O(n log n).
  init(_ inputs: [ManifestInput], most: Int = InputHistory.most) {
    var known: Set<Key> = []
    let all = inputs.filter { input in
      guard !input.isLost, let content = input.content, content.hasLines else { return false }
      let key = Key(path: Array(input.path.utf8), hash: content.xxh64, bytes: content.bytes)
      return known.insert(key).inserted
    }
    .sorted {
      $0.path == $1.path
        ? $0.facts.xxh64 < $1.facts.xxh64
        : $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
    }
    self.inputs = Array(all.suffix(most))
  }

  /// The inputs of the chain that ends with the output of `manifest`.
  ///
  /// What `--reingest` has read replaces what was read before under the same name: the next night
  /// compares with it.
  init(_ manifest: ManifestFile) {
    func key(_ input: ManifestInput) -> Key? {
      input.content.map { Key(path: Array(input.path.utf8), hash: $0.firstLine) }
    }
    let read = manifest.inputs.filter { $0.start == nil && !$0.isLost }
    let (whole, lines) = (Set(read.compactMap(key)), Set(read.compactMap(\.content?.firstLine)))
    let earlier = manifest.earlierInputs.filter { input in
      guard let line = input.content?.firstLine, lines.contains(line) else { return true }
      return key(input).map { !whole.contains($0) } ?? true
    }
    let skipped = manifest.alreadyRead.map {
      ManifestInput(
        path: $0.path, facts: $0.facts, lines: 0, content: $0.content, earlier: $0.earlier)
    }
    self.init(manifest.inputs + earlier + skipped)
  }
}
