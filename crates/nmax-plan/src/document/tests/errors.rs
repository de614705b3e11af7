//! Errors as a user reads them.

use proptest::prelude::*;

use super::{options, rendered};
use crate::document::{Options, parse};

/// A valid plan with these lines instead of its workload line.
fn around(lines: &str) -> String {
    format!("nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: [{{ get: /, name: home }}] }} }}\n{lines}")
}

const OPEN: &str = "workload: { open: { rate: 5/s } }\n";

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let found = rendered(text, &options());
    let want: String = want.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(found, want, "\n--- found\n{found}--- of\n{text}");
}

/// Line 4 and below vary.
/// Words of other tools, and ours in a wrong place, lead to what a plan says.
#[test]
fn words_of_other_tools_lead_to_ours() {
    let head = "nmax: 1\ntarget: http://a\nscenarios: { s: { steps: [{ get: / }] } }\n";
    let open = "workload: { open: { rate: 5/s } }\n";
    // what is written in place of a line, and what the remedy names
    let cases = [
        (0, "{ sleep: 1 }", "- think: 1s"),
        (0, "{ pause: 1 }", "- think: 1s"),
        (0, "{ get: /, check: { status: 200 } }", "expect: { status: 200"),
        (0, "{ get: /, thresholds: [] }", "beside `workload`"),
        (0, "{ get: /, expect: { duration: 1s } }", "max_time: 500ms"),
        (0, "{ url: / }", "write `get: /path`"),
        (0, "{ get: /, params: { a: b } }", "query: { NAME: VALUE }"),
        (0, "{ get: '/?u=${__VU}' }", "write `${vu}`"),
        (0, "{ get: '/${__ENV.TOKEN}' }", "write `${env.TOKEN}`"),
        (3, "thresholds: ['p95 < 500ms']", "`response_time p95 < 500ms`"),
        (1, "wait_time: 1s", "- think: { min: 1s, max: 3s }"),
        (1, "vus: 10", "closed: { vus: 10 }"),
        (1, "executor: ramping-vus", "workload: {"),
        (2, "{ vus: 10 }", "closed: { vus: 10 }"),
        (2, "{ constantUsersPerSec: 10 }", "open: { rate: 100/s }"),
        (2, "{ rps: 10 }", "open: { rate: 100/s }"),
        (2, "{ open: { rate: 5/s, duration: 10s } }", "duration: 30s"),
        (2, "{ open: { rate: 5/s }, stages: [] }", "beside `workload`"),
        (3, "stages: [{ duration: 10s, target: 5 }]", "hold: 5m"),
        (3, "stages: [{ duration: 10s, target: 5 }]", "to: 100%"),
        (3, "vus: 10", "closed: { vus: 10 }"),
        (3, "thresholds: ['http_req_duration p(95)<500']", "`response_time p95 < 500ms`"),
        (3, "thresholds: ['http_req_failed rate<0.01']", "`failure_rate < 1%`"),
    ];
    for (place, words, want) in cases {
        let text = match place {
            0 => head.replace("{ get: / }", words) + open,
            1 => head.replace("steps:", &format!("{words}, steps:")) + open,
            2 => format!("{head}workload: {words}\n"),
            _ => format!("{head}{open}{words}\n"),
        };
        let found = rendered(&text, &options());
        let remedies: Vec<&str> = found.lines().filter(|line| line.starts_with("  help: ")).collect();
        assert!(remedies.iter().any(|line| line.contains(want)), "{words}: {found}");
    }
}

