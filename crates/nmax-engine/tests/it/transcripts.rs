//! What a corpus of plans sends in the simulated world, byte for byte, held against committed transcripts.
//!
//! A transcript has what was counted, the hash of all requests, and the first of them: instant in µs, connection, hash
//! of the bytes, request line. `UPDATE=1` rewrites them.

use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use nmax_engine::{BodyFile, Files};
use nmax_metrics::{ErrorKind, FailureExample, Nanos, Section};
use nmax_plan::plan::Plan;
use nmax_testkit::plans::with_files;
use nmax_testkit::sim::{Answer, Call, KeepRequests, Options, Sent, Server, Simulated, reply, reply_with, simulate};
use ring::digest::{SHA256, digest};

use crate::ms;

/// Requests of a transcript that are shown one by one.
const SHOWN_MAX: usize = 12;
/// A file of this crate, whose bytes stand for any.
const SOME_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/transcripts/body.bin");

const PEOPLE: (&str, &str) = ("people.csv", "name,password\nada,a&b\nbob,c=d\ncyd,e f\ndan,\"g\"\"h\"\n");

const OPEN: &str = "
scenarios:
  search:
    steps:
      - get: /search?q=${people.name}&n=${iteration}
        extract: { item: { regex: 'i([0-9])', pick: random } }
      - think: { median: 300ms, p95: 900ms }
      - get: /item/${item}
        headers: { x-user: '${vu}', accept: text/html }
  home: { steps: [{ get: / }] }
workload: { mix: { search: 3, home: 1 }, open: { rate: 30/s, arrivals: poisson } }
duration: 10s";

const CLOSED: &str = "
scenarios:
  fixed:
    pacing: 500ms
    steps: [{ get: / }, { think: { min: 10ms, max: 90ms } }, { get: /b, query: { x: 1, y: a b } }]
  varied: { steps: [{ get: '/v/${random(1, 9)}?id=${uuid()}' }, { think: 20ms }, { head: /h }] }
workload: { mix: { fixed: 1, varied: 1 }, closed: { vus: 7 } }
stages: [{ ramp: 2s, to: 7 }, { hold: 3s }]";

const REDIRECTS: &str = "
defaults: { redirects: 4 }
scenarios:
  follow:
    steps:
      - get: /moved
      - post: /created
        json: { name: '${people.name}' }
        headers: { authorization: 'Bearer t' }
      - put: /kept
        body: same again
      - get: /elsewhere
        headers: { authorization: 'Bearer t' }
      - get: /circle
      - get: /nowhere
      - get: '${people.name}'
workload: { closed: { vus: 2 }, iterations: 6 }";

const COOKIES: &str = "
scenarios:
  visit:
    steps:
      - get: /cookie/a
      - get: /cookie/b?n=${iteration}
      - get: http://www.shop.test/cookie/c
      - get: http://other.test/cookie/d
      - get: /
workload: { closed: { vus: 2 }, iterations: 8 }
defaults: { visitor: { new: 40% } }";

const PAGES: &str = "
scenarios:
  look:
    steps:
      - { get: /page, resources: discover, name: first }
      - { think: 700ms }
      - { get: '/page?n=${iteration}', resources: discover, name: second }
      - { get: /moved/page, resources: ['/a.png', '/late.png', 'missing.png'] }
workload: { closed: { vus: 3 }, iterations: 9 }
defaults: { redirects: 3, timeout: 2s }";

const SETUPS: &str = "
scenarios:
  member:
    setup:
      - { post: /login, form: { user: '${people.name}', password: '${people.password}' }, extract: { token: { regex: 'i([0-9])' } } }
    steps:
      - { get: '/use/${token}' }
      - { think: 200ms }
    teardown:
      - { delete: '/logout/${token}' }
      - { get: /cookie/bye }
workload: { open: { rate: 20/s } }
duration: 3s";

