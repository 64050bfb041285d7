import Pipeline

/// The inputs that the earlier nights of a chain have read completely, each content once.
///
/// Each manifest carries them on: those it inherited, and those its own night read.
struct InputHistory {
  /// Number of inputs that a manifest remembers. Above it, the first by path are forgotten: with
  /// dates in the paths, the oldest.
  static let most = 1_000_000

  /// Fewest lines for which equal content means a second delivery. An empty file does not count,
  /// and a single line may well be written twice.
  static let leastLines = 2

  /// Sorted by the bytes of their paths, then by their hashes.
  let inputs: [ManifestInput]
  /// Those with enough lines, by length.
  private let byLength: [Int: [ManifestInput]]

  /// Creates a history of `inputs`; of equal content the first counts. Complexity: O(n log n).
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

  /// The inputs read by the chain that ends with the output of `manifest`.
  init(_ manifest: ManifestFile) { self.init(manifest.earlierInputs + manifest.inputs) }

  /// Whether an input with enough lines has that length.
  func hasInput(ofBytes bytes: Int) -> Bool { byLength[bytes] != nil }

  /// The input with enough lines that has this content.
  func input(_ facts: FileHash) -> ManifestInput? {
    byLength[facts.bytes]?.first { $0.facts == facts }
  }
}
