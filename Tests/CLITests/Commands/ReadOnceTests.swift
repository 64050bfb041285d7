import TestSupport
import Testing

/// Each log is read once, however it is named, packed or delivered (guides/nightly.md), where it
/// was not: by what was wrong.
@Suite struct ReadOnceTests {
  /// What a script prints last: the events counted, and the exit codes of its commands.
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    let script: String
    let expected: String

    init(_ name: String, _ script: String, _ expected: String) {
      (testDescription, self.script, self.expected) = (name, script, expected)
    }
  }

  private static let functions = """
    L() {
      for i in "$@"; do
        printf '{"custom_id":"u%s","name":"ev","time":"2024-05-01T00:00:%02dZ"}\\n' $i $((i % 60))
      done
    }
    R() { "$eventmill" run -q --no-progress "$@" 2>>errors; codes="$codes $?"; }
    N() {
      "$eventmill" night -q --no-progress --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d' "$@" 2>>errors
      codes="$codes $?"
    }
    count() { tail -n 1 $1/event_counts.csv | cut -d , -f 2; }

    """

  private static let cases = [
    Case(
      "a late copy was in no manifest, so what came behind it counted with it",
      """
      mkdir -p logs/2024-05-0{1,2,3} out; L 1 2 >logs/2024-05-01/a.ndjson
      N --from-night 2024-05-01 --to-night 2024-05-01; mv logs/2024-05-01/{a,b}.ndjson
      N --to-night 2024-05-02; L 3 >>logs/2024-05-01/b.ndjson; N --to-night 2024-05-03; count out/current
      """, "3"),
    Case(
      "damage right behind what was read made all of it count again",
      """
      L 1 2 3 | gzip >a.ndjson.gz; R --out o1 a.ndjson.gz
      L 4 5 | gzip | head -c 10 >>a.ndjson.gz
      R --keep-going --previous o1 --out o2 a.ndjson.gz; count o2; echo $codes
      """, "3 0 4"),
    Case(
      "damage within what was read made the readable part count again",
      """
      for i in $(seq 2000); do L $i; done | gzip >a.ndjson.gz; R --out o1 a.ndjson.gz
      head -c 3000 a.ndjson.gz >cut; mv cut a.ndjson.gz; R --keep-going --previous o1 --out o2 a.ndjson.gz; echo $codes
      """, "0 2"),
    Case(
      "a repaired last line without its end was read again",
      """
      (L 1 2; printf '{"custom_id":"u3","name":"ev","time":"2024-05-01T00:00:03Z",}') >a.ndjson
      R --repair --out o1 a.ndjson; (echo; L 4) >>a.ndjson
      R --repair --previous o1 --out o2 a.ndjson; count o2
      """, "4"),
    Case(
      "what a copy lacked at its end was lost",
      """
      L 1 2 | head -c 90 >a.ndjson; R --out o1 a.ndjson; cp a.ndjson b.ndjson
      R --previous o1 --out o2 b.ndjson; L 1 2 >b.ndjson; R --previous o2 --out o3 b.ndjson; count o3
      """, "2"),
    Case(
      "what a path had before was forgotten",
      """
      L 1 2 >a.ndjson; R --out o1 a.ndjson; cp a.ndjson old.ndjson; L 1 7 >a.ndjson
      R --previous o1 --reingest --out o2 a.ndjson
      R --previous o2 --out o3 a.ndjson old.ndjson; count o3
      """, "4"),
    Case(
      "a first line that ends with a blank was another one",
      """
      printf %s "$(L 1)" >a.ndjson; R --out o1 a.ndjson; (printf ' \\n'; L 2) >>a.ndjson
      R --previous o1 --out o2 a.ndjson; count o2
      """, "2"),
    Case(
      "a grown log linked into the folder of the night was found twice",
      """
      mkdir -p logs/2024-05-0{1,2} out; L 1 2 >logs/2024-05-01/a.ndjson
      N --from-night 2024-05-01 --to-night 2024-05-01; L 3 >>logs/2024-05-01/a.ndjson
      ln -s ../2024-05-01/a.ndjson logs/2024-05-02/a.ndjson
      N --to-night 2024-05-02; count out/current; echo $codes
      """, "3 0 0"),
    Case(
      "equal inputs that are not logs were refused",
      """
      echo hello >g1.ndjson; cp g1.ndjson g2.ndjson; L 1 >a.ndjson
      R --keep-going --out o a.ndjson g1.ndjson g2.ndjson; count o
      R --keep-going --previous o --out o2 g2.ndjson; echo $codes
      """, "1 4 4"),
    Case(
      "of two logs with one stem only the longer was known",
      """
      (echo; L 1 2 3 4) | gzip >a.ndjson.gz; (echo; L 5) >a.ndjson; R --out o1 a.ndjson a.ndjson.gz
      L 6 >>a.ndjson; R --previous o1 --out o2 a.ndjson a.ndjson.gz; count o2; echo $codes
      """, "6 0 0"),
    Case(
      "what was read under another compression hid what --reingest has read",
      """
      L 1 2 3 4 5 >a.ndjson; R --out o1 a.ndjson; rm a.ndjson; L 1 8 | gzip >a.ndjson.gz
      R --previous o1 --reingest --out o2 a.ndjson.gz; L 1 8 9 | gzip >a.ndjson.gz
      R --previous o2 --out o3 a.ndjson.gz; count o3; echo $codes
      """, "8 0 0 0"),
    Case(
      "a log that was cut back to what an earlier night has read was not named",
      """
      L 1 >a.ndjson; R --out o1 a.ndjson; L 2 >>a.ndjson; R --previous o1 --out o2 a.ndjson
      L 1 >a.ndjson; R --previous o2 --out o3 a.ndjson; echo $codes
      """, "0 0 2"),
    Case(
      "a log that has grown, was compressed and is gone was named twice",
      """
      mkdir -p logs/2024-05-0{1,2,3} out; L 1 2 >logs/2024-05-01/a.ndjson; L 9 >logs/2024-05-01/z.ndjson
      N --from-night 2024-05-01 --to-night 2024-05-01; L 3 >>logs/2024-05-01/a.ndjson
      gzip logs/2024-05-01/a.ndjson; N --to-night 2024-05-02; rm logs/2024-05-01/a.ndjson.gz
      N --to-night 2024-05-03; count out/current; grep -c '1 file that a night has read is gone' errors
      """, "4 1"),
    Case(
      "copies of a log that has grown were shown as accepted",
      """
      (L 1; L 2 | sed s/u2/u1/) >a.ndjson; R --out o1 a.ndjson; L 3 | sed s/u3/u1/ >>a.ndjson
      R --previous o1 --out o2 a.ndjson; cp a.ndjson copy.ndjson; L 4 | sed s/u4/u1/ >>a.ndjson
      "$eventmill" inspect --json o2 u1 --history a.ndjson copy.ndjson \\
        | grep -o '"outcome":"[a-z]*"' | sort | uniq -c | tr -s ' ' | cut -d ' ' -f 2-
      """,
      #"3 "outcome":"accepted" 4 "outcome":"skipped" 2 "outcome":"unread""#),
    Case(
      "what was counted of a damaged log counted again, whole or still damaged",
      """
      L $(seq 2000) >c; sed s/2024-05-01/2024-05-02/ c | split -l 500 --filter 'zstd -q' >d
      mkdir l; H() { head -c $(($(wc -c <$1) * 2 / 3)) $1; }; gzip -k c; H c.gz >l/c.gz; H d >l/d.zst
      R --keep-going --out o1 l; R --keep-going --previous o1 --out o2 l; cmp o1/event_counts.csv o2/event_counts.csv
      cp c.gz l; cp d l/d.zst; R --previous o2 --out o3 l; R --previous o3 --out o4 l; count o4
      R --reingest --previous o1 --out o5 l; test $(count o5) = $((4000 + $(count o1))) && test $(count o1) -gt 500
      echo $? $codes
      """, "4000 0 4 4 0 0 0"),
    Case(
      "the lines before an appended log counted again when it was appended as text",
      """
      L 1 2 >a.ndjson; (L 7; L 5 | head -c 30) >b.ndjson; L 3 4 | gzip | tee -a b.ndjson >>a.ndjson
      R --keep-going --out o1 a.ndjson b.ndjson; count o1; L 1 2 3 4 >a.ndjson; L 7 5 6 >b.ndjson
      R --previous o1 --out o2 a.ndjson b.ndjson; count o2; echo $codes
      """, "3 7 4 0"),
    Case(
      "a damaged log that is no longer what was counted of it counted again",
      """
      (L 1 2; L 3 | gzip) >a.ndjson; R --keep-going --out o1 a.ndjson; L 1 4 >a.ndjson
      R --keep-going --previous o1 --out o2 a.ndjson; echo $codes; grep -c 'no longer all of the' errors
      """, "4 2 1"),
    Case(
      "partials counted what was read of a damaged log again",
      """
      P() { "$eventmill" cluster partial -q --no-progress "$@" 2>>errors; codes="$codes $?"; }
      S() { "$eventmill" cluster merge -q --no-progress --out m$o "$@" 2>>errors; }
      M() {
        o=$1; shift; S --step installations --partition 0 "$@" && ([ -z "$2" ] || S --step unchanged --partition 0 "$@") \\
          && S --step people --partition 0 "$@" && S --step finish --out $o m$o
        codes="$codes $?"
      }
      (L 1 2; L 3 | gzip) >a.ndjson; P --keep-going --out p1 a.ndjson; M o1 p1
      P --keep-going --previous o1 --out p2 a.ndjson; M o2 p2 --previous o1; count o2
      L 1 2 3 >a.ndjson; P --out p3 a.ndjson; M o3 p3 --previous o2; rm -rf mo3
      P --previous o2 --out p4 a.ndjson; M o3 p4 --previous o2; count o3; echo $codes
      """, "2 3 4 4 4 4 0 2 0 0"),
    Case(
      "a late log that was damaged counted again when it was repaired",
      """
      mkdir -p logs/2024-05-0{1,2,3,4} out; (L 1 2; L 3 | gzip) >logs/2024-05-01/a.ndjson
      N --keep-going --from-night 2024-05-01 --to-night 2024-05-01; N --to-night 2024-05-02; count out/current
      L 1 2 3 >logs/2024-05-01/a.ndjson; N --to-night 2024-05-03; N --to-night 2024-05-04; count out/current; echo $codes
      """, "2 3 4 0 0 0"),
    Case(
      "lines of a log that was damaged in an earlier night were shown as unread",
      """
      (L 1; L 2 | gzip) >a.ndjson; R --keep-going --out o1 a.ndjson
      L 3 >b.ndjson; R --keep-going --previous o1 --out o2 b.ndjson
      H() { "$eventmill" inspect --json o2 u1 --history a.ndjson 2>>errors | grep -o '"outcome":"[a-z]*"'; }
      H; (L 1; L 2 | sed s/u2/u1/) >a.ndjson; H
      """,
      #""outcome":"accepted" "outcome":"lost" "outcome":"accepted" "outcome":"unread" "#
        + #""outcome":"unread""#),
  ]

  @Test(arguments: cases)
  func eachLineCountsOnce(_ test: Case) throws {
    let directory = try ScratchDirectory()
    let result = try RunProcess.bash(Self.functions + test.script, directory: directory)
    let words = result.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let errors = (try? String(decoding: directory.bytes("errors"), as: UTF8.self)) ?? ""
    #expect(words == test.expected, "\(errors)\(result.errors)")
  }
}
