//! Nested steps, functions, pages, setup and teardown: what becomes of them, and what is wrong with them.

use super::{options, rendered};
use crate::document::{Options, parse};
use crate::plan::*;
use crate::template::{Call, Function, Part, Template};

const OPEN: &str = "workload: { open: { rate: 5/s } }\n";

/// A plan with one scenario of these steps, the first of them in line 3, column 27.
fn with_steps(steps: &str) -> String {
    format!("nmax: 1\ntarget: http://a\nscenarios: {{ s: {{ steps: [{steps}] }} }}\n{OPEN}")
}

fn plan(text: &str) -> Plan {
    parse(text, &options()).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"))
}

fn steps(text: &str) -> (Vec<Step>, Vec<String>) {
    let mut plan = plan(&with_steps(text));
    let scenario = plan.scenarios.remove(0);
    (scenario.steps, scenario.slots)
}

#[track_caller]
fn check(text: &str, want: &[&str]) {
    let found = rendered(text, &options());
    let want: String = want.iter().map(|line| format!("{line}\n")).collect();
    assert_eq!(found, want, "\n--- found\n{found}--- of\n{text}");
}

fn text(text: &str) -> Template {
    Template::text(text)
}

fn slot(slot: usize) -> Template {
    Template { parts: vec![Part::Slot(slot)] }
}

fn compare(left: Template, comparison: Comparison, right: Template) -> Condition {
    Condition::Compare { left, comparison, right }
}

/// Every kind of step, worked by hand.
#[test]
fn steps_worked_by_hand() {
    let (found, slots) = steps(
        "{ set: { a: 1, b: '${a}x' } }, \
         { repeat: 3, as: i, steps: [{ think: 1s }] }, \
         { while: '${i} < 5', steps: [{ end: ok }] }, \
         { choose: [{ steps: [] }, { weight: 2, steps: [{ fail: 'no ${b}' }] }] }, \
         { transaction: t, steps: [{ get: / }] }",
    );
    assert_eq!(slots, ["a", "b", "i"]);
    let think = Step::Think(ThinkTime::Fixed(std::time::Duration::from_secs(1)));
    let b_x = Template { parts: vec![Part::Slot(0), Part::Text("x".into())] };
    let reason = Template { parts: vec![Part::Text("no ".into()), Part::Slot(1)] };
    let want = [
        Step::Set(vec![(0, text("1")), (1, b_x)]),
        Step::Loop(Loop { until: LoopEnd::Times(text("3")), counter: Some(2), steps: vec![think] }),
        Step::Loop(Loop {
            until: LoopEnd::While { condition: compare(slot(2), Comparison::Below, text("5")), max: PASSES_MAX },
            counter: None,
            steps: vec![Step::End(None)],
        }),
        Step::Choose(vec![
            Branch { weight: 1.0, steps: Vec::new() },
            Branch { weight: 2.0, steps: vec![Step::End(Some(reason))] },
        ]),
    ];
    assert_eq!(found[..4], want);
    let Step::Transaction(transaction) = &found[4] else { panic!("a transaction") };
    assert_eq!((transaction.name.as_str(), transaction.steps.len()), ("t", 1));
}

#[test]
fn conditions_worked_by_hand() {
    use Comparison::*;
    let cases = [
        ("\"${x} == yes\"", compare(slot(0), Equal, text("yes"))),
        ("\"${x} != ''\"", compare(slot(0), NotEqual, Template::default())),
        ("\"  ${x}   <=  5 \"", compare(slot(0), AtMost, text("5"))),
        ("\"'a == b' contains ${x}\"", compare(text("a == b"), Contains, slot(0))),
        ("\"${x} >= 'it\\\\'s ${x}'\"", compare(slot(0), AtLeast, text("it's ${x}"))),
        ("\"a b > c<d\"", compare(text("a b"), Above, text("c<d"))),
        (
            "\"${base64('} == 1')} < $$\"",
            compare(
                Template {
                    parts: vec![Part::Call(Box::new(Call {
                        function: Function::Base64,
                        arguments: vec![text("} == 1")],
                    }))],
                },
                Below,
                text("$"),
            ),
        ),
        (
            "{ any: [a == b, { not: a == b }] }",
            Condition::Any(vec![
                compare(text("a"), Equal, text("b")),
                Condition::Not(Box::new(compare(text("a"), Equal, text("b")))),
            ]),
        ),
    ];
    for (condition, want) in cases {
        let (found, _) = steps(&format!("{{ set: {{ x: 1 }} }}, {{ if: {condition}, then: [{{ get: / }}] }}"));
        let Step::If(found) = &found[1] else { panic!("a condition") };
        assert_eq!(found.condition, want, "{condition}");
    }
}

