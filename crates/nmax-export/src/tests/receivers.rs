//! Servers that collect metrics, as they are and as they should not be: judges of what is sent.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use serde_json::Value as Json;

use crate::exports::{Exports, Options};
use crate::push::{Destination, Protocol, Pusher};
use crate::snapshot::Snapshot;

/// What is wrong with a request of OpenTelemetry's protocol by its JSON mapping: `opentelemetry-proto` 1.4,
/// `metrics.proto`, and *JSON Protobuf Encoding*.
pub(super) fn otlp_problems(request: &Json) -> Vec<String> {
    let mut problems = Vec::new();
    check("ExportMetricsServiceRequest", "", request, &mut problems);
    problems
}

/// Fields of a message: names, and what they hold. `[]` stands before what is repeated.
fn fields(message: &str) -> &'static [(&'static str, &'static str)] {
    match message {
        "ExportMetricsServiceRequest" => &[("resourceMetrics", "[]ResourceMetrics")],
        "ResourceMetrics" => &[("resource", "Resource"), ("scopeMetrics", "[]ScopeMetrics"), ("schemaUrl", "string")],
        "Resource" => &[("attributes", "[]KeyValue"), ("droppedAttributesCount", "uint32")],
        "ScopeMetrics" => &[("scope", "InstrumentationScope"), ("metrics", "[]Metric"), ("schemaUrl", "string")],
        "InstrumentationScope" => &[("name", "string"), ("version", "string"), ("attributes", "[]KeyValue")],
        "Metric" => &[
            ("name", "string"),
            ("description", "string"),
            ("unit", "string"),
            ("gauge", "Gauge"),
            ("sum", "Sum"),
            ("histogram", "Histogram"),
        ],
        "Gauge" => &[("dataPoints", "[]NumberDataPoint")],
        "Sum" => &[("dataPoints", "[]NumberDataPoint"), ("aggregationTemporality", "uint32"), ("isMonotonic", "bool")],
        "Histogram" => &[("dataPoints", "[]HistogramDataPoint"), ("aggregationTemporality", "uint32")],
        "NumberDataPoint" => &[
            ("attributes", "[]KeyValue"),
            ("startTimeUnixNano", "uint64"),
            ("timeUnixNano", "uint64"),
            ("asDouble", "double"),
            ("asInt", "uint64"),
        ],
        "HistogramDataPoint" => &[
            ("attributes", "[]KeyValue"),
            ("startTimeUnixNano", "uint64"),
            ("timeUnixNano", "uint64"),
            ("count", "uint64"),
            ("sum", "double"),
            ("bucketCounts", "[]uint64"),
            ("explicitBounds", "[]double"),
        ],
        "KeyValue" => &[("key", "string"), ("value", "AnyValue")],
        "AnyValue" => &[("stringValue", "string"), ("intValue", "uint64")],
        other => panic!("{other} is no message"),
    }
}

fn check(kind: &str, path: &str, json: &Json, problems: &mut Vec<String>) {
    let is_sound = match kind {
        "string" => json.is_string(),
        "bool" => json.is_boolean(),
        "double" => json.is_number(),
        "uint32" => json.is_u64(),
        "uint64" => json.as_str().is_some_and(|text| text.parse::<u64>().is_ok()),
        _ if kind.starts_with("[]") => {
            let list = json.as_array().map_or(&[][..], Vec::as_slice);
            list.iter().for_each(|one| check(&kind[2..], path, one, problems));
            json.is_array()
        }
        _ => {
            let known = fields(kind);
            for (name, value) in json.as_object().into_iter().flatten() {
                let path = format!("{path}.{name}");
                match known.iter().find(|(field, _)| field == name) {
                    Some((_, of)) => check(of, &path, value, problems),
                    None => problems.push(format!("{kind} has no field {path}")),
                }
            }
            if kind == "HistogramDataPoint" {
                let numbers = |name: &str| json[name].as_array().map_or(0, Vec::len);
                let counts = json["bucketCounts"].as_array().into_iter().flatten();
                let all: u64 = counts.filter_map(|count| count.as_str()?.parse::<u64>().ok()).sum();
                let count = json["count"].as_str().unwrap_or_default();
                if numbers("bucketCounts") != numbers("explicitBounds") + 1 || count.parse() != Ok(all) {
                    problems.push(format!("{path}: counts of buckets do not add up"));
                }
            }
            json.is_object()
        }
    };
    if !is_sound {
        problems.push(format!("{path} is no {kind}"));
    }
}

