import TestSupport
import Testing

/// Nights that are damaged after they were published.
@Suite struct DamagedNightTests: NightSuite {
  let directory: ScratchDirectory

  /// Two published nights, 2024-09-01 and -02, and the logs of a third.
  init() throws {
    directory = try ScratchDirectory()
    for day in 1...3 {
      try directory.write(
        """
        {"custom_id":"u\(day)","name":"seen","time":"2024-09-0\(day)T10:00:00Z"}
        {"custom_id":"zoe","name":"seen","time":"2024-09-0\(day)T11:00:00Z"}

        """, to: "logs/2024-09-0\(day)/a.ndjson")
    }
    try night("-q --from-night 2024-09-01 --to-night 2024-09-02", before: "mkdir out")
  }

  /// `begin` starts again with undamaged nights, `spoil DAY` damages the state of one, `again` runs
  /// the job up to the third night without hashes and lengths in its messages, and `newest` shows
  /// whether that is what it had been without any damage.
  private static let functions = """
    top=$PWD
    begin() { cd $top; mkdir $((++cases)); cp -a logs out $cases; cd $cases; }
    spoil() { echo >>out/2024-09-0$1/state/totals.ndjson.zst; }
    flip() { printf x | dd conv=notrunc bs=1 seek=20 of=$1 status=none; }
    crop() { truncate -s -1 $1; }
    again() { night --to-night 2024-09-03 "$@" |& sed -E 's/(has|says|offset) [0-9]+|[0-9a-f]{16}/N/g'; }
    newest() { whole out/current; readlink out/current; }
    refuse() {
      again -q; local code=$?
      [ ! -e out/2024-09-02.bad ] && ls out/2024-09-02 >/dev/null && readlink out/current
      return $code
    }
    erase() { echo '{"custom_id":"zoe"}' >zoe; eventmill erase -q --replace --requests zoe "$@"; }
    """

  @Test(arguments: ["newest", "others", "obstacles", "manifests", "rehearsed"])
  func nights(_ name: String) throws {
    try expectNights("night-damaged-\(name)", functions: Self.functions)
  }
}
