//! Errors of these parts as a user reads them.

use super::super::{options, rendered};
use super::{OPEN, around};

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let found = rendered(text, &options());
    let want: String = want.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(found, want, "\n--- found\n{found}--- of\n{text}");
}

#[test]
fn wrong_profiles() {
    let cases: [(&str, &[&str]); 11] = [
        ("profile: peek", &["plan.yaml:5:10: `peek` is not a choice here", "  help: did you mean `peak`?"]),
        (
            "profile: {}",
            &[
                "plan.yaml:5:10: the profile has no name",
                "  help: write `profile: peak`, or `profile: { peak: { hold: 1h } }`",
            ],
        ),
        (
            "profile: { peak: { hold: 1h }, soak: {} }",
            &["plan.yaml:5:32: a run has one profile, `soak` is the second", "  help: keep one of them"],
        ),
        (
            "profile: { flood: { rmp: 1h, holt: 1m } }",
            &[
                "plan.yaml:5:21: `flood` has no key `rmp`",
                "  help: known keys are: to, hold, down, stages",
                "plan.yaml:5:30: `flood` has no key `holt`",
                "  help: did you mean `hold`?",
            ],
        ),
        (
            "profile: peak\nstages: [{ hold: 1m }]\nwarm_up: 1s",
            &[
                "plan.yaml:6:1: profile `peak` and `stages` both say how the run goes",
                "  help: keep one of them; `profile: { NAME: { ... } }` changes lengths and levels of a profile",
                "plan.yaml:7:1: profile `peak` and `warm_up` both say how the run goes",
                "  help: keep one of them; `profile: { NAME: { ... } }` changes lengths and levels of a profile",
            ],
        ),
        (
            "duration: 1m\nprofile: peak",
            &[
                "plan.yaml:6:1: profile `peak` and `duration` both say how the run goes",
                "  help: keep one of them; `profile: { NAME: { ... } }` changes lengths and levels of a profile",
            ],
        ),
        (
            "profile: { peak: { stages: [{ hold: 1m }], ramp: 1m } }",
            &[
                "plan.yaml:5:44: `stages` is the whole shape, so `ramp` has no place beside it",
                "  help: keep one of them",
            ],
        ),
        (
            "profile: { stress: { to: 0%, ramp: 0s } }",
            &["plan.yaml:5:36: the duration is zero", "  help: write a duration above zero, such as `30s`"],
        ),
        (
            "profile: { stress: { to: 0% } }",
            &[
                "plan.yaml:5:26: every stage is at level 0, so no iteration ever starts",
                "  help: let a stage reach a level above 0, such as `to: 100%`",
            ],
        ),
        (
            "profile: { ladder: { levels: [] } }",
            &["plan.yaml:5:30: there is no level", "  help: write levels such as `[1, 10, 100]`"],
        ),
        (
            "profile: { ladder: { levels: [5, 10%] } }",
            &[
                "plan.yaml:5:31: `5` has no `/s`, `/m` or `/h`",
                "  help: write a rate with its unit of time, such as `200/s`, `2k/s`, `120/m` or `1/h`",
            ],
        ),
    ];
    for (lines, want) in cases {
        check(&around(&format!("{OPEN}{lines}")), want);
    }
}

#[test]
fn wrong_backgrounds() {
    let cases: [(&str, &[&str]); 8] = [
        (
            "workload: { open: { rate: 5/s }, background: { batch: { closed: { vus: 1 } } } }",
            &["plan.yaml:4:48: the plan has no scenario `batch`", "  help: its scenarios are: s, b"],
        ),
        (
            "workload: { open: { rate: 5/s }, mix: { s: 1, b: 1 }, background: { b: { closed: { vus: 1 } } } }",
            &["plan.yaml:4:69: `b` is in the background and has a weight in the mix", "  help: keep one of them"],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { b: { start: 1s } } }",
            &[
                "plan.yaml:4:51: background scenario `b` is neither `open` nor `closed`",
                "  help: write `open: { rate: 50/s }` (a rate) or `closed: { vus: 10 }` (a number of users)",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { b: { closed: { vus: 1 }, start: 30s } } }",
            &[
                "plan.yaml:4:80: `b` begins after 30s, but the run ends after 30s",
                "  help: let it begin earlier; `--set workload.background=null` leaves the background out",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { b: { closed: { vus: 1 }, duration: 0s } } }",
            &["plan.yaml:4:83: the duration is zero", "  help: write a duration above zero, such as `30s`"],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { s: { closed: { vus: 1 } }, b: { open: { rate: 1/s } } } }",
            &[
                "plan.yaml:4:48: all scenarios run in the background, so the mix has none",
                "  help: leave one out of the background",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: { b: { closed: { vus: 0 }, stages: [] } } }",
            &[
                "plan.yaml:4:68: `0` is not a whole number from 1 to 1000000",
                "  help: write the digits only",
                "plan.yaml:4:73: `stages` in a background scenario is not supported yet by this version",
                "  help: write `start` and `duration`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, background: [b] }",
            &["plan.yaml:4:46: `background` is a map, this is a list", "  help: write `NAME: VALUE` lines"],
        ),
    ];
    for (lines, want) in cases {
        check(&around(lines), want);
    }
}

