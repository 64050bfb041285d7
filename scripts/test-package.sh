#!/usr/bin/env bash
# Performs the steps of the Containerfile without a container engine, each stage in a root of Debian of its own: the
# first one makes the packages, the second one is the image, which runs a night. Then installs the .deb on a fresh
# Debian as docs/guides/nightly.md says, runs nights by cron, installs it again, removes it, and unpacks the tarball.
#
#   scripts/test-package.sh [PACKAGES]     those of this directory; without one the first stage makes them, and
#                                          .build/packages has them afterwards
#
# Needs root and Debian's packages. The toolchain is that of this machine; the roots are in memory.
set -euo pipefail
[[ -z "${1:-}" ]] || set -- "$(realpath "$1")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  printf 'scripts/test-package.sh: %s\n' "$1" >&2
  exit 1
}

if [[ -z "${PACKAGE_TEST_ROOT:-}" ]]; then
  if ((EUID != 0)); then
    echo "scripts/test-package.sh: left out: this is not root"
    exit 0
  fi
  scripts/setup.sh mmdebstrap
  if ! unshare --mount --pid --fork mount -t tmpfs tmpfs /mnt; then
    echo "scripts/test-package.sh: left out: roots of Debian need namespaces and mounts, which are not permitted here"
    exit 0
  fi
  root="$(mktemp -d)"
  PACKAGE_TEST_ROOT="$root" unshare --mount --propagation private --pid --fork --kill-child scripts/test-package.sh "$@" &
  inside=$!
  # Every mount and process is in the namespaces, and ends with them.
  trap 'kill -KILL "$inside" 2>/dev/null || true; rmdir "$root"' EXIT
  wait "$inside"
  exit
fi

root="$PACKAGE_TEST_ROOT"
packages="${1:-}"
mount -t tmpfs -o size=75% tmpfs "$root"

# Reports the seconds since the last report.
reported=0
report() {
  printf '%4s s  %s\n' "$((SECONDS - reported))" "$1"
  reported=$SECONDS
}

# Runs a command, whose output only matters if it fails.
quietly() { "$@" >"$root/said" 2>&1 || { cat "$root/said" >&2; fail "this failed: $*"; }; }

# make_root NAME [PACKAGE…]: Debian in $root/NAME, with packages. What was downloaded is kept for the next time.
make_root() {
  local name="$1" tar
  shift
  tar=".build/debian-$(cksum <<<"$*" | cut -d ' ' -f 1).tar"
  if [[ ! -e "$tar" ]]; then
    mkdir -p .build
    # Lists of packages expire; this machine's clock may be ahead.
    quietly mmdebstrap --variant=minbase ${1:+--include="$*"} --aptopt='Acquire::Check-Valid-Until "false"' \
      --format=tar bookworm "$tar.part"
    mv "$tar.part" "$tar"
  fi
  mkdir "$root/$name"
  tar -C "$root/$name" -xf "$tar"
  cp /etc/resolv.conf "$root/$name/etc"
  mount -t proc proc "$root/$name/proc"
}

# in_root NAME COMMAND…: runs it there, in the environment that a container has.
in_root() {
  local name="$1"
  shift
  chroot "$root/$name" env -i HOME=/root DEBIAN_FRONTEND=noninteractive \
    PATH="$path/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "$@"
}
path=

# --- The Containerfile. A base image is Debian with these packages; that of Swift has those that its toolchain needs.
toolchain="$(swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/usr/lib/swift".*|\1|p')"
if [[ -z "$toolchain" ]]; then
  echo "scripts/test-package.sh: left out: the toolchain is in /usr, from where no other root can have it"
  exit 0
