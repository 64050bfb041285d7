#!/usr/bin/env bash
# Installs what is missing to build and test, and reports it. Supports Debian, Ubuntu and derived
# systems. The other scripts call it. Arguments are further programs that are needed, each from the
# package of its name.
set -euo pipefail

fail() {
  printf 'setup: %s\n' "$1" >&2
  exit 1
}

command -v swift >/dev/null ||
  fail "Swift is missing. Get it with swiftly, see https://www.swift.org/install/linux/, and run this again."

# The headers of libzstd, and the programs that the tests and the readers of .gz, .bz2, .xz use.
# SwiftPM needs no pkg-config to find the library.
packages=()
[[ -e /usr/include/zstd.h || -e /usr/local/include/zstd.h ]] || packages+=(libzstd-dev)
command -v zstd >/dev/null || packages+=(zstd)
command -v gzip >/dev/null || packages+=(gzip)
command -v bzip2 >/dev/null || packages+=(bzip2)
command -v xz >/dev/null || packages+=(xz-utils)
# The tests run the commands of docs/guides/migration.md.
command -v jq >/dev/null || packages+=(jq)
for program in "$@"; do
  command -v "$program" >/dev/null || packages+=("$program")
done
((${#packages[@]})) || exit 0

command -v apt-get >/dev/null ||
  fail "missing: ${packages[*]} (Debian's names). There is no apt-get here to install them with; use this system's own package manager."
as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null ||
    fail "missing: ${packages[*]}. Install them as root: apt-get install ${packages[*]}"
  as_root=(sudo)
fi

printf 'setup: installing %s\n' "${packages[*]}" >&2
"${as_root[@]}" apt-get update -qq >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -qq -y --no-install-recommends "${packages[@]}" >&2