/// Pacing is of closed workloads: each scenario is held against its own.
#[test]
fn pacing_fits_the_workload_of_its_scenario() {
    let text = |paced: &str, mix: &str, behind: &str| {
        let steps = |name| if paced == name { "pacing: 1s, " } else { "" };
        let (s, b) = (steps("s"), steps("b"));
        format!(
            "nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ {s}steps: [{{ get: / }}] }}, b: {{ {b}steps: [{{ get: / }}] }} }}\n\
             workload: {{ {mix}, background: {{ b: {{ {behind} }} }} }}"
        )
    };
    let (open, closed) = ("open: { rate: 1/s }", "closed: { vus: 1 }");
    for (paced, mix, behind, fits) in
        [("s", closed, open, true), ("b", open, closed, true), ("s", open, closed, false), ("b", closed, open, false)]
    {
        let found = rendered(&text(paced, mix, behind), &options());
        assert_eq!(found.is_empty(), fits, "{paced}, {mix}, {behind}: {found}");
    }
}

#[test]
fn rows_are_not_read_twice() {
    let text = |data: &str, behind: &str| {
        format!(
            "nmax: 1\ntarget: http://a\ndata: {{ people: {{ csv: people.csv, {data} }} }}\nscenarios: {{ s: {{ steps: [{{ get: \
             '/${{people.name}}' }}] }}, b: {{ steps: [{{ post: /, form: {{ a: '{behind}' }} }}] }} }}\nworkload: {{ open: {{ \
             rate: 1/s }}, background: {{ b: {{ closed: {{ vus: 1 }} }} }} }}"
        )
    };
    check(
        &text("pick: unique", "${people.email}"),
        &[
            "plan.yaml:5:48: `b` and `s` both read `people`, whose rows are read once: each counts its iterations from 0, so \
             rows would repeat",
            "  help: give `b` data of its own",
        ],
    );
    assert!(rendered(&text("at_end: stop", "${people.email}"), &options()).contains("rows would repeat"));
    check(&text("pick: unique", "x"), &[]);
    check(&text("pick: random", "${people.email}"), &[]);
}

#[test]
fn wrong_locations() {
    let cases: [(&str, &[&str]); 5] = [
        (
            "locations: { adsl: { down: 256, up: 0kbit/s, lag: 1s } }",
            &[
                "plan.yaml:5:28: `256` has no `bit/s`",
                "  help: write a number and a unit, such as `256kbit/s`, `100Mbit/s` or `32kB/s`",
                "plan.yaml:5:37: `0kbit/s` lets nothing through",
                "  help: write a rate above zero, or leave the key out for a line without limit",
                "plan.yaml:5:46: a location has no key `lag`",
                "  help: known keys are: down, up, round_trip, jitter, weight",
            ],
        ),
        (
            "locations: { a/b: {} }",
            &["plan.yaml:5:14: `a/b` cannot be the name of a location", "  help: use 1 to 64 characters, without `/`"],
        ),
        (
            "locations: { a: { weight: 0 }, b: { weight: 0 } }",
            &[
                "plan.yaml:5:12: all locations have weight 0, so the users of `s` are nowhere",
                "  help: give one a weight above 0, or write `location: NAME` into `s`",
            ],
        ),
        (
            "availability: 101%",
            &["plan.yaml:5:15: an availability is above 0% and at most 100%", "  help: write it as `99.99%`"],
        ),
        (
            "compressed: 0.5",
            &[
                "plan.yaml:5:13: `0.5` is not how many times shorter lengths are",
                "  help: write a number from 1 up, such as `60`: an hour becomes a minute",
            ],
        ),
    ];
    for (lines, want) in cases {
        check(&around(&format!("{OPEN}{lines}")), want);
    }
    let many: String = (0..51).map(|number| format!("l{number}: {{}}, ")).collect();
    check(
        &around(&format!("{OPEN}locations: {{ {many} }}")),
        &["plan.yaml:5:12: more than 50 locations", "  help: join some of them"],
    );
}