const FLOW: &str = "
scenarios:
  all:
    steps:
      - set: { a: '${random(1, 3)}', b: 'x${a}' }
      - transaction: outer
        steps:
          - repeat: '${a}'
            as: pass
            steps:
              - get: '/pass/${pass}/${b}'
                name: pass
              - think: { min: 1ms, max: 30ms }
          - transaction: inner
            steps: [{ get: /inner }]
      - set: { left: 2 }
      - while: \"${left} != ''\"
        max: 20
        steps:
          - choose:
              - { weight: 60, steps: [{ set: { left: '' } }] }
              - { weight: 40, steps: [{ get: /again }] }
      - if: '${a} > 2'
        then: [{ fail: 'too many: ${a}' }]
        else: [{ get: /else }, { end: ok }]
      - get: /never
workload: { closed: { vus: 4 }, iterations: 40 }";

const CHECKS: &str = "
scenarios:
  checked:
    steps:
      - get: /items
        expect: { status: 200-299, contains: i3, header: { x-kind: list } }
        extract:
          last: { regex: 'i([0-9])', pick: last }
          kind: { header: x-kind }
          absent: { regex: 'z(.)', default: none }
      - { get: '/item/${last}/${kind}/${absent}', expect: { contains: never } }
      - { get: /status/500 }
      - { get: /status/404, expect: { status: 404 } }
      - { get: /items, extract: { needed: { regex: 'q(.)' } } }
      - { get: /never }
workload: { closed: { vus: 2 }, iterations: 10 }";

const FAILURES: &str = "
defaults: { timeout: 300ms }
scenarios:
  bad:
    steps: [{ get: /slow }, { get: /breaks }, { get: /silent }, { get: /garbage }, { get: /cut, timeout: 50ms }]
  good: { steps: [{ get: /closing }, { get: / }] }
workload: { mix: { bad: 1, good: 3 }, open: { rate: 25/s, max_in_flight: 12 } }
duration: 4s
graceful_stop: 100ms";

const BODIES: &str = "
scenarios:
  send:
    steps:
      - { post: /text, body: 'hello ${people.name}' }
      - { post: /json, json: { name: '${people.password}', n: [1, 2] } }
      - { put: /form, form: { name: '${people.password}', empty: '' } }
      - { post: /file, file: a.bin, expect_continue: true }
      - { post: /parts, multipart: { note: 'for ${people.name}', data: { file: a.bin, type: image/png, name: a.png }, end: x } }
      - { patch: /none }
      - { options: / }
workload: { closed: { vus: 2 }, iterations: 6 }
defaults: { headers: { x-all: '${iteration}' }, compression: [gzip, br] }";

const BACKGROUND: &str = "
scenarios:
  browse: { steps: [{ get: '/b/${iteration}' }] }
  job: { steps: [{ get: '/j/${iteration}/${random(1, 100)}' }, { think: 100ms }] }
  tick: { steps: [{ get: /t }] }
workload:
  mix: { browse: 1 }
  open: { rate: 15/s }
  background:
    job: { closed: { vus: 3 }, start: 1s, duration: 2s }
    tick: { open: { rate: 4/s } }
duration: 5s";

const LOCATIONS: &str = "
locations:
  far: { down: 256kbit/s, up: 64kbit/s, round_trip: 60ms, jitter: 10ms, weight: 20 }
  near: { round_trip: 8ms, weight: 80 }
  desk: { weight: 0 }
scenarios:
  look: { steps: [{ get: /page, resources: ['/a.png', '/late.png'] }, { think: 100ms }] }
  work: { location: desk, steps: [{ get: /desk }] }
workload: { mix: { look: 2, work: 1 }, open: { rate: 12/s } }
duration: 4s";

/// Each plan, and on how many workers it runs.
const CORPUS: [(&str, &str, u32); 14] = [
    ("open", OPEN, 1),
    ("open-of-three", OPEN, 3),
    ("closed", CLOSED, 1),
    ("closed-of-two", CLOSED, 2),
    ("redirects", REDIRECTS, 1),
    ("cookies", COOKIES, 1),
    ("pages", PAGES, 1),
    ("setups", SETUPS, 2),
    ("flow", FLOW, 1),
    ("checks", CHECKS, 1),
    ("failures", FAILURES, 1),
    ("bodies", BODIES, 1),
    ("background", BACKGROUND, 2),
    ("locations", LOCATIONS, 1),
];

