//! Law: parse(to_yaml(plan)) = plan, for generated plans.

mod flow;
mod run;

use core::net::IpAddr;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::document::tests::{options, read};
use crate::document::{Options, add_default_thresholds, parse};
use crate::plan::*;
use crate::schedule::{Stage, StageKind};
use crate::template::Part;
use crate::threshold;

fn name() -> impl Strategy<Value = String> {
    "[a-zäß][a-z0-9 :#\"'-]{0,8}[a-z0-9]"
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{1,12}",
        "\\PC{1,8}",
        "[a \u{202e}\u{2066}\u{200e}\u{2028}\u{e0041}\u{feff}]{1,8}",
        "[a-z\n\t\\\\\"': #${}]{1,12}",
        Just("true".to_owned()),
        Just("1.0".to_owned()),
        Just("null".to_owned()),
        Just("- a".to_owned())
    ]
}

fn ms(range: std::ops::Range<u64>) -> impl Strategy<Value = Duration> {
    range.prop_map(Duration::from_millis)
}

/// A template over `slots` slots and two feeders; texts are merged.
fn template(slots: usize) -> impl Strategy<Value = Template> {
    let hole = (0..5_u8, 0..usize::MAX).prop_map(move |(kind, at)| match kind {
        0 if slots > 0 => Part::Slot(at % slots),
        1 => Part::Feeder { feeder: 0, column: at % 2 },
        2 => Part::Feeder { feeder: 1, column: at % 2 },
        3 => Part::Vu,
        _ => Part::Iteration,
    });
    (any_text(), vec((hole, any_text()), 0..3))
        .prop_map(|(first, rest)| {
            let mut parts = vec![Part::Text(first)];
            parts.extend(rest.into_iter().flat_map(|(hole, text)| [hole, Part::Text(text)]));
            Template { parts }
        })
        .boxed()
}

fn one_line(template: Template) -> Template {
    let clean = |part| {
        if let Part::Text(text) = part { Part::Text(text.replace(char::is_control, "_")) } else { part }
    };
    Template { parts: template.parts.into_iter().map(clean).collect() }
}

fn headers(slots: usize) -> impl Strategy<Value = Vec<(String, Template)>> {
    vec(template(slots), 0..3).prop_map(|values| {
        values.into_iter().enumerate().map(|(i, value)| (format!("X-{i}"), one_line(value))).collect()
    })
}

fn source() -> impl Strategy<Value = ReplyPart> {
    (whole_source(), vec("[a-z().*\\\\d$]{1,8}", 0..3)).prop_map(|(of, patterns)| {
        patterns.into_iter().fold(of, |of, pattern| ReplyPart::Part { of: Box::new(of), pattern })
    })
}

fn whole_source() -> impl Strategy<Value = ReplyPart> {
    prop_oneof![
        "[a-z().*\\\\d$]{1,8}".prop_map(ReplyPart::Regex),
        ("[a-z.#\\[\\]=]{1,8}", proptest::option::of("[a-z-]{1,5}"))
            .prop_map(|(selector, attribute)| ReplyPart::Css { selector, attribute }),
        "\\$\\.[a-z]{1,8}".prop_map(ReplyPart::JsonPath),
        "[a-z-]{1,8}".prop_map(ReplyPart::Header),
    ]
}

/// Files have a name for the server in a validated plan; it is that of the file unless the plan says another.
fn part(slots: usize) -> impl Strategy<Value = FormPart> {
    let content = prop_oneof![template(slots).prop_map(PartContent::Text), file().prop_map(PartContent::File)];
    let content_type = proptest::option::of("[a-z]{1,5}/[a-z.+-]{1,5}(; q=[a-z0-9]{1,3})?");
    let parts = (template(slots), content, content_type, proptest::option::of(template(slots)));
    parts.prop_map(|(name, content, content_type, told)| {
        let file_name = match (&content, told) {
            (PartContent::File(file), None) => {
                let last = file.rsplit(['/', '\\']).next().unwrap();
                Some(if last.is_empty() { Template::default() } else { Template::text(last) })
            }
            (_, told) => told,
        };
        FormPart { name, content, file_name, content_type }
    })
}

