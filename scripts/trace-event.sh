#!/usr/bin/env bash
# Lists the functions that one event passes on its way from the reader to the router: those of a v1 line, and of a line
# that a mapping describes, in the order of their first calls.
#
#   scripts/trace-event.sh [BUILD]      default: a build in .build/trace, which takes some minutes the first time
#
# The program is built unoptimised with a call at the beginning of every function, and reads logs of one line each. The
# list is that of the last log: the tables of names, which earlier lines have filled, are found as they are in most
# lines of a run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh python3
tools="$(dirname "$(readlink -f "$(command -v swift)")")"
mkdir -p "${1:-.build/trace}"
build="$(realpath "${1:-.build/trace}")"
logs="$(mktemp -d)"
trap 'rm -rf "$logs"' EXIT

# What the compiler calls at the beginning of every function.
"$tools/clang" -O2 -x c -c -o "$build/calls.o" - <<'C'
#include <stdio.h>
#include <stdlib.h>
extern char __executable_start;
static _Thread_local char thread;
void __sanitizer_cov_trace_pc_guard_init(unsigned *first, unsigned *end) {}
void __sanitizer_cov_trace_pc_guard(unsigned *function) {
  static FILE *calls;
  if (!calls && !(calls = fopen(getenv("CALLS"), "w"))) abort();
  fprintf(calls, "%p 0x%lx\n", &thread, (char *)__builtin_return_address(0) - &__executable_start - 1);
}
C
# The compiler inserts these calls for sanitizers only.
swift build --product eventmill --scratch-path "$build" -Xlinker "$build/calls.o" \
  -Xswiftc -sanitize=address -Xswiftc -sanitize-coverage=func,trace-pc-guard >&2

# trace TITLE LINE OPTION... prints the list for a line, in which NN is a number.
trace() {
  local line number
  line="$(tr -d '\n' <<<"$2")"
  rm -rf "${logs:?}"/*
  for number in {10..29}; do printf '%s\n' "${line//NN/$number}" >"$logs/$number.ndjson"; done
  CALLS="$logs/calls" "$build/debug/eventmill" run -q -j1 "${@:3}" -o "$logs/out" "$logs"/*.ndjson
  python3 scripts/trace-event.py "$1" "$build/debug/eventmill" "$tools" <"$logs/calls"
}

trace "v1 line" '{"id":"event-NN","custom_id":"person-NN","installation_id":"7F9C24E5-2C1A-4D7E-9C1B-0A1B2C3D4ENN",
"name":"E.video_played","time":"2024-06-01T08:00:NN.000Z","label":"trailer","tags":["new"],
"attributes":{"title":"Up","seconds":NN,"date(released)":"2009-05-29T00:00:00.000Z"}}'
trace "mapped line" '{"type":"track","event":"video_played","messageId":"message-NN","userId":"person-NN",
"anonymousId":"device-NN","timestamp":"2024-06-01T08:00:NN.000Z","properties":{"title":"Up","seconds":NN},
"context":{"ip":"203.0.113.7"}}' --mapping segment
