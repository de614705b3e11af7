//! Law: parse(to_yaml(plan)) = plan, for everything beside the scenarios.

use std::time::Duration;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::to_yaml;
use crate::document::keys::MAPPED_FIGURES;
use crate::document::tests::options;
use crate::document::{Options, parse};
use nmax_sources::kind::Key;
use nmax_sources::kinds::*;

use crate::plan::*;
use crate::schedule::{Stage, StageKind};
use crate::threshold;

fn length(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_nanos)
}

fn stage(level: f64, length: Duration) -> Stage {
    Stage { from: level, to: level, length_ns: Some(length.as_nanos() as u64), kind: StageKind::Hold }
}

/// A ramp up, then a hold: the shape of any profile may be written as stages.
fn shape(full: f64) -> impl Strategy<Value = Vec<Stage>> {
    (length(1..1 << 50), length(1..1 << 50), 0.1..2.0_f64).prop_map(move |(ramp, hold, share)| {
        let level = full * share;
        let ramp = Stage { from: 0.0, to: level, length_ns: Some(ramp.as_nanos() as u64), kind: StageKind::RampUp };
        vec![ramp, stage(level, hold)]
    })
}

fn workload() -> impl Strategy<Value = Workload> {
    prop_oneof![
        (1e-3..1e4_f64, 1..1_000_000_u32).prop_map(|(rate_per_s, max_in_flight)| Workload::Open {
            rate_per_s,
            arrivals: Arrivals::Poisson,
            max_in_flight
        }),
        (1..1_000_u32).prop_map(|vus| Workload::Closed { vus }),
    ]
}

fn background(end: Duration) -> impl Strategy<Value = Background> {
    (workload(), any::<bool>(), 0.0..0.9_f64, 0.01..1.0_f64).prop_map(move |(workload, late, start, part)| {
        let start = if late { end.mul_f64(start) + Duration::from_nanos(1) } else { Duration::ZERO };
        let rest = end.saturating_sub(start);
        let length = rest.mul_f64(part).clamp(Duration::from_nanos(1), rest.max(Duration::from_nanos(1)));
        let before = late.then(|| stage(0.0, start));
        let then = stage(crate::profile::full(&workload), length);
        Background { scenario: 1, workload, stages: before.into_iter().chain([then]).collect() }
    })
}

fn location() -> impl Strategy<Value = Location> {
    let rate = || option::of(prop_oneof![1e-3..1e12_f64, (1..1_000_000_u32).prop_map(|k| f64::from(k) * 1e3)]);
    (rate(), rate(), length(0..1 << 40), length(0..1 << 40), 0.1..1e6_f64).prop_map(
        |(down_bits_per_s, up_bits_per_s, round_trip, jitter, weight)| Location {
            name: String::new(),
            down_bits_per_s,
            up_bits_per_s,
            round_trip,
            jitter,
            weight,
        },
    )
}

fn process() -> impl Strategy<Value = ProcessRef> {
    prop_oneof![
        (1..u32::MAX).prop_map(ProcessRef::Pid),
        "[ -~]{1,12}".prop_map(ProcessRef::PidFile),
        "[a-z][a-z0-9:. $-]{0,8}[a-z]".prop_map(ProcessRef::Name),
    ]
}

fn observed() -> impl Strategy<Value = Observed> {
    let watched = process().prop_map(|process| Observed::Process { name: String::new(), process });
    let source = (source(), "[a-z]{1,9}", prop_oneof![Just(1_000), 100..60_000_u64]);
    let source = source.prop_map(|(source, host, every_ms)| {
        let every = Duration::from_millis(every_ms);
        Observed::Source(ObservedSource { host, name: String::new(), every, ..source })
    });
    prop_oneof![watched, source]
}

