# shellcheck shell=bash
# Finds the program that the examples run, or builds it, and sets `nmax` to its path. Not to be run by itself.
#
# NMAX=/path/to/nmax says which program to use. Without it the program of this source tree is built, where cargo is
# installed; where it is not, the nmax of the PATH is used.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=../scripts/packages.sh
. "$repository/scripts/packages.sh"

# build_program: sets `nmax`. cargo itself says where it has put the program.
build_program() {
    need cc gcc libc6-dev
    install_missing || exit 77
    local target=${CARGO_TARGET_DIR:-$repository/target}
    [[ -x $target/release/nmax ]] || echo "Building nmax: some minutes the first time, from then on only what has changed." >&2
    local artifacts flags=()
    # A program that is there is whole, and stays so.
    [[ -x $target/release/nmax ]] || flags=(${first_build[@]+"${first_build[@]}"})
    artifacts=$(cargo build --release --package nmax ${flags[@]+"${flags[@]}"} --manifest-path "$repository/Cargo.toml" \
        --message-format json-render-diagnostics) || { echo "nmax could not be built, see above." >&2; exit 1; }
    nmax=$(sed -n 's/.*"executable":"\([^"]*\/nmax\)".*/\1/p' <<<"$artifacts" | tail -n 1)
    [[ -x $nmax ]] || { echo "cargo does not say where it put nmax." >&2; exit 1; }
}

if [[ -n ${NMAX:-} ]]; then
    nmax=$(command -v "$NMAX") || { echo "NMAX=$NMAX is not a program. Without NMAX, this script builds nmax." >&2; exit 1; }
    nmax=$(realpath "$nmax")
elif command -v cargo >/dev/null; then
    build_program
elif nmax=$(command -v nmax); then
    nmax=$(realpath "$nmax")
else
    echo "missing: cargo, to build nmax. Install Rust 1.90 or later (https://rustup.rs) and run this again, or name a" >&2
    echo "program that is already built: NMAX=/path/to/nmax $0" >&2
    exit 77
fi