/// Labels, value and Unix ms of a series.
type Carried = (Vec<(String, String)>, f64, u64);

/// Each series of a remote write.
pub(super) fn time_series(request: &[u8]) -> Vec<Carried> {
    let message = snap::raw::Decoder::new().decompress_vec(request).unwrap();
    let text = |bytes: &Bytes| String::from_utf8(bytes.bytes.clone()).unwrap();
    let series = parts(&message).into_iter().filter(|part| part.number == 1).map(|series| {
        let inner = parts(&series.bytes);
        let labels = inner.iter().filter(|part| part.number == 1).map(|label| {
            let pair = parts(&label.bytes);
            (text(&pair[0]), text(&pair[1]))
        });
        let sample = parts(&inner.iter().find(|part| part.number == 2).unwrap().bytes);
        let value = f64::from_le_bytes(sample[0].bytes.clone().try_into().unwrap());
        (labels.collect(), value, sample[1].varint)
    });
    series.collect()
}

/// A field of a protocol buffer.
struct Bytes {
    number: u64,
    bytes: Vec<u8>,
    varint: u64,
}

fn parts(mut message: &[u8]) -> Vec<Bytes> {
    let mut parts = Vec::new();
    while !message.is_empty() {
        let tag = varint(&mut message);
        let (mut bytes, mut number) = (&message[..0], 0);
        match tag & 7 {
            0 => number = varint(&mut message),
            1 => (bytes, message) = message.split_at(8),
            2 => {
                let length = varint(&mut message) as usize;
                (bytes, message) = message.split_at(length);
            }
            other => panic!("wire type {other}"),
        }
        parts.push(Bytes { number: tag >> 3, bytes: bytes.to_vec(), varint: number });
    }
    parts
}

fn varint(message: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = message.split_first().unwrap();
        *message = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}

/// What a receiver does with its connections, one after the other, until there are no more.
fn receiver(serve: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().for_each(serve));
    url
}

/// Head and body of a request; `None` when it broke off.
fn heard(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    Some((head, body))
}

fn answer(stream: &mut TcpStream, status: &str, body: &str) {
    let length = body.len();
    let reply = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    let _ = stream.write_all(reply.as_bytes());
}

fn last() -> Arc<Snapshot> {
    Arc::new(super::course().0.pop().unwrap())
}

fn pusher(protocol: Protocol, url: String) -> Pusher {
    let headers = vec![("x-scope-orgid".to_owned(), "team".to_owned())];
    Pusher::start(Destination { protocol, url, headers }).unwrap()
}

/// Longest wait for a thread that has nothing to wait for.
const AMPLE: Duration = Duration::from_secs(60);