#[test]
fn tags_and_locations_share_their_names() {
    let text = "nmax: 1\ntarget: http://a\nscenarios: { s: { steps: [{ get: /, tags: [static, adsl] }] } }\nworkload: { open: { \
                rate: 1/s } }\nlocations: { adsl: {} }";
    check(
        text,
        &[
            "plan.yaml:5:14: `adsl` is the name of a location and a tag of a request",
            "  help: choose another name for one of them: `for tag NAME` means either",
        ],
    );
}

#[test]
fn wrong_timelines() {
    let cases: [(&str, &[&str]); 12] = [
        ("{ command: x }", &["plan.yaml:5:12: this action has no time", "  help: add `at: 10m` or `when: steady`"]),
        (
            "{ at: 1s, when: steady, command: x }",
            &["plan.yaml:5:22: `at` and `when` both say when it is done", "  help: keep one of them"],
        ),
        (
            "{ at: 30s, command: x }",
            &[
                "plan.yaml:5:18: this is to be done after 30s, but the run ends after 30s",
                "  help: write an earlier time; `--set timeline=null` leaves the timeline out",
            ],
        ),
        (
            "{ at: 1s }",
            &[
                "plan.yaml:5:12: an item of `timeline` does nothing",
                "  help: add `command: ./backup.sh`, `http: { post: /path }` or `signal: { process: nginx, send: STOP }`",
            ],
        ),
        (
            "{ at: 1s, command: x, http: { get: / } }",
            &[
                "plan.yaml:5:34: an item of `timeline` does one thing, `http` is the second",
                "  help: write an item of its own for it",
            ],
        ),
        (
            "{ at: 1s, command: x, for: 1s }",
            &[
                "plan.yaml:5:34: `for` says when it is undone, but nothing undoes it",
                "  help: add `undo: { ... }`, or remove `for`",
            ],
        ),
        (
            "{ at: 1s, signal: { process: nginx, send: STOPP } }",
            &["plan.yaml:5:54: `STOPP` is not a choice here", "  help: did you mean `STOP`?"],
        ),
        (
            "{ at: 1s, signal: { process: 12, send: STOP } }",
            &[
                "plan.yaml:5:41: `12` is not the name of a process",
                "  help: write `{ pid: 12 }` for a number, or the name of the program",
            ],
        ),
        (
            "{ at: 1s, signal: { process: /bin/x, send: STOP }, undo: {} }",
            &[
                "plan.yaml:5:41: `/bin/x` is not the name of a process",
                "  help: write the name of the program without its folder, such as `nginx`",
                "plan.yaml:5:69: `undo` does nothing",
                "  help: add `command: ./backup.sh`, `http: { post: /path }` or `signal: { process: nginx, send: STOP }`",
            ],
        ),
        (
            "{ at: 1s, http: { get: flush, post: / } }",
            &["plan.yaml:5:42: a call has one method, `post` is the second", "  help: keep one of them"],
        ),
        (
            "{ at: 1s, http: { body: x } }",
            &["plan.yaml:5:28: the call has no method", "  help: write one, such as `post: /admin/flush`"],
        ),
        (
            "{ name: x, at: 1s, http: { get: flush } }, { name: x, at: 1s, http: { get: 'http://ann:pw@b/' } }, { name: '', \
             at: 1s, command: '' }",
            &[
                "plan.yaml:5:44: `flush` is neither a path nor a URL",
                "  help: begin it with `/`, `http://` or `https://`",
                "plan.yaml:5:63: two items of `timeline` are named `x`",
                "  help: give one of them another name",
                "plan.yaml:5:87: `http://REDACTED@b` has a user name before the host: send it as a header instead, such as \
                 `authorization: Basic ...`",
                "  help: write it as `http://host:port/path`",
                "plan.yaml:5:119: `` cannot be a name in the results",
                "  help: write a `name` of 1 to 64 characters",
                "plan.yaml:5:140: this is not a command line",
                "  help: write a command line such as `./backup.sh`",
            ],
        ),
    ];
    for (items, want) in cases {
        check(&around(&format!("{OPEN}timeline: [{items}]")), want);
    }
}

