#!/usr/bin/env bash
# Runs the queries of docs/guides/querying.md with DuckDB, Polars, Spark and jq, and compares their answers. Loads an export
# of each format into DuckDB and compares the tables, and those of a night with those that its changes bring up to date.
# Recounts daily_counts from the logs.
# usage: scripts/test-queries.sh
# Sets up DuckDB and Polars from PyPI in .build/queries. Spark is that of scripts/test-spark.sh, if it is there.
set -euo pipefail
cd "$(dirname "$0")/.."
eventmill=$(scripts/program.sh)
venv=$PWD/.build/queries
packages=(duckdb==2.0.1 polars==2.1.0)
spark=${XDG_CACHE_HOME:-$HOME/.cache}/eventmill-spark-4.1

skip() { echo "skipped: $1"; exit 0; }
if ! "$venv/bin/python" -c 'import duckdb, polars' 2>/dev/null; then
  { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "${packages[@]}"; } >/dev/null 2>&1 \
    || skip "DuckDB and Polars cannot be installed here"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
document=$PWD/docs/guides/querying.md
runner=$PWD/scripts/run-queries.py
recount=$PWD/scripts/recount-days.py
nights=("$PWD"/sample-data/night-*)
logs=("${nights[@]}" "$PWD/sample-data/dialects")
cd "$work"
# What the sample data have none of: opt-outs, a second installation, text that CSV has to quote.
cat >more.ndjson <<'END'
{"identifiers":{"installation_id":"phone-1"},"time":"2024-06-03T12:00:00Z","opted_out":true}
{"identifiers":{"custom_id":"a, \"b\"","installation_id":"phone-2"},"time":"2024-06-03T12:00:00Z","opted_out":true}
{"identifiers":{"custom_id":"a, \"b\"","installation_id":"phone-3"},"time":"2024-06-03T12:00:00Z","opted_out":true}
{"identifiers":{"custom_id":"a, \"b\""},"time":"2024-06-03T12:00:00Z","attributes":{"note":"one\r\ntwo, \"three\"","url(page)":"https://example.com/?a=1,2"}}
{"identifiers":{"custom_id":"back"},"events":[{"name":"seen","time":"2024-06-02T10:00:00Z"},{"name":"seen","time":"2024-06-04T10:00:00Z"}]}
END
"$eventmill" run --quiet --max-line 32K --not-before 2020-01-01 --repair --dedupe-days 2 --partitions 3 \
  --out out more.ndjson "${logs[@]}"
"$eventmill" export --quiet out --out tables
"$eventmill" export --quiet out --out lines --format ndjson
"$eventmill" run --quiet --out before "${nights[0]}"
"$eventmill" run --quiet --out after --previous before "${nights[1]}"
for night in before after; do "$eventmill" export --quiet "$night" --out "$night-tables"; done
"$eventmill" export --quiet after --changes --out changes
"$venv/bin/python" "$runner" "$document"
"$eventmill" verify --quiet tables
# Events without a time, twice the same, with names of v1; an installation of two people, one before the other.
cat >days.ndjson <<'END'
{"identifiers":{"custom_id":"someone"},"events":[{"name":"Seen","untimed":true},{"id":"x","name":"SEEN","time":"2024-06-02T23:59:59.999Z"}]}
{"identifiers":{"custom_id":"someone"},"events":[{"id":"x","name":"seen","time":"2024-06-02T23:59:59.999Z"},{"name":"seen","time":"2024-06-02T23:59:59.999Z"}]}
{"id":"someone","events":[{"name":"ue.SEEN","time":"2024-06-03T01:00:00+02:00"},{"name":"e.Seen","time":1717459200000}]}
{"name":"E.nobody","time":"2024-06-03T23:30:00-01:00"}
{"custom_id":"early","installation_id":"shared","name":"seen","time":"2024-06-04T00:00:00Z"}
{"custom_id":"late","installation_id":"shared","name":"seen","time":"2024-06-05T00:00:00Z"}
{"installation_id":"shared","name":"seen","time":"2024-06-01T00:00:00Z"}
END
"$eventmill" run --quiet --dedupe-days 2 --out days days.ndjson "${nights[@]}"
find "${nights[@]}" -type f -print0 | sort -z | xargs -0 "$venv/bin/python" "$recount" days days.ndjson
if [ -x "$spark/bin/spark-submit" ] && command -v java >/dev/null; then
  PYSPARK_PYTHON=$spark/bin/python SPARK_LOCAL_IP=127.0.0.1 "$spark/bin/spark-submit" --master 'local[2]' \
    --conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2 "$runner" "$document" --spark 2>spark.log \
    || { grep -v ' INFO ' spark.log | tail -30; exit 1; }
else
  echo "skipped: Spark is not set up; scripts/test-spark.sh does that"
fi
