//! `nmax check --prove`: which values must be fresh, found by trying each.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::bench::{Bench, count};
use crate::peers::{arrived, shop};
use crate::schema::assert_schema;

/// A visitor who signs up and orders what a search finds.
const VISIT: &str = r#"
nmax: 1
name: visit
target: http://127.0.0.1:1
data:
  people: { generate: person, unique: email, rows: 100000 }
  words: { csv: words.csv }
scenarios:
  order:
    steps:
      - get: /signup
        extract: { csrf: { css: "input[name=csrf]@value" } }
      - post: /signup
        name: sign up
        form: { name: "${people.first_name}", email: "${people.email}", password: "secret1", csrf: "${csrf}" }
        redirects: follow
        expect: { contains: "${people.email}" }
      - think: 20s
      - get: /search
        query: { q: "${words.q}" }
        extract: { item: { css: "a.item@href" } }
      - get: ${item}
        name: item
        extract: { uuid: { css: "input[name=item]@value" } }
      - transaction: buy
        steps:
          - post: /basket
            form: { item: "${uuid}", pieces: 1, csrf: "${csrf}" }
            expect: { status: 303 }
          - post: /order
            form: { csrf: "${csrf}" }
            expect: { status: 303 }
            extract: { order: { header: location } }
      - get: ${order}
        name: order page
workload: { open: { rate: 5/s } }
duration: 1s
"#;

fn visit_bench() -> Bench {
    let bench = Bench::new();
    bench.write("visit.yaml", VISIT);
    bench.write("words.csv", "q\noak\nsteel\nlamp\ncork\n");
    bench
}

/// The correlation of this name in an answer.
#[track_caller]
fn correlation<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let all = answer["scenarios"][0]["correlations"].as_array().unwrap();
    let found = all.iter().find(|found| found["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {answer:#}"))
}

#[test]
fn tokens_and_orders_are_proved_items_are_harmless_and_cookies_are_the_jars() {
    let (bench, target) = (visit_bench(), shop());
    let args = ["check", "visit.yaml", "--prove", "--json", "--target", &target.url()];
    let ended = bench.nmax(&args).exits(0);
    let answer = ended.json();
    assert_schema(&answer, "prove");
    for (name, state) in [("csrf", "proved"), ("order", "proved"), ("item", "harmless"), ("uuid", "harmless")] {
        assert_eq!(correlation(&answer, name)["state"], state, "{answer:#}");
    }
    let csrf = correlation(&answer, "csrf");
    assert_eq!(csrf["proof"], "with the value of another replay: sign up: status 403, not 302");
    assert_eq!(csrf["to"].as_array().unwrap().len(), 3, "{csrf:#}");
    assert_eq!(
        correlation(&answer, "order")["proof"],
        "with the value of another replay: order page: status 404, not 200"
    );
    let jar = &answer["scenarios"][0]["jar"];
    assert_eq!(jar, &json!([{ "name": "sid", "set_by": "GET /signup", "sent": 7 }]));
    // The second proof on the same shop finds new rows: signing up twice would be refused.
    let text = bench.nmax(&["check", "visit.yaml", "--prove", "--target", &target.url()]).exits(0);
    let text = text.shows(&["css input[name=csrf]@value", "2 proved, 2 harmless, 0 wrong", "sid (set by"]);
    assert!(!text.stdout.contains("untried"));
    assert!(says(&text.stdout, "csrf", "proved"), "{}", text.stdout);
}

#[test]
fn traffic_is_bounded_and_pauses_are_left_out() {
    let (bench, target) = (visit_bench(), shop());
    let answer = bench.nmax(&["check", "visit.yaml", "--prove", "--json", "--target", &target.url()]).exits(0).json();
    // Two baselines, one replay for each value, two more for each that is proved; 9 requests each at most.
    let replays = count(&answer["replays"]);
    assert!(replays <= 2 + 4 + 2 * 2, "{answer:#}");
    assert!(arrived(&target) <= replays * 9);
}

/// Whether a value has this answer.
fn says(text: &str, value: &str, answer: &str) -> bool {
    text.lines().any(|line| line.split_whitespace().eq([value, answer]))
}

#[test]
fn an_extractor_that_finds_nothing_is_wrong_and_said_so() {
    let (bench, target) = (visit_bench(), shop());
    bench.write("visit.yaml", &VISIT.replace("input[name=csrf]@value", "input[name=crsf]@value"));
    let args = ["check", "visit.yaml", "--prove", "--target", &target.url()];
    let shown = bench.nmax(&args).exits(3).shows(&[
        "GET /signup: css input[name=crsf]@value finds nothing in the reply (status",
        "200, text/html)",
        "0 proved, 0 harmless, 1 wrong, 3 not tried",
    ]);
    assert!(says(&shown.stdout, "csrf", "wrong") && says(&shown.stdout, "order", "untried"), "{}", shown.stdout);
}

