#!/usr/bin/env bash
# Makes the packages of a release in .build/packages: a tarball and a .deb, with the program (the libraries of Swift
# and libzstd are in it), the manual, completions, units of systemd, configuration and documents. The same commit
# makes the same packages.
#
#   scripts/package.sh [PROGRAM]      of that program; without one it is built
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program="${1:-}"
if [[ -z "$program" ]]; then
  # The linker takes the archive where it finds no shared library beside it.
  mkdir -p .build/static-zstd
  ln -sf "$(dpkg -L libzstd-dev | grep '/libzstd\.a$')" .build/static-zstd/libzstd.a
  program="$(scripts/build-release.sh -Xlinker "-L$PWD/.build/static-zstd")"
fi

version="$("$program" version | sed -n 's/^eventmill //p')"
machine="$(uname -m)"
architecture="$(dpkg --print-architecture)"
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
export SOURCE_DATE_EPOCH
packages=.build/packages
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
umask 022
mkdir -p "$packages"
# Profilers need the symbols that the packages lack.
cp "$program" "$packages/eventmill"

# install_in ROOT SHARE COMPLETIONS...: what both packages have, below ROOT.
install_in() {
  local root="$1" file
  local share="$root/share"
  install -D -m 755 "$program" "$root/bin/eventmill"
  install -m 755 contrib/eventmill-cluster "$root/bin"
  strip --strip-unneeded "$root/bin/eventmill"
  "$program" man -q --out "$share/man/man1"
  gzip -9n "$share/man/man1"/*.1
  mkdir -p "$share/bash-completion/completions" "$2" "$3"
  "$program" completions bash >"$share/bash-completion/completions/eventmill"
  "$program" completions zsh >"$2/_eventmill"
  "$program" completions fish >"$3/eventmill.fish"
  install -D -m 644 -t "$root/lib/systemd/system" contrib/systemd/*
  # The documents and the files that they link to. Links to sources, tests and sample data become plain text.
  install -D -m 644 -t "$share/doc/eventmill" README.md CHANGELOG.md CONTRIBUTING.md LICENSE
  git archive HEAD contrib docs | tar --no-same-permissions -xC "$share/doc/eventmill"
  find "$share/doc/eventmill" -name '*.md' -exec perl -0777 -pi -e \
    's{\[([^]]*)\]\((?:\.\./)*(?:Sources|Tests|sample-data)\b[^)]*\)}{$1}g' {} +
  for file in cron.d/eventmill prometheus/eventmill.rules.yml grafana/eventmill.json; do
    install -D -m 644 "contrib/$file" "$share/doc/eventmill/examples/$file"
  done
}

# --- The tarball: what is unpacked below /usr/local.
name="eventmill-$version-linux-$machine"
tree="$work/$name"
install_in "$tree" "$tree/share/zsh/site-functions" "$tree/share/fish/vendor_completions.d"
install -D -m 644 contrib/night.conf "$tree/share/doc/eventmill/examples/night.conf"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
  gzip -9n >"$packages/$name.tar.gz"

# --- The .deb.
root="$work/deb"
install_in "$root/usr" "$root/usr/share/zsh/vendor-completions" "$root/usr/share/fish/vendor_completions.d"
install -m 644 LICENSE "$root/usr/share/doc/eventmill/copyright"
install -D -m 644 contrib/night.conf "$root/etc/eventmill/night.conf"
mkdir "$root/DEBIAN"
echo /etc/eventmill/night.conf >"$root/DEBIAN/conffiles"
# The packages of the libraries that are not in the program, and the version of the C library that it needs.
needed="$(objdump -p "$root/usr/bin/eventmill" | sed -n 's/^ *NEEDED *//p' | while IFS= read -r library; do
  dpkg -S "*/$machine-linux-gnu/$library" | sed -n '1s/:.*//p'
done | sort -u | grep -v '^libc6$' | sed 's/$/, /' | tr -d '\n')"
libc="$(objdump -T "$root/usr/bin/eventmill" | grep -o 'GLIBC_2\.[0-9]*' | sort -t. -k2n -u | tail -n 1)"
cat >"$root/DEBIAN/control" <<END
Package: eventmill
Version: $version
Section: utils
Priority: optional
Architecture: $architecture
Installed-Size: $(du -sk --apparent-size "$root" | cut -f1)
Depends: ${needed}libc6 (>= ${libc#GLIBC_}), passwd
Recommends: gzip, bzip2, xz-utils
Maintainer: Eventmill <eventmill@localhost>
Description: streams app event logs into counts and profiles
 Reads compressed event logs every night, checks each line, merges what belongs
 to one person, and publishes a snapshot that appears complete or not at all.
END
cat >"$root/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if ! getent passwd eventmill >/dev/null; then
    useradd --system --user-group --home-dir /srv/eventmill --no-create-home --shell /usr/sbin/nologin eventmill
  fi
  install -d -m 755 /srv/eventmill /srv/eventmill/logs
  install -d -m 750 -o eventmill -g eventmill /srv/eventmill/out /srv/eventmill/metrics
  if [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
  if [ -z "$2" ]; then
    echo "eventmill: look through /etc/eventmill/night.conf, make the first night, then: systemctl enable --now eventmill-night.timer"
  fi
fi
END
cat >"$root/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now eventmill-night.timer || true
fi
END
cat >"$root/DEBIAN/postrm" <<'END'
#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
# What was published, and the user whom it belongs to, stay also when the package is purged.
if [ "$1" = purge ]; then rmdir /etc/eventmill 2>/dev/null || true; fi
END
chmod 755 "$root"/DEBIAN/{postinst,prerm,postrm}
find "$root" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
deb="eventmill_${version}_$architecture.deb"
dpkg-deb --root-owner-group -Zxz --build "$root" "$packages/$deb" >/dev/null

ls -l "$packages/$name.tar.gz" "$packages/$deb"