/// A value that only some ways define can be read after them; before them it cannot.
#[test]
fn values_of_some_ways_are_known_after_them() {
    let (_, slots) = steps("{ if: 1 == 2, then: [{ set: { a: 1 } }] }, { get: '/${a}' }");
    assert_eq!(slots, ["a"]);
    check(
        &with_steps("{ repeat: 2, steps: [{ get: '/${a}' }, { set: { a: 1 } }] }"),
        &["plan.yaml:3:57: `${a}` is read before a step defines it", "  help: extract or `set` it in an earlier step"],
    );
}

#[test]
fn setup_and_teardown_share_values() {
    let text = format!(
        "nmax: 1\ntarget: http://a\n\
         defaults: {{ headers: {{ A: '${{setup.b}}', D: '${{setup.d}}' }} }}\n\
         setup: {{ steps: [{{ set: {{ a: 1 }} }}, {{ if: 1 == 1, else: [{{ repeat: 2, steps: [{{ set: {{ d: 1 }} }}], as: i }}], then: [{{ set: {{ b: '${{a}}' }} }}] }}] }}\n\
         teardown: {{ steps: [{{ set: {{ c: '${{b}}' }} }}, {{ get: '/${{setup.a}}/${{c}}' }}] }}\n\
         scenarios:\n  s:\n    \
           setup: [{{ set: {{ k: '${{setup.b}}' }} }}]\n    \
           steps: [{{ set: {{ v: '${{k}}' }} }}, {{ get: / }}]\n    \
           teardown: [{{ get: '/${{k}}' }}, {{ set: {{ v: 2 }} }}, {{ get: '/${{v}}' }}]\n{OPEN}"
    );
    let plan = plan(&text);
    let (setup, teardown) = (plan.setup.as_ref().unwrap(), plan.teardown.as_ref().unwrap());
    assert_eq!((setup.slots.join(" "), setup.slots_kept), ("a b i d".into(), 0));
    assert_eq!((teardown.slots.join(" "), teardown.slots_kept), ("a b i d c".into(), 4));
    let headers: Vec<_> = plan.defaults.headers.iter().flat_map(|(_, value)| &value.parts).collect();
    assert_eq!(headers, [&Part::Shared(1), &Part::Shared(3)], "the order in which steps are read");
    let scenario = &plan.scenarios[0];
    assert_eq!(scenario.slots, ["k", "v", "v"], "the teardown has a `v` of its own");
    assert_eq!(scenario.slots_kept, 1);
    assert_eq!(scenario.teardown[1], Step::Set(vec![(2, Template::text("2"))]));
}

#[test]
fn pages_and_tags() {
    let page = |keys: &str| {
        let (steps, _) = steps(&format!("{{ get: /, {keys} }}"));
        let Step::Call(request) = &steps[0] else { panic!("a request") };
        (request.http().unwrap().page.clone(), request.tags.join(" "))
    };
    let of = |listed: &[&str], discover| Some(Page { listed: listed.iter().map(|url| text(url)).collect(), discover });
    let hosts = Discover::Hosts(vec!["cdn.test".into(), "[::1]".into()]);
    let cases = [
        ("tags: [a, b c]", None, "a b c"),
        ("page: false", None, ""),
        ("page: true, tags: a", of(&[], Discover::Nothing), "a"),
        ("resources: discover", of(&[], Discover::SameOrigin), ""),
        ("resources: [/a.css, b.png]", of(&["/a.css", "b.png"], Discover::Nothing), ""),
        ("page: true, resources: { discover: none }", of(&[], Discover::Nothing), ""),
        ("resources: { list: [a], discover: same-origin }", of(&["a"], Discover::SameOrigin), ""),
        ("resources: { hosts: [CDN.test, '[::1]'] }", of(&[], hosts), ""),
    ];
    for (keys, want, tags) in cases {
        assert_eq!(page(keys), (want, tags.to_owned()), "{keys}");
    }
}

