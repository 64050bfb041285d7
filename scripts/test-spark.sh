#!/usr/bin/env bash
# Runs nights of eventmill on a local Spark cluster and compares them with `eventmill run`, byte for byte.
# usage: scripts/test-spark.sh [--short]
# Sets up what is missing: Java from Debian's packages, PySpark from PyPI.
# --short: a night, a second one by URIs, its tables and a damaged log, without machines that die.
# URIs are those of file:, used as an object store is: nothing is renamed. S3 itself is not tested: it needs
# hadoop-aws, which is not in PySpark.
set -euo pipefail
cd "$(dirname "$0")/.."
short=${1:-}
eventmill=$(scripts/program.sh)
job=$PWD/contrib/spark/eventmill_night.py
# The first version that reads zstd in Java.
version=4.1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/eventmill-spark-$version

skip() { echo "skipped: $1"; exit 0; }
if ! command -v java >/dev/null; then
  { apt-get update && apt-get install -y default-jre-headless; } >/dev/null 2>&1 \
    || skip "Spark needs Java, which cannot be installed here"
fi
if [ ! -x "$cache/bin/spark-submit" ]; then
  { python3 -m venv "$cache" && "$cache/bin/pip" install --quiet "pyspark==$version.*"; } \
    || skip "PySpark cannot be installed here"
fi
export PATH=$cache/bin:$PATH PYSPARK_PYTHON=$cache/bin/python SPARK_LOCAL_IP=127.0.0.1
SPARK_HOME=$(python -c 'import os, pyspark; print(os.path.dirname(pyspark.__file__))')
export SPARK_HOME

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# The name that the job looks for.
cp "$eventmill" eventmill
"$eventmill" generate --quiet --lines 9000 --users 700 --nights 3 --bad 2% --seed 7 --out logs
# Opt-outs in a log of their own: of the first night for the state, of the second one for other tasks.
for night in 1 2; do
  zstd -dcq "logs/night-$night"/*.zst | grep -o '"installation_id":"[^"]*"' | sort -u \
    | sed -n '0~5s/.*/{"identifiers":{&},"time":"2024-06-0'$night'T12:00:00Z","opted_out":true}/p' \
      >"logs/night-$night/opt-outs.ndjson"
done

# A log by its content, longer than what a plan reads of it, and a file that is none.
for user in $(seq 1 30); do
  echo '{"name":"rotated","custom_id":"r'"$user"'","time":"2024-06-02T10:00:00Z"}'
done >logs/night-2/app.log.1
echo text >logs/night-2/README

# night NUMBER PREVIOUS [--honor-opt-out] [OPTIONS OF SPARK…]: the night on the cluster, and what it says.
master='local-cluster[2,1,1024]'
submit() {
  spark-submit --master "$master" --files eventmill \
    --conf spark.executor.memory=512m --conf spark.task.maxFailures=4 --conf spark.ui.enabled=false "$@" \
    >summary.json 2>spark.log
}

night() {
  local number=$1 previous=$2 honor=
  shift 2
  [ "${1:-}" != --honor-opt-out ] || { honor=$1; shift; }
  # shellcheck disable=SC2086
  submit "$@" "$job" --partitions 3 --tasks 5 --dedupe-days 3 $honor ${previous:+--previous $previous} \
    --logs "logs/night-$number" --out "out-$number"
}

# stored NUMBER PREVIOUS [--honor-opt-out]: the same by URIs.
stored() {
  submit "$job" --partitions 3 --tasks 2 --dedupe-days 3 ${3:+"$3"} --previous "file:$work/$2" \
    --root "file:$work" --logs "file:$work/logs/night-$1/" --out "file://$work/store/$1"
}

