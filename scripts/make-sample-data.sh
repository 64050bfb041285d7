#!/usr/bin/env bash
# Makes sample-data again: three nights of synthetic logs with duplicates, links, changes of
# attributes, and faults of every kind; in sample-data/dialects a day of the same people in the logs of
# each system that is read; and in sample-data/legacy five years of older logs, as they are found before a
# migration. Same program, same libzstd and gzip: same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
swift build -c release --product eventmill
eventmill="$(swift build -c release --show-bin-path)/eventmill"

# --replace would refuse it, because not all of it is of one command.
rm -rf sample-data
"$eventmill" generate \
  --lines 18K --users 800 --seed 7 --nights 3 --bad 2% --level 19 --out sample-data

mkdir sample-data/dialects
for dialect in v1 v2 sdk action bolts realm pulse; do
  # A day of its own for v2, which has the ids of v1. The faults of both are in the nights.
  start=2024-06-04 bad=20%
  [[ "$dialect" == v[12] ]] && bad=8%
  [[ "$dialect" == v2 ]] && start=2024-06-05
  line="eventmill generate --lines 50 --users 800 --seed 7 --dialect $dialect --start $start --bad $bad"
  # shellcheck disable=SC2086
  "$eventmill" ${line#eventmill } >"sample-data/dialects/$dialect.ndjson"
  [[ "$dialect" == v1 ]] && printf 'Synthetic logs, made by:\n' >sample-data/dialects/generated.txt
  printf '%s\n' "$line" >>sample-data/dialects/generated.txt
done
# The longest ones.
zstd -19 -q --rm sample-data/dialects/realm.ndjson sample-data/dialects/pulse.ndjson

"$eventmill" generate \
  --lines 2000 --users 120 --seed 5 --years 5 --start 2020-01-01 --bad 3% --level 19 \
  --out sample-data/legacy
cd sample-data/legacy
# The first two years were compressed later. The last log of the fourth was compressed in pieces
# while it was written, until the disk was full.
gzip -9 --no-name 2020/* 2021/*
zstd -dcq 2023/q4.ndjson.zst | split --lines 25 --filter 'zstd -19 -qc' - >q4
head -c -600 q4 >2023/q4.ndjson.zst
rm q4
