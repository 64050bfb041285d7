import TestSupport
import Testing

/// Each log is read once, however it is named, packed or delivered (guides/nightly.md), where it
/// was not: by what was wrong.
@Suite struct ReadOnceTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws { directory = try ScratchDirectory() }

  /// `L` writes lines, `R` is a run, `N` the nightly job, `P` a partial, and `M` a merge; their
  /// exit codes are in `codes`.
  private static let functions = """
    top=$PWD
    begin() { cd $top; mkdir $((++cases)); cd $cases; codes=; }
    L() {
      for i in "$@"; do
        printf '{"custom_id":"u%s","name":"ev","time":"2024-05-01T00:00:%02dZ"}\\n' $i $((i % 60))
      done
    }
    R() { eventmill run -q --no-progress "$@" 2>>errors; codes="$codes $?"; }
    N() {
      eventmill night -q --no-progress --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d' "$@" 2>>errors
      codes="$codes $?"
    }
    count() { tail -n 1 $1/event_counts.csv | cut -d , -f 2; }
    P() { eventmill cluster partial -q --no-progress "$@" 2>>errors; codes="$codes $?"; }
    S() { eventmill cluster merge -q --no-progress --out m$o "$@" 2>>errors; }
    M() {
      o=$1; shift; S --step installations --partition 0 "$@" \\
        && ([ -z "$2" ] || S --step unchanged --partition 0 "$@") \\
        && S --step people --partition 0 "$@" && S --step finish --out $o m$o
      codes="$codes $?"
    }
    """

  @Test(arguments: ["read-once", "read-once-damaged"]) func eachLineCountsOnce(_ name: String)
    throws
  {
    try expectTranscript(name, functions: Self.functions)
  }
}
