#!/usr/bin/env bash
# Writes 100,000 synthetic lines of every dialect, one in a hundred with a fault, for measurements.
#
#   scripts/make-dialect-logs.sh DIR     the directory, which must exist
set -euo pipefail
target="$(cd "${1:?name a directory}" && pwd)"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
EVENTMILL_DIALECT_LOGS="$target" swift test --filter DialectLogTests/logsAreWritten