#[test]
fn generated_rows() {
    let text = format!(
        "nmax: 1\ntarget: http://a\ndata: {{ t: {{ generate: uuid }}, u: {{ generate: uuid, rows: 7, pick: unique }} }}\n\
         scenarios: {{ s: {{ steps: [{{ get: '/${{t.uuid}}' }}] }} }}\n{OPEN}"
    );
    let plan = plan(&text);
    let found: Vec<_> = plan.feeders.iter().map(|feeder| (feeder.row_count(), feeder.at_end)).collect();
    assert_eq!(found, [(1_000_000, AtEnd::Wrap), (7, AtEnd::Stop)]);
    assert_ne!(plan.feeders[0].cell(1, 0, 0), plan.feeders[0].cell(1, 1, 0));
}

#[test]
fn what_is_wrong_with_steps() {
    let cases: &[(&str, &[&str])] = &[
        (
            "{ get: /, think: 1s }",
            &[
                "plan.yaml:3:37: a step does one thing, but both `get` and `think`",
                "  help: begin a new step with `- `",
            ],
        ),
        (
            "{ think: 1s, name: x }",
            &[
                "plan.yaml:3:40: `name` does not belong to a step with `think`",
                "  help: remove it, or begin a new step with `- `",
            ],
        ),
        (
            "{ get: /, steps: [] }",
            &[
                "plan.yaml:3:37: `steps` does not belong to a step with `get`",
                "  help: remove it, or begin a new step with `- `",
            ],
        ),
        (
            "{ repeat: 2 }, { if: a == b, the: [] }, { transaction: t, steps: [] }",
            &[
                "plan.yaml:3:29: `repeat` has no `steps`",
                "  help: add `steps: [{ get: / }]`",
                "plan.yaml:3:56: a step has no key `the`",
                "  help: did you mean `then`?",
                "plan.yaml:3:92: `steps` of `transaction` has no step",
                "  help: add a step such as `- get: /`",
            ],
        ),
        (
            "{ set: { vu: 1, 'a b': 1 } }, { set: {} }",
            &[
                "plan.yaml:3:36: `vu` has a meaning of its own, so it cannot name a value",
                "  help: choose another name, such as `my-vu`",
                "plan.yaml:3:43: `a b` cannot be the name of a value",
                "  help: use up to 64 letters, digits, `_` and `-`",
                "plan.yaml:3:64: `set` sets nothing",
                "  help: write `set: { NAME: VALUE }`",
            ],
        ),
        (
            "{ transaction: t, steps: [{ transaction: t, steps: [{ get: / }] }] }, { transaction: '${vu}', steps: [{ get: / }] }",
            &[
                "plan.yaml:3:68: transaction `t` is within itself",
                "  help: give one of them another name",
                "plan.yaml:3:112: the name of a transaction has no holes",
                "  help: write the same name for all iterations",
            ],
        ),
        (
            "{ get: /, name: enter, redirects: 3 }, { transaction: enter, steps: [{ get: / }] }",
            &[
                "plan.yaml:3:81: request `enter` follows redirects, so it is a transaction of that name already",
                "  help: give one of them another name",
            ],
        ),
        (
            "{ repeat: many, steps: [{ get: / }] }, { while: a == b, max: 0, as: env, steps: [{ get: / }] }",
            &[
                "plan.yaml:3:37: `many` is not a whole number from 0 to 10000",
                "  help: write `repeat: 3`, or a value such as `repeat: ${count}`",
                "plan.yaml:3:88: `0` is not a whole number from 1 to 10000",
                "  help: write the digits only",
                "plan.yaml:3:95: `env` has a meaning of its own, so it cannot name a value",
                "  help: choose another name, such as `my-env`",
            ],
        ),
        (
            "{ choose: [] }, { choose: [{ weight: 0, steps: [] }] }, { end: now }",
            &[
                "plan.yaml:3:37: `choose` has no branch",
                "  help: write branches such as `- { weight: 70, steps: [{ get: / }] }`",
                "plan.yaml:3:53: all branches have weight 0, so none is ever taken",
                "  help: give one a weight above 0",
                "plan.yaml:3:90: an iteration ends `ok`, not `now`",
                "  help: write `end: ok`; or `fail: REASON` for an iteration that failed",
            ],
        ),
    ];
    for (steps, want) in cases {
        check(&with_steps(steps), want);
    }
}

