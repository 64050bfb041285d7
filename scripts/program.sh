#!/usr/bin/env bash
# Prints the path of the program that the other scripts run: EVENTMILL, or else the release build, which it makes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
if [[ -z "${EVENTMILL:-}" ]]; then
  swift build -c release --product eventmill >&2
  EVENTMILL="$(swift build -c release --show-bin-path)/eventmill"
fi
realpath "$EVENTMILL"
