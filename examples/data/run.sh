#!/usr/bin/env bash
# Makes, masks and checks test data in a folder that is removed at the end.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

say "people, and orders that name them"
"$nmax" data generate person -n 20000 --unique email -o people.csv
{
    echo "order,email,total"
    tail -n +2 people.csv | cut -d, -f6 | awk 'NR % 7 == 0 { printf "%d,%s,%d.50\n", NR, $0, NR % 90 + 5 }'
} >orders.csv

say "both masked under one key"
"$nmax" data mask people.csv --new-key mask.key -o people-masked.csv
"$nmax" data mask orders.csv --key-file mask.key -o orders-masked.csv
tail -n +2 people-masked.csv | cut -d, -f6 | sort >people.txt
tail -n +2 orders-masked.csv | cut -d, -f2 | sort >ordered.txt
joined=$(comm -12 ordered.txt people.txt | wc -l)
orders=$(wc -l < ordered.txt)
echo "$joined of $orders masked orders join a masked person"
[[ $joined -eq $orders ]] || fail "masked orders do not join masked people"

say "skew before and after"
"$nmax" data check people.csv --column last_name --unique email
"$nmax" data check people-masked.csv --column last_name --unique email

say "family names over eight shards"
"$nmax" data check people.csv --column last_name --shards 8