#[test]
fn what_is_wrong_with_conditions() {
    let cases: &[(&str, &[&str])] = &[
        (
            "'${vu}==5'",
            &[
                "plan.yaml:3:33: `${vu}==5` compares nothing",
                "  help: write it as `${stock} > 0`, with spaces around the operator; operators are: == != < <= > >= contains",
            ],
        ),
        (
            "a == b == c",
            &[
                "plan.yaml:3:40: two comparisons in one text",
                "  help: write `{ all: [...] }` or `{ any: [...] }`; a text that looks like an operator needs quotes",
            ],
        ),
        (
            "'${x} == '",
            &[
                "plan.yaml:3:34: `${x}` is not defined",
                "  help: add `extract: { x: ... }` to an earlier step, or write `$${x}` for the text itself",
                "plan.yaml:3:42: one side of the comparison is empty",
                "  help: write `''` for the empty text",
            ],
        ),
        ("\"a == 'b\"", &["plan.yaml:3:39: a quote is never closed", "  help: close it, or remove it"]),
        (
            "\"a == 'b'c\"",
            &["plan.yaml:3:39: text follows a closing quote", "  help: put all of it in quotes, or nothing"],
        ),
        (
            "{ all: [a == b], any: [] }",
            &["plan.yaml:3:50: `all` and `any` exclude each other", "  help: put one into the other"],
        ),
        (
            "{ all: [] }",
            &["plan.yaml:3:40: `all` has no condition", "  help: write comparisons such as `${stock} > 0`"],
        ),
        (
            "{}",
            &[
                "plan.yaml:3:33: the condition has neither `all` nor `any` nor `not`",
                "  help: write one of them, or a comparison such as `${stock} > 0`",
            ],
        ),
    ];
    for (condition, want) in cases {
        check(&with_steps(&format!("{{ if: {condition}, then: [{{ get: / }}] }}")), want);
    }
}

#[test]
fn what_is_wrong_with_pages() {
    let cases: &[(&str, &[&str])] = &[
        (
            "page: true, name: 'item ${vu}'",
            &[
                "plan.yaml:3:55: the name of a page has no holes, for pages are told apart by it",
                "  help: write the same name for all iterations, such as `name: item`",
            ],
        ),
        (
            "page: false, resources: discover",
            &[
                "plan.yaml:3:50: only a page has resources, and `page: false` says that this is none",
                "  help: remove one of the two",
            ],
        ),
        (
            "resources: all",
            &[
                "plan.yaml:3:48: `all` says nothing about resources",
                "  help: write `discover`, a list such as `[/app.css]`, or a map with `list`, `discover` and `hosts`",
            ],
        ),
        (
            "resources: { discover: none, hosts: ['http://cdn.test', a, A] }",
            &[
                "plan.yaml:3:66: `hosts` says whose resources are found, and `discover: none` that none are",
                "  help: remove one of the two",
                "plan.yaml:3:74: `http://cdn.test` is not a host",
                "  help: write its name alone, such as `cdn.test`",
                "plan.yaml:3:96: host `a` is here twice",
                "  help: keep one of them",
            ],
        ),
        (
            "tags: [a, a, b/c]",
            &[
                "plan.yaml:3:47: tag `a` is here twice",
                "  help: keep one of them",
                "plan.yaml:3:50: `b/c` cannot be a tag",
                "  help: use 1 to 64 characters, without `/` and holes",
            ],
        ),
    ];
    for (keys, want) in cases {
        check(&with_steps(&format!("{{ get: /, {keys} }}")), want);
    }
}