#[test]
fn a_value_that_the_server_refuses_is_wrong() {
    let (bench, target) = (visit_bench(), shop());
    // The token is taken, but of the wrong field.
    bench.write("visit.yaml", &VISIT.replace("input[name=csrf]@value", "form@method"));
    let args = ["check", "visit.yaml", "--prove", "--json", "--target", &target.url()];
    let answer = bench.nmax(&args).exits(3).json();
    let csrf = correlation(&answer, "csrf");
    assert_eq!(csrf["state"], "wrong", "{answer:#}");
    let proof = csrf["proof"].as_str().unwrap();
    assert!(proof.contains("sign up: status 403") && proof.contains("form field csrf"), "{proof}");
    assert_eq!(correlation(&answer, "item")["state"], Value::Null);
    assert_eq!(answer["ok"], false);
}

#[test]
fn a_url_has_nothing_to_prove() {
    let bench = Bench::new();
    bench.nmax(&["check", "http://127.0.0.1:1/", "--prove"]).exits(2).says(&["--prove tries the values of a plan"]);
    bench.nmax(&["check", "visit.yaml", "--prove", "--once"]).exits(2);
}

/// What a server answers: the request's head and body, and how many came before it.
type Answer = fn(&str, u64) -> String;

/// A server with answers of its own, one request per connection. Stops when dropped.
struct Server {
    address: SocketAddr,
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stops = Arc::new(AtomicBool::new(false));
        let stops_too = Arc::clone(&stops);
        let thread = std::thread::spawn(move || {
            let served = AtomicU64::new(0);
            for stream in listener.incoming().map_while(Result::ok) {
                if stops_too.load(Ordering::Relaxed) {
                    return;
                }
                serve(stream, |request| answer(request, served.fetch_add(1, Ordering::Relaxed)));
            }
        });
        Self { address, stops, thread: Some(thread) }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stops.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Answers one request; connections that say nothing, as those that only look whether somebody is there, get nothing.
fn serve(mut stream: TcpStream, answer: impl Fn(&str) -> String) {
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let (mut request, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => return,
            Ok(length) => request.extend_from_slice(&piece[..length]),
        }
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .filter_map(|line| line.to_ascii_lowercase().strip_prefix("content-length:").map(str::to_owned))
            .find_map(|length| length.trim().parse().ok());
        if body.len() >= length.unwrap_or(0) {
            let page = answer(&text);
            let reply = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{page}",
                page.len()
            );
            let _ = stream.write_all(reply.as_bytes());
            return;
        }
    }
}

const LOG_IN: &str = "<h1>Log in</h1><form><input name=user><input name=password type=password></form>";
const ACCOUNT: &str = "<h1>Your account</h1><table><tr><td>Balance<td>7</table>";

/// Each page has a token that is good for the next request only; to any other it shows the log-in page, with 200.
fn strict(request: &str, number: u64) -> String {
    if request.starts_with("GET / ") {
        return format!(
            "<h1>Home</h1><form><input name=token value=t{number}><input name=theme value=th{number}></form>"
        );
    }
    match request.contains(&format!("token=t{}&", number.wrapping_sub(1))) {
        true => ACCOUNT.replace('7', &number.to_string()),
        false => LOG_IN.to_owned(),
    }
}

/// It shows the log-in page, whatever it is asked.
fn closed(request: &str, number: u64) -> String {
    match request.starts_with("GET / ") {
        true => strict(request, number),
        false => LOG_IN.to_owned(),
    }
}

const STRICT: &str = r#"
nmax: 1
target: http://127.0.0.1:1
defaults: { connection: per-request }
scenarios:
  account:
    steps:
      - get: /
        name: home
        extract:
          token: { css: "input[name=token]@value" }
          theme: { css: "input[name=theme]@value" }
      - post: /account
        name: account
        form: { token: "${token}", theme: "${theme}" }
workload: { closed: { vus: 1 }, iterations: 1 }
"#;

/// Trap: the statuses are all 200, so a judgement by status proves nothing.
#[test]
fn a_stale_token_that_leads_to_a_log_in_page_with_200_is_proved() {
    let (bench, server) = (Bench::new(), Server::start(strict));
    bench.write("account.yaml", STRICT);
    let args = ["check", "account.yaml", "--prove", "--json", "--target", &server.url()];
    let answer = bench.nmax(&args).exits(0).json();
    let token = correlation(&answer, "token");
    assert_eq!(token["state"], "proved", "{answer:#}");
    let proof = token["proof"].as_str().unwrap();
    assert!(proof.contains("account: another reply: with form/input[password]"), "{proof}");
    // It comes with each page, is sent back, differs each time, and does not matter.
    assert_eq!(correlation(&answer, "theme")["state"], "harmless", "{answer:#}");
}

