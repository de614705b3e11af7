//! Law: parse(to_yaml(plan)) = plan, for nested steps, conditions, calls, pages, setup and teardown.

use std::sync::Arc;

use nmax_metrics::{Metric, MetricKind};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::to_yaml;
use super::{any_text, feeders, one_line, think};
use crate::document::tests::{options, read};
use crate::document::{Options, parse};
use crate::plan::*;
use crate::template::{self, Function, Part, Template};

/// Every scenario of the test sets them in its setup.
const SLOTS: [&str; 3] = ["a", "b-2", "ü_c"];

fn constant(text: String) -> Template {
    if text.is_empty() { Template::default() } else { Template::text(text) }
}

fn of_part(part: Part) -> Template {
    Template { parts: vec![part] }
}

/// What a hole may hold besides a call; `shared` when the run's setup can be read.
fn name(shared: bool) -> BoxedStrategy<Part> {
    let slots = if shared { 7..10_usize } else { 7..8 };
    prop_oneof![
        (0..SLOTS.len()).prop_map(Part::Slot),
        (0..2_usize, 0..2_usize).prop_map(|(feeder, column)| Part::Feeder { feeder, column }),
        Just(Part::Iteration),
        Just(Part::Vu),
        slots.prop_map(|slot| if slot == 7 { Part::Vu } else { Part::Shared(slot - 8) }),
    ]
    .boxed()
}

fn call(function: Function, arguments: Vec<Template>) -> Part {
    Part::Call(Box::new(template::Call { function, arguments }))
}

/// A hole: a name, or calls of calls with any text in quotes.
fn hole(shared: bool) -> BoxedStrategy<Part> {
    name(shared)
        .prop_recursive(4, 12, 3, |inner| {
            let argument = prop_oneof![
                inner.prop_map(of_part),
                any_text().prop_map(constant),
                "[a-z'\"\\\\,(){}$ ]{0,8}".prop_map(constant),
                "-?[0-9]{1,3}(\\.[0-9]{1,2})?".prop_map(constant),
            ];
            let one = select(vec![Function::Base64, Function::Url, Function::Html, Function::Base64Decode]);
            let two = select(vec![Function::Encrypt, Function::Decrypt]);
            prop_oneof![
                (one, argument.clone()).prop_map(|(function, text)| call(function, vec![text])),
                (two, argument.clone(), argument.clone())
                    .prop_map(|(function, key, text)| call(function, vec![key, text])),
                argument.clone().prop_map(|text| call(Function::Hash, vec![Template::text("sha384"), text])),
                (argument.clone(), argument)
                    .prop_map(|(key, text)| call(Function::JwtSign, vec![Template::text("HS512"), key, text])),
                (any::<i32>(), 0..9_i64).prop_map(|(low, more)| {
                    let ends = [i64::from(low), i64::from(low) + more].map(|end| Template::text(end.to_string()));
                    call(Function::Random, ends.into())
                }),
                Just(call(Function::Uuid, Vec::new())),
                Just(call(Function::Now, Vec::new())),
                Just(call(Function::Now, vec![Template::text("iso")])),
            ]
        })
        .boxed()
}

/// Texts are merged and not empty.
fn template(shared: bool) -> BoxedStrategy<Template> {
    (option::of(any_text()), vec((hole(shared), any_text()), 0..3))
        .prop_map(|(first, rest)| {
            let mut parts: Vec<Part> = first.into_iter().map(Part::Text).collect();
            parts.extend(rest.into_iter().flat_map(|(hole, text)| [hole, Part::Text(text)]));
            Template { parts }
        })
        .boxed()
}