# The parts have other names, and the same bytes; every other file is that of run, but for the manifest.
same_stored() {
  local file
  for file in $(cd "run-$1" && find . -type f ! -name 'report.*' ! -name manifest.json -printf '%P\n' | sort); do
    case $file in
      *-of-*) cmp "run-$1/$file" "store/$1/${file%%.*}"-*".${file#*.}" ;;
      *) cmp "run-$1/$file" "store/$1/$file" ;;
    esac
  done
  # And no file but these.
  "$eventmill" verify --quiet "store/$1"
  echo "night $1 by URIs: the bytes of run${2:+, $2}"
}

same() {
  local file
  for file in $(cd "run-$1" && find . -type f ! -name 'report.*' | sort); do
    cmp "run-$1/$file" "out-$1/$file"
  done
  "$eventmill" verify --quiet "out-$1"
  [ ! -e "out-$1.merge" ] || { echo "out-$1.merge is left"; exit 1; }
  echo "night $1: the bytes of run${2:+, $2}"
}

whole() {
  "$eventmill" run --quiet --partitions 3 --dedupe-days 3 ${3:+"$3"} ${2:+--previous "$2"} --out "run-$1" "logs/night-$1"
}

fail() { grep -v ' INFO ' spark.log | tail -40; echo "$1"; exit 1; }

whole 1 ''
night 1 '' || fail "the first night failed"
same 1
whole 2 run-1 --honor-opt-out
stored 2 out-1 --honor-opt-out || fail "the second night by URIs failed"
same_stored 2 "opt-outs honored"
tail -1 summary.json | jq -e '.passed_over | .count == 1 and (.paths[0] | endswith("README"))' >/dev/null \
  || fail "an ignored file is not named"

# Every table, with all columns that Spark finds in it.
cat >tables.py <<'END'
import json
import os
import sys

from pyspark.sql import SparkSession

sys.path.insert(0, sys.argv[1])
from eventmill_output import SCHEMAS, read

out = sys.argv[2]
spark = SparkSession.builder.getOrCreate()
report = json.load(open(f"{out}/report.json"))
counts = read(spark, out, "event_counts").collect()
lines = [json.loads(line) for line in open(f"{out}/event_counts.ndjson")]
assert [(row.name, row["count"], row.dialects) for row in counts] == [
    (line["name"], line["count"], line["dialects"]) for line in lines], "event_counts"
profiles = read(spark, out, "profiles")
assert profiles.count() == report["profiles"] == profiles.select("kind", "id").distinct().count()
events = {line["name"]: line["profiles"] for line in lines if line["profiles"]}
found = profiles.selectExpr("explode(map_keys(events)) AS name").groupBy("name").count().collect()
assert {row.name: row["count"] for row in found} == events, "profiles with each event"
rejects = read(spark, out, "rejects")
assert rejects.select("source", "line").distinct().count() == report["rejects"]["lines"], "rejects"
for table in SCHEMAS:
    paths = [f"{out}/{name}" for name in sys.argv[3:] if name.startswith((f"{table}/", f"{table}.nd"))]
    inferred = set(spark.read.json(paths).columns)
    assert inferred and inferred <= set(read(spark, out, table).columns), (table, inferred)
END
# The tables contain no leftovers of an attempt with other logs.
echo '{"id":"stray","kind":"person"}' | zstd -q >store/2/profiles/part-00000-of-00003-0123456789abcdef.ndjson.zst
# shellcheck disable=SC2046
spark-submit --master 'local[2]' --conf spark.ui.enabled=false tables.py "${job%/*}" store/2 \
  $(jq -r '.outputs[].path' store/2/manifest.json) 2>spark.log || fail "its tables are not those of the output"
rm store/2/profiles/part-00000-of-00003-0123456789abcdef.ndjson.zst
echo "tables by the manifest: as many rows as the report says"

