#!/usr/bin/env bash
# Makes sample-data again: three nights of synthetic logs with duplicates, links, changes of
# attributes, and faults of every kind. Same program, same libzstd: same bytes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
swift build -c release --product eventmill
"$(swift build -c release --show-bin-path)/eventmill" generate \
  --lines 18K --users 800 --seed 7 --nights 3 --bad 2% --level 19 --out sample-data --replace
