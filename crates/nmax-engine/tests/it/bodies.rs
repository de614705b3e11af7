//! Bodies of parts and files, `expect: 100-continue`, and what requests say about codings.

use std::fs::File;
use std::sync::Arc;

use nmax_engine::http::state::HttpPlan;
use nmax_engine::{BodyFile, Files};
use nmax_metrics::Section;
use nmax_plan::plan::{Body, Call, Coding, FormPart, PartContent, Plan, Step, Version};
use nmax_plan::template::{Part, Template};
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{
    Answer, Call as Asked, KeepRequests, Options, Server, Simulated, instant, reply, reply_with, simulate,
};

use crate::{changed, ms};

/// A file of this crate, whose bytes stand for any.
const SOME_FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");

fn files() -> Files {
    let file = File::open(SOME_FILE).unwrap();
    let length = file.metadata().unwrap().len();
    let file = BodyFile { name: SOME_FILE.into(), file, length };
    Arc::new([("a.bin".to_owned(), Arc::new(file))].into())
}

/// A plan of one `post: /up`, `count` times, with this change.
fn posting(count: u32, change: impl FnOnce(&mut Call)) -> Arc<Plan> {
    let keys = format!("workload: {{ closed: {{ vus: 1 }}, iterations: {count} }}");
    let plan = requests("http://shop.test", "[{ post: /up }]", &keys);
    changed(&plan, |plan| {
        if let Step::Call(request) = &mut plan.scenarios[0].steps[0] {
            change(std::sync::Arc::make_mut(request));
        }
    })
}

fn run(plan: &Arc<Plan>, server: impl Server) -> Simulated {
    let options = Options { requests: KeepRequests::All, files: files(), ..Options::all() };
    simulate(plan, server, &options)
}

fn split(message: &[u8]) -> (String, &[u8]) {
    let end = message.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
    (String::from_utf8_lossy(&message[..end]).into_owned(), &message[end + 4..])
}

fn length_of(head: &str) -> usize {
    let line = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    line.unwrap().parse().unwrap()
}

fn part(name: &str, content: PartContent) -> FormPart {
    FormPart { name: Template::text(name), content, file_name: None, content_type: None }
}

#[test]
fn a_file_is_sent_as_it_is() {
    let plan = posting(2, |request| request.http_mut().unwrap().body = Body::File("a.bin".into()));
    let run = run(&plan, instant(ms(1)));
    let want = std::fs::read(SOME_FILE).unwrap();
    for sent in &run.transcript {
        let (head, body) = split(&sent.bytes);
        assert_eq!(body, want);
        assert_eq!(length_of(&head), want.len());
        assert!(head.contains("content-type: application/octet-stream"), "{head}");
    }
    assert_eq!(run.raw[0].sample.bytes_sent, run.transcript[0].bytes.len() as u64);
}

/// Text, a file, text with a hole, a file again: the length is exact, and the boundary stays the same.
#[test]
fn parts_and_files_are_sent_in_order_with_their_exact_length() {
    let parts = |request: &mut Call| {
        let hole = Template { parts: vec![Part::Iteration] };
        request.http_mut().unwrap().headers = vec![("Content-Type".into(), Template::text("multipart/form-data"))];
        request.http_mut().unwrap().body = Body::Multipart(vec![
            part("a", PartContent::Text(Template::text("one"))),
            part("b", PartContent::File("a.bin".into())),
            part("c", PartContent::Text(hole)),
            part("d", PartContent::File("a.bin".into())),
        ]);
    };
    let run = run(&posting(3, parts), instant(ms(1)));
    let file = std::fs::read(SOME_FILE).unwrap();
    let mut boundaries = Vec::new();
    for (number, sent) in run.transcript.iter().enumerate() {
        let (head, body) = split(&sent.bytes);
        assert_eq!(length_of(&head), body.len());
        let types: Vec<&str> =
            head.lines().filter(|line| line.to_ascii_lowercase().starts_with("content-type")).collect();
        assert_eq!(types.len(), 1, "a type without the boundary would hide the parts: {types:?}");
        let boundary = types[0].split_once("boundary=").unwrap().1.to_owned();
        let separator = format!("--{boundary}");
        let text = String::from_utf8_lossy(body).into_owned();
        let contents: Vec<&str> = text
            .split(&separator)
            .filter_map(|part| part.split_once("\r\n\r\n"))
            .map(|(_, content)| content.strip_suffix("\r\n").unwrap())
            .collect();
        let (file, number) = (String::from_utf8_lossy(&file).into_owned(), number.to_string());
        assert_eq!(contents, ["one", &file, &number, &file]);
        assert!(text.ends_with(&format!("{separator}--\r\n")));
        boundaries.push(boundary);
    }
    boundaries.dedup();
    assert_eq!(boundaries.len(), 1, "a constant body stays constant");
}

