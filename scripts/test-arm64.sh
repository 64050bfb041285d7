#!/usr/bin/env bash
# Compiles for arm64 and runs the result under qemu-user.
#
#   scripts/test-arm64.sh              the kernels of CSIMD, against their scalar twins
#   scripts/test-arm64.sh --program    also the program: two nights have to be those of this machine's build
#
# Swift for arm64 is only in Debian's unstable release: the program needs root, 1 GB of downloads and minutes. That is
# Swift 6.2 with assertions, which its optimizer violates, and so it is a debug build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v qemu-aarch64 >/dev/null || [[ ! -e /usr/aarch64-linux-gnu/lib/libc.a ]]; then
  scripts/setup.sh qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross
fi
mkdir -p .build
# The compiler of the toolchain, with which SwiftPM compiles C, and its options.
clang="$(readlink -f "$(command -v swift)")"
"${clang%/*}/clang" --target=aarch64-linux-gnu -O2 -static -fuse-ld=lld -Wall -Werror \
  -isystem /usr/aarch64-linux-gnu/include -L /usr/aarch64-linux-gnu/lib \
  -I Sources/CSIMD/include scripts/test-arm64.c Sources/CSIMD/Scans.c -o .build/test-arm64
qemu-aarch64 .build/test-arm64
[[ "${1:-}" == --program ]] || exit 0

# --- Debian's compiler in a root of its own; in that, at /arm64, what it links with.
scripts/setup.sh mmdebstrap
host=.build/arm64-host arm64=.build/arm64-host/arm64 resources=usr/libexec/swift/lib/swift
# fetch DIRECTORY OPTION…: Debian, with these packages. Lists of packages expire; this machine's clock may be ahead.
fetch() { mmdebstrap --quiet --aptopt='Acquire::Check-Valid-Until "false"' "${@:2}" sid "$1"; }
if [[ ! -e "$host/done" ]]; then
  rm -rf "$host"
  fetch "$host" --variant=apt --include=swiftlang,libc6-dev
  fetch "$arm64" --variant=extract --architectures=arm64 --include=swiftlang,libc6-dev,libzstd-dev \
    --dpkgopt='path-exclude=/usr/libexec/swift/bin/*'
  ln -s usr/lib "$arm64/lib"
  touch "$host/done"
fi
mkdir -p "$host"/{source,sdks/debian.artifactbundle}
cat >"$host/sdks/debian.artifactbundle/info.json" <<'END'
{"schemaVersion": "1.0",
 "artifacts": {"debian": {"type": "swiftSDK", "version": "1", "variants": [{"path": "."}]}}}
END
cat >"$host/sdks/debian.artifactbundle/swift-sdk.json" <<END
{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {
  "sdkRootPath": "/arm64", "swiftResourcesPath": "/arm64/$resources", "toolsetPaths": ["toolset.json"]}}}
END
echo '{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}}' \
  >"$host/sdks/debian.artifactbundle/toolset.json"
unshare --mount --pid --fork --kill-child bash -euc '
  mount --bind . "$1/source"
  mount -t proc proc "$1/proc"
  chroot "$1" env -i HOME=/root PATH=/usr/bin:/bin sh -c "cd /source && swift build --product eventmill \
    --swift-sdks-path /sdks --swift-sdk debian --scratch-path .build/arm64 -Xswiftc -gnone \
    -Xswiftc -Xfrontend -Xswiftc -sil-verify-none"' - "$host"

# --- Two nights by either program; each output is verified by the other one.
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
emulated() {
  qemu-aarch64 -L "$arm64" -E "LD_LIBRARY_PATH=/$resources/linux" \
    .build/arm64/aarch64-unknown-linux-gnu/debug/eventmill "$@"
}
swift build -c release --product eventmill
for program in emulated .build/release/eventmill; do
  out="$work/${program##*/}"
  for night in 1 2; do
    previous=()
    ((night == 1)) || previous=(--previous "$out-1")
    "$program" run -q "${previous[@]}" --out "$out-$night" "sample-data/night-$night"
  done
done
for night in 1 2; do
  # Reports and manifests have times.
  diff -r -x manifest.json -x 'report.*' "$work/emulated-$night" "$work/eventmill-$night"
  emulated verify -q "$work/eventmill-$night"
  .build/release/eventmill verify -q "$work/emulated-$night"
done
echo "program: the outputs of two nights are those of $(uname -m)"
