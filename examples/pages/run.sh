#!/usr/bin/env bash
# Loads two pages of the small shop as browsers do: first with users who come back, then with new ones.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

start_target --shop --service fixed:10ms
for visitor in returning new; do
    say "$visitor visitors"
    run plan.yaml --set "defaults.visitor=$visitor" --exit-zero
    expect_code 0
done
look "New visitors make the shop answer more requests, and larger ones, for the same number of pages."
