#!/usr/bin/env bash
# Builds the program for other machines: the Swift libraries are in it, and it knows its commit.
# Arguments go to swift build. Prints where it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/setup.sh
commit="$(git rev-parse --short=12 HEAD)"
version=Sources/eventmill/Shell/Version.swift

# The constant is always restored. The separate folder leaves other builds unchanged.
saved="$(mktemp)"
cp -p "$version" "$saved"
trap 'cp -p "$saved" "$version"; rm -f "$saved"' EXIT
sed -i "s/commit = \"unknown\"/commit = \"$commit\"/" "$version"

build=(-c release --static-swift-stdlib --scratch-path .build/static "$@")
swift build "${build[@]}" --product eventmill >&2
printf '%s/eventmill\n' "$(swift build "${build[@]}" --show-bin-path)"
