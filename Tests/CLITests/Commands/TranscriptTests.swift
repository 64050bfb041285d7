import Foundation
import TestSupport
import Testing

@testable import eventmill

/// What commands print and leave, command by command, in golden files that begin with their logs.
@Suite struct TranscriptTests: CommandSuite {
  let directory = ScratchDirectory.fresh

  /// `log FILE LINE…` writes a file, `event USER NAME [ATTRIBUTES]` prints a line of v2, and
  /// `seen USER ID` one of v1. `same` compares two outputs except for their reports, `fields`
  /// shows some fields of a document, and `merge OUT STEPS PARTIALS` takes steps of a merge.
  private static let functions = #"""
    log() {
      [[ $1 != */* ]] || mkdir -p "${1%/*}"
      printf '%s\n' "${@:2}" >"$1"
    }
    event() {
      echo '{"identifiers":{"custom_id":"'$1'"},"events":[{"name":"'$2'","time":"2024-05-01T00:00:00Z"'"${3:+,\"attributes\":$3}"'}]}'
    }
    seen() { echo '{"id":"'$2'","custom_id":"'$1'","name":"seen","time":"2024-06-01T00:00:00"}'; }
    same() { diff -r -x 'report.*' $1 $2 && echo "$1 is $2"; }
    fields() { tr -d '\n ' | grep -oE "\"($1)\":(\"[^\"]*\"|\[[^]]*\]|\{[^}]*\}|[^],}]*)"; }
    merge() {
      local out=$1 step partition
      for step in $2; do
        for partition in ${partitions:-0}; do
          eventmill cluster merge -q --step $step --partition $partition $options --out $out "${@:3}" \
            || return
        done
      done
    }
    """#

  @Test(
    arguments: Golden.transcripts(
      besides: "completions", "damaged-", "metrics.", "migrate-", "night-", "usage")
  )
  func transcript(_ name: String) throws {
    let samples = MigrationGuide.folder.appending(path: "sample-data").path
    try expectTranscript(name, functions: "samples='\(samples)'\n" + Self.functions)
  }

  /// Frames of logs that are mostly long, and so long that it takes seconds.
  @Test func longFramesAreNamed() {
    let most = 256 << 20
    let advice = ValidateCommand.longFrames(most, of: 2 * most)
    #expect(advice?.contains("268 MB are in zstd frames of more than 8 MiB") == true)
    #expect(ValidateCommand.longFrames(most - 1, of: most) == nil)
    #expect(ValidateCommand.longFrames(most, of: 2 * most + 1) == nil)
  }
}