/// A body of files goes along with 307 and stays behind with 303.
#[test]
fn files_follow_a_redirect_that_keeps_the_body() {
    let plan = posting(1, |request| {
        request.http_mut().unwrap().body = Body::File("a.bin".into());
        request.http_mut().unwrap().redirects_max = Some(3);
    });
    let server = |call: &Asked<'_>| {
        let reply = match call.target() {
            "/up" => reply_with(307, "location: /there\r\n", ""),
            "/there" => reply_with(303, "location: /done\r\n", ""),
            _ => reply(200),
        };
        Answer::Bytes(call.at + ms(1), reply)
    };
    let run = run(&plan, server);
    let want = std::fs::read(SOME_FILE).unwrap();
    let bodies: Vec<&[u8]> = run.transcript.iter().map(|sent| split(&sent.bytes).1).collect();
    assert_eq!(bodies, [&want[..], &want[..], b""]);
}

/// What is kept of a failure names a file instead of holding it.
#[test]
fn a_failure_does_not_hold_the_file() {
    let plan = posting(1, |request| request.http_mut().unwrap().body = Body::File("a.bin".into()));
    let server = |call: &Asked<'_>| Answer::Bytes(call.at + ms(1), reply(500));
    let run = run(&plan, server);
    let request = &run.failures[0].request;
    assert!(request.contains("bytes of") && request.contains("Cargo.toml"), "{request}");
    assert!(!request.contains("[package]"), "{request}");
}

#[test]
fn expect_is_said_only_where_there_is_a_body_to_wait_with() {
    let cases = [
        (Body::Text(Template::text("x")), Version::Http11, true),
        (Body::File("a.bin".into()), Version::Http11, true),
        (Body::Text(Template::text("x")), Version::Http10, false),
        (Body::Empty, Version::Http11, false),
    ];
    for (body, version, says) in cases {
        let what = format!("{body:?} {version:?}");
        let plan = posting(1, |request| {
            request.http_mut().unwrap().body = body;
            request.http_mut().unwrap().expect_continue = true;
        });
        let plan = changed(&plan, |plan| plan.defaults.version = version);
        let run = run(&plan, instant(ms(1)));
        let (head, _) = split(&run.transcript[0].bytes);
        assert_eq!(head.contains("expect: 100-continue"), says, "{what}: {head}");
    }
}

#[test]
fn codings_are_asked_for_only_when_the_plan_says_so() {
    let with = |codings: &[Coding], header: Option<&str>| {
        let plan = posting(1, |request| {
            request.http_mut().unwrap().headers =
                header.map(|value| ("Accept-Encoding".to_owned(), Template::text(value))).into_iter().collect();
        });
        let plan = changed(&plan, |plan| plan.defaults.compression = codings.to_vec());
        let run = run(&plan, instant(ms(1)));
        let (head, _) = split(&run.transcript[0].bytes);
        let lines = head.lines().map(str::to_ascii_lowercase);
        lines.filter_map(|line| line.strip_prefix("accept-encoding: ").map(str::to_owned)).collect::<Vec<_>>()
    };
    assert_eq!(with(&[], None), [""; 0]);
    assert_eq!(with(&[Coding::Gzip, Coding::Brotli], None), ["gzip, br"]);
    assert_eq!(with(&[Coding::Zstd], Some("identity")), ["identity"], "the plan's own comes first");
}

/// A file that was never opened is an error before the run, not in it.
#[test]
fn a_file_that_is_missing_is_refused_at_the_start() {
    let plan = posting(1, |request| request.http_mut().unwrap().body = Body::File("b.bin".into()));
    let names = nmax_engine::program::catalog(&plan, 10);
    let refused =
        nmax_engine::program::Program::new(Arc::clone(&plan), &names, &files(), &HttpPlan::new(&plan, &names).unwrap())
            .unwrap_err();
    assert!(refused.to_string().contains("b.bin"), "{refused}");
    let plan = posting(1, |request| request.http_mut().unwrap().body = Body::File("a.bin".into()));
    assert_eq!(nmax_engine::body_files(&plan), ["a.bin"]);
    let stats = run(&plan, instant(ms(1))).totals.total(Section::Hold);
    assert_eq!(stats.ok(), 1);
}
