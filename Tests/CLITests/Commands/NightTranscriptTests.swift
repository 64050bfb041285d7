import TestSupport
import Testing

/// Nights that are late, damaged or listed: the golden files are the tests.
@Suite struct NightTranscriptTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  /// `log DAY NAME EVENT…` writes a log of a night, and `count EVENT` shows a row of the newest
  /// night's counts. Logs of 2024-09-01 to -03, one line in each file.
  private static let late = """
    log() {
      local day=$1 file=logs/2024-09-0$1/$2.ndjson; shift 2; mkdir -p "${file%/*}"
      for event in "$@"; do
        echo '{"custom_id":"u'$day'","name":"'$event'","time":"2024-09-0'$day'T10:00:00Z"}'
      done >"$file"
    }
    count() { grep "^$1," out/current/event_counts.csv | cut -d , -f 1,2; }
    for day in 1 2 3; do for name in a b; do log $day $name $name$day; done; done; mkdir out
    """

  /// `begin` starts again with undamaged nights, `spoil DAY` damages the state of one, `again` runs
  /// the job up to the third night without hashes and lengths in its messages, and `newest` shows
  /// whether that is what it had been without any damage. Two nights, and the logs of a third.
  private static let damaged = """
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
    for day in 2024-09-0{1..3}; do
      mkdir -p logs/$day out
      for user in u${day: -1}T10 zoeT11; do
        echo '{"custom_id":"'${user%T*}'","name":"seen","time":"'$day'T'${user#*T}':00:00Z"}'
      done >logs/$day/a.ndjson
    done
    night -q --from-night 2024-09-01 --to-night 2024-09-02
    """

  /// `list` shows some fields of each night, and `damage` changes a file near its end. There are
  /// three nights, 2024-06-01 to -03. The second repeats a file of the first.
  private static let list = """
    list() {
      eventmill night list --json --to-night 2024-06-05 --out 'out/%Y-%m-%d' "$@" \\
        | grep -oE '"(night|through|nights|state|base|why)":("[^"]*"|[0-9]+)' | paste -s -d ' ' \\
        | sed 's/ "night"/\\n"night"/g'
    }
    damage() { printf x | dd conv=notrunc bs=1 seek=$(($(wc -c <$1) - 3)) of=$1 status=none; }
    eventmill generate -q --lines 300 --users 20 --seed 3 --nights 3 --start 2024-06-01 --out made
    mkdir out logs && for n in 1 2 3; do mv made/night-$n logs/2024-06-0$n; done
    cp logs/2024-06-01/app-02.ndjson logs/2024-06-02/copy.ndjson
    night -q --from-night 2024-06-01 --to-night 2024-06-03
    """

  @Test(arguments: ["damaged", "late", "list"].flatMap { Golden.transcripts("night-\($0)") })
  func nights(_ name: String) throws {
    let functions =
      name.contains("-late-") ? Self.late : name.contains("-list-") ? Self.list : Self.damaged
    try expectNights(name, functions: functions)
  }
}
