use std::borrow::Cow;

use nmax_plan::document::{self, Options as Reading};
use nmax_plan::plan::{Body as Sent, Call as Step, PartContent, Plan};
use nmax_plan::template::{Call, Escape, Values};
use nmax_text::percent;
use proptest::prelude::*;

use super::*;
use crate::convert::convert;
use crate::journey::build;
use crate::parts::{ValueLocation, request_parts};
use crate::recording::{Body, Entry, Kind, Mark, Request};
use crate::select::select;
use crate::tests::{ORIGIN, get, page, post, recording};

mod sent;

/// Reads a plan with the files beside it.
fn read(plan: &str, files: &[File]) -> Result<Plan, String> {
    let find = |name: &str| files.iter().find(|file| file.name == name).ok_or_else(|| "no such file".to_owned());
    let options = Reading {
        read: &|name| find(name).map(|file| String::from_utf8_lossy(&file.bytes).into_owned()),
        exists: &|name| find(name).map(|file| file.bytes.len() as u64),
        env: &|_| Some("value".to_owned()),
        check_source: &|source| nmax_extract::Extractor::new(source).map(|_| ()),
        ..Reading::standalone("visit.yaml")
    };
    document::parse(plan, &options).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(|error| format!("{error:?}")).collect();
        format!("{}\n{plan}", all.join("\n"))
    })
}

/// The plan of a recording in which nothing is replaced, and what was kept of it.
fn untouched(recording: &Recording) -> (Converted, Journey) {
    let options = Options::default();
    let journey = build(recording, &select(recording, &options), &options);
    let analysed = AnalysedRecording {
        recording,
        number: 0,
        journey: &journey,
        correlations: &Correlations::default(),
        parameters: &Parameters::default(),
        pauses: &HashMap::new(),
    };
    let secrets = Secrets::new(&[0; 32]);
    let emitted = emit(&[analysed], &Feeders::default(), &["visit".into()], &secrets, &options);
    (emitted, journey)
}

/// Templates without holes.
struct Nothing;

impl Values for Nothing {
    fn slot(&self, _: usize) -> &str {
        ""
    }
    fn feeder(&self, _: usize, _: usize) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
    fn iteration(&self) -> u64 {
        0
    }
    fn vu(&self) -> u32 {
        0
    }
    fn shared(&self, _: usize) -> &str {
        ""
    }
    fn call(&self, _: &Call, _: &mut String) {}
}

fn rendered(template: &nmax_plan::template::Template, escape: Escape) -> Vec<u8> {
    let mut out = Vec::new();
    template.render(&mut out, &Nothing, escape);
    out
}

/// What a step sends, as the engine writes it.
fn sent(step: &Step, plan: &Plan, files: &[File]) -> Request {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    let mut url = text(rendered(&step.http().unwrap().url, Escape::Path));
    if url.starts_with('/') {
        url = format!("{}{url}", plan.target);
    }
    for (name, value) in &step.http().unwrap().query {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&text(rendered(name, Escape::Url)));
        url.push('=');
        url.push_str(&text(rendered(value, Escape::Url)));
    }
    let mut headers: Vec<(String, String)> = step
        .http()
        .unwrap()
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), text(rendered(value, Escape::None))))
        .collect();
    let file = |name: &str| files.iter().find(|file| file.name == name).expect("a file").bytes.clone();
    let mut fields = Vec::new();
    let (mime, bytes) = match &step.http().unwrap().body {
        Sent::Empty => ("", Vec::new()),
        Sent::Text(body) => ("text/plain; charset=utf-8", rendered(body, Escape::None)),
        Sent::Json(body) => ("application/json", rendered(body, Escape::Json)),
        Sent::Form(pairs) => {
            let pair = |(name, value): &(_, _)| {
                let (name, value) = (rendered(name, Escape::Form), rendered(value, Escape::Form));
                [name, b"=".to_vec(), value].concat()
            };
            let pairs: Vec<Vec<u8>> = pairs.iter().map(pair).collect();
            ("application/x-www-form-urlencoded", pairs.join(&b'&'))
        }
        Sent::Multipart(parts) => {
            for part in parts {
                let content = match &part.content {
                    PartContent::Text(text) => rendered(text, Escape::None),
                    PartContent::File(name) => file(name),
                };
                fields.push(crate::recording::Field {
                    name: text(rendered(&part.name, Escape::None)),
                    value: String::from_utf8_lossy(&content).into_owned(),
                    file_name: part.file_name.as_ref().map(|name| text(rendered(name, Escape::None))),
                    content_type: part.content_type.clone(),
                });
            }
            ("multipart/form-data", Vec::new())
        }
        Sent::File(name) => ("", file(name)),
    };
    if !mime.is_empty() && !headers.iter().any(|(name, _)| name == "content-type") {
        headers.push(("content-type".into(), mime.into()));
    }
    Request {
        method: step.http().unwrap().method.token().into(),
        url,
        headers,
        body: (!matches!(step.http().unwrap().body, Sent::Empty)).then_some(Body {
            mime: String::new(),
            bytes,
            fields,
            ..Body::default()
        }),
        ..Request::default()
    }
}

