import TestSupport
import Testing

/// `--attempt`: several tries of one step at a time, as schedulers start them.
@Suite struct AttemptTests: CommandSuite {
  let directory: ScratchDirectory

  init() throws {
    directory = try ScratchDirectory()
    let line = #"{"id":"1","custom_id":"u","name":"seen","time":"2024-06-01T00:00:00"}"#
    try directory.write("\(line)\n{\n", to: "a.ndjson")
  }

  /// A first attempt that has begun to read `in.ndjson`, a pipe, and waits for more; from then on
  /// `in.ndjson` is a file.
  private static let waiting = """
    mkfifo in.ndjson
    "$eventmill" cluster partial --out p --attempt 1 in.ndjson & first=$!
    exec 3> in.ndjson
    mv in.ndjson pipe
    cp a.ndjson in.ndjson

    """

  @Test func theFirstToFinishPublishesAndTheOtherAcceptsIt() throws {
    let result = try RunProcess.bash(
      Self.waiting + """
        "$eventmill" cluster partial --quiet --out p --attempt 1 in.ndjson; echo "same name $?"
        "$eventmill" cluster partial --quiet --out p --attempt 2 in.ndjson; echo "second $?"
        cat a.ndjson >&3
        exec 3>&-
        wait $first; echo "first $?"
        """, directory: directory)
    let codes = result.lines.filter { $0.contains("same name") || $0.contains("second") }
    #expect(codes == ["same name 5", "second 0"], "\(result.errors)")
    #expect(result.lines.last == "first 0")
    #expect(result.errors.contains("p is left unchanged: another attempt has published the same"))
    #expect(try directory.names() == ["a.ndjson", "in.ndjson", "p", "pipe"])
    try succeed("cluster merge --step installations --partition 0 --out m p")
  }

  @Test func theOtherFailsWhenItIsNotTheSame() throws {
    let result = try RunProcess.bash(
      Self.waiting + """
        "$eventmill" cluster partial --quiet --out p --attempt 2 --partitions 2 in.ndjson; echo "second $?"
        cat a.ndjson >&3
        exec 3>&-
        wait $first; echo "first $?"
        """, directory: directory)
    #expect(result.lines == ["second 0", "first 2"], "\(result.errors)")
    #expect(result.errors.contains("publishing to p: it exists"))
    #expect(try directory.names() == ["a.ndjson", "in.ndjson", "p", "pipe"])
    let late = try run("cluster partial --out p --attempt 3 in.ndjson")
    #expect(late.status == 2 && late.errors.contains("publishing to p: it exists"))
  }

  /// Leftovers of dead attempts are removed, except those of other machines, where they may still
  /// run.
  @Test func leftoversOfThisMachineAreRemoved() throws {
    let foreign = ".p.attempt-1.staging-elsewhere-0123456789abcdef"
    try directory.write([], to: "\(foreign)/facts.json")
    let result = try RunProcess.bash(
      Self.waiting + """
        until [[ -n $(compgen -G ".p.attempt-1.staging-*-*/partial") ]]; do :; done
        kill -9 $first
        { wait $first; } 2>/dev/null
        ls -A
        "$eventmill" cluster partial --quiet --out p --attempt 2 in.ndjson; echo "second $?"
        """, directory: directory)
    let left = result.lines.filter { $0.hasPrefix(".p.attempt-1.") }
    #expect(left.count == 3 && left.contains(".p.attempt-1.lock"), "\(left)")
    #expect(result.lines.last == "second 0", "\(result.errors)")
    #expect(try directory.names() == [foreign, "a.ndjson", "in.ndjson", "p", "pipe"])
  }

  @Test func stepsOfAMerge() throws {
    try succeed("cluster partial --out p a.ndjson")
    let foreign = "m/.people-00000-of-00001.attempt-9.staging-elsewhere-0123456789abcdef"
    try directory.write([], to: "\(foreign)/facts.json")
    for line in [
      "cluster merge --step installations --partition 0 --out m p",
      "cluster merge --step people --partition 0 --out m p",
      "cluster merge --step finish --out out m",
    ] {
      let first = try run("\(line) --attempt 1 --json")
      #expect(first.status == 0, "\(first.errors)")
      #expect(try NaiveJSON(parsing: first.text)["already_finished"] == nil)
      let files = try directory.files(below: "m")
      let second = try run("\(line) --attempt 2 --json")
      #expect(second.status == 0, "\(second.errors)")
      #expect(try NaiveJSON(parsing: second.text)["already_finished"] == .bool(true))
      #expect(try directory.files(below: "m") == files)
    }
    #expect(directory.has("\(foreign)/facts.json"))
    // A directory in which an attempt may still run is not replaced.
    #expect(
      try run("cluster merge --step finish --out m").status == 2
        && directory.has("\(foreign)/facts.json"))
  }

  @Test(arguments: ["a.b", "a/b", ""])
  func aNameIsPlain(_ name: String) throws {
    let result = try run("cluster partial --out p --attempt=\(name) a.ndjson")
    #expect(result.status == 2 && result.errors.contains("--attempt cannot be"))
  }
}
