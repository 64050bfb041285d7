#!/usr/bin/env bash
# The same work by eventmill and by others, in turns, on one machine. Prints a table in Markdown.
#
#   Benchmarks/compare.sh                  3,000,000 lines, 5 rounds; takes about 10 minutes
#   Benchmarks/compare.sh --quick          100,000 lines, 1 round: to see whether it works
#   Benchmarks/compare.sh --rounds 9 --file logs.ndjson.zst --python ~/venv
#
# --file takes a log in zstd that all can read; without it the reference log is made, once.
# --python takes a virtual environment (it is made when missing), by default one in .build.
# Everything goes to .build/compare.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'compare: %s\n' "$1" >&2
  exit 2
}

work="$PWD/.build/compare"
threads=2
lines=3000000 users=200000 rounds=5 file='' venv="$work/python"
# The plain Python script gets only so many lines; its time is scaled.
plain_lines=300000
while (($#)); do
  case "$1" in
  --quick) lines=100000 users=10000 rounds=1 plain_lines=20000 ;;
  --rounds | --file | --python)
    (($# > 1)) || fail "$1 needs a value"
    case "$1" in
    --rounds) rounds="$2" ;;
    --file) file="$(realpath "$2")" ;;
    --python) venv="$(realpath -m "$2")" ;;
    esac
    shift
    ;;
  *) fail "unknown option $1; there are --quick, --rounds N, --file FILE, --python DIR" ;;
  esac
  shift
done
[[ "$rounds" =~ ^[1-9][0-9]*$ ]] || fail "--rounds needs a number, 1 or more"

say() { printf '%s\n' "$1" >&2; }

scripts/setup.sh jq g++
say "building"
eventmill="$(scripts/build-release.sh 2>/dev/null)"
mkdir -p "$work"

# The versions that the published figures are about.
packages=(duckdb==2.0.1 chdb==4.4.0 polars==2.1.0)
if [[ ! -x "$venv/bin/python" ]]; then
  say "making a virtual environment in $venv"
  python3 -m venv "$venv" || fail "python3 cannot make virtual environments; install python3-venv"
fi
"$venv/bin/pip" install --quiet "${packages[@]}"
# Its source package has all of simdjson in one file.
simdjson="$work/simdjson"
if [[ ! -x "$simdjson/count" ]]; then
  say "building simdjson"
  mkdir -p "$simdjson"
  "$venv/bin/pip" download --quiet --no-deps --no-binary :all: --dest "$simdjson" pysimdjson==7.0.2
  tar -xzf "$simdjson"/pysimdjson-*.tar.gz -C "$simdjson" --strip-components 2 --wildcards '*/simdjson/simdjson.*'
  g++ -O3 -march=native -std=c++17 -I "$simdjson" -o "$simdjson/count" Benchmarks/simdjson_count.cpp "$simdjson/simdjson.cpp"
fi

if [[ -z "$file" ]]; then
  file="$work/reference-$lines.ndjson.zst"
  if [[ ! -s "$file" ]]; then
    say "making the reference log: $lines lines"
    "$eventmill" generate --lines "$lines" --users "$users" --seed 1 | zstd -3 -q -f -o "$file.new"
    mv "$file.new" "$file"
  fi
fi
plain="$work/plain.ndjson"
zstd -dc "$file" >"$plain"
total="$(wc -l <"$plain")"
((plain_lines < total)) || plain_lines="$total"
head -n "$plain_lines" "$plain" >"$work/part.ndjson"

# One contender: group, name, factor for a smaller file or -, command. Ours comes first in a group.
contender() {
  local group="$1" name="$2" scale="$3"
  shift 3
  jq -n --arg group "$group" --arg name "$name" --arg scale "$scale" \
    '{group: $group, name: $name, command: $ARGS.positional}
     + if $scale == "-" then {} else {scale: ($scale | tonumber)} end' --args -- "$@"
}

python="$venv/bin/python"
ours=(--jobs "$threads" --quiet --no-progress)
scale="$(jq -n "$total / $plain_lines")"
plan="$work/plan.json"
{
  group="count, .zst"
  contender "$group" eventmill - "$eventmill" count --json "${ours[@]}" "$file"
  contender "$group" DuckDB - "$python" Benchmarks/duckdb_count.py "$file" "$threads"
  contender "$group" chDB - "$python" Benchmarks/chdb_count.py "$file" "$threads"
  contender "$group" Polars - "$python" Benchmarks/polars_count.py "$file" "$threads"
  # shellcheck disable=SC2016  # the inner shell expands it
  contender "$group" "zstd -dc" - bash -c 'zstd -dc "$0" >/dev/null' "$file"
  group="count, plain"
  contender "$group" eventmill - "$eventmill" count --json "${ours[@]}" "$plain"
  contender "$group" DuckDB - "$python" Benchmarks/duckdb_count.py "$plain" "$threads"
  contender "$group" chDB - "$python" Benchmarks/chdb_count.py "$plain" "$threads"
  contender "$group" Polars - "$python" Benchmarks/polars_count.py "$plain" "$threads"
  contender "$group" "Python, json.loads" "$scale" \
    "$python" Benchmarks/plain_count.py "$work/part.ndjson"
  contender "$group" "simdjson, 1 core" - "$simdjson/count" "$plain"
  group="snapshot, .zst"
  contender "$group" "eventmill run" - \
    "$eventmill" run "${ours[@]}" --replace --out "$work/out" "$file"
  contender "$group" DuckDB - \
    "$python" Benchmarks/duckdb_snapshot.py "$file" "$threads" "$work/duckdb.ndjson.zst"
  contender "$group" "DuckDB, count only" - \
    "$python" Benchmarks/duckdb_count.py "$file" "$threads"
  # shellcheck disable=SC2016  # the inner shell expands it
  contender "$group" "zstd -dc \\| zstd -3 -T2" - \
    bash -c 'zstd -dc "$0" | zstd -3 -T2 >/dev/null' "$file"
} | jq -s . >"$plan"

processor="$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)"
printf 'Machine: %s, %s processors, %s of memory, Linux %s\n' "${processor:-$(uname -m)}" "$(nproc)" \
  "$(awk '/^MemTotal/ { printf "%.0f GiB", $2 / 1048576 }' /proc/meminfo)" "$(uname -r)"
printf 'Versions: eventmill %s; %s; %s; simdjson %s\n' \
  "$("$eventmill" --version --json | jq -r '"\(.version) (\(.commit)), libzstd \(.libzstd)"')" \
  "$("$python" -c 'import duckdb, chdb, polars, platform
print(f"DuckDB {duckdb.__version__}, chDB {chdb.__version__}, Polars {polars.__version__}, Python {platform.python_version()}")')" \
  "$(zstd --version | grep -o 'v[0-9.]*' | head -1 | sed 's/^/zstd /')" \
  "$(sed -n 's/^#define SIMDJSON_VERSION "\(.*\)"$/\1/p' "$simdjson/simdjson.h")"
printf 'Log: %s lines, %s MB, %s MB as zstd; %s threads; %s rounds, in turns; medians\n\n' "$total" \
  "$(($(stat -c %s "$plain") / 1000000))" "$(($(stat -c %s "$file") / 1000000))" "$threads" "$rounds"
WORK="$work" "$python" Benchmarks/measure.py "$plan" "$rounds"
rm -rf "$plain" "$work/part.ndjson" "$work/out" "$work/duckdb.ndjson.zst" "$work/output"
