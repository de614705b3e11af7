#!/usr/bin/env bash
# Checks what `cargo test` needs beside the crates: cargo, a C compiler (ring compiles assembler and C), and the real
# servers that tests start for themselves: nginx, varnish, apache2 and its `ab`, PHP, PostgreSQL, Redis and memcached; and what uses the
# recorder: curl, and Chromium driven by Node.js; a reader of Parquet; and libfaketime for hosts whose clocks are off. Installs what is missing where it may, else says what to install. Installed servers are not started: tests run them on free ports and end them.
set -euo pipefail

if ! command -v cargo >/dev/null; then
  echo "missing: cargo. Install Rust 1.90 or newer, for example with rustup." >&2
  exit 1
fi

PATH="$PATH:/usr/sbin" # where servers live
missing=()
need() { # COMMAND PACKAGE...
  command -v "$1" >/dev/null || missing+=("${@:2}")
}
need cc gcc libc6-dev
need nginx nginx-light
need varnishd varnish
need apache2 apache2
need ab apache2-utils
need redis-server redis-server
need memcached memcached
need curl curl
need chromium chromium
need node nodejs
need npm npm
have() { # FILES PACKAGE: where the command has a version in its name or place
  compgen -G "$1" >/dev/null || missing+=("$2")
}
have '/usr/sbin/php-fpm*' php-fpm
have '/usr/lib/php/*/pgsql.so' php-pgsql
have '/usr/lib/postgresql/*/bin/initdb' postgresql
have '/usr/lib/*/faketime/libfaketime.so.1' libfaketime

# What drives the browser and what reads Parquet, as the package-lock.json of their folders pins them; nothing to do when
# they are there.
node_packages() {
  local name folder
  for name in browser parquet; do
    folder=$(cd "$(dirname "$0")/../tests/$name" && pwd)
    [ "$folder/node_modules/.package-lock.json" -nt "$folder/package-lock.json" ] && continue
    echo "installing what tests/$name needs (npm ci)" >&2
    if ! (cd "$folder" && npm ci --ignore-scripts --silent && touch node_modules/.package-lock.json); then
      echo "npm ci failed in tests/$name; tests that need it will fail and name it" >&2
      exit 1
    fi
  done
}
if [ ${#missing[@]} -eq 0 ]; then
  node_packages
  exit 0
fi

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "missing: ${missing[*]} (names of Debian packages)" >&2
  echo "Install them first, for example: sudo apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

# A package must not start its service: the test machine shall listen on nothing.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
echo "installing ${missing[*]}" >&2
log=$(mktemp)
if ! { apt-get update -qq &&
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "the servers could not be installed; tests that need them will fail and name them" >&2
  exit 1
fi
rm -f "$log"
node_packages