if [ "$short" != --short ]; then
  night 2 out-1 --honor-opt-out || fail "the second night failed"
  same 2 "opt-outs honored"
  whole 3 run-2
  # Leftovers of a dead driver that read other logs are removed. Its valid files stay.
  mkdir -p store/3/profiles store/3/state
  echo stray >store/3/profiles/part-00002-of-00003-0123456789abcdef.ndjson.zst
  part=profiles/part-00001-of-00003
  hash=$(jq -r --arg path "$part.ndjson.zst" '.outputs[] | select(.path == $path).xxh64' run-3/manifest.json)
  cp "run-3/$part.ndjson.zst" "store/3/$part-$hash.ndjson.zst"
  stored 3 store/2 || fail "a night on top of one by URIs failed"
  same_stored 3 "on top of such a night, after a driver that died"
  code=0
  stored 3 store/2 || code=$?
  [ "$code" = 2 ] && grep -q 'store/3 exists' spark.log || fail "an output by a URI was not refused: $code"
  # Every process that works on a task is killed once: Python's, then executors.
  night 3 out-2 --conf spark.speculation=true --conf spark.speculation.multiplier=1.1 &
  submitted=$!
  killed=0
  while kill -0 "$submitted" 2>/dev/null; do
    for victim in pyspark.daemon CoarseGrainedExecutorBackend; do
      case $killed in 0) want=pyspark.daemon ;; 1) want=CoarseGrainedExecutorBackend ;; *) continue ;; esac
      [ "$victim" = "$want" ] || continue
      process=$(pgrep -f "$victim" | head -1) && pgrep -f 'eventmill cluster (partial|merge)' >/dev/null \
        && kill -KILL "$process" && killed=$((killed + 1))
    done
  done
  wait "$submitted" || fail "a night with dying workers failed"
  [ "$killed" -gt 0 ] || fail "nothing was killed in time"
  same 3 "$killed processes killed"
fi

if [ "$short" != --short ]; then
  # The driver dies while tasks are at work: nothing is published, and the next try is a night like any other.
  rm -r out-2
  night 2 out-1 --honor-opt-out &
  submitted=$!
  until pgrep -f "$job" >/dev/null && pgrep -f 'eventmill cluster (partial|merge)' >/dev/null; do
    kill -0 "$submitted" 2>/dev/null || fail "the driver was not killed in time"
  done
  pkill -KILL -f "$job"
  if wait "$submitted"; then fail "a night whose driver died says that it is done"; fi
  [ ! -e out-2 ] || fail "a night whose driver died has published something"
  night 2 out-1 --honor-opt-out || fail "the night after a dead driver failed"
  same 2 "the driver killed, then tried again"

  # A master and two workers, each a process of its own.
  rm -r out-2
  spark-class org.apache.spark.deploy.master.Master --host 127.0.0.1 --port 0 --webui-port 0 2>master.log &
  processes=$!
  trap 'kill $processes 2>/dev/null; rm -rf "$work"' EXIT
  until master=$(grep -o -m 1 'spark://127.0.0.1:[0-9]*' master.log); do kill -0 "$processes"; done
  for worker in 1 2; do
    spark-class org.apache.spark.deploy.worker.Worker --host 127.0.0.1 --cores 1 --memory 1g \
      --webui-port 0 --work-dir "$work/worker-$worker" "$master" 2>"worker-$worker.log" &
    processes="$processes $!"
  done
  night 2 out-1 --honor-opt-out || fail "a night on a standalone cluster failed"
  same 2 "on a standalone cluster"
  # shellcheck disable=SC2086
  kill $processes
  master='local-cluster[2,1,1024]'
fi

# A log that is cut off is a result, not a reason to try again.
mkdir -p logs/night-4
log=$(find logs/night-1 -name '*.zst' | sort | head -1)
head -c $(($(stat -c %s "$log") - 9)) "$log" >logs/night-4/cut.ndjson.zst
code=0
night 4 '' || code=$?
[ "$code" = 4 ] || fail "a damaged log: exit code $code instead of 4"
[ ! -e out-4 ] && [ ! -e out-4.merge ] || fail "a damaged log left something"
echo "a damaged log: exit code 4, and nothing is left"
