# Three nights, 2024-06-01 to -03. The second repeats a file of the first.

# Shows some fields of each night.
list() {
  eventmill night list --json --to-night 2024-06-05 --out 'out/%Y-%m-%d' "$@" \
    | grep -oE '"(night|through|nights|state|base|why)":("[^"]*"|[0-9]+)' | paste -s -d ' ' \
    | sed 's/ "night"/\n"night"/g'
}

# Changes a file near its end.
damage() { printf x | dd conv=notrunc bs=1 seek=$(($(wc -c <$1) - 3)) of=$1 status=none; }

generate
cp logs/2024-06-01/app-02.ndjson logs/2024-06-02/copy.ndjson
night -q --from-night 2024-06-01 --to-night 2024-06-03