fi
needed=(binutils libc6-dev libstdc++-12-dev libcurl4 libncurses6 libsqlite3-0 libxml2)
stage='' directory=/ user=root entrypoint=()
while read -r instruction rest; do
  if [[ "$instruction" == FROM ]]; then
    [[ -z "$stage" ]] || report "Containerfile: $stage"
    stage="${rest##* }" directory=/ path=
    case "$rest" in
      */swift:*" AS build")
        stage=build
        if [[ -n "$packages" ]]; then
          mkdir -p "$root/build/source/.build"
          cp -r "$packages" "$root/build/source/.build/packages"
        else
          make_root build "${needed[@]}"
          mkdir -p "$root/build$toolchain"
          mount --rbind -o ro "$toolchain" "$root/build$toolchain"
          path="$toolchain/usr/bin:"
        fi ;;
      */debian:*) stage=image && make_root image ;;
      *) fail "there is no root for the image $rest" ;;
    esac
    continue
  fi
  [[ "$stage" != build || -z "$packages" ]] || continue
  case "$instruction" in
    RUN)
      # A directory of an earlier stage is bound for this command.
      bound=
      if [[ "$rest" == --mount=type=bind,* ]]; then
        IFS=, read -r _ from source bound <<<"${rest%% *}"
        bound="$root/$stage/${bound#target=}" rest="${rest#* }"
        mkdir "$bound"
        mount --bind -o ro "$root/${from#from=}/${source#source=}" "$bound"
      fi
      quietly in_root "$stage" sh -c "cd $directory && $rest" </dev/null
      [[ -z "$bound" ]] || { umount "$bound"; rmdir "$bound"; } ;;
    WORKDIR) directory="$rest" && mkdir -p "$root/$stage/$directory" ;;
    COPY)
      [[ "$rest" == ". ." ]] || fail "there is no rule for COPY $rest"
      tar -c --anchored --exclude-from=.dockerignore -- .[!.]* * |
        tar -C "$root/$stage/$directory" -x --no-same-owner ;;
    USER) user="$rest" ;;
    ENTRYPOINT) mapfile -t entrypoint < <(jq -r '.[]' <<<"$rest") ;;
    *) fail "there is no rule for $instruction" ;;
  esac