#[test]
fn wrong_observations() {
    let cases: [(&str, &[&str]); 12] = [
        (
            "[{ process: nginx }, { process: { pid: 1 }, name: nginx }]",
            &["plan.yaml:5:60: `nginx` is observed twice", "  help: give one of them another `name`"],
        ),
        (
            "[{ process: { pid: 0 } }, { process: { pid: 1, pid_file: x } }, { process: {} }]",
            &[
                "plan.yaml:5:29: `0` is not a whole number from 1 to 4294967295",
                "  help: write the digits only",
                "plan.yaml:5:57: a process has `pid` or `pid_file`, not both",
                "  help: keep one of them",
                "plan.yaml:5:85: the process is missing",
                "  help: write its name, `{ pid: 123 }` or `{ pid_file: /run/nginx.pid }`",
            ],
        ),
        (
            "[{ process: x, layer: a }, { log: a.log, kind: application, layer: b }]",
            &[
                "plan.yaml:5:25: `layer` says nothing about `process`",
                "  help: remove it; it belongs to `log`",
                "plan.yaml:5:70: `layer` says nothing about a log of an application",
                "  help: remove it; layers are of access logs",
            ],
        ),
        (
            "[{ host: local }, { proces: x }]",
            &[
                "plan.yaml:5:11: this entry of `observe` has no source",
                "  help: add `process: nginx`, `agent: http://db1:9797`, `postgres: ...`; see docs/reference/plan.md",
                "plan.yaml:5:30: an item of `observe` has no key `proces`",
                "  help: did you mean `process`?",
            ],
        ),
        (
            "[{ agent: 'http://a:s3cret@db1:9797', host: x, resources: {} }, { agent: 'https://db1', processes: [a/b] }]",
            &[
                "plan.yaml:5:20: agents know no users",
                "  help: write scheme, host and port, such as `http://db1:9797`; a secret is a `token`, TLS that of a tunnel",
                "plan.yaml:5:48: `host` says nothing about `agent`",
                "  help: remove it; an agent's `name` is that of its host",
                "plan.yaml:5:57: `resources` says nothing about `agent`",
                "  help: remove it; it belongs to `prometheus`",
                "plan.yaml:5:83: agents speak plain HTTP",
                "  help: write scheme, host and port, such as `http://db1:9797`; a secret is a `token`, TLS that of a tunnel",
                "plan.yaml:5:110: `a/b` is not the name of a process",
                "  help: write the name of the program without its folder, such as `postgres`",
            ],
        ),
        (
            "[{ agent: { listen: '0.0.0.0:9798' } }, { agent: { listen: 9798 }, token: a b }]",
            &[
                "plan.yaml:5:11: this resource has no name",
                "  help: add `name: ...`, what it is called in the results",
                "plan.yaml:5:30: anybody could send readings to this address",
                "  help: add `token: ${env.NMAX_AGENT_TOKEN}`, which the agent must know",
                "plan.yaml:5:69: `9798` is not an address and a port",
                "  help: write an address of this host, such as `0.0.0.0:9798`",
                "plan.yaml:5:84: this cannot be sent as a token",
                "  help: write 1 to 1024 letters, digits and signs, without spaces",
            ],
        ),
        (
            "[{ prometheus: 'ftp://u:s3cret@h/', every: 1h }, { postgres: h }, { redis: 'rediss://h?db=1' }, { memcached: ':1' }]",
            &[
                "plan.yaml:5:25: `ftp://REDACTED@h/` does not begin with `http://` or `https://`",
                "  help: write it as `http://127.0.0.1:9100/metrics`",
                "plan.yaml:5:53: nothing is read that often or that seldom",
                "  help: write a time from 100ms to 1m",
                "plan.yaml:5:71: `h` has no scheme such as `http://`",
                "  help: write it as `postgres://monitor@db1/shop`",
                "plan.yaml:5:85: `db` is not an option of this URL",
                "  help: leave it out; `ca=FILE` of a `rediss://` URL is the one option",
                "plan.yaml:5:119: `:1` is not a host and a port",
                "  help: write it as `127.0.0.1:11211`",
            ],
        ),
        (
            "[{ postgres: 'postgres://a:s3cret@h/shop?sslmode=verified' }, { redis: 'redis://:s3cret@h?ca=x' }, { redis: 'rediss://h/1' }]",
            &[
                "plan.yaml:5:23: `verified` is not an `sslmode`",
                "  help: write `disable`, `allow`, `prefer`, `require`, `verify-ca` or `verify-full`",
                "plan.yaml:5:81: `ca` says nothing about a connection without TLS",
                "  help: write `rediss://` for TLS, or leave it out",
                "plan.yaml:5:118: the figures are those of all databases",
                "  help: write `127.0.0.1:6379` or `redis://:PASSWORD@127.0.0.1:6379`",
            ],
        ),
        (
            "[{ prometheus: 'http://h/m', resources: { o: { kind: pool, calls: x }, p: { kind: lock }, q: { kind: gc, pause: '1' } } }]",
            &[
                "plan.yaml:5:69: a pool has no `calls`",
                "  help: its keys are: in_use, waiting, limit, timeouts",
                "plan.yaml:5:81: `p` has no metrics",
                "  help: add some of: waiting, holding",
                "plan.yaml:5:122: `1` is not the name of a metric",
                "  help: write a name, perhaps with labels: `'hikaricp_connections_active{pool=\"orders\"}'`",
            ],
        ),
        (
            "[{ redis: h, nginx: 'http://h/s' }, { agent: 'http://injector:1' }, { nginx: 'http://h/a' }, { nginx: 'http://h/b' }]",
            &[
                "plan.yaml:5:23: an item of `observe` is one thing, `nginx` is the second",
                "  help: write an item of its own for it",
                "plan.yaml:5:55: `injector` is this host, which is watched without an agent",
                "  help: give the agent the name of its host",
                "plan.yaml:5:112: `h` is observed twice",
                "  help: give one of them another `name`",
            ],
        ),
        (
            "[{ agent: { listen: '127.0.0.1:1' }, name: a }, { agent: { listen: '127.0.0.1:1' }, name: b }]",
            &["plan.yaml:5:100: two agents are to call at 127.0.0.1:1", "  help: give each a port of its own"],
        ),
        (
            "[{ process: '' }]",
            &[
                "plan.yaml:5:22: `` is not the name of a process",
                "  help: write the name of the program without its folder, such as `nginx`",
            ],
        ),
    ];
    for (items, want) in cases {
        check(&around(&format!("{OPEN}observe: {items}")), want);
    }
}

