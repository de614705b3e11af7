//! Recordings made at random, as the recorder could have written them.

use std::time::Duration;

use nmax_import::form;
use nmax_import::recording::{Body, Entry, Kind, Mark, Message, Recording, Request, Response, Timings};
use proptest::prelude::*;

/// Types of bodies: forms, texts, pictures, unknown.
const TYPES: [&str; 7] = [
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=B",
    "application/json",
    "text/html; charset=utf-8",
    "image/png",
    "application/octet-stream",
    "x-other/thing",
];

fn headers() -> impl Strategy<Value = Vec<(String, String)>> {
    let name = prop_oneof![
        Just("cookie".to_owned()),
        Just("Set-Cookie".to_owned()),
        Just("Location".to_owned()),
        "[a-zA-Z][a-zA-Z-]{0,10}",
    ];
    prop::collection::vec((name, "[!-~äß😀]([ -~]{0,10}[!-~])?"), 0..5)
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40),
        "\\PC{0,40}".prop_map(String::into_bytes),
        "([a-z]{0,3}=[a-z%+&]{0,5}&){0,3}".prop_map(String::into_bytes),
        Just(b"--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\xff\r\n--B--\r\n".to_vec()),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    (prop::sample::select(&TYPES), bytes(), any::<bool>()).prop_map(|(mime, bytes, is_cut)| Body {
        fields: form::fields(mime, &bytes).unwrap_or_default(),
        mime: mime.to_owned(),
        bytes,
        is_cut,
        file: None,
    })
}

fn version() -> impl Strategy<Value = String> {
    prop::sample::select(&["", "HTTP/1.0", "HTTP/1.1", "h2", "h3"]).prop_map(str::to_owned)
}

fn request() -> impl Strategy<Value = Request> {
    let url = "https?://[a-z]{1,5}\\.test(:[1-9][0-9]{0,3})?(/[a-z0-9%]{0,5}){1,3}(\\?[a-z0-9=&%+]{0,12})?";
    let method = prop::sample::select(&["GET", "POST", "PUT", "OPTIONS", "PROPFIND"]).prop_map(str::to_owned);
    (method, url, version(), headers(), prop::option::of(body())).prop_map(|(method, url, version, headers, body)| {
        Request {
            method,
            url,
            version,
            headers,
            body: body.map(|body| Body { file: body.is_cut.then(|| "a/b.bin".to_owned()), ..body }),
        }
    })
}

fn response() -> impl Strategy<Value = Response> {
    let body = prop::option::of(body().prop_map(|body| Body { fields: Vec::new(), ..body }));
    let bytes = prop::option::of(0u64..1 << 40);
    (100u16..600, version(), headers(), body, bytes).prop_map(|(status, version, headers, body, bytes)| Response {
        status,
        version,
        headers,
        body,
        bytes,
    })
}

fn timings() -> impl Strategy<Value = Timings> {
    let phase = || prop::option::of((1u64..1_000_000_000_000).prop_map(Duration::from_nanos));
    (phase(), phase(), phase(), phase(), phase(), phase(), phase()).prop_map(
        |(blocked, dns, connect, send, wait, receive, extra)| {
            let known = [blocked, dns, connect, send, wait, receive];
            let sum = known.into_iter().flatten().reduce(|a, b| a + b);
            Timings {
                blocked,
                dns,
                connect,
                tls: connect.map(|connect| connect / 2),
                send,
                wait,
                receive,
                total: sum.map(|sum| sum + extra.unwrap_or_default()).or(extra),
            }
        },
    )
}

/// Instants that a HAR file can hold to the microsecond.
fn at_us() -> impl Strategy<Value = i64> {
    0i64..2_000_000_000_000_000
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let message = (any::<bool>(), at_us(), 1u8..3, "\\PC{0,20}").prop_map(|(is_sent, at_us, opcode, data)| Message {
        is_sent,
        at_us,
        opcode,
        data,
    });
    prop::collection::vec(message, 0..3)
}

fn kind() -> impl Strategy<Value = Kind> {
    prop::sample::select(&[
        Kind::Document,
        Kind::Style,
        Kind::Script,
        Kind::Image,
        Kind::Font,
        Kind::Media,
        Kind::Call,
        Kind::Socket,
        Kind::Events,
        Kind::Beacon,
        Kind::Preflight,
        Kind::Other,
    ])
}

prop_compose! {
    fn entry()(
        sent_us in at_us(),
        timings in timings(),
        request in request(),
        response in prop::option::of(response()),
        page in prop::option::of("page_[0-9]"),
        kind in kind(),
        initiator in prop::option::of("https://i\\.test/[a-z]{0,5}"),
        is_from_cache: bool,
        messages in messages(),
        comment in "(net::ERR_[A-Z]{1,5})?",
    ) -> Entry {
        Entry { number: 0, sent_us, timings, request, response, page, kind, is_to_follow: false, initiator, is_from_cache, messages, comment }
    }
}

/// A recording by nmax 1.2.3 with the name `r`.
pub(crate) fn recording() -> impl Strategy<Value = Recording> {
    let marks = prop::collection::vec((at_us(), "[a-z ]{1,8}[a-z]"), 0..3);
    (prop::collection::vec(entry(), 0..5), marks).prop_map(|(mut entries, marks)| {
        entries.sort_by_key(|entry| entry.sent_us);
        for (index, entry) in entries.iter_mut().enumerate() {
            entry.number = index + 1;
        }
        let mut marks: Vec<Mark> = marks.into_iter().map(|(at_us, name)| Mark { at_us, name }).collect();
        marks.sort_by_key(|mark| mark.at_us);
        Recording { name: "r".to_owned(), creator: "nmax 1.2.3".to_owned(), entries, marks, is_command: false }
    })
}
