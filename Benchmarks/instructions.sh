#!/usr/bin/env bash
# Counts the instructions that whole jobs take on a small synthetic log, with one job, and compares
# them with the thresholds in instructions.txt. Fails when one grew by more than 3 %.
#
#   Benchmarks/instructions.sh             compare
#   Benchmarks/instructions.sh --record    take today's counts as the thresholds
#
# Unlike time, such counts hardly depend on the machine (0.1 % from run to run). What would depend on
# it is left out: libc and libzstd choose their code by the processor, so only the program's own
# instructions count, and those of the Swift libraries, where its retains and releases happen.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# In percent.
tolerance=3
thresholds=Benchmarks/instructions.txt
work=.build/instructions

fail() {
  printf 'instructions: %s\n' "$1" >&2
  exit 1
}

record=false
case "${1-}" in
'') ;;
--record) record=true ;;
*) fail "unknown option $1; there is only --record" ;;
esac

scripts/setup.sh valgrind
swift build -c release --product eventmill >&2
eventmill="$(swift build -c release --show-bin-path)/eventmill"
mkdir -p "$work"
"$eventmill" generate --lines 20K --users 2K --seed 1 --bad 1% | zstd -3 -q -f -o "$work/log.ndjson.zst"

# What instruction counts depend on besides the program.
machine="$(uname -m), $(swift --version 2>/dev/null | grep -o 'Swift version [0-9.]*' | head -1)"

# Sums the cost of each object in a callgrind file. The line after calls= is the cost of the called
# function, which is also listed under that function.
# shellcheck disable=SC2016  # awk expands it
per_object='
/^c?ob=/ {
  id = $0; sub(/^c?ob=/, "", id); sub(/\).*/, ")", id)
  if ($0 ~ /\) /) { name[id] = $0; sub(/^[^ ]* /, "", name[id]) }
  if ($0 ~ /^ob=/) object = id
  next
}
/^calls=/ { called = 1; next }
/^[0-9+*-]/ { if (called) called = 0; else cost[object] += $2 }
END {
  for (id in cost) if (name[id] ~ /\/(eventmill|libswift[^\/]*\.so)$/) sum += cost[id]
  printf "%.0f\n", sum
}'

# Prints the instructions of one job: its name, then the words of the command.
count() {
  local scenario="$1"
  shift
  # Dictionaries that are seeded at random would be walked in another order each time.
  SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind \
    --callgrind-out-file="$work/$scenario.callgrind" \
    "$eventmill" "$@" --jobs 1 --quiet --no-progress "$work/log.ndjson.zst" \
    >"$work/$scenario.log" 2>&1 || fail "the job $scenario failed; see $work/$scenario.log"
  awk "$per_object" "$work/$scenario.callgrind"
}

scenarios=(count run)
declare -A counts
counts[count]="$(count count count)"
counts[run]="$(count run run --replace --out "$work/out")"

if $record; then
  {
    printf '# Instructions of whole jobs, by Benchmarks/instructions.sh --record.\n'
    printf 'machine %s\n' "$machine"
    for scenario in "${scenarios[@]}"; do printf '%s %s\n' "$scenario" "${counts[$scenario]}"; done
  } >"$thresholds"
  cat "$thresholds"
  exit 0
fi

recorded="$(sed -n 's/^machine //p' "$thresholds")"
if [[ "$recorded" != "$machine" ]]; then
  printf 'instructions: thresholds are for %s; this is %s, so nothing is compared\n' \
    "$recorded" "$machine"
  exit 0
fi
outcome=0
for scenario in "${scenarios[@]}"; do
  threshold="$(sed -n "s/^$scenario //p" "$thresholds")"
  [[ -n "$threshold" ]] || fail "$thresholds has no line for $scenario; record it"
  awk -v name="$scenario" -v now="${counts[$scenario]}" -v then="$threshold" -v most="$tolerance" '
    BEGIN {
      change = 100 * (now - then) / then
      printf "%-8s %13.0f instructions, threshold %13.0f: %+.2f %%\n", name, now, then, change
      if (change < -most)
        print "  fewer: tighten the threshold with Benchmarks/instructions.sh --record"
      if (change > most) {
        print "  more than allowed. Look for the cause (callgrind_annotate); if it is worth it,"
        print "  change the threshold on purpose with Benchmarks/instructions.sh --record"
        exit 1
      }
    }' || outcome=1
done
exit "$outcome"
