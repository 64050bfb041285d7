# Two nights, 2024-09-01 and -02, the logs of a third, and functions to damage them.

top=$PWD

# Starts again with undamaged nights.
begin() { cd $top; mkdir $((++cases)); cp -a logs out $cases; cd $cases; }

# Damages the state of a night, and changes a byte of a file, or removes its last one.
spoil() { echo >>out/2024-09-0$1/state/totals.ndjson.zst; }
flip() { printf x | dd conv=notrunc bs=1 seek=20 of=$1 status=none; }
crop() { truncate -s -1 $1; }

# Runs the job up to the third night, without hashes and lengths in its messages.
again() { night --to-night 2024-09-03 "$@" |& sed -E 's/(has|says|offset) [0-9]+|[0-9a-f]{16}/N/g'; }

# Shows whether the newest night is what it had been without any damage.
newest() { whole out/current; readlink out/current; }

refuse() {
  again -q; local code=$?
  [ ! -e out/2024-09-02.bad ] && ls out/2024-09-02 >/dev/null && readlink out/current
  return $code
}
erase() { echo '{"custom_id":"zoe"}' >zoe; eventmill erase -q --replace --requests zoe "$@"; }

for day in 2024-09-0{1..3}; do
  mkdir -p logs/$day out
  for user in u${day: -1}T10 zoeT11; do
    echo '{"custom_id":"'${user%T*}'","name":"seen","time":"'$day'T'${user#*T}':00:00Z"}'
  done >logs/$day/a.ndjson
done
night -q --from-night 2024-09-01 --to-night 2024-09-02
