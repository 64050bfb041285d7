import TestSupport
import Testing

/// Logs that come after their night was made.
@Suite struct NightLateTests: NightSuite {
  let directory: ScratchDirectory

  /// Logs of 2024-09-01 to -03, one line in each file, and an empty directory `out`.
  init() throws {
    directory = try ScratchDirectory()
    for day in 1...3 {
      for name in ["a", "b"] {
        try directory.write(
          #"{"custom_id":"u\#(day)","name":"\#(name)\#(day)","time":"2024-09-0\#(day)T10:00:00Z"}"#
            + "\n",
          to: "logs/2024-09-0\(day)/\(name).ndjson")
      }
    }
    try directory.makeDirectory("out")
  }

  /// `log DAY NAME EVENT…` writes a log of a night, and `count EVENT` shows a row of the newest
  /// night's counts.
  private static let functions = """
    log() {
      local day=$1 file=logs/2024-09-0$1/$2.ndjson; shift 2; mkdir -p "${file%/*}"
      for event in "$@"; do
        echo '{"custom_id":"u'$day'","name":"'$event'","time":"2024-09-0'$day'T10:00:00Z"}'
      done >"$file"
    }
    count() { grep "^$1," out/current/event_counts.csv | cut -d , -f 1,2; }
    """

  @Test(arguments: [
    "late-files", "late-changed", "late-grown", "late-moved", "late-stray", "late-empty",
    "late-foreign", "late-empty-before", "late-removed", "late-unreadable", "late-erased",
    "late-pushed", "late-old-removed", "late-old-kept",
  ])
  func nights(_ name: String) throws {
    try expectNights("night-\(name)", functions: Self.functions)
  }
}
