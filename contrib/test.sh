#!/usr/bin/env bash
# Installs what is in this folder as contrib/README.md says, in a mount namespace of its own, and runs it
# as cron does.
#
#   contrib/test.sh EVENTMILL         the program to install
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
program="$(readlink -f "$1")"

# Everything below /etc/eventmill, /srv and /usr/local/bin is in directories of the test's own.
if [[ -z "${CONTRIB_TEST_ROOT:-}" ]]; then
  root="$(mktemp -d)"
  trap 'rm -rf "$root"' EXIT
  as_root=()
  ((EUID == 0)) || as_root=(--map-root-user)
  if ! unshare --mount "${as_root[@]}" true 2>/dev/null; then
    echo "contrib/test.sh: left out: there are no mount namespaces here"
    exit 0
  fi
  mkdir "$root"/{bin,srv,etc,contrib}
  cp "$program" "$root/bin/eventmill"
  cp -r "$here/." "$root/contrib"
  cp -a /etc/. "$root/etc" 2>/dev/null || true
  CONTRIB_TEST_ROOT="$root" IS_ROOT=$((EUID == 0)) \
    unshare --mount --propagation private "${as_root[@]}" "$0" "$root/bin/eventmill"
  exit
fi

root="$CONTRIB_TEST_ROOT"
mount --bind "$root/srv" /srv
mount --bind "$root/etc" /etc
mount --bind "$root/bin" /usr/local/bin
cd "$root"

# --- as in contrib/README.md
if ((IS_ROOT)); then
  getent passwd eventmill >/dev/null || useradd --system --user-group --home-dir /srv/eventmill eventmill
  as_user=(setpriv --reuid eventmill --regid eventmill --clear-groups)
  own=(-o eventmill -g eventmill)
else
  as_user=() own=()
fi
install -m 755 contrib/eventmill-cluster /usr/local/bin
install -D -m 644 contrib/night.conf /etc/eventmill/night.conf
install -d -m 755 /srv/eventmill /srv/eventmill/logs
install -d -m 750 "${own[@]}" /srv/eventmill/out /srv/eventmill/metrics
install -D -m 644 contrib/cron.d/eventmill /etc/cron.d/eventmill
install -D -m 644 -t /etc/systemd/system contrib/systemd/*
# ---
chmod 711 "$root"

logs=/srv/eventmill/logs out=/srv/eventmill/out metrics=/srv/eventmill/metrics
checks=0

fail() {
  printf 'contrib/test.sh: %s\n' "$1" >&2
  sed 's/^/  | /' "$root/said" >&2 || true
  ls -lA "$out" >&2
  exit 1
}

# Runs a command of the nightly user with the environment that cron gives; what it says is in $root/said.
as_cron() {
  env -i HOME=/srv/eventmill LOGNAME=eventmill SHELL=/bin/sh PATH="$path" "${zone[@]}" \
    "${as_user[@]}" /bin/sh -c "cd / && $1" >"$root/said" 2>&1 </dev/null
}
zone=()

# expect CODE WORDS COMMAND...: how it has to end, and what it has to say; nothing, if WORDS are empty.
expect() {
  local code="$1" words="$2" status=0
  shift 2
  as_cron "$*" || status=$?
  ((status == code)) || fail "$* ended with $status, not with $code"
  if [[ -z "$words" ]]; then
    [[ ! -s "$root/said" ]] || fail "$* was to say nothing"
  else
    grep -qF -- "$words" "$root/said" || fail "$* did not say \"$words\""
  fi
  checks=$((checks + 1))
}

is() {
  [[ "$1" == "$2" ]] || fail "it is \"$1\", and not \"$2\""
  checks=$((checks + 1))
}
nights() { (cd "$out" && ls -A | grep -v '^current$' | tr '\n' ' '); }
contents() { (cd "$1" && find . -type f ! -name 'report.*' -print0 | sort -z | xargs -0 sha256sum); }
metric() { sed -n "s/^$2 //p" "$metrics/$1.prom"; }

# What cron runs: the command of the line in the crontab, with the variable that stands above it.
path="$(sed -n 's/^PATH=//p' /etc/cron.d/eventmill)"
cron="$(sed -n 's/^[0-9*]* [0-9*]* \* \* \*  *eventmill  *//p' /etc/cron.d/eventmill)"
[[ -n "$cron" ]] || fail "there is no line in the crontab"
# The same by hand.
settings="umask 027; set -a; . /etc/eventmill/night.conf"
night="$settings; exec eventmill night -q"