#[test]
fn top_level() {
    let cases: [(&str, &[&str]); 17] = [
        (
            "workload: { closed: { vus: 5 } }\nthresholds: [rate >= 99%]",
            &[
                "plan.yaml:5:14: a closed workload has no intended rate, so no share of it",
                "  help: write a rate, such as `rate >= 50/s`",
            ],
        ),
        (
            "workload: { open: { rate: 0/s } }",
            &[
                "plan.yaml:4:27: the rate is 0/s, so no iteration ever starts",
                "  help: give a rate above 0, such as `50/s`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, closed: { vus: 5 } }",
            &[
                "plan.yaml:4:34: a workload is either `open` or `closed`",
                "  help: keep one of them; `--set workload.open=null` removes one on the command line",
            ],
        ),
        (
            "workload: { iterations: 5 }",
            &[
                "plan.yaml:4:11: the workload is neither `open` nor `closed`",
                "  help: write `open: { rate: 50/s }` (a rate) or `closed: { vus: 10 }` (a number of users)",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, mix: { S: 1, s: x } }",
            &[
                "plan.yaml:4:41: the plan has no scenario `S`",
                "  help: did you mean `s`?",
                "plan.yaml:4:50: `x` is not a number from 0 to 10^12",
                "  help: write a number such as `90` or `0.5`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s }, mix: { s: 0 } }",
            &["plan.yaml:4:34: all scenarios have weight 0, so none ever runs", "  help: give one a weight above 0"],
        ),
        (
            "workload: { open: { rate: 5/s } }\nscripts: [a.js]",
            &[
                "plan.yaml:5:1: `scripts` in the plan is not supported yet by this version",
                "  help: write the behaviour as `scenarios`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s } }\nsede: 5",
            &["plan.yaml:5:1: the plan has no key `sede`", "  help: did you mean `seed`?"],
        ),
        (
            "workload: { open: { rate: 5/s } }\nthresholds: [response_time p95 < 1s for request hom, errors < 1 for scenario zzzz]",
            &[
                "plan.yaml:5:14: the plan has no request `hom`",
                "  help: did you mean `home`?",
                "plan.yaml:5:54: the plan has no scenario `zzzz`",
                "  help: its scenarios are: s",
            ],
        ),
        (
            "workload: { open: { rate: 5/s } }\nthresholds: [transaction_time p95 < 1s, failure_rate < 1% for transaction home]",
            &[
                "plan.yaml:5:14: the plan has no transaction",
                "  help: write `transaction: NAME` around its steps; a request that follows redirects (`redirects: 10`) is one too",
                "plan.yaml:5:41: the plan has no transaction `home`",
                "  help: write `transaction: NAME` around its steps; a request that follows redirects (`redirects: 10`) is one too",
            ],
        ),
        (
            "workload: { open: { rate: 5/s } }\ndefaults: { redirects: 2 }\nthresholds: [failure_rate < 1% for transaction hom, errors < 1 for request home +3, errors < 1 for request home +2]",
            &[
                "plan.yaml:6:14: the plan has no transaction `hom`",
                "  help: did you mean `home`?",
                "plan.yaml:6:53: the plan has no request `home +3`",
                "  help: its requests are: home",
            ],
        ),
        (
            "workload: { open: { rate: 5/s } }\nduration: 5s\nstages: [{ hold: 1s }]",
            &["plan.yaml:5:1: `duration` and `stages` both say how long the run is", "  help: keep one of them"],
        ),
        (
            "workload: { closed: { vus: 5 } }\nstages: [{ ramp: 1s, to: 5/s }, { ramp: 1s }, { hold: 1s, ramp: 1s }, {}, { hold: 0s }]",
            &[
                "plan.yaml:5:26: `5/s` is a rate, but a closed workload has VUs",
                "  help: write a number of VUs or a share, such as `50` or `100%`",
                "plan.yaml:5:33: the ramp does not say where it leads",
                "  help: add `to: 100%`",
                "plan.yaml:5:49: a stage ramps or holds, not both",
                "  help: begin a new stage with `- `",
                "plan.yaml:5:71: the stage neither ramps nor holds",
                "  help: write `{ ramp: 30s, to: 100% }` or `{ hold: 2m }`",
                "plan.yaml:5:83: the duration is zero",
                "  help: write a duration above zero, such as `30s`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s } }\nstages: [{ ramp: 1s, to: 50 }]",
            &[
                "plan.yaml:5:26: `50` has no `/s`, `/m` or `/h`",
                "  help: write a rate with its unit of time, such as `200/s`, `2k/s`, `120/m` or `1/h`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s } }\nwarm_up: 5s\nstages: [{ ramp: 1s, to: 100% }]",
            &[
                "plan.yaml:5:1: a warm-up precedes the first hold, and the stages have none",
                "  help: add `{ hold: 1m }` to `stages`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s } }\nstages: [{ hold: 1s, to: 0 }]",
            &[
                "plan.yaml:5:9: every stage is at level 0, so no iteration ever starts",
                "  help: let a stage reach a level above 0, such as `to: 100%`",
            ],
        ),
        (
            "workload: { open: { rate: 5/s } }\nwindow: 5ms",
            &[
                "plan.yaml:5:9: a window is shorter than 10ms or longer than 60s",
                "  help: write a duration between them, such as `1s`",
            ],
        ),
    ];
    for (lines, want) in cases {
        check(&around(lines), want);
    }
}

#[test]
fn targets() {
    for (target, want) in [
        ("shop.test", "`shop.test` does not begin with `http://` or `https://`"),
        ("https://", "`https://` has no host"),
        ("https://a/b", "`https://a/b` has more than scheme, host and port"),
        ("https://a:x", "the port is not a number from 1 to 65535"),
        (
            "https://me:pw@a",
            "`https://REDACTED@a` has a user name before the host: send it as a header instead, such as \
             `authorization: Basic ...`",
        ),
        ("https://${env.HOST}", "the environment has no `HOST`"),
    ] {
        let text = format!("nmax: 1\ntarget: {target}\nscenarios: {{ s: {{ steps: [{{ get: / }}] }} }}\n{OPEN}");
        let found = rendered(&text, &options());
        assert!(found.contains(&format!(": {want}\n")), "{target}: {found}");
    }
}

/// The addresses of steps are held against the same rules as the target, before anything runs.
#[test]
fn urls_of_steps_have_valid_origins() {
    let found = |url: &str| {
        let steps = format!("steps: [{{ get: \"{url}\" }}]");
        let text = format!("nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ {steps} }} }}\n{OPEN}");
        rendered(&text, &options())
    };
    for (url, want) in [
        ("http://b:0/x", "the port is not a number from 1 to 65535"),
        ("http://b:99999", "the port is not a number from 1 to 65535"),
        ("https://b c/", "`https://b c` has no valid host"),
        ("http://[::g]/", "`http://[::g]` has no IPv6 address in its brackets"),
        ("http:///x", "`http://` has no host"),
        ("http://ann:hunter2@b/?x=${vu}", "`http://REDACTED@b` has a user name before the host"),
    ] {
        let found = found(url);
        assert!(found.contains(&format!("plan.yaml:3:34: {want}")), "{url}: {found}");
        assert!(!found.contains("hunter2"), "{found}");
    }
    for url in ["/login?next=http://a.b:0/c", "http://b?x=http://c:0/", "http://b:1#x@y"] {
        assert_eq!(found(url), "", "{url}");
    }
}

/// The third line is a scenario whose steps vary.
#[test]
fn steps() {
    let cases: [(&str, &[&str]); 14] = [
        ("[{ gett: / }]", &["plan.yaml:3:29: a step has no key `gett`", "  help: did you mean `get`?"]),
        (
            "[{ name: x }]",
            &[
                "plan.yaml:3:27: nothing says what the step does",
                "  help: write `get: /path`, `post: /path`, `think: 2s`, or one of: set, transaction, if, repeat, while, choose, end, fail",
            ],
        ),
        (
            "[{ get: /, post: / }]",
            &["plan.yaml:3:37: a step has one method, `post` is the second", "  help: begin a new step with `- `"],
        ),
        (
            "[{ get: search }]",
            &[
                "plan.yaml:3:34: `search` is neither a path nor a URL",
                "  help: begin it with `/`, `http://` or `https://`",
            ],
        ),
        (
            "[{ get: /, websocket: /live }]",
            &["plan.yaml:3:37: `websocket` in a step is not supported yet by this version", "  help: remove the step"],
        ),
        (
            "[{ get: '/i/${item}' }]",
            &[
                "plan.yaml:3:38: `${item}` is not defined",
                "  help: add `extract: { item: ... }` to an earlier step, or write `$${item}` for the text itself",
            ],
        ),
        (
            "[{ get: '/a${env.X}b' }]",
            &["plan.yaml:3:37: the environment has no `X`", "  help: add `-e X=VALUE` to the command"],
        ),
        (
            "[{ think: 5 }]",
            &[
                "plan.yaml:3:36: `5` has no unit of time",
                "  help: write a number and a unit, such as `250ms`, `1.5s`, `2m` or `1h30m`",
            ],
        ),
        (
            "[{ think: { min: 3s, max: 1s } }, { get: / }]",
            &["plan.yaml:3:52: `max` is below `min`", "  help: write a longer duration there"],
        ),
        (
            "[{ get: /, body: a, json: {} }]",
            &["plan.yaml:3:46: a request has one body, but both `body` and `json`", "  help: keep one of them"],
        ),
        (
            "[{ get: /, json: '{' }]",
            &[
                "plan.yaml:3:43: not JSON: EOF while parsing an object at line 1 column 1",
                "  help: correct it, or write the value as YAML",
            ],
        ),
        (
            "[{ get: /, expect: { status: 2x } }]",
            &["plan.yaml:3:55: `2x` is not a status", "  help: write `200`, `2xx`, `200-299`, or a list of them"],
        ),
        (
            "[{ get: /, extract: { a: { css: b, regex: c }, iteration: { css: a } } }]",
            &[
                "plan.yaml:3:61: `css` and `regex` exclude each other",
                "  help: write one of `regex`, `css`, `json`, `header`",
                "plan.yaml:3:73: `iteration` has a meaning of its own, so it cannot name a value",
                "  help: choose another name, such as `my-iteration`",
            ],
        ),
        (
            "[{ get: /, extract: { a: { regex: '!!' } }, headers: { content-length: 5 } }]",
            &[
                "plan.yaml:3:60: `regex !!` is not valid: unexpected `!!`",
                "  help: correct it; in YAML, single quotes keep backslashes as they are",
                "plan.yaml:3:81: header `content-length` is written by nmax itself",
                "  help: remove it; `defaults: { connection: ... }` says when connections close, the length follows from the body",
            ],
        ),
    ];
    for (steps, want) in cases {
        check(&format!("nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: {steps} }} }}\n{OPEN}"), want);
    }
}

#[test]
fn metrics() {
    let cases: [(&str, &[&str]); 6] = [
        (
            "{ a: { css: b, as: trends } }",
            &["plan.yaml:4:38: `trends` is not a choice here", "  help: did you mean `trend`?"],
        ),
        (
            "{ a: { css: b, as: mean, from: x } }",
            &[
                "plan.yaml:4:38: `mean` is not a choice here",
                "  help: write one of: counter, gauge, rate, trend",
                "plan.yaml:4:44: a metric has no key `from`",
                "  help: known keys are: regex, css, json, header, match, pick, as, unit",
            ],
        ),
        (
            "{ a: { as: rate }, \"b c\": { css: b } }",
            &[
                "plan.yaml:4:24: nothing says where the value comes from",
                "  help: write one of `regex`, `css`, `json`, `header`",
                "plan.yaml:4:38: `b c` cannot be the name of a metric",
                "  help: use up to 64 letters, digits, `_` and `-`",
                "plan.yaml:4:45: a metric has no `as`",
                "  help: add `as: ...`. What its numbers come to: counter (their sum), gauge (the last, least and most), rate (the share that is not 0) or trend (their distribution).",
            ],
        ),
        (
            "{ a: { css: b, as: gauge, unit: \"k m\", default: 0 } }",
            &[
                "plan.yaml:4:51: `k m` cannot be a unit",
                "  help: use 1 to 16 characters without spaces, such as `EUR`",
                "plan.yaml:4:58: `default` in a metric is not supported yet by this version",
                "  help: remove it; a reply without a number is counted as such",
            ],
        ),
        (
            "{ first: { css: b, as: gauge } }",
            &[
                "plan.yaml:4:21: `first` is `trend first EUR` in another step, and here `gauge first`",
                "  help: give both the same `as` and `unit`, or other names",
            ],
        ),
        ("[a]", &["plan.yaml:4:19: `metric` is a map, this is a list", "  help: write `NAME: VALUE` lines"]),
    ];
    for (metric, want) in cases {
        let first = "{ get: /a, metric: { first: { css: b, as: trend, unit: EUR } } }";
        let steps = format!("[{first},\n{{ get: /, metric: {metric} }}]");
        check(&format!("nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: {steps} }} }}\n{OPEN}"), want);
    }
}

#[test]
fn data() {
    let plan = |data: &str, hole: &str| {
        format!(
            "nmax: 1\ntarget: http://a\ndata: {{ {data} }}\nscenarios: {{ s: {{ steps: [{{ get: \"/{hole}\" }}] }} }}\n{OPEN}"
        )
    };
    check(
        &plan("t: { csv: none.csv }", "${t.q}"),
        &["plan.yaml:3:19: cannot read `none.csv`: no such file", "  help: write its path relative to the plan"],
    );
    check(
        &plan("t: { csv: ragged.csv }", "${t.a}"),
        &[
            "plan.yaml:3:19: ragged.csv:2: the row has 1 cells, the header has 2",
            "  help: correct the file; cells with delimiters or line breaks need double quotes",
            "plan.yaml:3:19: ragged.csv:4: the row has 3 cells, the header has 2",
            "  help: correct the file; cells with delimiters or line breaks need double quotes",
        ],
    );
    check(
        &plan("t: { csv: terms.csv }", "${t.hit}"),
        &["plan.yaml:4:36: data `t` has no column `hit`", "  help: did you mean `${t.hits}`?"],
    );
    check(
        &plan("t: { generate: person, csv: terms.csv, pick: unique, at_end: wrap, exponent: 2 }", ""),
        &[
            "plan.yaml:3:32: rows come from `generate` or from `csv`, not from both",
            "  help: keep one of them",
            "plan.yaml:3:70: `pick: unique` cannot wrap, rows would repeat",
            "  help: write `at_end: stop` or `at_end: error`",
            "plan.yaml:3:86: `exponent` is for `pick: zipf` only",
            "  help: remove it, or write `pick: zipf`",
        ],
    );
    check(
        &plan("t: { csv: terms.csv, per: request }", "${t.hits}"),
        &[
            "plan.yaml:3:35: `per: request` is for rows picked at random; rows in order belong to iterations",
            "  help: write `pick: random` or `pick: zipf`, or remove `per`",
        ],
    );
}

/// Sixteen errors of all kinds, in one reading.
#[test]
fn all_errors_at_once() {
    let text = "\
nmax: 2
target: shop.test
observe: [{ hist: local }]
defaults: { conection: close, timeout: 30, version: 3 }
data:
  terms: { csv: none.csv }
scenarios:
  browse:
    pacing: 1s
    steps:
      - get: /a${b}
      - get: /
        extract: { c: {} }
        timeout:
      - thinks: 5s
workload:
  open: { rate: fast, arrivals: poison }
  mix: { brows: 1 }
stages:
  - { ramp: 5s }
thresholds:
  - response_time < 5s
";
    let found = rendered(text, &options());
    let places: Vec<&str> = found
        .lines()
        .filter(|line| !line.starts_with("  help: "))
        .map(|line| line.split(": ").next().unwrap())
        .collect();
    let want = [
        "1:7", "2:9", "3:11", "3:13", "4:13", "4:40", "4:53", "6:17", "11:16", "13:23", "14:9", "15:9", "17:17",
        "17:33", "18:10", "20:5", "22:5",
    ];
    let want: Vec<String> = want.iter().map(|place| format!("plan.yaml:{place}")).collect();
    assert_eq!(places, want, "{found}");
    assert_eq!(found.lines().count(), 2 * places.len(), "each has its remedy:\n{found}");
}

#[test]
fn empty_and_foreign_documents() {
    for text in ["", "# nothing", "5", "[]", "{}", "a: b"] {
        assert!(!rendered(text, &options()).is_empty(), "{text:?}");
    }
    check(
        "- a",
        &[
            "plan.yaml:1:1: the plan is a map, this is a list",
            "  help: write keys such as: nmax, name, target, defaults, data, scenarios",
        ],
    );
}

#[test]
fn a_duration_of_zero_is_refused() {
    let with = Options { duration: Some(std::time::Duration::ZERO), ..options() };
    let found = rendered(&around(OPEN), &with);
    assert_eq!(found, "--duration: the duration is zero\n  help: write a duration above zero, such as `30s`\n");
}

/// One slip of the pen is one error: what depends on it is not complained about.
#[test]
fn a_misspelled_key_is_one_error() {
    let text = "\
nmax: 1
target: http://a
scenarois: { s: { steps: [{ get: /, name: home }] } }
workload: { open: { rate: 5/s }, mix: { s: 1 } }
thresholds: [response_time p95 < 1s for request home, errors < 1 for scenario s]
";
    check(text, &["plan.yaml:3:1: the plan has no key `scenarois`", "  help: did you mean `scenarios`?"]);
    let fine = text.replace("scenarois", "scenarios");
    check(&fine, &[]);
    check(
        &fine.replace("workload", "worklaod"),
        &["plan.yaml:4:1: the plan has no key `worklaod`", "  help: did you mean `workload`?"],
    );
    check(
        &fine.replace("steps", "stepps"),
        &["plan.yaml:3:19: a scenario has no key `stepps`", "  help: did you mean `steps`?"],
    );
    check(
        &fine.replace("target", "tragte"),
        &["plan.yaml:2:1: the plan has no key `tragte`", "  help: did you mean `target`?"],
    );
    check(
        &fine.replace("{ get", "{ gett"),
        &["plan.yaml:3:29: a step has no key `gett`", "  help: did you mean `get`?"],
    );
    let absent = fine.lines().filter(|line| !line.starts_with("scenarios"));
    check(
        &absent.collect::<Vec<_>>().join("\n"),
        &["plan.yaml:1:1: the plan has no `scenarios`", "  help: add `scenarios: ...`. Behaviours by name."],
    );
}

#[test]
fn a_plan_that_sends_nothing_is_refused() {
    let want = [
        "plan.yaml:3:1: no scenario that runs has a request, so nothing is ever sent",
        "  help: add a step such as `- get: /`",
    ];
    let idle = "{ steps: [{ think: 1s }] }";
    let with = |scenarios: &str| format!("nmax: 1\ntarget: http://a\nscenarios: {scenarios}\n{OPEN}");
    check(&with(&format!("{{ s: {idle} }}")), &want);
    let busy = "{ weight: 0, steps: [{ get: / }] }";
    check(&with(&format!("{{ s: {idle}, never: {busy} }}")), &want);
    let some = busy.replace("weight: 0, ", "");
    check(&with(&format!("{{ s: {idle}, t: {some} }}")), &[]);
}

/// Names of checks stay short enough for a table, whatever is expected.
#[test]
fn names_of_checks_are_cut() {
    let text = around(OPEN).replace("name: home", &format!("expect: {{ contains: {} }}", "é".repeat(300)));
    let plan = parse(&text, &options()).unwrap();
    let crate::plan::Step::Call(request) = &plan.scenarios[0].steps[0] else { panic!("a request") };
    assert_eq!(request.expect.checks[0].name, format!("contains {}...", "é".repeat(91)));
}

#[test]
fn arguments_are_named() {
    let text = around("workload: { open: { rate: 5/s } }\nstages: [{ hold: 5s }, { hold: 9s, to: 50% }]");
    let set = [
        ("workload.open.rate".to_owned(), "x".to_owned()),
        ("stages.7.hold".into(), "1s".into()),
        ("seed.x".into(), "[".into()),
        ("a..b".into(), "1".into()),
        ("target.x".into(), "1".into()),
        ("setup.steps.1.get".into(), "/x".into()),
        ("observe.0".into(), "null".into()),
    ];
    let with = Options { set: &set, target: Some("nowhere"), ..options() };
    let found = rendered(&text, &with);
    for line in [
        "--set workload.open.rate=x: `x` has no `/s`, `/m` or `/h`\n",
        "--set stages.7.hold=1s: `stages` has no item `7`\n  help: its 2 items are numbered from 0\n",
        "--set seed.x=[: not YAML",
        "--set a..b=1: `a..b` is not a path\n",
        "--set target.x=1: `target` is a single value, it has no `x`\n",
        "--set setup.steps.1.get=/x: `setup.steps` has no item `1`\n  help: it is empty; item 0 begins it\n",
        "--target: `nowhere` does not begin with",
    ] {
        assert!(found.contains(line), "{line} in\n{found}");
    }
}

/// Lists that the plan does not have are begun by their item 0.
#[test]
fn arguments_begin_lists() {
    let set = [
        ("setup.steps.0.get", "/begin"),
        ("scenarios.s.setup.0.get", "/log-in"),
        ("scenarios.s.steps.0.tags.0", "first"),
        ("thresholds.0", "response_time p95 < 1s"),
        ("observe.0.process", "postgres"),
        ("timeline.0", "{ name: flush, at: 1s, http: { post: /flush }, limit: 1s }"),
    ]
    .map(|(path, value)| (path.to_owned(), value.to_owned()));
    let plan = parse(&around(OPEN), &Options { set: &set, ..options() }).unwrap();
    assert_eq!(plan.setup.unwrap().steps.len(), 1);
    assert_eq!(plan.scenarios[0].setup.len(), 1);
    assert_eq!((plan.observe.len(), plan.timeline.len()), (1, 1));
    assert!(plan.thresholds.iter().any(|threshold| threshold.text == "response_time p95 < 1s"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    /// Law: any text is answered without a panic, and never with an empty list of errors.
    #[test]
    fn any_text_is_answered(text in "(?s:.{0,80})") {
        prop_assert!(parse(&text, &options()).is_err_and(|errors| !errors.is_empty()));
    }

    /// Law: a valid document with a stretch replaced by anything is answered without a panic.
    #[test]
    fn damaged_plans_are_answered(from in 0..2_500_usize, length in 0..40_usize, with in "[-a-z0-9:{}\\[\\],\"'$%/. \n]{0,20}") {
        let text: Vec<char> = include_str!("every_key.yaml").chars().collect();
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        let damaged: String = text[..from].iter().copied().chain(with.chars()).chain(text[to..].iter().copied()).collect();
        let _ = parse(&damaged, &options());
    }
}
