# Functions of all transcripts. $samples is the sample data of the repository, and $all is set where
# all cases are tried.

# Runs the program, and notes an exit code other than 0.
eventmill() {
  "$eventmill" "$@" || { local code=$?; { echo $code >>$streams/codes; } 2>/dev/null; return $code; }
}

# Shows the exit codes behind a command, but for 0: those of the program, and its own: ended CODE
ended() {
  local codes; codes=$(uniq -c $streams/codes | awk '{ printf " %s%s", $2, ($1 > 1 ? "×" $1 : "") }')
  [ "${codes:- $1}" = " $1" ] || echo "codes$codes"
  [ $1 = 0 ] || echo "exit $1"
}

# Writes the lines to a file: log FILE LINE…
log() {
  [[ $1 != */* ]] || mkdir -p "${1%/*}"
  printf '%s\n' "${@:2}" >"$1"
}

# Prints a line of v2: event USER NAME [ATTRIBUTES]
event() {
  echo '{"identifiers":{"custom_id":"'$1'"},"events":[{"name":"'$2'","time":"2024-05-01T00:00:00Z"'"${3:+,\"attributes\":$3}"'}]}'
}

# Prints a line of v1: seen USER ID
seen() { echo '{"id":"'$2'","custom_id":"'$1'","name":"seen","time":"2024-06-01T00:00:00"}'; }

# Compares two outputs except for their reports.
same() { diff -r -x 'report.*' $1 $2 && echo "$1 is $2"; }

# Shows some fields of a document: fields NAME|NAME…
fields() { tr -d '\n ' | grep -oE "\"($1)\":(\"[^\"]*\"|\[[^]]*\]|\{[^}]*\}|[^],}]*)"; }

# Takes steps of a merge: merge OUT STEPS PARTIALS…
merge() {
  local out=$1 step partition
  for step in $2; do
    for partition in ${partitions:-0}; do
      eventmill cluster merge -q --step $step --partition $partition $options --out $out "${@:3}" \
        || return
    done
  done
}

# Shows a page without style sheet, stages, and figures that vary: page FILE
page() {
  awk '/<section id="stages">/ { stages = 1 } !stages; /<\/section>/ { stages = 0 }' $1 | sed -Ez '
    s/<style>[^<]*<\/style>//
    s/<p>eventmill [^<]*<\/p>/<p>TOOL<\/p>/g
    s/[-0-9]+T[0-9:]+Z( to [^<]*)?/TIME/g
    s/<dt>(Time|Written|Speed|Read)<\/dt>(<dd[^>]*>[^<]*<\/dd>)*<\/div>/<\/div>/g
    s/([0-9]) (k?)B</\1 \2bytes</g
    s/<code>[0-9a-f]{16}<\/code>/<code>HASH<\/code>/g
    s/></>\n</g'
}

# The nightly job.
night() {
  eventmill night --no-progress --metrics m.prom --logs 'logs/%Y-%m-%d' --out 'out/%Y-%m-%d' "$@"
}

# Shows a metric of it.
metric() { grep "^eventmill_night_$1 " m_night.prom | cut -d ' ' -f 2; }

# Shows whether the output of a night is sound, and equals that of a run over all of the logs.
whole() {
  rm -rf whole; eventmill run -q --out whole logs && eventmill diff whole $1 \
    && diff whole/event_counts.csv $1/event_counts.csv && eventmill verify -q $1
}

# Makes logs of three nights, 2024-06-01 to -03.
generate() {
  eventmill generate -q --lines 300 --users 20 --seed 3 --nights 3 --start 2024-06-01 --out made
  mkdir out logs && for n in 1 2 3; do mv made/night-$n logs/2024-06-0$n; done
}