/// A recording of the account, its plan's evidence, and a secret in it.
fn recorded(bench: &Bench) {
    bench.write("account.yaml", STRICT);
    let entry = |number: u64, method: &str, path: &str, body: &str| {
        json!({
            "startedDateTime": format!("2026-01-01T00:00:0{number}.000Z"), "time": 1,
            "request": { "method": method, "url": format!("http://shop.test{path}"), "httpVersion": "HTTP/1.1",
                "headers": [], "queryString": [], "cookies": [], "headersSize": -1, "bodySize": -1 },
            "response": { "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "redirectURL": "",
                "headers": [{ "name": "content-type", "value": "text/html" }], "headersSize": -1, "bodySize": -1,
                "content": { "size": body.len(), "mimeType": "text/html", "text": body } },
            "cache": {}, "timings": { "send": 0, "wait": 1, "receive": 0 }
        })
    };
    let log = json!({ "log": {
        "version": "1.2", "creator": { "name": "test", "version": "1" },
        "entries": [entry(1, "GET", "/", &strict("GET / ", 3)), entry(2, "POST", "/account", ACCOUNT)]
    }});
    bench.write("account.har", &log.to_string());
    let evidence = json!({
        "schema_version": 1, "plan": "account.yaml", "recordings": ["account.har"], "comment": "kept",
        "steps": [
            { "scenario": "account", "name": "home", "recording": 0, "entry": 1 },
            { "scenario": "account", "name": "account", "recording": 0, "entry": 2 }
        ],
        "correlations": [{
            "name": "token", "scenario": "account", "from": { "step": 1, "request": "home" },
            "source": "css input[name=token]@value", "to": [], "recorded": "t3", "state": "found", "evidence": "found once"
        }]
    });
    bench.write("account.evidence.json", &evidence.to_string());
}

#[test]
fn verdicts_go_into_the_evidence_and_leave_the_rest() {
    let (bench, server) = (Bench::new(), Server::start(strict));
    recorded(&bench);
    let args = ["check", "account.yaml", "--prove", "--json", "--target", &server.url()];
    let answer = bench.nmax(&args).exits(0).json();
    assert_eq!(correlation(&answer, "token")["state"], "proved", "{answer:#}");
    assert_eq!(correlation(&answer, "token")["evidence"], "found once");
    let proof = correlation(&answer, "token")["proof"].as_str().unwrap();
    assert!(proof.starts_with("with the value of the recording: account: another reply"), "{proof}");
    let evidence: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("account.evidence.json")).unwrap()).unwrap();
    assert_eq!(evidence["correlations"][0]["state"], "proved");
    assert_eq!(evidence["correlations"][0]["evidence"], "found once");
    assert_eq!(evidence["comment"], "kept");
}

/// Trap: all replays show the same log-in page, so the token seems to be harmless.
#[test]
fn replays_that_are_alike_prove_nothing_when_they_are_not_what_was_recorded() {
    let (bench, server) = (Bench::new(), Server::start(closed));
    recorded(&bench);
    let args = ["check", "account.yaml", "--prove", "--json", "--target", &server.url()];
    let answer = bench.nmax(&args).exits(3).json();
    let token = correlation(&answer, "token");
    assert_eq!(token["state"], "wrong", "{answer:#}");
    assert!(token["proof"].as_str().unwrap().contains("another page than in the recording"), "{token:#}");
    let notes = answer["scenarios"][0]["notes"].to_string();
    assert!(notes.contains("account: the replay shows another page than the recording"), "{notes}");
    // Without the recording there is nothing to see it by, which is said.
    fs::remove_file(bench.path("account.har")).unwrap();
    let answer = bench.nmax(&args).exits(0).json();
    assert!(answer["warnings"].to_string().contains("account.har"), "{answer:#}");
}

#[test]
fn evidence_that_cannot_be_read_is_said_before_anything_is_sent() {
    let bench = Bench::new();
    bench.write("account.yaml", STRICT);
    for (text, want) in [("{", "it is not JSON"), (r#"{"schema_version": 9}"#, "it is not of version 1")] {
        bench.write("account.evidence.json", text);
        bench.nmax(&["check", "account.yaml", "--prove"]).exits(2).says(&["account.evidence.json", want, "help:"]);
    }
}
