#!/usr/bin/env bash
# Makes the nights of sample-data again: synthetic logs with duplicates, links, changes of attributes,
# and faults of every kind. Same program, same libzstd: same bytes. The other folders are kept as they
# are: dialects has a day of the same people in the logs of each system that is read, legacy five years
# of older logs, as they are found before a migration.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

eventmill="$(scripts/program.sh)"

# --replace would refuse it, because not all of it is of one command.
rm -rf sample-data/night-* sample-data/generated.txt
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
"$eventmill" generate \
  --lines 18K --users 800 --seed 7 --nights 3 --bad 2% --level 19 --out "$work/logs"
mv "$work"/logs/* sample-data