eventmill=/usr/local/bin/eventmill
"$eventmill" generate -q --lines 1200 --users 60 --seed 3 --nights 3 --bad 0.5% --start 2024-06-01 --out made
for n in 1 2 3; do cp -r "made/night-$n" "$logs/2024-06-0$n"; done
chmod -R a+rX "$logs"

sh -n contrib/eventmill-cluster

# Nothing begins by itself.
expect 2 "If there never was one, name the first day with --from-night" "$cron"
expect 2 "it must be a date" "$night --to-night 2024-6-1"
expect 2 "is after 2024-06-01" "$night --from-night 2024-06-02 --to-night 2024-06-01"

# The first night; then one is missed, and the next one makes up for it, in order. Nothing is said.
expect 0 "" "$night --from-night 2024-06-01 --to-night 2024-06-01"
expect 2 "leave --from-night out" "$night --from-night 2024-06-02 --to-night 2024-06-02"
expect 0 "2024-06-02, continuing from $out/2024-06-01" "$night --dry-run --to-night 2024-06-03"
is "$(nights)" "2024-06-01 "
expect 0 "" "$night --to-night 2024-06-03"
is "$(nights)" "2024-06-01 2024-06-02 2024-06-03 "
is "$(readlink "$out/current")" 2024-06-03
options=(-q --dedupe-days 7)
"$eventmill" run "${options[@]}" --out 1 "$logs/2024-06-01" --not-after 2024-06-03T00:00:00Z
"$eventmill" run "${options[@]}" --out 2 --previous 1 "$logs/2024-06-02" --not-after 2024-06-04T00:00:00Z
"$eventmill" run "${options[@]}" --out 3 --previous 2 "$logs/2024-06-03" --not-after 2024-06-05T00:00:00Z
is "$(contents "$out/2024-06-03")" "$(contents 3)"
is "$(metric eventmill eventmill_last_exit_code)" 0
is "$(metric eventmill_night eventmill_night_published_timestamp_seconds)" "$(date -u -d 2024-06-03 +%s)"
is "$(metric eventmill_night eventmill_night_missing)" 0

# Once more: nothing happens to what is there.
before="$(ls -lid --time-style=full-iso "$out"/2024-*)"
expect 0 "" "$night --to-night 2024-06-03"
expect 2 "2024-06-03 is published, but the newest night to make is 2024-06-02" "$night --to-night 2024-06-02"
is "$(ls -lid --time-style=full-iso "$out"/2024-*)" "$before"

# A night without logs goes on; one whose folder was never made is asked for.
expect 1 "mkdir -p $logs/2024-06-04" "$night --to-night 2024-06-04"
is "$(metric eventmill_night eventmill_night_missing)" 1
is "$(metric eventmill_night eventmill_night_last_exit_code)" 1
mkdir "$logs/2024-06-04"
expect 0 "2024-06-04: check it: " "$night --to-night 2024-06-04"
is "$(metric eventmill_night eventmill_night_verdict)" 1
is "$(cd "$out/2024-06-04" && sha256sum state/* profiles/* event_counts.*)" \
  "$(cd "$out/2024-06-03" && sha256sum state/* profiles/* event_counts.*)"

# Files that are not named like logs do not pass for a night without logs.
echo x >"$logs/2024-06-04/a.csv"
rm -r "$out/2024-06-04"
expect 0 "no log was found, but there are files: 1" "$night --to-night 2024-06-04"
rm "$logs/2024-06-04/a.csv"

# A damaged log, too many rejects: the codes of eventmill, and nothing is published.
mkdir "$logs/2024-06-05" "$logs/2024-06-06"
line='{"custom_id":"u","name":"seen","time":"2024-06-05T10:00:00Z"}'
printf '%s\n' "$line" "${line//u/v}" | zstd -q | head -c -4 >"$logs/2024-06-05/a.ndjson.zst"
expect 4 "$logs/2024-06-05/a.ndjson.zst" "$night --to-night 2024-06-06"
is "$(metric eventmill eventmill_last_exit_code)" 4
printf '%s\n' "$line" '{"custom_id":"u","name":"-","time":"2024-06-05T10:00:00Z"}' | zstd -qf -o "$logs/2024-06-05/a.ndjson.zst"
expect 3 "$out/2024-06-05" "$night --to-night 2024-06-06"
is "$(nights)" "2024-06-01 2024-06-02 2024-06-03 2024-06-04 2024-06-05.rejected "
rm -r "$out/2024-06-05.rejected"
# An event with a clock a year ahead is rejected by --not-after.
printf '%s\n' "$line" "${line/2024/2025}" >"$logs/2024-06-05/a.ndjson"
rm "$logs/2024-06-05/a.ndjson.zst"
expect 3 "2024-06-05" "$night --to-night 2024-06-05"
rm -r "$out/2024-06-05.rejected"
printf '%s\n' "$line" >"$logs/2024-06-05/a.ndjson"

