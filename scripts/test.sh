#!/usr/bin/env bash
# Runs all tests, after seeing to what they need, or some of them. Its options are those of swift test:
#   scripts/test.sh --filter GenerateTests --skip FaultTests
#   scripts/test.sh --sanitize=thread --scratch-path .build-thread
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
# A test run needs no debug information, and compiles a tenth faster without. Such a build has a folder of its own,
# so that plain builds are not thrown away for it. What tests spend most of their time in is optimised.
export EVENTMILL_OPTIMIZED=1
build=(--disable-xctest -Xswiftc -gnone) scratch=.build/tests tests=()
while (($#)); do
  case "$1" in
  --scratch-path) scratch="$2" && shift ;;
  --filter | --skip) tests+=("$1" "$2") && shift ;;
  --sanitize=*) build+=("$1") ;;
  *)
    printf 'test: unknown option %s; there are --filter, --skip, --sanitize=KIND and --scratch-path\n' "$1" >&2
    exit 2
    ;;
  esac
  shift
done
build+=(--scratch-path "$scratch")
# With this driver a module waits for the interfaces of the ones that it imports, not for their code, which takes a
# fifth less time. Its commands contain TMPDIR, and `swift test` has others: either would compile everything again.
swift build --build-tests --use-integrated-swift-driver "${build[@]}"

# Tests create and delete thousands of files. In memory, if they fit, that takes a fourth of the
# time. A TMPDIR in the environment takes precedence.
memory=/dev/shm
if [[ -z "${TMPDIR:-}" && -w "$memory" ]] && ! grep -q " $memory .*noexec" /proc/mounts &&
  (($(df --output=avail --block-size=1M "$memory" | tail -n 1) >= 2048)); then
  TMPDIR=$(mktemp -d "$memory/eventmill-test.XXXXXX")
  export TMPDIR
  trap 'rm -rf "$TMPDIR"' EXIT
fi
"$scratch/debug/eventmillPackageTests.xctest" --testing-library swift-testing "${tests[@]}"
