#!/usr/bin/env bash
# Builds eventmill. Runs the nightly job over the nights of sample-data, where each continues from
# the one before, then over the logs of other systems in sample-data/dialects. Then runs the
# migration of sample-data/legacy. The results are in out/, out-dialects/, out-legacy/ and
# out-redriven/. It can be run again at any time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

eventmill="$(scripts/program.sh)"

# Only the next night needs the outputs of the earlier nights.
earlier=.build/sample
mkdir -p "$earlier"

# --dedupe-days lets a night know what was delivered again from the night before.
options=(--dedupe-days 2 --replace)

previous=()
nights=(sample-data/night-*)
for night in "${nights[@]}"; do
  output="$earlier/$(basename "$night")"
  [[ "$night" == "${nights[-1]}" ]] && output=out
  printf '\n== %s\n' "$night"
  "$eventmill" run "${options[@]}" "${previous[@]}" --out "$output" "$night"
  previous=(--previous "$output")
done

# --repair takes the commas away that some of them end lists with.
printf '\n== Logs of seven systems, of the same people\n'
"$eventmill" run "${options[@]}" --repair --previous out --out out-dialects sample-data/dialects
printf 'lines per dialect, as report.json has them:\n'
dialects="$(sed -n '/^  "dialects": {/,/^    }/p' out-dialects/report.json)"
printf '%s\n' "$dialects"
for log in sample-data/dialects/*.ndjson*; do
  log="${log##*/}"
  [[ "$dialects" == *"\"${log%%.*}\":"* ]]
done

printf '\n== How often did each event happen?\n'
"$eventmill" count "${nights[@]}"

# Code 4 is expected: one of the older logs is truncated on purpose.
printf '\n== Five years of older logs: to canonical v2, and what was refused once more\n'
"$eventmill" migrate --keep-going --replace --out out-legacy sample-data/legacy || (($? == 4))
"$eventmill" redrive --v1 lenient --replace --out out-redriven out-legacy
"$eventmill" verify out-legacy

cat <<EOF

== Where everything is
out/event_counts.csv           counts per event name, for a spreadsheet (.ndjson: with dialects)
out/daily_counts.ndjson        events and active people per day, new people, retention
out/profiles/                  who did what:       zstd -dc out/profiles/*.zst | head -3
out/changes/                   who is new or changed since the last night
out/rejects.ndjson.zst         what was refused:   zstd -dc out/rejects.ndjson.zst | head -3
out/report.html                what happened, for a browser (report.json: for programs)
out/manifest.json              inputs and outputs with their hashes
out/state/                     input of the next night's run (--previous out)
out-dialects/                  the same after logs of other systems: docs/reference/dialects.md
out-legacy/                    the older logs as canonical v2: docs/guides/migration.md
out-redriven/                  what --v1 lenient takes of their rejects
$eventmill
                               the program; $eventmill --help
EOF
