# Logs of 2024-09-01 to -03, one line in each file, and functions for files that come late.

# Writes a log of a night: log DAY NAME EVENT…
log() {
  local day=$1 file=logs/2024-09-0$1/$2.ndjson; shift 2; mkdir -p "${file%/*}"
  for event in "$@"; do
    echo '{"custom_id":"u'$day'","name":"'$event'","time":"2024-09-0'$day'T10:00:00Z"}'
  done >"$file"
}

# Shows a row of the newest night's counts.
count() { grep "^$1," out/current/event_counts.csv | cut -d , -f 1,2; }

for day in 1 2 3; do for name in a b; do log $day $name $name$day; done; done; mkdir out