/// Line 3 has a page, a tagged request and a transaction; the conditions are line 6.
#[test]
fn wrong_conditions() {
    let text = |conditions: &str| {
        format!(
            "nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: [{{ get: /, name: home, resources: [/a.css] }}, {{ transaction: \
             pay, steps: [{{ get: /x, tags: [static] }}] }}] }} }}\nworkload: {{ open: {{ rate: 1/s }} }}\nlocations: {{ adsl: \
             {{}} }}\nthresholds: [{conditions}]"
        )
    };
    let valid = "page_time p95 < 1s, page_time p95 < 1s for request home, errors < 5 for request home image, errors < 5 for \
                 request GET /a.css, errors < 5 for tag static, transaction_time p95 < 1s for transaction pay, iterations > 5 \
                 for tag adsl, page_time p95 < 1s for tag adsl, transaction_time p95 < 1s";
    check(&text(valid), &[]);
    let cases: [(&str, &[&str]); 6] = [
        (
            "page_time p95 < 1s for request GET /x",
            &["plan.yaml:6:14: the plan has no page `GET /x`", "  help: its pages are: home"],
        ),
        (
            "errors < 5 for tag statik",
            &["plan.yaml:6:14: the plan has no tag or location `statik`", "  help: did you mean `static`?"],
        ),
        (
            "errors < 5 for tag zzzzzzzz",
            &[
                "plan.yaml:6:14: the plan has no tag or location `zzzzzzzz`",
                "  help: its tags and locations are: adsl, static",
            ],
        ),
        (
            "bytes < 5MB for tag adsl",
            &[
                "plan.yaml:6:14: `bytes` is not measured for locations",
                "  help: write one of `response_time`, `failure_rate`, `page_time`, `iteration_time`, `iterations`",
            ],
        ),
        (
            "iterations > 5 for tag static",
            &[
                "plan.yaml:6:14: `iterations` belongs to scenarios and locations, not to tags of requests",
                "  help: write `for scenario NAME`, or the name of a location",
            ],
        ),
        (
            "{ condition: fast, abort: x }, { abort: 1s }",
            &[
                "plan.yaml:6:27: `fast` compares nothing",
                "  help: write a condition such as `response_time p95 < 400ms`, `failure_rate < 1%` or `rate >= 99%`",
                "plan.yaml:6:40: `x` is not a duration",
                "  help: write a number and a unit, such as `250ms`, `1.5s`, `2m` or `1h30m`",
                "plan.yaml:6:45: a condition has no `condition`",
                "  help: add `condition: ...`. The condition on the result.",
            ],
        ),
    ];
    for (conditions, want) in cases {
        check(&text(conditions), want);
    }
    check(
        &around(&format!("{OPEN}thresholds: [page_time p95 < 1s, errors < 1 for tag x]")),
        &[
            "plan.yaml:5:14: the plan has no page",
            "  help: write `page: true` into the request of a page",
            "plan.yaml:5:34: the plan has no tag or location `x`",
            "  help: write `tags: [...]` into requests, or name a location",
        ],
    );
}
