/// Compares what a document shows of a command with what it prints.
enum ShownOutput {
  /// Whether lines are those of a document. There a line `…` stands for any lines, and what depends
  /// on the machine or on libzstd (times, compressed sizes, hashes) may be otherwise.
  static func agree(_ shown: [String], _ lines: [String]) -> Bool {
    var rest = lines.map(stable)[...]
    for (index, part) in shown.split(separator: "…", omittingEmptySubsequences: false).enumerated()
    {
      let part = part.map(stable)
      guard index > 0 else {
        guard rest.starts(with: part) else { return false }
        rest = rest.dropFirst(part.count)
        continue
      }
      if part.isEmpty {
        rest = []
        continue
      }
      guard let start = rest.indices.first(where: { rest[$0...].starts(with: part) }) else {
        return false
      }
      rest = rest[(start + part.count)...]
    }
    return rest.isEmpty
  }

  /// A line with a placeholder for every figure that depends on the machine.
  private static func stable(_ line: String) -> String {
    line.replacing(/[0-9.,]+ (B|kB|MB|GB)(\/s)?/, with: "SIZE")
      .replacing(/[0-9.]+ (s|ms|min)\b/, with: "TIME")
      .replacing(/\b[0-9a-f]{16}\b/, with: "XXH64")
      .replacing(/\b[0-9a-f]{64}\b/, with: "SHA256")
      .replacing(/"bytes":[0-9]+/, with: "\"bytes\":SIZE")
      .replacing(/^slowest +.*/, with: "SLOWEST").replacing(/^ran +.*/, with: "RAN")
      .replacing(/[ ]+/, with: " ").replacing(/[ ]$/, with: "")
  }
}