#[test]
fn what_is_wrong_with_setup_and_teardown() {
    let text = format!(
        "nmax: 1\ntarget: http://a\n\
         setup: {{ steps: [{{ set: {{ a: '${{setup.a}}', setup: 1 }} }}] }}\n\
         teardown: {{ steps: [] }}\n\
         scenarios: {{ s: {{ setup: [{{ get: '/${{setup.user}}' }}], steps: [{{ set: {{ v: 1 }} }}, {{ get: / }}], teardown: [{{ get: '/${{v}}' }}] }} }}\n{OPEN}"
    );
    check(
        &text,
        &[
            "plan.yaml:3:31: `${setup.a}` is read in the setup itself",
            "  help: write `${a}` for a value of an earlier step of it",
            "plan.yaml:3:44: `setup` has a meaning of its own, so it cannot name a value",
            "  help: choose another name, such as `my-setup`",
            "plan.yaml:4:20: `teardown` has no step",
            "  help: add a step such as `- get: /`",
            "plan.yaml:5:36: the plan's setup defines no `user`",
            "  help: extract or `set` `user` in a step of the plan's `setup`",
            "plan.yaml:5:115: `${v}` is a value of an iteration, and the teardown comes after the last one",
            "  help: extract or `set` it in `setup`, or in the teardown itself",
        ],
    );
    check(
        &with_steps("{ get: / }").replace("steps:", "location: adsl, steps:"),
        &["plan.yaml:3:29: the plan has no location `adsl`", "  help: add `locations: { adsl: { ... } }` to the plan"],
    );
}

#[test]
fn what_is_wrong_with_generated_rows() {
    let text = |data: &str| {
        format!(
            "nmax: 1\ntarget: http://a\ndata: {{ t: {{ {data} }} }}\nscenarios: {{ s: {{ steps: [{{ get: / }}] }} }}\n{OPEN}"
        )
    };
    check(
        &text("csv: terms.csv, rows: 5, unique: a"),
        &[
            "plan.yaml:3:30: `rows` is for `generate`, the rows of this source are in a file",
            "  help: remove it",
            "plan.yaml:3:39: `unique` is for `generate`, the rows of this source are in a file",
            "  help: remove it",
        ],
    );
    check(
        &text("pick: random"),
        &[
            "plan.yaml:3:12: a data source has neither `csv` nor `generate`",
            "  help: add `csv: FILE`, or what is to be made up, such as `generate: person`",
        ],
    );
    for (data, place) in [
        ("generate: persn", "3:24"),
        ("generate: uuid, locale: xx_YY", "3:38"),
        ("generate: uuid, unique: none", "3:38"),
        ("generate: uuid, rows: 0", "3:36"),
    ] {
        let found = rendered(&text(data), &options());
        assert!(found.starts_with(&format!("plan.yaml:{place}: ")), "{data}: {found}");
        assert_eq!(found.lines().count(), 2, "{data}: {found}");
    }
}

/// The limits hold: sixteen levels are read, seventeen are not, and no step beyond the ten-thousandth.
#[test]
fn limits_of_steps() {
    let nested = |levels: usize| {
        let (open, close) = ("{ choose: [{ steps: [".repeat(levels), "] }] }".repeat(levels));
        with_steps(&format!("{open}{{ get: / }}{close}"))
    };
    check(&nested(16), &[]);
    let found = rendered(&nested(17), &options());
    assert!(found.contains("steps are nested deeper than 16 levels"), "{found}");
    let many = |steps: usize| {
        let list = "      - get: /\n".repeat(steps);
        format!("nmax: 1\ntarget: http://a\nscenarios:\n  s:\n    steps:\n{list}{OPEN}")
    };
    check(&many(10_000), &[]);
    check(&many(10_002), &["plan.yaml:10006:9: more than 10000 steps", "  help: split the scenario"]);
}

/// Law: the walk that changes templates meets those that the walk that looks at them meets, in the same order.
#[test]
fn both_walks_meet_every_template() {
    let mut plan = plan(include_str!("every_key.yaml"));
    for scenario in plan.all_scenarios_mut() {
        let (mut seen, mut met) = (Vec::new(), Vec::new());
        scenario.each_template(&mut |template| seen.push(template.clone()));
        scenario.change_templates(&mut |template| met.push(template.clone()));
        assert_eq!(seen, met, "{}", scenario.name);
        assert!(!met.is_empty());
    }
}

/// `--set` reaches nested steps.
#[test]
fn nested_steps_can_be_set() {
    let set = [("scenarios.s.steps.0.steps.0.get".to_owned(), "/y".to_owned())];
    let options = Options { set: &set, ..options() };
    let plan = parse(&with_steps("{ repeat: 2, steps: [{ get: /x }] }"), &options).unwrap();
    let urls: Vec<_> = plan.scenarios[0].calls().map(|request| request.http().unwrap().url.clone()).collect();
    assert_eq!(urls, [Template::text("/y")]);
}