/// Redirects, cookies, documents, garbage and silence by path; 10 ms and a little for all that is answered.
fn server() -> impl Server {
    move |call: &Call<'_>| {
        let at = call.at + ms(10 + call.number % 7);
        let path = call.target().split('?').next().unwrap_or_default();
        let lead = |status, to: &str| reply_with(status, &format!("location: {to}\r\nset-cookie: hop=1\r\n"), "");
        let page = |body: &str| reply_with(200, "content-type: text/html\r\n", body);
        let reply = match path {
            "/moved" => lead(301, "/items"),
            "/created" => lead(303, "/item/new?q=1#part"),
            "/kept" => lead(307, "/kept/again"),
            "/elsewhere" => lead(302, "http://other.test/items"),
            "/circle" => lead(302, "/circle"),
            "/nowhere" => lead(302, "http://[/"),
            "/moved/page" => lead(302, "/page"),
            "/page" => page(
                "<link rel=stylesheet href=/a.css><script src=/s.js></script><img src=/a.png><img src=/b.png>\
                 <iframe src=/frame></iframe><img src=/missing.png><img src=//cdn.test/x.png>",
            ),
            "/frame" => page("<img src=/in-frame.png>"),
            "/a.css" => reply_with(
                200,
                "content-type: text/css\r\ncache-control: max-age=1\r\netag: \"1\"\r\n",
                "p { background: url(/bg.png) }",
            ),
            "/a.png" | "/bg.png" => reply_with(200, "cache-control: max-age=60\r\n", "png"),
            "/b.png" if call.header("if-none-match").is_some() => reply_with(304, "etag: \"2\"\r\n", ""),
            "/b.png" => reply_with(200, "cache-control: no-cache\r\netag: \"2\"\r\n", "png"),
            "/missing.png" | "/status/404" => reply(404),
            "/status/500" => reply_with(500, "", "no"),
            "/late.png" | "/slow" => return Answer::Bytes(call.at + ms(280), reply(200)),
            "/cut" => return Answer::Bytes(call.at + ms(120), reply(200)),
            "/closing" => reply_with(200, "connection: close\r\n", ""),
            "/garbage" => b"what is this\r\n\r\n".as_slice().into(),
            "/breaks" => return Answer::Breaks(at, ErrorKind::Reset),
            "/silent" => return Answer::Never,
            _ if path.starts_with("/cookie/") || path == "/login" => {
                let cookies =
                    format!("set-cookie: n{}={path}; path=/\r\nset-cookie: s=1; domain=shop.test\r\n", call.number % 3);
                reply_with(200, &cookies, "i5")
            }
            _ => reply_with(200, "x-kind: list\r\n", "i0 i1 i2 i3 i4 i5 i6 i7 i8 i9"),
        };
        Answer::Bytes(at, reply)
    }
}

fn files() -> Files {
    let file = File::open(SOME_FILE).unwrap();
    let length = file.metadata().unwrap().len();
    let file = BodyFile { name: "a.bin".into(), file, length };
    Arc::new([("a.bin".to_owned(), Arc::new(file))].into())
}

fn plan(text: &str) -> Arc<Plan> {
    let head = "nmax: 1\ntarget: http://shop.test\nseed: 42\ndata: { people: { csv: people.csv } }";
    with_files(&format!("{head}{text}\n"), &[PEOPLE])
}