/// Values of a request as a server sees them.
fn seen(request: &Request) -> Vec<(ValueLocation, String)> {
    let is_seen = |place: &ValueLocation| {
        matches!(
            place,
            ValueLocation::Segment(_)
                | ValueLocation::Query(..)
                | ValueLocation::Field(..)
                | ValueLocation::Json(_)
                | ValueLocation::Body
        )
    };
    let parts = request_parts(request).into_iter().filter(|part| is_seen(&part.place));
    parts.map(|part| (part.place, part.value)).collect()
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z0-9 ]{0,8}",
        2 => "\\PC{0,8}",
        1 => any::<String>(),
        1 => prop::sample::select(vec![
            "${people.email}",
            "$${x}",
            "${env.HOME}",
            "${",
            "$",
            "a: b # c",
            "- x",
            "'\"\\",
            "line\nbreak\r\n\ttab",
            "null",
            "true",
            "~",
            "0x10",
            "1e3",
            "2026-01-31",
            "{{x}}",
            "\u{feff}\u{85}\u{2028}\u{0}",
            "%zz",
            "<!-- -->",
            "*alias &anchor !tag",
        ])
        .prop_map(str::to_owned),
    ]
}

fn json_value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        hostile().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>().prop_map(serde_json::Value::from),
        any::<bool>().prop_map(serde_json::Value::from),
        Just(serde_json::Value::Null),
    ];
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((hostile(), inner), 0..4)
                .prop_map(|pairs| serde_json::Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn body() -> impl Strategy<Value = (String, Vec<u8>)> {
    let form = prop::collection::vec((hostile(), hostile()), 0..4).prop_map(|pairs| {
        let encode = percent::encode;
        let pairs: Vec<String> =
            pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        pairs.join("&").into_bytes()
    });
    let multipart =
        prop::collection::vec(("[a-z]{1,3}", hostile(), prop::option::of("[a-z.]{1,5}")), 1..4).prop_map(|fields| {
            let mut text = String::new();
            for (name, value, file) in fields {
                let file =
                    file.map_or(String::new(), |file| format!("; filename=\"{file}\"\r\nContent-Type: image/png"));
                text.push_str(&format!(
                    "--B0zz\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n{value}\r\n"
                ));
            }
            format!("{text}--B0zz--\r\n").into_bytes()
        });
    let named = |mime: &'static str| move |bytes: Vec<u8>| (mime.to_owned(), bytes);
    prop_oneof![
        form.prop_map(named("application/x-www-form-urlencoded")),
        multipart.prop_map(named("multipart/form-data; boundary=B0zz")),
        json_value().prop_map(|value| ("application/json".to_owned(), value.to_string().into_bytes())),
        json_value()
            .prop_map(|value| ("application/vnd.x+json".to_owned(), serde_json::to_vec_pretty(&value).expect("json"))),
        hostile().prop_map(|text| ("text/xml".to_owned(), text.into_bytes())),
        prop::collection::vec(any::<u8>(), 0..20).prop_map(named("application/octet-stream")),
    ]
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let kinds = prop::sample::select(vec![Kind::Document, Kind::Style, Kind::Call, Kind::Other]);
    let method = prop::sample::select(vec!["GET", "POST", "PUT", "DELETE"]);
    let url = (hostile(), prop::option::of((hostile(), hostile(), any::<bool>()))).prop_map(|(path, query)| {
        let path = path.replace(['?', '#'], "");
        match query {
            Some((name, value, true)) => {
                let encode = percent::encode;
                format!("/{path}?{}={}", encode(&name), encode(&value))
            }
            Some((name, value, false)) => format!("/{path}?{name}={value}").replace('#', ""),
            None => format!("/{path}"),
        }
    });
    let header = ("[a-zA-Z-]{1,10}", hostile());
    (0..9000_i64, kinds, method, url, prop::option::of(body()), header, hostile(), 200..599_u16).prop_map(
        |(at, kind, method, url, body, header, title, status)| {
            let mut entry = get(at, &url, kind).by(method).with(&header.0, &header.1).status(status);
            if let Some((mime, bytes)) = body {
                entry = entry.sends(&mime, "");
                entry.request.body.get_or_insert_default().bytes = bytes;
            }
            entry.answers("text/html", &format!("<title>{title} - Shop</title>"))
        },
    )
}

fn any_recording() -> impl Strategy<Value = Recording> {
    let marks = prop::collection::vec((0..9_000_000_i64, hostile()), 0..3);
    (prop::collection::vec(any_entry(), 0..6), hostile(), hostile(), marks).prop_map(
        |(entries, name, creator, marks)| {
            let marks = marks.into_iter().map(|(at_us, name)| Mark { at_us, name });
            Recording { name, creator, marks: marks.collect(), ..recording(entries) }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What was sent is sent again, whatever it says, and nothing in it becomes a part of the plan's language.
    #[test]
    fn unchanged_requests_are_sent_as_recorded(recording in any_recording()) {
        let (emitted, journey) = untouched(&recording);
        let plan = read(&emitted.plan, &emitted.files);
        prop_assert!(plan.is_ok(), "{}", plan.unwrap_err());
        let plan = plan.unwrap();
        let requests: Vec<_> = plan.scenarios[0].calls().collect();
        if journey.steps.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(requests.len(), journey.steps.len());
        for (request, step) in requests.into_iter().zip(&journey.steps) {
            let recorded = &recording.entries[step.entry].request;
            let again = sent(request, &plan, &emitted.files);
            prop_assert_eq!(&again.method, &recorded.method);
            prop_assert_eq!(seen(&again), seen(recorded), "{}", emitted.plan);
            let bytes = |request: &Request| request.body.as_ref().map_or(0, |body| body.bytes.len() + body.fields.len());
            prop_assert_eq!(bytes(&again) > 0, bytes(recorded) > 0);
        }
    }

    /// All of it together, with whatever is found in it: the plan reads without an error.
    #[test]
    fn every_plan_can_be_read(recordings in prop::collection::vec(any_recording(), 1..3), users in any::<bool>()) {
        let options = Options {
            load: if users { Load::Users { vus: 3 } } else { Load::Rate { per_s: 0.2 } },
            ..Options::default()
        };
        let made = convert(recordings, &options);
        let plan = read(&made.plan, &made.files);
        prop_assert!(made.summary.scenarios == 0 || plan.is_ok(), "{}", plan.unwrap_err());
        let evidence: Result<serde_json::Value, _> = serde_json::from_str(&made.evidence);
        prop_assert!(evidence.is_ok());
    }
}

fn made(entries: Vec<Entry>, options: &Options) -> (Converted, Plan) {
    let made = convert(vec![recording(entries)], options);
    let plan = read(&made.plan, &made.files).unwrap();
    (made, plan)
}

#[test]
fn large_bodies_and_uploads_are_kept_in_files() {
    let upload = "--B\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"C:\\my\\tea.PNG\"\r\nContent-Type: image/png\r\n\r\n\u{1}x\r\n--B--\r\n";
    let entries = vec![
        page(0, "/", ""),
        get(5000, "/notes", Kind::Call).by("PUT").sends("text/markdown", &"x".repeat(70_000)),
        get(9000, "/photos", Kind::Call).by("POST").sends("multipart/form-data; boundary=B", upload),
        get(9500, "/again", Kind::Call).by("POST").sends("multipart/form-data; boundary=B", upload),
    ];
    let (made, _) = made(entries, &Options::default());
    let files: Vec<_> = made.files.iter().map(|file| (file.name.as_str(), file.bytes.len())).collect();
    assert_eq!(files, [("visit.body-1.bin", 70_000), ("visit.body-2.png", 2)]);
    assert!(made.plan.contains("file: visit.body-1.bin"), "{}", made.plan);
    assert!(made.plan.contains("photo: { file: visit.body-2.png, type: image/png, name: tea.PNG }"), "{}", made.plan);
}

#[test]
fn long_recordings_end_where_the_plan_is_full() {
    let entries = (0..4000).map(|n| get(n * 10, &format!("/{}", "x".repeat(300)), Kind::Call).by("POST")).collect();
    let (made, plan) = made(entries, &Options::default());
    assert!(made.plan.len() < DOCUMENT_BYTES_MAX);
    assert!(plan.scenarios[0].steps.len() >= 500);
    assert!(made.summary.warnings.iter().any(|warning| warning.contains("too long")), "{:?}", made.summary.warnings);
}

#[test]
fn headers_of_scripts_stay_and_those_of_the_moment_go() {
    let call = get(5000, "/api", Kind::Call)
        .by("POST")
        .with("User-Agent", "Browser/1")
        .with("Accept", "application/json")
        .with("X-Requested-With", "XMLHttpRequest")
        .with("Sec-Fetch-Mode", "cors")
        .with("Cookie", "sid=1")
        .with("Origin", ORIGIN)
        .with("Referer", "http://shop.test:8080/")
        .with("If-None-Match", "x")
        .with("Content-Length", "2")
        .with("traceparent", "00-0-0-00")
        .sends("application/json; charset=UTF-8", r#"{"count": 1.50, "text": "1"}"#);
    let home = page(0, "/", "")
        .with("User-Agent", "Browser/1")
        .with("Accept", "text/html")
        .with("Accept-Encoding", "gzip, br;q=0, zstd;q=0.5, x");
    let (made, plan) = made(vec![home, call], &Options::default());
    let requests: Vec<_> = plan.scenarios[0].calls().collect();
    let names: Vec<_> = requests[1].http().unwrap().headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["accept", "x-requested-with", "origin"], "{}", made.plan);
    assert!(requests[0].http().unwrap().headers.is_empty());
    let defaults: Vec<_> = plan.defaults.headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(defaults, ["user-agent", "accept"]);
    assert!(made.plan.contains("compression: [gzip, zstd]"));
    assert!(made.plan.contains("origin: \"${target}\""), "{}", made.plan);
    assert!(made.plan.contains("json: { count: 1.50, text: \"1\" }"), "{}", made.plan);
}

#[test]
fn redirects_are_followed_and_marks_are_transactions() {
    let entries = vec![
        page(0, "/", "<title>Home - Shop</title>"),
        post(5000, "/login?to=%2Fa", "x=1").leads_to(302, "/welcome"),
        page(5030, "/welcome", "<title>Welcome - Shop</title>"),
    ];
    let mut recording = recording(entries);
    recording.marks = vec![Mark { at_us: 4_000_000, name: "POST /login".into() }];
    let made = convert(vec![recording], &Options::default());
    read(&made.plan, &made.files).unwrap();
    let want = "      - think: { median: 5s, p95: 10s }
      - transaction: \"POST /login (marked)\"
        steps:
          - post: /login
            query: { to: /a }
            form: { x: \"1\" }
            redirects: follow
            expect: { status: 200, contains: Welcome }
            page: true
";
    assert!(made.plan.contains(want), "{}", made.plan);
}

#[test]
fn resources_are_listed_found_or_left() {
    let entries = || {
        vec![
            page(0, "/", "<title>Home</title>"),
            get(30, "/app.css?v=$1", Kind::Style),
            get(40, "/app.css?v=$1", Kind::Style),
            get(50, "/api/menu", Kind::Call),
            get(60, "/gone.png", Kind::Image).status(404),
        ]
    };
    let of = |resources| {
        let options = Options { resources, ..Options::default() };
        made(entries(), &options).0
    };
    use crate::options::Resources;
    let recorded = of(Resources::Recorded);
    assert!(
        recorded.plan.contains("resources:\n          - \"/app.css?v=$$1\"\n          - /api/menu\n"),
        "{}",
        recorded.plan
    );
    assert_eq!(recorded.summary.resources, 2);
    let reasons: Vec<_> =
        recorded.summary.skipped.iter().map(|skipped| (skipped.number, skipped.reason.as_str())).collect();
    assert_eq!(reasons[0], (3, "the page asks for it more than once"));
    assert!(reasons[1].1.contains("404"));
    let parsed = of(Resources::Parsed);
    assert!(
        parsed.plan.contains("discover: same-origin\n          list:\n            - /api/menu\n"),
        "{}",
        parsed.plan
    );
    let none = of(Resources::None);
    assert!(none.plan.contains("page: true") && !none.plan.contains("resources"), "{}", none.plan);
}

#[test]
fn rates_are_written_in_a_unit_that_fits() {
    for (per_s, want) in
        [(1.0, "1/s"), (0.5, "30/m"), (2.25, "2.25/s"), (0.001, "3.6/h"), (f64::NAN, "1/s"), (0.0, "1/s")]
    {
        assert_eq!(rate(per_s), want);
    }
}

/// A path that begins with two slashes is no other host, whatever the target.
#[test]
fn paths_with_two_slashes_stay_at_the_target() {
    let entries = vec![
        page(0, "/", ""),
        get(20, "//evil.test/a.css", Kind::Style),
        get(5000, "//evil.test/x?y=1", Kind::Call).by("POST"),
    ];
    let (made, plan) = made(entries, &Options::default());
    let steps: Vec<_> = plan.scenarios[0].calls().collect();
    let url = steps[1].http().unwrap().url.as_constant().unwrap();
    assert_eq!(url, format!("{ORIGIN}//evil.test/x"), "{}", made.plan);
    assert!(made.plan.contains("\"${target}//evil.test/a.css\""), "{}", made.plan);
    assert_eq!(steps[1].http().unwrap().query.len(), 1);
}

/// The picture of the item that is shown is another one for each user.
#[test]
fn resources_that_belong_to_what_a_page_shows_are_found_in_it() {
    let id = "d08e75b2-11aa-4f5e-9c33-0a1b2c3d4e5f";
    let item = format!(
        "<title>Oak - Shop</title><img src=/image/{id}.jpg><form method=post><input name=item value={id}></form>"
    );
    let entries = vec![
        page(0, "/", "<title>Shop</title>"),
        get(20, "/app.css", Kind::Style),
        page(5000, "/item", &item),
        get(5030, &format!("/image/{id}.jpg"), Kind::Image),
        post(9000, "/basket", &format!("item={id}")),
    ];
    let (made, plan) = made(entries, &Options::default());
    assert!(!made.plan.contains(id), "{}", made.plan);
    assert_eq!(made.plan.matches("resources: discover").count(), 1, "{}", made.plan);
    assert!(made.plan.contains("- /app.css"), "{}", made.plan);
    assert_eq!(plan.scenarios[0].calls().count(), 3);
}
