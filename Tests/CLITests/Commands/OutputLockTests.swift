import TestSupport
import Testing

/// Several processes into one output: locks (docs/reference/file-formats.md), and `--attempt`, as
/// schedulers start several tries of one step.
@Suite struct OutputLockTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    try directory.write(
      #"{"id":"1","custom_id":"u","name":"seen","time":"2024-06-01T00:00:00"}"# + "\n{\n",
      to: "a.ndjson")
  }

  // MARK: Locks

  /// The first run waits for its input, which is a pipe.
  @Test func theSecondRunSaysSo() throws {
    let result = try bash(
      """
      mkfifo pipe
      "$eventmill" run --quiet --out out pipe & first=$!
      until [[ -e .out.staging-$first ]] || ! kill -0 $first; do :; done
      "$eventmill" run --quiet --out out a.ndjson; echo "second $?, first $first"
      cat a.ndjson > pipe
      wait $first; echo "first $?"
      """)
    let first = result.lines.first?.split(separator: " ").last ?? "?"
    #expect(result.lines == ["second 5, first \(first)", "first 0"])
    #expect(
      result.errors == """
        error: locking the output out: another run, process \(first), is writing it; \
        wait for it to end and run again

        """)
    #expect(try directory.names() == ["a.ndjson", "out", "pipe"])
  }

  // MARK: Attempts

  /// A first attempt that has begun to read `in.ndjson`, a pipe, and waits for more; from then on
  /// `in.ndjson` is a file.
  private static let attempt = """
    mkfifo in.ndjson
    "$eventmill" cluster partial --out p --attempt 1 in.ndjson & first=$!
    exec 3> in.ndjson
    mv in.ndjson pipe
    cp a.ndjson in.ndjson

    """

  @Test func theFirstToFinishPublishesAndTheOtherAcceptsIt() throws {
    let result = try bash(
      Self.attempt + """
        "$eventmill" cluster partial --quiet --out p --attempt 1 in.ndjson; echo "same name $?"
        "$eventmill" cluster partial --quiet --out p --attempt 2 in.ndjson; echo "second $?"
        cat a.ndjson >&3
        exec 3>&-
        wait $first; echo "first $?"
        """)
    let codes = result.lines.filter { $0.contains("same name") || $0.contains("second") }
    #expect(codes == ["same name 5", "second 0"], "\(result.errors)")
    #expect(result.lines.last == "first 0")
    #expect(result.errors.contains("p is left unchanged: another attempt has published the same"))
    #expect(try directory.names() == ["a.ndjson", "in.ndjson", "p", "pipe"])
    try succeed("cluster merge --step installations --partition 0 --out m p")
  }

  @Test func theOtherFailsWhenItIsNotTheSame() throws {
    let result = try bash(
      Self.attempt + """
        "$eventmill" cluster partial --quiet --out p --attempt 2 --partitions 2 in.ndjson; echo "second $?"
        cat a.ndjson >&3
        exec 3>&-
        wait $first; echo "first $?"
        """)
    #expect(result.lines == ["second 0", "first 2"], "\(result.errors)")
    #expect(result.errors.contains("publishing to p: it exists"))
    #expect(try directory.names() == ["a.ndjson", "in.ndjson", "p", "pipe"])
    try expect(2, "cluster partial --out p --attempt 3 in.ndjson", "publishing to p: it exists")
  }

  /// Leftovers of dead attempts are removed, except those of other machines, where they may still
  /// run.
  @Test func leftoversOfThisMachineAreRemoved() throws {
    let foreign = ".p.attempt-1.staging-elsewhere-0123456789abcdef"
    try directory.write([], to: "\(foreign)/facts.json")
    let result = try bash(
      Self.attempt + """
        until [[ -n $(compgen -G ".p.attempt-1.staging-*-*/partial") ]]; do :; done
        kill -9 $first
        { wait $first; } 2>/dev/null
        ls -A
        "$eventmill" cluster partial --quiet --out p --attempt 2 in.ndjson; echo "second $?"
        """)
    let left = result.lines.filter { $0.hasPrefix(".p.attempt-1.") }
    #expect(left.count == 3 && left.contains(".p.attempt-1.lock"), "\(left)")
    #expect(result.lines.last == "second 0", "\(result.errors)")
    #expect(try directory.names() == [foreign, "a.ndjson", "in.ndjson", "p", "pipe"])
  }

  @Test func stepsOfAMerge() throws {
    try succeed("cluster partial --out p a.ndjson")
    let foreign = "m/.people-00000-of-00001.attempt-9.staging-elsewhere-0123456789abcdef/facts.json"
    try directory.write([], to: foreign)
    for line in [
      "cluster merge --step installations --partition 0 --out m p",
      "cluster merge --step people --partition 0 --out m p",
      "cluster merge --step finish --out out m",
    ] {
      #expect(try json("\(line) --attempt 1")["already_finished"] == nil)
      let files = try directory.files(below: "m")
      #expect(try json("\(line) --attempt 2")["already_finished"] == .bool(true))
      #expect(try directory.files(below: "m") == files)
    }
    #expect(directory.has(foreign))
    // A directory in which an attempt may still run is not replaced.
    try expect(2, "cluster merge --step finish --out m")
    #expect(directory.has(foreign))
    for name in ["a.b", "a/b", ""] {
      try expect(2, "cluster partial --out p --attempt=\(name) a.ndjson", "--attempt cannot be")
    }
  }
}