fn condition(shared: bool) -> BoxedStrategy<Condition> {
    let side = || {
        prop_oneof![
            any_text().prop_map(constant),
            select(vec!["", "contains", "==", "a == b", "'", "x y"]).prop_map(|text| constant(text.into())),
            hole(shared).prop_map(of_part),
            (hole(shared), "[a-z0-9$]{1,5}( [a-z]{2})?")
                .prop_map(|(hole, text)| Template { parts: vec![hole, Part::Text(text)] }),
        ]
    };
    let comparison = select(vec![
        Comparison::Equal,
        Comparison::NotEqual,
        Comparison::Below,
        Comparison::AtMost,
        Comparison::Above,
        Comparison::AtLeast,
        Comparison::Contains,
    ]);
    let compare = (side(), comparison, side()).prop_map(|(left, comparison, right)| Condition::Compare {
        left,
        comparison,
        right,
    });
    compare
        .prop_recursive(3, 8, 3, |inner| {
            prop_oneof![
                vec(inner.clone(), 1..4).prop_map(Condition::All),
                vec(inner.clone(), 1..4).prop_map(Condition::Any),
                inner.prop_map(|inner| Condition::Not(Box::new(inner))),
            ]
        })
        .boxed()
}

fn page(shared: bool) -> BoxedStrategy<Option<Page>> {
    let url = template(shared).prop_map(|url| {
        let mut url = one_line(url);
        match url.parts.first_mut() {
            Some(Part::Text(text)) => text.insert(0, '/'),
            _ => url.parts.insert(0, Part::Text("/".into())),
        }
        url
    });
    let discover = prop_oneof![
        Just(Discover::Nothing),
        Just(Discover::SameOrigin),
        ("[a-z]{1,8}", "[a-z.-]{1,8}").prop_map(|(a, b)| Discover::Hosts(vec![a + "1", b + "2"])),
    ];
    option::of((vec(url, 0..3), discover).prop_map(|(listed, discover)| Page { listed, discover })).boxed()
}

fn request(shared: bool) -> BoxedStrategy<Step> {
    let value = (0..SLOTS.len(), any_text()).prop_map(|(slot, default)| Extract {
        slot,
        source: ReplyPart::Header("x-id".into()),
        pick: MatchPick::First,
        default: Some(default),
    });
    let tags = vec("[a-z]{1,5}( [a-z]{1,5})?", 0..3).prop_map(|tags| {
        let numbered = tags.into_iter().enumerate();
        numbered.map(|(index, tag)| format!("{tag}{index}")).collect()
    });
    // A name says what its kind and unit are, so that all steps agree.
    let measure = (0..4_usize, 0..3_usize).prop_map(|(kind, unit)| Measure {
        metric: Metric {
            kind: MetricKind::WORDS[kind].1,
            name: format!("m{kind}-{unit}"),
            unit: ["", "EUR", "\"'$"][unit].into(),
            tag: None,
        },
        source: ReplyPart::JsonPath("$.a".into()),
        pick: MatchPick::Nth(unit + 1),
    });
    (page(shared), tags, template(shared), option::of(value), option::of(measure))
        .prop_map(|(page, tags, body, value, measure)| {
            let (method, body) = (Method::Post, Body::Text(body));
            let what = CallKind::Http(Arc::new(HttpCall { method, body, page, ..HttpCall::get(Template::text("/")) }));
            let (name, extract) = (Template::text("thing"), value.into_iter().collect());
            let metrics = measure.into_iter().collect();
            Step::Call(Arc::new(Call { name, extract, metrics, tags, what, ..Call::get("/") }))
        })
        .boxed()
}

fn set(shared: bool) -> BoxedStrategy<Step> {
    let values = (template(shared), 0..SLOTS.len()).prop_map(|(value, slot)| vec![(slot, value)]);
    values.prop_map(Step::Set).boxed()
}