/// Any name, also one that looks like a hole or has no last part.
fn file() -> impl Strategy<Value = String> {
    prop_oneof![
        any_text(),
        any_text().prop_map(|text| format!("${{env.TOKEN}}$${text}")),
        any_text().prop_map(|text| format!("{text}/"))
    ]
}

fn body(slots: usize) -> impl Strategy<Value = Body> {
    let json = template(slots).prop_map(|template| {
        let mut parts = vec![Part::Text("{\"a\": \"".into())];
        for part in template.parts {
            match (parts.last_mut(), part) {
                (Some(Part::Text(last)), Part::Text(text)) => {
                    last.push_str(&text.replace(|c: char| !c.is_alphanumeric(), "_"))
                }
                (_, Part::Text(text)) => parts.push(Part::Text(text.replace(|c: char| !c.is_alphanumeric(), "_"))),
                (_, hole) => parts.push(hole),
            }
        }
        match parts.last_mut() {
            Some(Part::Text(text)) => text.push_str("\"}"),
            _ => parts.push(Part::Text("\"}".into())),
        }
        Body::Json(Template { parts })
    });
    prop_oneof![
        Just(Body::Empty),
        template(slots).prop_map(Body::Text),
        json,
        vec((template(slots), template(slots)), 1..4).prop_map(Body::Form),
        vec(part(slots), 1..4).prop_map(Body::Multipart),
        file().prop_map(Body::File),
    ]
    .boxed()
}

/// Checks carry the names that the decoder gives them, which one pass through the decoder shows; here only tests vary.
fn tests(slots: usize) -> impl Strategy<Value = Vec<Test>> {
    let contains = vec(template(slots).prop_map(Test::BodyContains), 0..2);
    let lacks = vec(template(slots).prop_map(Test::BodyLacks), 0..2);
    let header = proptest::option::of(("[a-z-]{1,5}", template(slots)))
        .prop_map(|header| header.map(|(name, text)| Test::HeaderContains(name, text)));
    let absent = proptest::option::of("[A-Z]{1,5}")
        .prop_map(|header| header.map(|name| Test::Value(ReplyPart::Header(name), Wanted::Absent)));
    let path = prop_oneof![Just("$.count"), Just("$['a b'][0]"), Just("$..x")];
    let json = (path, vec(wanted(slots), 0..3)).prop_map(|(path, all)| {
        let test = |wanted| Test::Value(ReplyPart::JsonPath(path.to_owned()), wanted);
        all.into_iter().map(test).collect::<Vec<_>>()
    });
    let max_time = proptest::option::of(ms(1..9_999)).prop_map(|limit| limit.map(Test::MaxTime));
    let finds = vec(source().prop_map(Test::Finds), 0..2);
    (contains, lacks, header, absent, json, max_time, finds).prop_map(
        |(contains, lacks, header, absent, json, max_time, finds)| {
            let texts = contains.into_iter().chain(lacks).chain(header).chain(absent);
            texts.chain(json).chain(max_time).chain(finds).collect()
        },
    )
}

fn wanted(slots: usize) -> impl Strategy<Value = Wanted> {
    let right = prop_oneof![
        any_text().prop_map(|text| constant(&text)),
        proptest::sample::select(vec!["", "exists", "absent", "==", "> 0", "'"]).prop_map(constant),
        Just(Template { parts: vec![Part::Iteration, Part::Text(" x".into())] }),
        Just(Template { parts: vec![if slots > 0 { Part::Slot(0) } else { Part::Vu }] }),
    ];
    let comparison = proptest::sample::select(Comparison::ALL.to_vec());
    prop_oneof![
        Just(Wanted::Present),
        Just(Wanted::Absent),
        (comparison, right).prop_map(|(comparison, right)| Wanted::Compared(comparison, right)),
    ]
}

/// A text as it is, also the empty one.
fn constant(text: &str) -> Template {
    if text.is_empty() { Template::default() } else { Template::text(text) }
}

fn extract(slot: usize) -> impl Strategy<Value = Extract> {
    let pick = prop_oneof![
        Just(MatchPick::First),
        Just(MatchPick::Last),
        Just(MatchPick::Random),
        (1..9_usize).prop_map(MatchPick::Nth)
    ];
    (source(), pick, proptest::option::of(any_text())).prop_map(move |(source, pick, default)| Extract {
        slot,
        source,
        pick,
        default,
    })
}

