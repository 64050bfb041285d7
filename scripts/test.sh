#!/usr/bin/env bash
# Runs all tests, after seeing to what they need. Arguments go to swift test:
#   scripts/test.sh --filter GenerateTests
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
swift test "$@"