# Another one is at work; eventmill itself is.
install -m 644 "${own[@]}" /dev/null "$out/.eventmill-night.lock"
exec 8>>"$out/.eventmill-night.lock"
flock 8
expect 5 "another eventmill night" "$night --to-night 2024-06-05"
exec 8>&-

# A night that was killed leaves nothing behind that disturbs the next one.
status=0
as_cron "$settings; eventmill night -q --to-night 2024-06-05 &
  until ls -d $out/.2024-* >/dev/null 2>&1 || ! kill -0 \$!; do :; done
  kill -9 \$!; wait \$!" || status=$?
((status == 137 || status == 0)) || fail "a killed night ended with $status"
rm -rf "$out/2024-06-05"
expect 0 "2024-06-06: check it: " "$night --to-night 2024-06-06"
is "$(nights)" "2024-06-01 2024-06-02 2024-06-03 2024-06-04 2024-06-05 2024-06-06 "

# --keep-going: what could be read is published, the chain goes on, and the code still says it.
mkdir "$logs/2024-06-07" "$logs/2024-06-08"
{ zstd -qc "$logs/2024-06-05/a.ndjson"; printf 'x'; } >"$logs/2024-06-07/a.ndjson.zst"
keep="$settings; EVENTMILL_KEEP_GOING=1 EVENTMILL_KEEP_DAILY=4 EVENTMILL_KEEP_WEEKLY=2 EVENTMILL_KEEP_MONTHLY=0
  exec eventmill night -q"
expect 4 "$logs/2024-06-07/a.ndjson.zst" "$keep --to-night 2024-06-08"

# Retention: four nights with logs are kept (those without do not count), one of each older week (06-02 was a Sunday),
# and what kept nights continue from (06-01 and 06-04). Foreign files are not touched.
is "$(nights)" "2024-06-01 2024-06-02 2024-06-03 2024-06-04 2024-06-05 2024-06-06 2024-06-07 2024-06-08 "
mkdir "$out/2024-05-03" "$out/notes" "$out/.removed-2024-05-09"
echo '{"name":"a web app"}' >"$out/2024-05-03/manifest.json"
((!IS_ROOT)) || chown eventmill: "$out/.removed-2024-05-09"
mkdir "$logs/2024-06-09"
expect 0 "2024-06-09: check it: " "$keep --to-night 2024-06-09"
is "$(nights)" "2024-05-03 2024-06-01 2024-06-02 2024-06-03 2024-06-04 2024-06-05 2024-06-06 2024-06-07 2024-06-08 2024-06-09 notes "
rm -r "$out/2024-05-03" "$out/notes"

# The night that is due does not depend on where the machine is.
rm -rf "$out"/2024-*
yesterday="$(date -u -d yesterday +%F)"
mkdir -p "$logs/$yesterday"
for place in Pacific/Kiritimati Pacific/Pago_Pago Europe/Paris; do
  zone=("TZ=$place")
  expect 0 "there were no lines" "$night --from-night $yesterday"
  is "$(nights)" "$yesterday "
  rm -r "${out:?}/$yesterday"
done
zone=(LC_ALL=C LANG=de_DE.UTF-8)
expect 0 "there were no lines" "$night --from-night $yesterday"
expect 0 "" "$cron"
zone=()
rm -r "${out:?}/$yesterday"

# A full disk: it says so, and leaves nothing.
expect 0 "" "$night --from-night 2024-06-01 --to-night 2024-06-01"
if ((IS_ROOT)); then
  mkdir full
  mount -t tmpfs -o size=256k tmpfs full
  chown eventmill: full
  cp -a "$out/2024-06-01" full/
  expect 1 "No space left on device" \
    "$settings; EVENTMILL_OUT=$root/full/%Y-%m-%d EVENTMILL_METRICS=; exec eventmill night -q --to-night 2024-06-02"
  is "$(ls -A full | tr '\n' ' ')" "2024-06-01 current "
fi
expect 1 "is its disk mounted?" "$settings; EVENTMILL_LOGS=/nowhere/%Y%m%d; exec eventmill night"

# In pieces it is the same night, also when opt-outs are honored.
expect 0 "" "$night --to-night 2024-06-02"
pieces="$root/in pieces"
mkdir "$pieces"
zstd -dcq "$logs"/2024-06-01/*.zst | grep -o '"installation_id":"[^"]*"' | sort -u |
  sed -n '0~5s/.*/{"identifiers":{&},"time":"2024-06-02T12:00:00Z","opted_out":true}/p' >"$logs/2024-06-02/opt-outs.ndjson"