/// A request that may read `slots` slots and defines the next one.
fn request(slots: usize) -> BoxedStrategy<Step> {
    let url = template(slots).prop_map(|template| {
        let mut parts = one_line(template).parts;
        if let Some(Part::Text(text)) = parts.first_mut() {
            text.insert(0, '/');
        }
        Template { parts }
    });
    let method = proptest::sample::select(Method::ALL.to_vec());
    let status = vec((100..300_u16, 300..600_u16), 1..3);
    let query = vec((template(slots), template(slots)), 0..3);
    let parts =
        (url, template(slots), method, query, headers(slots), body(slots), status, tests(slots), extract(slots));
    let redirects_max = proptest::option::of(0..=REDIRECTS_MAX);
    let rest = (proptest::option::of(ms(1..9_999)), redirects_max, any::<bool>());
    (parts, rest)
        .prop_map(
            |((url, name, method, query, headers, body, status, tests, extract), (timeout, redirects_max, waits))| {
                let expect_continue = waits && body != Body::Empty;
                let checks = tests.into_iter().map(|test| Check { name: String::new(), test }).collect();
                let expect = Expect { status, checks };
                let page = None;
                let what = HttpCall { method, url, query, headers, body, redirects_max, expect_continue, page };
                let what = CallKind::Http(std::sync::Arc::new(what));
                let (extract, metrics, tags) = (vec![extract], Vec::new(), Vec::new());
                Step::Call(std::sync::Arc::new(Call { name, expect, extract, metrics, timeout, tags, what }))
            },
        )
        .boxed()
}

fn think() -> impl Strategy<Value = Step> {
    prop_oneof![
        ms(0..9_999).prop_map(ThinkTime::Fixed),
        (ms(0..100), ms(100..999)).prop_map(|(min, max)| ThinkTime::Uniform { min, max }),
        (ms(1..100), ms(100..999)).prop_map(|(median, p95)| ThinkTime::Lognormal { median, p95 }),
    ]
    .prop_map(Step::Think)
}

fn scenario(closed: bool) -> impl Strategy<Value = Scenario> {
    let pacing = if closed { proptest::option::of(ms(1..9_999)).boxed() } else { Just(None).boxed() };
    (name(), 0.0..100.0_f64, pacing, request(0), think(), request(1)).prop_map(
        |(name, weight, pacing, first, think, second)| Scenario {
            weight: weight + 1e-3,
            pacing,
            slots: vec!["item".into(), "c-s_rf".into()],
            ..Scenario::with_steps(name, vec![first, think, second])
        },
    )
}

/// Ramps and holds by the rules of the document, with or without warm-up.
fn stages(full: f64) -> impl Strategy<Value = Vec<Stage>> {
    (vec((any::<bool>(), 0.01..2.0_f64, 1..100_000_u64), 1..5), proptest::option::of(1..1_000_u64)).prop_map(
        move |(rows, warm_up)| {
            let mut stages: Vec<Stage> = Vec::new();
            for (hold, share, length_ms) in rows {
                let to = (full * share).min(1e6);
                let from = if hold { to } else { stages.last().map_or(0.0, |stage| stage.to) };
                let kind = match hold {
                    true => StageKind::Hold,
                    false if to < from => StageKind::RampDown,
                    false => StageKind::RampUp,
                };
                stages.push(Stage { from, to, length_ns: Some(length_ms * 1_000_000), kind });
            }
            if let (Some(at), Some(length_ms)) =
                (stages.iter().position(|stage| stage.kind == StageKind::Hold), warm_up)
            {
                let level = stages[at].from;
                stages.insert(
                    at,
                    Stage { from: level, to: level, length_ns: Some(length_ms * 1_000_000), kind: StageKind::WarmUp },
                );
            }
            stages
        },
    )
}

fn maybe_ms(range: std::ops::Range<u64>) -> impl Strategy<Value = Option<Duration>> {
    proptest::option::of(ms(range))
}

fn address() -> impl Strategy<Value = IpAddr> {
    any::<IpAddr>().prop_filter("of one host", |address| !address.is_unspecified() && !address.is_multicast())
}