#[test]
fn a_receiver_gets_the_last_state_with_its_headers() {
    let (give, take): (SyncSender<(String, Vec<u8>)>, Receiver<_>) = sync_channel(9);
    let url = receiver(move |mut stream| {
        give.send(heard(&mut stream).unwrap()).unwrap();
        answer(&mut stream, "200 OK", "{\"partialSuccess\":{}}");
    });
    let (otlp, remote) = (pusher(Protocol::Otlp, format!("{url}/v1/metrics")), pusher(Protocol::RemoteWrite, url));
    let snapshot = last();
    let tally = otlp.finish(Arc::clone(&snapshot), AMPLE);
    assert_eq!((tally.sent, tally.failed, tally.skipped, tally.trouble), (1, 0, 0, None));
    let (head, body) = take.recv().unwrap();
    assert!(head.starts_with("post /v1/metrics http/1.1\r\n") && head.contains("x-scope-orgid: team"), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    assert_eq!(otlp_problems(&serde_json::from_slice(&body).unwrap()), Vec::<String>::new());
    assert_eq!(remote.finish(snapshot, AMPLE).sent, 1);
    let (head, body) = take.recv().unwrap();
    for line in ["content-encoding: snappy", "x-prometheus-remote-write-version: 0.1.0"] {
        assert!(head.contains(line), "{head}");
    }
    assert!(!time_series(&body).is_empty());
}

/// Law: what a receiver does wrong is told with its name and without secrets, and what is sent is counted.
#[test]
fn refusals_are_told() {
    let refused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let answers = |status: &'static str, body: &'static str| {
        receiver(move |mut stream| {
            heard(&mut stream);
            answer(&mut stream, status, body);
        })
    };
    let cases = [
        (format!("http://ann:hunter2@{refused}/?token=hunter2"), "refused"),
        (answers("500 Oops", "disk\n full"), "answered 500: disk full"),
        (answers("200 OK", "{\"partialSuccess\":{\"rejectedDataPoints\":\"2\"}}"), "2 points were rejected"),
        (receiver(drop), ""),
        ("http://169.254.169.254".to_owned(), "metadata"),
    ];
    for (url, want) in cases {
        let pusher = pusher(Protocol::Otlp, url.clone());
        let tally = pusher.finish(last(), AMPLE);
        let told = format!("{}: {}", pusher.name, tally.trouble.as_deref().unwrap());
        assert!(told.contains(want) && !told.contains("hunter2"), "{told}");
        assert_eq!((tally.sent, tally.failed), (0, 1), "{told}");
    }
}

/// Law: a receiver that hangs holds nothing up. What is offered meanwhile takes one place, the rest is counted; the end does
/// not wait beyond its limit.
#[test]
fn a_receiver_that_hangs_holds_nothing_up() {
    let (entered, hangs) = sync_channel(9);
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let of_server = Arc::clone(&gate);
    let url = receiver(move |mut stream| {
        heard(&mut stream);
        let _ = entered.send(());
        let is_open = of_server.1.wait_while(of_server.0.lock().unwrap(), |is_open| !*is_open);
        drop(is_open.unwrap());
        answer(&mut stream, "204 No Content", "");
    });
    let pusher = pusher(Protocol::RemoteWrite, url);
    let snapshot = last();
    pusher.offer(Arc::clone(&snapshot));
    hangs.recv().unwrap();
    (0..5).for_each(|_| pusher.offer(Arc::clone(&snapshot)));
    assert_eq!(pusher.tally().skipped, 4);
    let tally = pusher.finish(Arc::clone(&snapshot), Duration::ZERO);
    assert_eq!((tally.skipped, tally.failed), (5, 1));
    assert!(tally.trouble.unwrap().contains("no answer within 0 s"));
    *gate.0.lock().unwrap() = true;
    gate.1.notify_all();
    assert!(pusher.finish(snapshot, AMPLE).sent + pusher.tally().failed > 0, "and goes on when it can");
}

fn get(address: &str, host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n").as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

#[test]
fn a_page_is_there_as_long_as_its_run() {
    let options = Options { prometheus: Some("127.0.0.1:0".parse().unwrap()), ..Options::default() };
    let exports = Exports::start(&options).unwrap();
    let url = exports.url().unwrap();
    let address = url.strip_prefix("http://").unwrap().strip_suffix("/metrics").unwrap().to_owned();
    let empty = get(&address, &address, "/metrics");
    assert!(empty.starts_with("HTTP/1.1 200") && empty.contains("text/plain; version=0.0.4"), "{empty}");
    exports.show(&last());
    let page = get(&address, "localhost", "/metrics");
    let (_, page) = page.split_once("\r\n\r\n").unwrap();
    assert!(!super::parsed(page).0.is_empty());
    assert!(get(&address, "evil.test", "/metrics").starts_with("HTTP/1.1 421"));
    assert!(get(&address, &address, "/").starts_with("HTTP/1.1 404"));
    let busy = Exports::start(&Options { prometheus: Some(address.parse().unwrap()), ..Options::default() });
    assert!(busy.is_err_and(|error| error.contains("help: choose a free address")));
    drop(exports);
    assert!(TcpStream::connect(&address).is_err(), "nothing listens any more");
}