/// A source that says this besides, as far as it says something.
fn with(mut source: ObservedSource, values: Vec<(&'static Key, Option<Value>)>) -> ObservedSource {
    let given = values.into_iter().filter_map(|(key, value)| Some((key, value?)));
    source.values.extend(given);
    source
}

fn source() -> impl Strategy<Value = ObservedSource> {
    let token = option::of("[!-~]{1,20}([$][{]env[.]TOKEN[}])?".prop_map(Value::Text));
    let processes = vec("[a-z][a-z0-9:. $-]{0,8}[a-z]", 0..2);
    let processes = processes.prop_map(|all| Some(Value::List(all.clone())).filter(|_| !all.is_empty()));
    let agent = (any::<bool>(), 1..u16::MAX, token.clone(), processes);
    let user = option::of("[a-z]{1,5}(:[a-z0-9]{1,5})?");
    let rest = "(/[a-z0-9?=&$]{0,9})?";
    let figures = select(MAPPED_FIGURES.to_vec());
    let resources = vec((figures, "[a-z_][a-z0-9_:]{0,9}([{][a-z]=\"[a-z ]{0,3}\"[}])?"), 0..4);
    let text = || "[!-~]{1,9}".prop_map(Value::Text);
    let word = |word: &str| Just(Some(Value::Text(word.to_owned())));
    let kinds = prop_oneof![
        (Just(None), option::of(text())),
        (word(APPLICATION), Just(None)),
        (word(ACCESS), option::of(text())),
    ];
    prop_oneof![
        agent.prop_map(|(listens, port, token, processes)| {
            let mut agent = ObservedSource::at(&AGENT, &format!("http://db1:{port}"));
            if listens {
                agent.reach = ObservedAddress::Calls(format!("127.0.0.1:{port}"));
            }
            with(agent, vec![(&TOKEN, token), (&PROCESSES, processes)])
        }),
        (user.clone(), rest, token, resources).prop_map(|(user, rest, token, resources)| {
            let resources = (0..).zip(resources).map(|(number, ((kind, _, figure), of)): (u32, _)| MappedResource {
                name: format!("r {number}"),
                kind,
                figures: vec![(figure, of)],
            });
            let resources: Vec<_> = resources.collect();
            let resources = Some(resources).filter(|all| !all.is_empty()).map(Value::Resources);
            let page = ObservedSource::at(&PROMETHEUS, &url("https", user, rest));
            with(page, vec![(&TOKEN, token), (&RESOURCES, resources)])
        }),
        (user.clone(), rest, any::<bool>()).prop_map(|(user, rest, is_checked)| {
            let checked = "/d?sslmode=verify-ca&sslrootcert=/a%20b.pem".to_owned();
            ObservedSource::at(&POSTGRES, &url("postgres", user, if is_checked { checked } else { rest }))
        }),
        (user, rest).prop_map(|(user, rest)| ObservedSource::at(&NGINX, &url("http", user, rest))),
        (1..u16::MAX, select(vec![("redis", ""), ("rediss", ""), ("rediss", "?ca=/a%20b.pem")]))
            .prop_map(|(port, (scheme, query))| ObservedSource::at(&REDIS, &format!("{scheme}://:pw@h:{port}{query}"))),
        (1..u16::MAX).prop_map(|port| ObservedSource::at(&MEMCACHED, &format!("[::1]:{port}"))),
        ("[ -~]{0,12}[!-~]", option::of(text()), kinds).prop_map(|(file, format, (kind, layer))| {
            with(ObservedSource::at(&LOG, &file), vec![(&FORMAT, format), (&KIND, kind), (&LAYER, layer)])
        }),
    ]
}

fn url(scheme: &str, user: Option<String>, rest: String) -> String {
    let user = user.map_or_else(String::new, |user| format!("{user}@"));
    format!("{scheme}://{user}h{rest}")
}

/// Agents are called as their hosts.
fn named(observed: Observed, new: &str) -> Observed {
    match observed {
        Observed::Process { process, .. } => Observed::Process { name: new.to_owned(), process },
        Observed::Source(source) => {
            let is_agent = source.kind == &AGENT;
            let host = if is_agent { new.to_owned() } else { source.host };
            Observed::Source(ObservedSource { host, name: new.to_owned(), ..source })
        }
    }
}

fn action() -> impl Strategy<Value = Action> {
    let text = "[ -~]{0,12}([$][{]env[.]TOKEN[}])?[!-~]";
    prop_oneof![
        text.prop_map(Action::Command),
        (select(Method::ALL.to_vec()), "(http://b:81)?/[!-~]{0,9}", "[ -~\n]{0,12}")
            .prop_map(|(method, url, body)| Action::Http { method, url, body }),
        (select(vec!["STOP", "CONT", "USR1"]), process())
            .prop_map(|(signal, process)| Action::Signal { signal: signal.into(), process }),
    ]
}

fn intervention(end: Duration) -> impl Strategy<Value = Intervention> {
    let at = option::of(0.0..0.99_f64);
    let undo = option::of((option::of(length(1..1 << 40)), action()));
    (at, action(), length(1..1 << 40), undo).prop_map(move |(at, action, limit, undo)| {
        let (lasts, undo) = undo.map_or((None, None), |(lasts, undo)| (lasts, Some(undo)));
        Intervention {
            name: String::new(),
            at: at.map_or(Moment::Steady, |part| Moment::At(end.mul_f64(part))),
            action,
            limit,
            lasts,
            undo,
        }
    })
}

/// Of a plan with the scenarios `s` and `b`.
fn changed() -> impl Strategy<Value = Plan> {
    let base = "nmax: 1\nname: p\ntarget: http://a\nscenarios: { s: { steps: [{ get: /, tags: [t] }] }, b: { steps: [{ get: /b }] } \
                }\nworkload: { closed: { vus: 5 }, mix: { s: 1 } }";
    let base = parse(base, &options()).unwrap();
    let profile = option::of(select(Profile::ALL.to_vec()));
    (workload(), profile).prop_flat_map(move |(workload, profile)| {
        let base = base.clone();
        let (workload, written) = crate::profile::workload(profile, workload);
        shape(crate::profile::full(&workload)).prop_flat_map(move |stages| {
            let (base, workload, written) = (base.clone(), workload.clone(), written.clone());
            let end: u64 = stages.iter().filter_map(|stage| stage.length_ns).sum();
            let end = Duration::from_nanos(end);
            let parts = (
                option::of(background(end)),
                vec(location(), 0..3),
                vec(intervention(end), 0..3),
                vec(observed(), 0..4),
                option::of(1e-6..1.0_f64),
                prop_oneof![Just(1.0), 1.0..1e6_f64],
                option::of(length(0..1 << 40)),
                option::of((0.0..0.9_f64, option::of(0..20_u32), 0.0..0.1_f64)),
            );
            parts.prop_map(move |(background, locations, timeline, observe, availability, compress, abort, steered)| {
                let mut plan = Plan {
                    workload: workload.clone(),
                    written: written.clone(),
                    stages: stages.clone(),
                    profile,
                    compress,
                    background: background.into_iter().collect(),
                    locations,
                    timeline,
                    availability,
                    observe: (0..)
                        .zip(observe)
                        .map(|(number, observed)| named(observed, &format!("{number} ${{env.TOKEN}}")))
                        .collect(),
                    ..base.clone()
                };
                for (number, location) in plan.locations.iter_mut().enumerate() {
                    location.name = format!("l{number}");
                }
                for (number, item) in plan.timeline.iter_mut().enumerate() {
                    item.name = format!("{number}: $x");
                }
                let mut condition = threshold::parse("errors < 5 for tag t").unwrap();
                condition.abort = abort;
                plan.thresholds.insert(0, condition);
                let change = steered.map(|(part, to, ramp)| {
                    let at = Duration::from_nanos((end.as_nanos() as f64 * part) as u64);
                    Change { at, to: to.map(f64::from), ramp: end.saturating_sub(at).mul_f64(ramp) }
                });
                let steered = change.and_then(|change| plan.steer(change).ok());
                steered.unwrap_or(plan)
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn runs_come_back(plan in changed()) {
        let text = to_yaml(&plan);
        let options = Options { ..options() };
        match parse(&text, &options) {
            Ok(back) => {
                prop_assert_eq!(&back, &plan, "{}", text);
                prop_assert_eq!(to_yaml(&back), text, "the normal form is stable");
            }
            Err(errors) => prop_assert!(false, "{errors:#?}\n{text}"),
        }
    }
}
