import Pipeline

/// The inputs that the earlier nights of a chain have read to their ends, each content once.
///
/// They travel from manifest to manifest: what the night before inherited, and what it read itself.
struct InputHistory {
  /// How many inputs a manifest remembers. Of more, those are forgotten whose paths come first:
  /// with dates in the paths, the oldest.
  static let most = 1_000_000

  /// Lines from which on equal content is taken for another delivery: without any nothing counts,
  /// and a single line may well be written twice.
  static let leastLines = 2

  /// Sorted by the bytes of their paths, then by their hashes.
  let inputs: [ManifestInput]
  /// Those with enough lines, by their length.
  private let byLength: [Int: [ManifestInput]]

  /// A list of `inputs`, of which the first of equal content counts. Complexity: O(n log n).
  init(_ inputs: [ManifestInput], most: Int = InputHistory.most) {
    var known: Set<FileHash> = []
    let all = inputs.filter { !$0.isLost && known.insert($0.facts).inserted }
      .sorted {
        $0.path == $1.path
          ? $0.facts.xxh64 < $1.facts.xxh64
          : $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
      }
    self.inputs = Array(all.suffix(most))
    byLength = Dictionary(
      grouping: self.inputs.filter { $0.lines >= Self.leastLines }, by: \.facts.bytes)
  }

  /// What the chain that ends with the output of `manifest` has read.
  init(_ manifest: ManifestFile) { self.init(manifest.earlierInputs + manifest.inputs) }

  /// Whether an input with enough lines has that length.
  func hasInput(ofBytes bytes: Int) -> Bool { byLength[bytes] != nil }

  /// The input with enough lines that has this content.
  func input(_ facts: FileHash) -> ManifestInput? {
    byLength[facts.bytes]?.first { $0.facts == facts }
  }
}
