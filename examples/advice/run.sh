#!/usr/bin/env bash
# What `nmax check` says of a small plan and of a critical one. Nothing is sent to their targets.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

check() { # PLAN FLAGS..
    "$nmax" check "$here/$1" "${@:2}" >result || fail "the check ended with exit code $?"
    sed -n '/^# What it will send/,$p' result
    text=$(tr -s '[:space:]#' ' ' <result)
}

say "small.yaml: three requests a second"
check small.yaml
expect_text "3.00 iterations per second" "enough: " "a look by eye: smoke" "hardly ever meet"

say "critical.yaml: sixty requests a second, 99.99 % available"
check critical.yaml --quick
expect_text "60.0 requests per second" "every profile: smoke, ladder, peak, stress, soak, flood" "of outage a year"

look "\"Whether this machine can\" is measured: two seconds against the target that nmax brings along, on this machine."
look "\"How much testing it deserves\" names its reasons. They are rules of thumb, and yours to overrule."
