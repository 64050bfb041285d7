#!/usr/bin/env bash
# Installs the packages of .build/packages on a copy of this system without Swift, runs a night as its units do, and
# removes them again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -z "${PACKAGE_TEST_ROOT:-}" ]]; then
  if ((EUID != 0)) || ! unshare --mount true 2>/dev/null; then
    echo "scripts/test-package.sh: left out: this is not root, or there are no mount namespaces"
    exit 0
  fi
  root="$(mktemp -d)"
  trap 'rmdir "$root"' EXIT
  status=0
  PACKAGE_TEST_ROOT="$root" unshare --mount --propagation private "$0" || status=$?
  exit "$status"
fi

# All writes go to memory, and end with the namespace.
root="$PACKAGE_TEST_ROOT"
mount -t tmpfs tmpfs "$root"
mkdir "$root"/{upper,work,system}
if ! mount -t overlay overlay -o "lowerdir=/,upperdir=$root/upper,workdir=$root/work" "$root/system"; then
  echo "scripts/test-package.sh: left out: there are no overlays here"
  exit 0
fi
mkdir -p "$root/system/packages"
cp .build/packages/* "$root/system/packages"
for path in /proc /dev; do mount --rbind "$path" "$root/system$path"; done
mount -t tmpfs tmpfs "$root/system/tmp"
mount -t tmpfs tmpfs "$root/system/run"
# A machine without Swift. dpkg itself needs libzstd.
swift="$(readlink -f "$(command -v swift)")"
mount -t tmpfs tmpfs "$root/system${swift%/usr/bin/*}"

cat >"$root/system/tmp/test.sh" <<'END'
set -euo pipefail
fail() { printf 'test-package: %s\n' "$1" >&2; exit 1; }
cd /tmp
! swift --version >/dev/null 2>&1 || fail "there is Swift"

dpkg -i /packages/eventmill_*.deb >said 2>&1 || { cat said >&2; fail "it cannot be installed"; }
dpkg -s eventmill | grep -q '^Status: install ok installed' || fail "it is not installed"
[[ "$(stat -c %U:%a /srv/eventmill/out)" == eventmill:750 ]] || fail "the outputs are not its user's"
eventmill version | grep -Eq '^commit ([0-9a-f]{12}|unknown)$' || fail "there is no program"
man -w eventmill-night >/dev/null || fail "there is no page of the manual"
for file in bash-completion/completions/eventmill zsh/vendor-completions/_eventmill fish/vendor_completions.d/eventmill.fish; do
  [[ -s "/usr/share/$file" ]] || fail "there is no $file"
done
bash -c 'source /usr/share/bash-completion/completions/eventmill && complete -p eventmill' >/dev/null

# A night, by the command and the configuration of the unit.
eventmill generate -q --lines 300 --users 20 --seed 1 --nights 2 --start 2024-06-01 --out made
for n in 1 2; do cp -r "made/night-$n" "/srv/eventmill/logs/2024-06-0$n"; done
chmod -R a+rX /srv/eventmill/logs
unit=/usr/lib/systemd/system/eventmill-night.service
command="$(sed -n 's/^ExecStart=//p' "$unit")"
settings="$(sed -n 's/^EnvironmentFile=//p' "$unit")"
night() {
  env -i PATH=/usr/local/bin:/usr/bin:/bin setpriv --reuid eventmill --regid eventmill --clear-groups \
    sh -c "cd / && set -a && . $settings && exec $command $*"
}
night --first 2024-06-01 --date 2024-06-02 >said 2>&1 || { cat said >&2; fail "the night fails"; }
[[ "$(readlink /srv/eventmill/out/current)" == 2024-06-02 ]] || fail "nothing is published"
grep -q '^eventmill_night_missing 0$' /srv/eventmill/metrics/eventmill_night.prom || fail "there are no metrics"

# Installed once more, it keeps a configuration that was changed; removed, it keeps what was published.
echo EVENTMILL_LEVEL=3 >>/etc/eventmill/night.conf
dpkg -i /packages/eventmill_*.deb >said 2>&1 || { cat said >&2; fail "it cannot be installed again"; }
grep -q LEVEL /etc/eventmill/night.conf || fail "the configuration was replaced"
dpkg -r eventmill >/dev/null
[[ ! -e /usr/bin/eventmill ]] || fail "it is not removed"
hash -r
[[ -e /etc/eventmill/night.conf ]] || fail "removing takes the configuration"
dpkg -P eventmill >/dev/null
[[ ! -e /etc/eventmill && -e /srv/eventmill/out/2024-06-02/manifest.json ]] || fail "purging is wrong"

# The tarball, where the package was.
tar -C /usr/local --strip-components=1 -xzf /packages/eventmill-*.tar.gz
eventmill verify -q /srv/eventmill/out/current || fail "the program of the tarball does not run"
man -w eventmill-run >/dev/null || fail "there is no manual in the tarball"
[[ -z "$(ldd "$(command -v eventmill)" | grep -E 'swift|zstd|Foundation')" ]] || fail "it needs libraries"
END
chroot "$root/system" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash /tmp/test.sh
echo "scripts/test-package.sh: installed, run and removed, all well, in $SECONDS s"