[[ -s "$logs/2024-06-02/opt-outs.ndjson" ]] || fail "there are no opt-outs"
cp -r "$logs" "$out" "$pieces"
in_pieces() {
  BASE="$pieces" PARTS=3 HONOR_OPT_OUT=${honor:+1} eventmill-cluster 2024-06-02 2024-06-01 >said 2>&1
}
for honor in --honor-opt-out ''; do
  rm -rf "$pieces/out/2024-06-02" whole
  # A copy of a log is refused, and leaves nothing behind that is merged once it is gone.
  cp "$pieces/logs/2024-06-02"/{opt-outs,copy}.ndjson
  status=0
  in_pieces || status=$?
  is "$status" 2
  rm "$pieces/logs/2024-06-02/copy.ndjson"
  in_pieces || fail "in pieces it failed"
  # shellcheck disable=SC2086
  is "$(zstd -dcq "$pieces"/out/2024-06-02/profiles/* | LC_ALL=C sort | sha256sum)" \
    "$("$eventmill" run -q --dedupe-days 7 $honor --out whole --previous "$out/2024-06-01" "$logs/2024-06-02" &&
      zstd -dcq whole/profiles/* | LC_ALL=C sort | sha256sum)"
done

# The same by the Job of Kubernetes, whose indexes are done one after the other, the last one first.
# README fills in what is between signs: the variables, and nothing of the script.
filled="$(sed -n 's/^  sed \("s.*"\) .*/\1/p' contrib/kubernetes/README.md | sed 's/\$2/3/; s/\$1/people/')"
eval "sed $filled contrib/kubernetes/step.yaml" >job.yaml
grep -q @ job.yaml && fail "the Job has an empty place"
for variable in STEP:people COUNT:3 NIGHT:2024-06-02 BEFORE:2024-06-01; do
  grep -q "name: ${variable%:*}, value: \"${variable#*:}\"" job.yaml || fail "the Job lacks $variable"
done
sed '1,/^ *- |$/d; /^ *volumeMounts:/,$d' contrib/kubernetes/step.yaml >job.sh
is "$(sed '1,/^ *- |$/d; /^ *volumeMounts:/,$d' job.yaml)" "$(cat job.sh)"
mv "$pieces/out/2024-06-02" "$pieces/by-script"
log_count=$(find "$pieces/logs/2024-06-02" -type f | wc -l)
# job STEP COUNT INDEX [NIGHT]
job() {
  STEP=$1 COUNT=$2 JOB_COMPLETION_INDEX=$3 NIGHT=${4:-2024-06-02} BEFORE=2024-06-01 PARTS=3 BASE="$pieces" \
    sh -euc "$(cat job.sh)" >said 2>&1
}
status=0
job partials 3 0 || status=$?
is "$status: $(cat said)" "2: error: $pieces/logs/2024-06-02 needs $log_count partials, but COUNT is 3"
job partials 1 0 2024-06-04 || fail "the Job failed at a night without logs"
# A partial of a log that is gone is not merged. A pod whose work is finished may be tried again.
mkdir -p "$pieces/work/2024-06-02/partials/gone.ndjson"
for step in "partials $log_count" "installations 3" "unchanged 3" "people 3" "finish 1" "finish 1"; do
  for ((index = ${step#* } - 1; index >= 0; index--)); do
    # shellcheck disable=SC2086
    job $step $index || fail "the Job failed at $step, $index"
  done
done
for file in event_counts.ndjson manifest.json; do
  is "$(cat "$pieces/out/2024-06-02/$file")" "$(cat "$pieces/by-script/$file")"
done

# Monitoring uses only metrics that exist.
for metric in $(grep -oh 'eventmill_[a-z_]*' contrib/prometheus/*.yml contrib/grafana/*.json | sort -u); do
  grep -q "^$metric[ {]" "$metrics"/*.prom || grep -q "^| .$metric" "$here/../docs/guides/monitoring.md" 2>/dev/null ||
    [[ "$metric" == eventmill_rejects_total ]] || fail "there is no metric $metric"
done
jq -e .panels contrib/grafana/eventmill.json >/dev/null

if command -v systemd-analyze >/dev/null; then
  systemd-analyze verify --man=no /etc/systemd/system/eventmill-night.{service,timer} \
    "/etc/systemd/system/eventmill-alarm@.service" >said 2>&1 || fail "the units are wrong"
  [[ ! -s said ]] || fail "systemd-analyze has something to say"
  checks=$((checks + 1))
fi

printf 'contrib/test.sh: %s checks in %s s, all well\n' "$checks" "$SECONDS"