fn phase_timeouts() -> impl Strategy<Value = PhaseTimeouts> {
    let limit = || maybe_ms(1..1_000);
    (limit(), limit(), limit(), limit(), limit(), limit())
        .prop_map(|(dns, connect, tls, send, wait, receive)| PhaseTimeouts { dns, connect, tls, send, wait, receive })
}

fn dns() -> impl Strategy<Value = Dns> {
    let server = (address(), any::<u16>()).prop_map(|(address, port)| (address, port.max(1)).into());
    (maybe_ms(0..99_999), any::<bool>(), vec(server, 0..3)).prop_map(|(ttl, per_vu, servers)| Dns {
        ttl,
        per_vu,
        family: Family::Any,
        servers,
    })
}

fn hosts() -> impl Strategy<Value = Vec<HostOverride>> {
    let addresses = || vec((address(), proptest::option::of(1..u16::MAX)), 1..3);
    vec(("[a-z0-9_-]{1,8}(\\.test)?", proptest::option::of(1..u16::MAX), addresses()), 0..3).prop_map(|hosts| {
        let of = |(index, (host, port, addresses))| HostOverride { host: format!("h{index}{host}"), port, addresses };
        hosts.into_iter().enumerate().map(of).collect()
    })
}

/// How requests travel, without headers.
fn travel() -> impl Strategy<Value = Defaults> {
    use proptest::sample::{select, subsequence};
    let visitor = prop_oneof![Just(Visitor::Returning), Just(Visitor::New), (1e-6..0.999_999).prop_map(Visitor::Mixed)];
    let cookies = select(vec![Cookies::PerIteration, Cookies::Kept, Cookies::Ignored]);
    let connection = select(vec![Connection::KeepAlive, Connection::PerIteration, Connection::PerRequest]);
    let compression = subsequence(Coding::ALL.to_vec(), 0..=4).prop_shuffle();
    let sources = vec(address(), 0..3).prop_map(|mut sources| {
        sources.sort();
        sources.dedup();
        sources
    });
    let proxy =
        proptest::option::of("http://(([a-z0-9]|%4[0-9a-f]){1,5}(:[!$&-.]{0,5})?@)?[a-z]{1,5}(:[1-9][0-9]{0,3})?");
    let who = (connection, visitor, cookies, 0..=REDIRECTS_MAX, compression);
    (who, phase_timeouts(), dns(), sources, proxy)
        .prop_map(
            |(
                (connection, visitor, cookies, redirects_max, compression),
                phase_timeouts,
                dns,
                source_addresses,
                proxy,
            )| {
                Defaults {
                    connection,
                    visitor,
                    cookies,
                    redirects_max,
                    compression,
                    phase_timeouts,
                    dns,
                    source_addresses,
                    proxy,
                    ..Defaults::default()
                }
            },
        )
        .boxed()
}

fn defaults() -> impl Strategy<Value = Defaults> {
    let certificate = proptest::option::of((file(), file()));
    let client_certificate = certificate
        .prop_map(|files| files.map(|(certificate_file, key_file)| ClientCertificate { certificate_file, key_file }));
    let trust = (vec(file(), 0..2), any::<bool>(), client_certificate);
    (travel(), ms(1_000..99_999), headers(0), any::<u64>(), trust)
        .prop_map(|(travel, timeout, headers, body_limit_bytes, (ca_files, insecure, client_certificate))| Defaults {
            timeout,
            headers,
            body_limit_bytes,
            ca_files,
            insecure,
            client_certificate,
            ..travel
        })
        .boxed()
}