fn hash(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(sent: &Sent) -> String {
    let first = sent.bytes.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let (us, first) = (sent.at.0 / 1_000, String::from_utf8_lossy(first));
    format!("{us} {} {} {first}", sent.connection, hash(&sent.bytes))
}

/// What was counted in both sections, as lines.
fn counted(run: &Simulated) -> String {
    let (mut text, names) = (String::new(), &run.catalog);
    for section in Section::ALL {
        let sums = &run.totals;
        let load = sums.load(section);
        let figures = [load.due, load.started, load.dropped().total(), load.connections, load.redirects, load.retries];
        writeln!(text, "{section:?}: {figures:?} censored {}", load.censored.count()).unwrap();
        for (name, stats) in sums.requests(section).filter(|(_, stats)| stats.count() > 0) {
            let figures = [stats.ok(), stats.failed(), stats.errors(), stats.bytes_sent, stats.bytes_received];
            let time = stats.latencies().response;
            writeln!(
                text,
                "  request {}: {figures:?} {:?}",
                names.requests.name(name),
                [0.5, 1.0].map(|q| time.quantile_ns(q))
            )
            .unwrap();
        }
        for (number, name) in names.scenarios.iter().enumerate() {
            let Some(stats) = sums.scenarios.get(section, number) else { continue };
            let figures = [stats.started, stats.completed, stats.failed, stats.interrupted];
            writeln!(text, "  scenario {name}: {figures:?} {:?}", stats.iteration_time.quantile_ns(1.0)).unwrap();
        }
        for (number, name) in names.checks.iter().enumerate() {
            let Some(stats) = sums.checks.get(section, number) else { continue };
            writeln!(text, "  check {name}: {} {}", stats.passed, stats.failed).unwrap();
        }
        for (number, name) in names.transactions.iter().enumerate() {
            let Some(stats) = sums.transactions.get(section, number) else { continue };
            writeln!(text, "  transaction {name}: {} {} {:?}", stats.count, stats.failed, stats.time.quantile_ns(1.0))
                .unwrap();
        }
        for (number, name) in names.pages.iter().enumerate() {
            let Some(stats) = sums.pages.get(section, number) else { continue };
            let figures =
                [stats.resources, stats.cached, stats.unchanged, stats.resources_failed, stats.bytes_received];
            writeln!(text, "  page {name}: {} {} {figures:?}", stats.pages.count, stats.pages.failed).unwrap();
        }
    }
    text
}

fn example(failure: &FailureExample) -> String {
    let FailureExample { at, name, scenario, kind, text, request, reply, response_time, .. } = failure;
    format!("{} {name} {scenario} {kind} {text} {request} {reply} {}", at.0, response_time.0)
}

fn transcript(run: &Simulated) -> String {
    let all: Vec<String> = run.transcript.iter().map(line).collect();
    let kinds = |kind: &str| run.failures.iter().filter(|failure| failure.kind == kind).count();
    let mut failures: Vec<&str> = run.failures.iter().map(|failure| failure.kind.as_str()).collect();
    failures.sort_unstable();
    failures.dedup();
    let failures: Vec<String> = failures.iter().map(|kind| format!("{kind}: {}", kinds(kind))).collect();
    let examples: Vec<String> = run.failures.iter().map(example).collect();
    format!(
        "{} requests, {}, until {} ms\nfailures {} {failures:?}\n{}{}\n",
        all.len(),
        hash(all.join("\n").as_bytes()),
        run.end.0 / 1_000_000,
        hash(examples.join("\n").as_bytes()),
        counted(run),
        all[..all.len().min(SHOWN_MAX)].join("\n"),
    )
}

#[test]
fn plans_send_what_they_sent() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/transcripts");
    let mut stale = Vec::new();
    for (name, text, workers) in CORPUS {
        let options = Options {
            workers,
            requests: KeepRequests::All,
            files: files(),
            connect: Nanos(1_500_000),
            ..Options::all()
        };
        let fresh = transcript(&simulate(&plan(text), server(), &options));
        let file = folder.join(format!("{name}.txt"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &fresh).unwrap();
        }
        let known = std::fs::read_to_string(&file).unwrap_or_default();
        if known != fresh {
            stale.push(format!("{name}:\n{fresh}"));
        }
    }
    assert!(stale.is_empty(), "other transcripts than committed, see UPDATE=1:\n{}", stale.join("\n"));
}
