#!/usr/bin/env bash
# Reads random lines both ways, plain ones along the plan and all of them by the scanner, and
# compares all results: records, findings, losses, canonical lines, operations.
#
#   scripts/compare-readings.sh [LINES [SEED]]      default: 2000000 lines, a seed of its own
#   scripts/compare-readings.sh --logs LOG...       every line of these logs and directories
#
# The same seed makes the same lines: plain ones of v1 and v2 with values at every limit, all sorts of others, and
# both with bytes that were changed. With EVENTMILL_TESTS=all, scripts/test.sh reads some 400,000 in the same way.
set -euo pipefail
here="$PWD"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ "${1-}" == --logs ]]; then
  shift
  (($#)) || { echo "compare-readings: --logs needs a file or a directory" >&2; exit 2; }
  logs="$(cd "$here" && realpath -e -- "$@")"
  scripts/setup.sh
  EVENTMILL_TEST_LOGS="$logs" exec swift test --filter logsAreReadAlikeBothWays
fi

lines="${1:-2000000}"
seed="${2:-$((RANDOM * 32768 + RANDOM))}"

scripts/setup.sh
echo "$lines lines, seed $seed" >&2
EVENTMILL_TEST_LINES="$lines" EVENTMILL_TEST_SEED="$seed" swift test --filter PlannedReaderTests