fn feeders() -> Vec<Feeder> {
    let feeder = |name: &str, file: &str, columns: [&str; 2], cells: &[&str], pick, at_end| Feeder {
        name: name.into(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: Rows::File { file: file.into(), cells: cells.iter().collect() },
        pick,
        per: if matches!(pick, Pick::Zipf { .. }) { Per::Request } else { Per::Iteration },
        at_end,
    };
    vec![
        feeder(
            "terms",
            "terms.csv",
            ["q", "hits"],
            &["tea", "3", "a, b", "0"],
            Pick::Zipf { exponent: 1.1 },
            AtEnd::Wrap,
        ),
        feeder("people", "people.csv", ["email", "name"], &["a@b.test", "A"], Pick::Unique, AtEnd::Error),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    let workload = prop_oneof![
        (1e-3..1e4_f64, any::<bool>(), 1..1_000_000_u32).prop_map(|(rate_per_s, even, max_in_flight)| {
            Workload::Open {
                rate_per_s,
                arrivals: if even { Arrivals::Even } else { Arrivals::Poisson },
                max_in_flight,
            }
        }),
        (1..1_000_u32).prop_map(|vus| Workload::Closed { vus }),
    ];
    workload.prop_flat_map(|workload| {
        let (full, closed) = match workload {
            Workload::Open { rate_per_s, .. } => (rate_per_s, false),
            Workload::Closed { vus } => (f64::from(vus), true),
        };
        let end = prop_oneof![
            (stages(full), proptest::option::of(1..1_u64 << 53)),
            (1..1_u64 << 53).prop_map(move |limit| (
                vec![Stage { from: full, to: full, length_ns: None, kind: StageKind::Hold }],
                Some(limit)
            )),
        ];
        let scenarios = vec(scenario(closed), 1..3);
        (name(), (defaults(), hosts()), scenarios, Just(workload), end, (ms(0..99_999), any::<u64>(), ms(10..60_000)))
            .prop_map(
                |(
                    name,
                    (defaults, hosts),
                    mut scenarios,
                    workload,
                    (stages, iterations),
                    (graceful_stop, seed, window),
                )| {
                    for (index, scenario) in scenarios.iter_mut().enumerate() {
                        scenario.name = format!("{}{index}", scenario.name);
                    }
                    let scope = format!("errors < 5 for scenario {}", scenarios[0].name);
                    let mut thresholds =
                        vec![threshold::parse("dropped < 5").unwrap(), threshold::parse(&scope).unwrap()];
                    add_default_thresholds(&mut thresholds);
                    Plan {
                        name,
                        defaults,
                        hosts,
                        feeders: feeders(),
                        scenarios,
                        workload,
                        stages,
                        iterations,
                        graceful_stop,
                        seed,
                        thresholds,
                        window,
                        ..Plan::minimal("https://[::1]:8443")
                    }
                },
            )
    })
}

/// Gives every check the name that the decoder derives.
fn with_names_of(mut plan: Plan, named: &Plan) -> Plan {
    for (scenario, other) in plan.scenarios.iter_mut().zip(&named.scenarios) {
        for (step, other) in scenario.steps.iter_mut().zip(&other.steps) {
            if let (Step::Call(request), Step::Call(other)) = (step, other) {
                let checks = &mut std::sync::Arc::make_mut(request).expect.checks;
                for (check, other) in checks.iter_mut().zip(&other.expect.checks) {
                    check.name.clone_from(&other.name);
                }
            }
        }
    }
    plan
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    /// Law: parse(to_yaml(plan)) = plan.
    #[test]
    fn plans_come_back(plan in plan()) {
        let text = to_yaml(&plan);
        let anything = |_: &ReplyPart| Ok(());
        let options = Options { read: &read, exists: &|_| Ok(1), check_source: &anything, ..options() };
        match parse(&text, &options) {
            Ok(back) => {
                let want = with_names_of(plan, &back);
                prop_assert_eq!(&back, &want, "{}", text);
                prop_assert_eq!(to_yaml(&back), text, "the normal form is stable");
            }
            Err(errors) => prop_assert!(false, "{errors:#?}\n{text}"),
        }
    }
}

#[test]
fn comments_and_short_maps_read_back_as_the_same_values() {
    let form = Yaml::Map(vec![("email".to_owned(), Yaml::text("${people.email}"))]);
    let step = Yaml::Map(vec![
        ("post".to_owned(), Yaml::text("/signup").with_note("a note\nof two lines")),
        ("form".to_owned(), form.on_one_line()),
    ]);
    let text =
        Yaml::Map(vec![("steps".to_owned(), Yaml::List(vec![step.clone().with_note("log in"), step]))]).to_string();
    let expected = "steps:\n  # log in\n  - # a note\n    # of two lines\n    post: /signup\n    form: { email: \"${people.email}\" }\n  - # a note\n    # of two lines\n    post: /signup\n    form: { email: \"${people.email}\" }\n";
    assert_eq!(text, expected);
}
