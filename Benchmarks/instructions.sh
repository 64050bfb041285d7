#!/usr/bin/env bash
# Counts the instructions and the calls of the allocator that whole jobs take on a small synthetic log, with one job,
# and compares them with the thresholds in instructions.txt. Fails when one grew by more than 3 %; one more allocation
# per line, or per bad line, would be more than 40 %.
#
#   Benchmarks/instructions.sh             compare
#   Benchmarks/instructions.sh --record    take today's counts as the thresholds
#   EVENTMILL=PROGRAM …                    another program than that of the plain release build
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
eventmill="$(scripts/program.sh)"
mkdir -p "$work"
"$eventmill" generate --lines 20K --users 2K --seed 1 --bad 1% | zstd -3 -q -f -o "$work/log.ndjson.zst"
"$eventmill" generate --lines 20K --users 2K --seed 1 --bad 50% | zstd -3 -q -f -o "$work/bad.ndjson.zst"

# What instruction counts depend on besides the program.
machine="$(uname -m), $(swift --version 2>/dev/null | grep -o 'Swift version [0-9.]*' | head -1)"

# Sums the cost of each object in a callgrind file, and the calls of the allocator. The line after calls= is the cost of
# the called function, which is also listed under that function.
# shellcheck disable=SC2016  # awk expands it
sums='
# The first time, a name stands behind its number.
function number(text) { sub(/^[^=]*=/, "", text); sub(/\).*/, ")", text); return text }
/^c?ob=/ {
  id = number($0)
  if ($0 ~ /\) /) { object_name[id] = $0; sub(/^[^ ]* /, "", object_name[id]) }
  if ($0 ~ /^ob=/) object = id
  next
}
/^c?fn=/ {
  id = number($0)
  if ($0 ~ /\) /) {
    allocates[id] = $2 ~ /^(malloc|calloc|realloc|posix_memalign|aligned_alloc)$/
    foreign[id] = $2 ~ /^(ZSTD|HUF|FSE|HIST|XXH)/
  }
  if ($0 ~ /^cfn=/) callee = id; else current = id
  next
}
# The allocator of the program calls that of libc.
/^calls=/ { called = 1; if (allocates[callee] && !allocates[current]) calls += number($1); next }
/^[0-9+*-]/ { if (called) called = 0; else if (!foreign[current]) cost[object] += $2 }
END {
  for (id in cost) if (object_name[id] ~ /\/(eventmill|libswift[^\/]*\.so)$/) sum += cost[id]
  printf "%.0f %.0f\n", sum, calls
}'

# Prints the instructions and the allocations of one job: its name, then the words of the command.
count() {
  local scenario="$1"
  shift
  # Dictionaries that are seeded at random would be walked in another order each time.
  SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind \
    --callgrind-out-file="$work/$scenario.callgrind" \
    "$eventmill" "$@" --jobs 1 --quiet --no-progress \
    >"$work/$scenario.log" 2>&1 || fail "the job $scenario failed; see $work/$scenario.log"
  awk "$sums" "$work/$scenario.callgrind"
}

# Name, threshold, and what was counted now.
outcome=0 recorded="$(sed -n 's/^machine //p' "$thresholds")"
new="machine $machine"
for scenario in "count log" "count bad" "run log"; do
  read -r command log <<<"$scenario"
  words=("$command" "$work/$log.ndjson.zst")
  [[ "$command" == count ]] || words+=(--replace --out "$work/out")
  read -r instructions allocations < <(count "$command-$log" "${words[@]}")
  for row in "$scenario instructions $instructions" "$scenario allocations $allocations"; do
    new+=$'\n'"$row"
    [[ "$recorded" == "$machine" ]] && ! $record || continue
    threshold="$(sed -n "s/^${row% *} //p" "$thresholds")"
    [[ -n "$threshold" ]] || fail "$thresholds has no line for ${row% *}; record it"
    awk -v name="${row% *}" -v now="${row##* }" -v then="$threshold" -v most="$tolerance" '
      BEGIN {
        change = 100 * (now - then) / then
        printf "%-22s %13.0f, threshold %13.0f: %+.2f %%\n", name, now, then, change
        if (change < -most)
          print "  fewer: tighten the threshold with Benchmarks/instructions.sh --record"
        if (change > most) {
          print "  more than allowed. Look for the cause (callgrind_annotate); if it is worth it,"
          print "  change the threshold on purpose with Benchmarks/instructions.sh --record"
          exit 1
        }
      }' || outcome=1
  done
done
if $record; then
  printf '# Whole jobs, by Benchmarks/instructions.sh --record.\n%s\n' "$new" >"$thresholds"
  cat "$thresholds"
elif [[ "$recorded" != "$machine" ]]; then
  printf 'instructions: thresholds are for %s; this is %s, so nothing is compared\n%s\n' "$recorded" "$machine" "$new"
fi
exit "$outcome"
