import TestSupport
import Testing

/// `eventmill night list`, and what a dry run says that a night takes.
@Suite struct NightListTests: NightSuite {
  let directory: ScratchDirectory

  /// Three published nights, 2024-06-01 to -03. The second repeats a file of the first.
  init() throws {
    directory = try Self.threeNights(
      "cp logs/2024-06-01/app-02.ndjson logs/2024-06-02/copy.ndjson")
    try night("-q --from-night 2024-06-01 --to-night 2024-06-03")
  }

  /// `list` shows some fields of each night, and `damage` changes a file near its end.
  private static let functions = """
    list() {
      eventmill night list --json --to-night 2024-06-05 --out 'out/%Y-%m-%d' "$@" \\
        | grep -oE '"(night|through|nights|state|base|why)":("[^"]*"|[0-9]+)' | paste -s -d ' ' \\
        | sed 's/ "night"/\\n"night"/g'
    }
    damage() { printf x | dd conv=notrunc bs=1 seek=$(($(wc -c <$1) - 3)) of=$1 status=none; }
    """

  @Test(arguments: ["states", "absent", "files"]) func nights(_ name: String) throws {
    try expectNights("night-list-\(name)", functions: Self.functions)
  }
}