done < <(sed -e '/^ *#/d; /^ *$/d' -e ':line; /\\$/ { N; s/\\\n *//; b line }' Containerfile)
report "Containerfile: $stage"
if [[ -z "$packages" ]]; then
  mkdir -p .build/packages
  cp "$root"/build/source/.build/packages/* .build/packages
fi

# A container: the entrypoint, as its user.
container() { in_root image setpriv --reuid "$user" --regid "$user" --init-groups "${entrypoint[@]}" "$@"; }
if [[ -z "$packages" ]]; then
  commit="$(git -C "$root/build/source" rev-parse --short=12 HEAD)"
  container version | grep -q "^commit $commit$" || fail "it does not know its commit"
fi
in_root image eventmill generate -q --lines 300 --users 20 --seed 1 --nights 1 --start 2024-06-01 --out /made
mkdir -p "$root"/image/{logs,out}
mv "$root/image/made/night-1" "$root/image/logs/2024-06-01"
in_root image chown "$user" /out
container night -q --logs '/logs/%Y-%m-%d' --out '/out/%Y-%m-%d' --from-night 2024-06-01 --to-night 2024-06-01
container verify -q /out/current
report "the image: version and a night as $user"

# --- The packages, on a machine of their own.
make_root machine
cp -r "$root/build/source/.build/packages" "$root/machine/packages"
cat >"$root/machine/test.sh" <<'END'
set -euo pipefail
fail() {
  printf 'scripts/test-package.sh: %s\n' "$1" >&2
  cat /said /tmp/mail >&2 2>/dev/null || true
  exit 1
}
quietly() { "$@" >/said 2>&1 || fail "this failed: $*"; }
out=/srv/eventmill/out metrics=/srv/eventmill/metrics

quietly apt-get update
# With those that the package recommends; what it needs it brings itself.
quietly apt-get install -y --no-install-recommends cron man-db bzip2 xz-utils
# All files, except those of apt, dpkg and man, and of this test.
files() { find / -xdev -print | grep -Ev '^/(proc|var/cache|var/lib/(apt|dpkg)|packages|made|said)(/|$)' | sort; }
files >/packages/before

quietly apt-get install -y /packages/eventmill_*.deb
eventmill version | grep -Eq '^commit ([0-9a-f]{12}|unknown)$' || fail "there is no program"
man -w eventmill-night >/dev/null || fail "there is no page of the manual"
for file in bash-completion/completions/eventmill zsh/vendor-completions/_eventmill \
  fish/vendor_completions.d/eventmill.fish; do
  [[ -s "/usr/share/$file" ]] || fail "there is no $file"
done
bash -c 'source /usr/share/bash-completion/completions/eventmill && complete -p eventmill' >/dev/null

# --- Nights by cron. The line of the crontab, at the start of cron instead of at 02:30; its mail goes to a file.
first="$(date -u -d '2 days ago' +%F)" last="$(date -u -d yesterday +%F)"
eventmill generate -q --lines 300 --users 20 --seed 1 --nights 2 --start "$first" --out /made
cp -r /made/night-1 "/srv/eventmill/logs/$first"
cp -r /made/night-2 "/srv/eventmill/logs/$last"
sed 's/^30 2 \* \* \* /@reboot /' /usr/share/doc/eventmill/examples/cron.d/eventmill >/etc/cron.d/eventmill
grep -q '^@reboot  *eventmill  *umask' /etc/cron.d/eventmill || fail "there is no line in the crontab"
printf '#!/bin/sh\ncat >>/tmp/mail\n' >/usr/sbin/sendmail
chmod 755 /usr/sbin/sendmail
# Ends when the job and what cron does with its output have ended.
night_by_cron() {
  rm -f /run/crond.reboot /tmp/mail
  cron -f &
  local cron=$! deadline=$((SECONDS + 60))
  until [[ -e /run/crond.reboot && -z "$(cat "/proc/$cron/task/$cron/children")" ]]; do
    ((SECONDS < deadline)) || fail "the night does not end"
    sleep 0.1
  done
  kill "$cron"
  wait "$cron" || true
}

# Without a first night it does not begin: mail.
night_by_cron
grep -q '^To: ops@example.com' /tmp/mail && grep -q 'name the first day with --from-night' /tmp/mail ||
  fail "there is no mail about a night that failed"
grep -q '^eventmill_night_last_exit_code 2$' "$metrics/eventmill_night.prom" || fail "the metrics have no exit code 2"
# The first night as nightly.md says; then cron makes the one of yesterday.
(
  umask 027
  set -a
  . /etc/eventmill/night.conf
  quietly setpriv --reuid eventmill --regid eventmill --clear-groups \
    eventmill night --from-night "$first" --to-night "$first"
)
[[ "$(readlink "$out/current")" == "$first" ]] || fail "the first night is not published"
night_by_cron
[[ ! -e /tmp/mail ]] || fail "there is mail about a night that is well"
[[ "$(readlink "$out/current")" == "$last" ]] || fail "cron has not published $last"
eventmill verify -q "$out/current" || fail "the night of cron is not valid"
for line in eventmill_night_last_exit_code eventmill_night_missing; do
  grep -q "^$line 0$" "$metrics/eventmill_night.prom" || fail "$line is not 0"
done
foreign="$(find "$out" "$metrics" ! -type l \( ! -user eventmill -o ! -group eventmill -o -perm /007 \))"
[[ -z "$foreign" ]] || fail "these are not files of its user alone: $foreign"

# --- Installed again, it keeps a configuration that was changed; removed, it keeps what was published.
echo EVENTMILL_LEVEL=3 >>/etc/eventmill/night.conf
quietly apt-get install -y --reinstall /packages/eventmill_*.deb
grep -q LEVEL /etc/eventmill/night.conf || fail "the configuration was replaced"
quietly apt-get remove -y eventmill
hash -r
! command -v eventmill >/dev/null || fail "it is not removed"
[[ -e /etc/eventmill/night.conf ]] || fail "removing takes the configuration"
quietly apt-get purge -y eventmill
rm -f /etc/cron.d/eventmill /usr/sbin/sendmail /run/crond.*
# The user stays: useradd has kept a copy of the files before.
left="$(files | comm -13 /packages/before - | grep -v -e '^/srv/eventmill' -e '^/etc/[a-z]*-$' || true)"
[[ -z "$left" ]] || fail "purging leaves: $left"
[[ -e "$out/current/manifest.json" && -n "$(ls "/srv/eventmill/logs/$last")" ]] || fail "purging takes nights or logs"

# --- The tarball, where the package was.
tar -C /usr/local --strip-components=1 -xzf /packages/eventmill-*.tar.gz
eventmill verify -q "$out/current" || fail "the program of the tarball does not run"
man -w eventmill-run >/dev/null || fail "there is no manual in the tarball"
[[ -z "$(ldd "$(command -v eventmill)" | grep -E 'swift|zstd|Foundation')" ]] || fail "it needs libraries"
END
in_root machine bash /test.sh
report "a machine: installed, nights by cron, installed again, removed; the tarball"