/// A step of any kind, and steps within it.
fn step(shared: bool) -> BoxedStrategy<Step> {
    let plain = prop_oneof![
        request(shared),
        think(),
        set(shared),
        Just(Step::End(None)),
        template(shared).prop_map(|reason| Step::End(Some(reason))),
    ];
    plain
        .prop_recursive(4, 16, 3, move |inner| {
            let some = vec(inner.clone(), 1..3);
            let any = vec(inner, 0..3);
            let times = prop_oneof![
                (0..=PASSES_MAX).prop_map(|times| Template::text(times.to_string())),
                hole(shared).prop_map(of_part),
            ];
            let until = prop_oneof![
                times.prop_map(LoopEnd::Times),
                (condition(shared), 1..=PASSES_MAX).prop_map(|(condition, max)| LoopEnd::While { condition, max }),
            ];
            let branch = (0.001..9.0_f64, any.clone()).prop_map(|(weight, steps)| Branch { weight, steps });
            prop_oneof![
                ("[a-z: #]{0,6}", some.clone())
                    .prop_map(|(name, steps)| Step::Transaction(Transaction { name: format!("{name}."), steps })),
                (condition(shared), some.clone(), any).prop_map(|(condition, then, otherwise)| Step::If(If {
                    condition,
                    then,
                    otherwise
                })),
                (until, option::of(0..SLOTS.len()), some).prop_map(|(until, counter, steps)| Step::Loop(Loop {
                    until,
                    counter,
                    steps
                })),
                vec(branch, 1..4).prop_map(Step::Choose),
            ]
        })
        .boxed()
}

/// Steps of which the first defines every slot.
fn steps(shared: bool) -> BoxedStrategy<Vec<Step>> {
    vec(step(shared), 0..4)
        .prop_map(|mut steps| {
            let all = (0..SLOTS.len()).map(|slot| (slot, Template::text("x")));
            steps.insert(0, Step::Set(all.collect()));
            number_transactions(&mut steps, &mut 0);
            steps
        })
        .boxed()
}

/// Gives every transaction a name of its own, so that none is within itself.
fn number_transactions(steps: &mut [Step], next: &mut usize) {
    for step in steps {
        let inner: Vec<&mut Vec<Step>> = match step {
            Step::Transaction(transaction) => {
                transaction.name = format!("{next}{}", transaction.name);
                *next += 1;
                vec![&mut transaction.steps]
            }
            Step::If(step) => vec![&mut step.then, &mut step.otherwise],
            Step::Loop(step) => vec![&mut step.steps],
            Step::Choose(branches) => branches.iter_mut().map(|branch| &mut branch.steps).collect(),
            _ => Vec::new(),
        };
        inner.into_iter().for_each(|steps| number_transactions(steps, next));
    }
}

/// A small plan with these steps in every place where steps can be.
fn with(setup: Vec<Step>, first: Vec<Step>, steps: Vec<Step>, last: Vec<Step>, teardown: Vec<Step>) -> Plan {
    let text = "nmax: 1\ntarget: http://a\nscenarios: { s: { steps: [{ get: / }] } }\nworkload: { closed: { vus: 1 } }";
    let mut plan = parse(text, &options()).unwrap();
    let slots: Vec<String> = SLOTS.map(str::to_owned).into();
    plan.feeders = feeders();
    let scenario = &mut plan.scenarios[0];
    scenario.setup = first;
    scenario.steps.extend(steps);
    scenario.teardown = last;
    scenario.slots.clone_from(&slots);
    scenario.slots_kept = slots.len();
    let once = |name: &str, steps, slots_kept| {
        let mut once = plan.scenarios[0].clone();
        (once.setup, once.teardown) = (Vec::new(), Vec::new());
        once.steps = steps;
        Scenario { name: name.into(), weight: 0.0, slots_kept, ..once }
    };
    let (setup, teardown) = (once("setup", setup, 0), once("teardown", teardown, slots.len()));
    (plan.setup, plan.teardown) = (Some(setup), Some(teardown));
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// Law: parse(to_yaml(plan)) = plan.
    #[test]
    fn steps_come_back(setup in steps(false), first in steps(true), own in steps(true), last in steps(true), after in steps(true)) {
        let plan = with(setup, first, own, last, after);
        let text = to_yaml(&plan);
        let options = Options { read: &read, exists: &|_| Ok(1), check_source: &|_| Ok(()), ..options() };
        match parse(&text, &options) {
            Ok(back) => {
                prop_assert_eq!(&back, &plan, "{}", text);
                prop_assert_eq!(to_yaml(&back), text, "the normal form is stable");
            }
            Err(errors) => prop_assert!(false, "{errors:#?}\n{text}"),
        }
    }
}
