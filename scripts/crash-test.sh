#!/usr/bin/env bash
# Kills runs with SIGKILL at random moments. Checks after each kill that the earlier output is
# intact or the new one is complete, and that the next run succeeds, writes the bytes of an
# uninterrupted run, and leaves nothing beside its output.
#
#   scripts/crash-test.sh [KILLS [SEED]]      default: 300 kills, a seed of its own
#
# The same seed draws the same moments; what they hit depends on the machine. After 600 seconds
# (CRASH_TEST_SECONDS) no more runs are started.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

kills="${1:-300}"
seed="${2:-$((RANDOM * 32768 + RANDOM))}"
most_seconds="${CRASH_TEST_SECONDS:-600}"

eventmill="$(scripts/program.sh)"

# The rows of the table: a name, whether there is an output to replace, the input, and the command
# with its options. Every run takes the next row. An option that must survive a crash gets a row
# here.
variants=(
  "plain       new      logs     run"
  "replace     replaced logs     run"
  "previous    replaced logs     run --previous previous --dedupe-days 3"
  "partitions  replaced logs     run --partitions 4"
  "memory      replaced logs     run --memory 16M --previous previous --dedupe-days 3 --partitions 4"
  "erase       replaced previous erase --requests people.ndjson --erased-at 2024-07-01"
)

# How a moment is chosen; drawn with equal chances. Publishing is short, so two of four aim at it.
#   time       a random share of the time that an undisturbed run takes, and a little more
#   manifest   as soon as the manifest is being written: before and while the names are exchanged
#   published  as soon as the output is the new one: while the earlier one is removed
moments=(time time manifest published)

work="$(mktemp -d)"
pid=""
finish() {
  [[ -z "$pid" ]] || kill -9 "$pid" 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
cd "$work"
# A pipe that never delivers: waiting for it is a sleep that starts no process.
mkfifo silence
exec 9<>silence

fail() {
  printf 'crash-test: %s\n  seed %s, run %s, variant %s, moment %s\n' \
    "$1" "$seed" "$attempt" "$variant" "$moment" >&2
  ls -lA . >&2
  exit 1
}

# The hash of everything in an output that is the same each time.
contents() {
  (cd "$1" && find . -type f ! -name 'report.*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum) |
    sha256sum
}

# Prepares the output's path for a run of the variant.
reset() {
  rm -rf out
  [[ "$place" == new ]] || cp -a earlier out
}

now() { printf '%s' "${EPOCHREALTIME/[^0-9]/}"; }

read_variant() {
  read -r variant place input options <<<"$1"
  read -ra options <<<"$options"
  command=("$eventmill" "${options[@]}" --quiet --no-progress --replace --out out "$input")
}

# Two nights of plain and zstd logs, one of them made gzip; the earlier outputs are of the first.
"$eventmill" generate --quiet --lines 24K --users 1500 --seed 11 --bad 1% --nights 2 --out nights
mv nights/night-1 before
mv nights/night-2 logs
zstd -dcq logs/app-00.ndjson.zst | gzip >logs/app-00.ndjson.gz
rm -r nights logs/app-00.ndjson.zst
"$eventmill" run --quiet --no-progress --dedupe-days 3 --out previous before
"$eventmill" run --quiet --no-progress --out earlier before
for person in 0000001 0000002 0000003; do printf '{"custom_id":"user-%s"}\n' "$person"; done >people.ndjson

attempt=0 count=0 variant=- moment=-
# What an undisturbed run of each variant gives, and how many microseconds it takes at most.
declare -A expected duration
for row in "${variants[@]}"; do
  read_variant "$row"
  duration[$variant]=0
  for _ in 1 2 3; do
    reset
    start="$(now)"
    "${command[@]}"
    taken=$(($(now) - start))
    ((taken <= duration[$variant])) || duration[$variant]=$taken
  done
  expected[$variant]="$(contents out)"
done
rm -rf out
touch mark
before="$(ls -A)"

# Waits for the moment. Checks files with built-in tests only, which start no process and so are not
# late.
await() {
  case "$moment" in
  time)
    local share=$((RANDOM * 32768 + RANDOM)) microseconds
    microseconds=$((duration[$variant] * (share % 1050000) / 1000000))
    read -rt "$(printf '%d.%06d' $((microseconds / 1000000)) $((microseconds % 1000000)))" -u 9 || true
    ;;
  manifest)
    until [[ -e ".out.staging-$pid/manifest.json" ]] || is_over; do :; done
    ;;
  published)
    until [[ out -nt mark && -e out/manifest.json ]] || is_over; do :; done
    ;;
  esac
}

# Whether the run has ended. It is a zombie process then, because it was not waited for.
is_over() {
  local state
  read -r _ _ state _ <"/proc/$pid/stat" || return 0
  [[ "$state" == Z ]]
}

declare -A hit=([before]=0 [publishing]=0 [published]=0 [ended]=0)
printf 'crash-test: seed %s, %s kills; runs take' "$seed" "$kills"
for name in "${!duration[@]}"; do printf ' %s %d ms' "$name" $((duration[$name] / 1000)); done
printf '\n'
RANDOM=$((seed % 32768))
while ((count < kills && SECONDS < most_seconds)); do
  read_variant "${variants[attempt % ${#variants[@]}]}"
  moment="${moments[RANDOM % ${#moments[@]}]}"
  attempt=$((attempt + 1))
  reset
  touch mark
  "${command[@]}" &
  pid=$!
  await
  kill -9 "$pid" 2>/dev/null || true
  status=0
  { wait "$pid" || status=$?; } 2>/dev/null

  # The output is one of the two, and whole.
  if [[ -e out/manifest.json && "$(contents out)" == "${expected[$variant]}" ]]; then
    [[ -e out/report.json ]] || fail "the new output has no report"
    if ((status == 137)); then what=published; else what=ended; fi
  else
    ((status == 137)) || fail "the run ended with status $status and without its output"
    if [[ "$place" == new ]]; then
      [[ ! -e out ]] || fail "there is an output that is not complete"
    else
      diff -r earlier out >/dev/null || fail "the earlier output is not as it was"
    fi
    if [[ -e ".out.staging-$pid/manifest.json" ]]; then what=publishing; else what=before; fi
  fi
  hit[$what]=$((hit[$what] + 1))
  [[ "$what" == ended ]] || count=$((count + 1))
  pid=""

  # The next run succeeds in spite of leftovers of the killed one, and removes them.
  "${command[@]}" || fail "the next run failed"
  [[ "$(contents out)" == "${expected[$variant]}" ]] || fail "the next run gave something else"
  rm -rf out
  left="$(ls -A)"
  [[ "$left" == "$before" ]] || fail "something is left"
done

printf 'crash-test: %s kills in %s s, all well: %s before publishing, %s while publishing, ' \
  "$count" "$SECONDS" "${hit[before]}" "${hit[publishing]}"
printf '%s behind it (removing the earlier output); %s more came too late\n' "${hit[published]}" "${hit[ended]}"
((count == kills)) || printf 'crash-test: time was up; %s kills were wanted\n' "$kills"
