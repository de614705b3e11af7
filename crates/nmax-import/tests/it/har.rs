//! HAR files, read and written.

use nmax_import::har::{self, HarErrorKind, Read, Writer};
use nmax_import::recording::{Kind, Recording, header};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::made;

mod structure;
mod tools;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_written_is_read_back(recording in made::recording()) {
        let read = har::read(har::write(&recording, "1.2.3").as_bytes(), "r").unwrap();
        prop_assert_eq!(read.recording, recording);
        prop_assert_eq!(read.skipped, vec![]);
    }

    /// The recorder writes exchanges as they end, and may be killed at any byte.
    #[test]
    fn what_was_written_before_a_kill_is_read(recording in made::recording(), at in 0.0..1.0f64) {
        let mut writer = Writer::default();
        let mut text = writer.begin("1.2.3");
        for mark in &recording.marks {
            writer.mark(mark.clone());
        }
        let mut ends = vec![];
        for entry in recording.entries.iter().rev() {
            text.push_str(&writer.entry(entry));
            ends.push(text.len());
        }
        let begun = writer_head();
        text.push_str(writer.end().trim_end());
        let at = text.floor_char_boundary(begun + ((text.len() - begun) as f64 * at) as usize);
        let whole = ends.iter().filter(|end| **end <= at).count();
        let read = har::read(&text.as_bytes()[..at], "r").unwrap();
        prop_assert_eq!(read.recording.entries.len(), whole);
        prop_assert!(read.warnings.iter().any(|warning| warning.contains("in the middle")), "{:?}", read.warnings);
        let mut want = recording.entries;
        want.drain(..want.len() - whole);
        let mut numbered = read.recording.entries;
        numbered.iter_mut().zip(&want).for_each(|(entry, want)| entry.number = want.number);
        prop_assert_eq!(numbered, want);
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes: Vec<u8>, text in "([{}\\[\\]\",:\\\\]|\"log\"|\"entries\"|\"request\"|\"url\"|http://a/|null|-1|ä|\u{ff01}|\u{feff}){0,40}") {
        let _ = har::read(&bytes, "r");
        let _ = har::read(text.as_bytes(), "r");
        let _ = har::read(format!("{{\"log\":{{\"entries\":[{{{text}").as_bytes(), "r");
    }
}

/// Length of what a file begins with.
fn writer_head() -> usize {
    Writer::default().begin("1.2.3").len()
}

/// An entry with as little as there can be.
fn small(url: &str) -> Value {
    json!({ "startedDateTime": "2026-01-02T03:04:05.006Z", "time": 5, "request": { "method": "GET", "url": url, "headers": [] },
        "response": { "status": 200, "headers": [], "content": { "size": 0 } } })
}

fn file(entries: &[Value]) -> String {
    json!({ "log": { "creator": { "name": "Tool", "version": "1" }, "entries": entries } }).to_string()
}

#[track_caller]
fn read(text: impl AsRef<[u8]>) -> Read {
    har::read(text.as_ref(), "a.har").unwrap()
}

fn urls(recording: &Recording) -> Vec<&str> {
    recording.entries.iter().map(|entry| entry.request.url.as_str()).collect()
}

#[test]
fn instants_are_read_in_many_forms() {
    let want = 1_767_323_045_006_000i64;
    let forms = [
        json!("2026-01-02T03:04:05.006Z"),
        json!("2026-01-02T03:04:05.006+00:00"),
        json!("2026-01-02T04:04:05.006+0100"),
        json!("2026-01-01T21:04:05.0060000-06:00"),
        json!("2026-01-02 03:04:05.006Z"),
        json!("2026-01-02 03:04:05.006 UTC"),
        json!("2026-01-02T03:04:05,006Z"),
        json!("2026-01-02T03:04:05.006"),
        json!("20260102T030405.006Z"),
        json!(1_767_323_045_006i64),
        json!(1_767_323_045.006),
        json!(1_767_323_045_006_000i64),
        json!("1767323045006"),
    ];
    for form in forms {
        let mut entry = small("http://a.test/");
        entry["startedDateTime"] = form.clone();
        assert_eq!(read(file(&[entry])).recording.entries[0].sent_us, want, "{form}");
    }
    for form in
        ["Fri Jan 02 2026 04:04:05 GMT+0100 (CET)", "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 2 Jan 2026 03:04:05 +0000"]
    {
        let mut entry = small("http://a.test/");
        entry["startedDateTime"] = json!(form);
        assert_eq!(read(file(&[entry])).recording.entries[0].sent_us, want - 6_000, "{form}");
    }
}

#[test]
fn an_entry_without_an_instant_stays_where_it_is() {
    let mut second = small("http://a.test/2");
    second["startedDateTime"] = Value::Null;
    let mut third = small("http://a.test/3");
    third["startedDateTime"] = json!("2026-01-02T03:04:09Z");
    let read = read(file(&[small("http://a.test/1"), second, third]));
    assert_eq!(urls(&read.recording), ["http://a.test/1", "http://a.test/2", "http://a.test/3"]);
    assert!(read.warnings.iter().any(|warning| warning.contains("startedDateTime")), "{:?}", read.warnings);
}

#[test]
fn entries_are_sorted_by_time_and_keep_their_numbers() {
    let mut late = small("http://a.test/late");
    late["startedDateTime"] = json!("2026-01-02T03:04:06Z");
    let read = read(file(&[late, small("http://a.test/early")]));
    assert_eq!(urls(&read.recording), ["http://a.test/early", "http://a.test/late"]);
    assert_eq!(read.recording.entries[0].number, 2);
}

/// Trap: -1 is no duration, and TLS is a part of `connect`, not a phase of its own.
#[test]
fn phases_that_do_not_apply_are_not_added() {
    let mut entry = small("http://a.test/");
    entry["time"] = Value::Null;
    entry["timings"] =
        json!({ "blocked": -1, "dns": 2, "connect": 10, "ssl": 6, "send": 1, "wait": "20", "receive": null });
    let timings = read(file(&[entry.clone()])).recording.entries[0].timings;
    assert_eq!(timings.total.unwrap().as_millis(), 33);
    assert_eq!((timings.blocked, timings.receive), (None, None));
    assert_eq!(timings.connect.unwrap().as_millis(), 10);
    // A program that counts TLS beside `connect` gives itself away by the total.
    entry["time"] = json!(39);
    assert_eq!(read(file(&[entry])).recording.entries[0].timings.connect.unwrap().as_millis(), 16);
}

#[test]
fn what_no_server_was_asked_for_is_skipped_with_its_reason() {
    let mut connect = small("http://a.test:443");
    connect["request"]["method"] = json!("CONNECT");
    let entries = [
        small("http://a.test/"),
        small("data:image/png;base64,AAAA"),
        small("blob:https://a.test/1-2"),
        small("chrome-extension://abc/x.js"),
        connect,
        json!({ "startedDateTime": "2026-01-02T03:04:05Z" }),
        small("http://"),
        small("ftp://a.test/"),
        small("nonsense"),
    ];
    let read = read(file(&entries));
    assert_eq!(urls(&read.recording), ["http://a.test/"]);
    let numbers: Vec<usize> = read.skipped.iter().map(|skipped| skipped.number).collect();
    assert_eq!(numbers, [2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(read.skipped.iter().all(|skipped| !skipped.reason.is_empty()));
    assert!(read.skipped[3].reason.contains("tunnel"));
}

#[test]
fn an_exchange_without_a_reply_stays_and_says_why() {
    let mut aborted = small("http://a.test/");
    aborted["response"] = json!({ "status": 0, "_error": "net::ERR_ABORTED" });
    let mut playwright = small("http://a.test/");
    playwright["response"] = json!({ "status": -1, "_failureText": "NS_BINDING_ABORTED" });
    let mut null = small("http://a.test/");
    null["response"] = Value::Null;
    let read = read(file(&[aborted, playwright, null]));
    let said: Vec<_> =
        read.recording.entries.iter().map(|entry| (entry.response.is_none(), entry.comment.as_str())).collect();
    assert_eq!(said, [(true, "net::ERR_ABORTED"), (true, "NS_BINDING_ABORTED"), (true, "")]);
}

#[test]
fn pseudo_headers_go_and_joined_headers_come_apart() {
    let mut entry = small("http://a.test/");
    entry["request"]["headers"] = json!([{ "name": ":method", "value": "GET" }, { "name": "accept", "value": "*/*" }]);
    entry["response"]["headers"] = json!([{ "name": "set-cookie", "value": "a=1; Path=/\nb=2" }]);
    let entry = &read(file(&[entry])).recording.entries[0];
    assert_eq!(entry.request.headers, [("accept".to_owned(), "*/*".to_owned())]);
    let cookies: Vec<&str> = entry.response.as_ref().unwrap().headers.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(cookies, ["a=1; Path=/", "b=2"]);
}

#[test]
fn cookies_that_are_only_listed_become_headers() {
    let mut entry = small("http://a.test/");
    entry["request"]["cookies"] = json!([{ "name": "a", "value": "1" }, { "name": "b", "value": "2" }]);
    entry["response"]["cookies"] = json!([{ "name": "c", "value": "3", "path": "/", "httpOnly": true }]);
    let entry = &read(file(&[entry])).recording.entries[0];
    assert_eq!(header(&entry.request.headers, "Cookie"), Some("a=1; b=2"));
    let response = entry.response.as_ref().unwrap();
    assert_eq!(header(&response.headers, "Set-Cookie"), Some("c=3; Path=/; HttpOnly"));
}

#[test]
fn bodies_are_read_in_every_spelling() {
    let content = |content: Value| {
        let mut entry = small("http://a.test/");
        entry["response"]["content"] = content;
        let read = read(file(&[entry]));
        let response = read.recording.entries[0].response.clone().unwrap();
        (response.body.map(|body| body.bytes), read.warnings)
    };
    let cases = [
        (json!({ "size": 2, "mimeType": "text/plain", "text": "aGk=", "encoding": "base64" }), Some("hi")),
        (json!({ "size": 2, "mimeType": "text/plain", "text": "aG\nk", "encoding": "base64" }), Some("hi")),
        (json!({ "size": 2, "mimeType": "image/png", "text": "aGk=" }), Some("hi")),
        (json!({ "size": 4, "mimeType": "image/svg+xml", "text": "aGk=" }), Some("aGk=")),
        (json!({ "size": 4, "mimeType": "text/plain", "text": "aGk=" }), Some("aGk=")),
        (json!({ "size": 3, "text": "<a>", "encoding": "base64" }), Some("<a>")),
        (json!({ "size": 9, "comment": "Antwortkörper nicht enthalten" }), None),
        (json!({ "size": 0, "text": "" }), Some("")),
        (json!(null), None),
    ];
    for (given, want) in cases {
        assert_eq!(content(given.clone()).0, want.map(|want| want.as_bytes().to_vec()), "{given}");
    }
    assert!(
        content(json!({ "size": 9, "text": "<a>", "encoding": "base64" })).1.iter().any(|text| text.contains("base64"))
    );
    assert!(content(json!({ "size": 9 })).1.iter().any(|text| text.contains("without its body")));
}

#[test]
fn parameters_count_only_for_forms() {
    let sent = |data: Value| {
        let mut entry = small("http://a.test/");
        entry["request"]["postData"] = data;
        read(file(&[entry])).recording.entries[0].request.body.clone().unwrap()
    };
    let form = "application/x-www-form-urlencoded";
    // Chrome lists parameters as they were written, Firefox decoded: the text says which.
    let chrome = sent(json!({ "mimeType": form, "text": "a=x%20y&b=", "params": [{ "name": "a", "value": "x%20y" }] }));
    assert_eq!((chrome.fields[0].value.as_str(), chrome.fields.len()), ("x y", 2));
    let listed = sent(json!({ "mimeType": form, "params": [{ "name": "a b", "value": "ä&" }] }));
    assert_eq!(listed.bytes, b"a%20b=%C3%A4%26");
    assert_eq!(listed.fields[0].value, "ä&");
    let json = sent(json!({ "mimeType": "application/json", "text": "{}", "params": [{ "name": "{}", "value": "" }] }));
    assert_eq!((json.bytes.as_slice(), json.fields.len()), (&b"{}"[..], 0));
    let upload = sent(
        json!({ "mimeType": "multipart/form-data", "params": [{ "name": "f", "fileName": "a.txt", "contentType": "text/plain", "value": "hi" }] }),
    );
    assert!(upload.mime.contains("boundary="));
    assert_eq!(upload.fields[0].file_name.as_deref(), Some("a.txt"));
    let old = sent(json!({ "mimeType": form, "text": "Content-Type: x\r\nContent-Length: 3\r\n\r\na=1" }));
    assert_eq!(old.bytes, b"a=1");
}

#[test]
fn queries_that_are_only_listed_become_a_part_of_the_url() {
    let mut entry = small("http://a.test/x#top");
    entry["request"]["queryString"] = json!([{ "name": "q", "value": "a b" }, { "name": "r", "value": "a%20b" }]);
    assert_eq!(urls(&read(file(&[entry])).recording), ["http://a.test/x?q=a%20b&r=a%20b"]);
}

#[test]
fn kinds_follow_what_the_file_says_then_what_was_sent() {
    let kind = |change: &dyn Fn(&mut Value)| {
        let mut entry = small("http://a.test/");
        change(&mut entry);
        read(file(&[entry])).recording.entries[0].kind
    };
    let mime = |mime: &'static str| move |entry: &mut Value| entry["response"]["content"]["mimeType"] = json!(mime);
    let text = |mime: &'static str| {
        move |entry: &mut Value| entry["response"]["headers"] = json!([{ "name": "Content-Type", "value": mime }])
    };
    assert_eq!(kind(&|entry| entry["_resourceType"] = json!("fetch")), Kind::Call);
    assert_eq!(kind(&|entry| entry["_resourceType"] = json!("stylesheet")), Kind::Style);
    assert_eq!(
        kind(&|entry| entry["request"]["headers"] = json!([{ "name": "Sec-Fetch-Dest", "value": "iframe" }])),
        Kind::Document
    );
    assert_eq!(kind(&|entry| entry["request"]["url"] = json!("wss://a.test/")), Kind::Socket);
    assert_eq!(kind(&text("text/html; charset=utf-8")), Kind::Document);
    assert_eq!(kind(&text("application/problem+json")), Kind::Call);
    assert_eq!(kind(&text("text/javascript")), Kind::Script);
    assert_eq!(kind(&text("font/woff2")), Kind::Font);
    assert_eq!(kind(&text("text/event-stream")), Kind::Events);
    assert_eq!(kind(&mime("x-unknown")), Kind::Other);
}

#[test]
fn initiators_are_texts_objects_and_stacks() {
    let initiator = |value: Value| {
        let mut entry = small("http://a.test/");
        entry["_initiator"] = value;
        read(file(&[entry])).recording.entries[0].initiator.clone()
    };
    let want = Some("http://a.test/x.js".to_owned());
    assert_eq!(initiator(json!("http://a.test/x.js")), want);
    assert_eq!(initiator(json!({ "type": "parser", "url": "http://a.test/x.js", "lineNumber": 1 })), want);
    let frames =
        json!({ "callFrames": [{ "url": "" }], "parent": { "callFrames": [{ "url": "http://a.test/x.js" }] } });
    assert_eq!(initiator(json!({ "type": "script", "stack": frames })), want);
    assert_eq!(initiator(json!({ "type": "other" })), None);
    assert_eq!(initiator(json!("parser")), None);
}

#[test]
fn messages_of_sockets_are_read() {
    let mut entry = small("wss://a.test/");
    entry["_webSocketMessages"] = json!([{ "type": "send", "time": 1_767_323_045.006, "opcode": 1, "data": "hi" }, { "type": "receive", "data": { "a": 1 } }]);
    let messages = &read(file(&[entry])).recording.entries[0].messages;
    assert_eq!(
        (messages[0].is_sent, messages[0].at_us, messages[0].data.as_str()),
        (true, 1_767_323_045_006_000, "hi")
    );
    assert_eq!((messages[1].is_sent, messages[1].data.as_str()), (false, "{\"a\":1}"));
}

#[test]
fn files_in_other_encodings_are_read() {
    let text = file(&[small("http://a.test/ä")]);
    let utf16 = |to: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to).collect::<Vec<u8>>();
    let files = [
        [&b"\xef\xbb\xbf"[..], text.as_bytes()].concat(),
        [&b"\xff\xfe"[..], &utf16(u16::to_le_bytes)].concat(),
        [&b"\xfe\xff"[..], &utf16(u16::to_be_bytes)].concat(),
        utf16(u16::to_le_bytes),
    ];
    for file in files {
        assert_eq!(urls(&read(&file).recording), ["http://a.test/ä"]);
    }
}

#[test]
fn shapes_other_than_the_standards_are_read() {
    let log = json!({ "version": "1.2", "entries": [small("http://a.test/1")] });
    let list = json!([small("http://a.test/1")]);
    for (text, count) in [(log.to_string(), 1), (list.to_string(), 1), (format!("{log}\n\u{feff}{log}"), 2)] {
        assert_eq!(read(&text).recording.entries.len(), count, "{text}");
    }
    let two = read(format!("{log}{log}"));
    assert!(two.warnings.iter().any(|warning| warning.contains("2 recordings")), "{:?}", two.warnings);
}

/// HAR 1.1 has fewer members, and converters leave out what they do not know.
#[test]
fn files_of_older_versions_and_of_converters_are_read() {
    let cases = [
        (
            "HAR 1.1",
            r#"{"log":{"version":"1.1","creator":{"name":"Firebug","version":"1.5X"},"browser":{"name":"Firefox","version":"3.6"},
            "pages":[{"startedDateTime":"2009-07-24T10:00:00.000+02:00","id":"p","title":"t","pageTimings":{}}],
            "entries":[{"pageref":"p","startedDateTime":"2009-07-24T10:00:01.000+02:00","time":50,
            "request":{"method":"GET","url":"http://a.test/1","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"queryString":[],"headersSize":1,"bodySize":-1},
            "response":{"status":200,"statusText":"OK","httpVersion":"HTTP/1.1","cookies":[],"headers":[],"content":{"size":0,"mimeType":""},"redirectURL":"","headersSize":1,"bodySize":0},
            "cache":{},"timings":{"dns":0,"connect":0,"blocked":0,"send":0,"wait":50,"receive":0}}]}}"#,
        ),
        ("only what is needed", r#"{"log":{"entries":[{"request":{"method":"GET","url":"http://a.test/1"}}]}}"#),
        (
            "nulls",
            r#"{"log":{"version":null,"pages":null,"entries":[{"startedDateTime":null,"time":null,"timings":null,
            "request":{"method":"GET","url":"http://a.test/1","headers":null,"postData":null,"queryString":null},"response":null}]}}"#,
        ),
    ];
    for (what, text) in cases {
        let read = read(text);
        assert_eq!(urls(&read.recording), ["http://a.test/1"], "{what}");
        assert!(read.skipped.is_empty(), "{what}: {:?}", read.skipped);
    }
}

#[test]
fn entries_that_are_nearly_json_are_repaired() {
    let bad = [
        ("\"comment\":\"half \\ud83d\"", "half \u{fffd}"),
        ("\"comment\":\"tab\there\"", "tab\there"),
        ("\"comment\":\"\\x41\"", "x41"),
        ("\"x\":NaN,\"comment\":\"a\",", "a"),
        ("\"x\":undefined,\"comment\":\"\\ud83d\\ude00\"", "😀"),
    ];
    for (member, want) in bad {
        let text = format!("{{\"log\":{{\"entries\":[{{{member}}}]}}}}")
            .replace("[{", "[{\"request\":{\"url\":\"http://a.test/\"},");
        let read = read(&text);
        assert_eq!(read.recording.entries[0].comment, want, "{text}");
        assert!(read.warnings.iter().any(|warning| warning.contains("not quite JSON")), "{:?}", read.warnings);
    }
}

/// A quote that is not escaped swallows what follows; the next entry is found again.
#[test]
fn what_follows_a_damaged_entry_is_used() {
    let good = |number: usize| {
        format!(
            "{{\"startedDateTime\":\"2026-01-02T03:04:0{number}Z\",\"request\":{{\"url\":\"http://a.test/{number}\"}}}}"
        )
    };
    let bad = "{\"pageref\":\"p\",\"comment\":\"a \"quoted\" word [\",\"request\":{}}";
    let text = format!("{{\"log\":{{\"entries\":[\n{},\n{bad},\n{},\n{}\n]}}}}", good(1), good(2), good(3));
    let read = read(&text);
    assert_eq!(urls(&read.recording), ["http://a.test/1", "http://a.test/2", "http://a.test/3"]);
    assert_eq!(read.skipped.len(), 1);
    assert!(read.skipped[0].url.contains("line 3"), "{:?}", read.skipped);
}

#[test]
fn files_without_entries_are_errors_that_say_where() {
    let cases: [(&[u8], usize, usize, &str); 8] = [
        (b"", 1, 1, "empty"),
        (b" \n ", 1, 1, "empty"),
        (b"\x1f\x8b\x08", 1, 1, "gzip"),
        (b"PK\x03\x04", 1, 1, "zip"),
        (b"\n  127.0.0.1 - - [", 2, 3, "`127.0.0.1 - - [`"),
        (b"{\"info\":{},\n \"item\":[]}", 1, 1, "`info`, `item`"),
        (b"{\"log\":{\"creator\":{}}}", 1, 1, "log.entries"),
        (b"{\"log\":\n{\"creator\":", 2, 12, "ends"),
    ];
    for (bytes, line, column, word) in cases {
        let error = har::read(bytes, "a.har").unwrap_err();
        assert_eq!((error.line, error.column), (line, column), "{error}");
        let text = error.to_string();
        assert!(text.contains(word) && text.contains("help: "), "{text}");
    }
    let empty = read("{\"log\":{\"entries\":[]}}");
    assert!(empty.warnings[0].contains("nothing was recorded"));
    let broken = har::read(b"{\"log\":{,", "a.har").unwrap_err();
    assert!(matches!(broken.kind, HarErrorKind::Broken { .. }));
}

#[test]
fn sanitized_files_are_detected_and_others_are_not() {
    let is_suspected = |entries: &[Value]| {
        let read = read(file(entries));
        read.warnings.iter().any(|warning| warning.contains("sensitive data"))
    };
    assert!(is_suspected(&[small("http://a.test/")]));
    for (side, name) in [("request", "Cookie"), ("request", "Authorization"), ("response", "set-cookie")] {
        let mut entry = small("http://a.test/");
        entry[side]["headers"] = json!([{ "name": name, "value": "a=1" }]);
        assert!(!is_suspected(&[entry]), "{side} {name}");
    }
    let mut login = small("http://a.test/login");
    login["request"]["method"] = json!("POST");
    let read = read(file(&[small("http://a.test/"), login]));
    assert!(read.warnings.iter().any(|warning| warning.contains("entry 2: POST /login")), "{:?}", read.warnings);
    let mut blanked = small("http://a.test/");
    blanked["request"]["headers"] = json!([{ "name": "Cookie", "value": "a=[token redacted]" }]);
    let read = self::read(file(&[blanked]));
    assert!(read.warnings.iter().any(|warning| warning.contains("blanked")), "{:?}", read.warnings);
}

#[test]
fn replies_out_of_the_cache_are_marked() {
    let mut memory = small("http://a.test/");
    memory["_fromCache"] = json!("memory");
    let mut safari = small("http://a.test/");
    safari["_fetchType"] = json!("Disk Cache");
    let mut not_modified = small("http://a.test/");
    not_modified["response"]["status"] = json!(304);
    let read = read(file(&[memory, safari, not_modified]));
    let cached: Vec<bool> = read.recording.entries.iter().map(|entry| entry.is_from_cache).collect();
    assert_eq!(cached, [true, true, false]);
    assert!(
        read.warnings.iter().any(|warning| warning.starts_with("3 entries") && warning.contains("cache")),
        "{:?}",
        read.warnings
    );
}

#[test]
fn hours_between_entries_are_said_and_so_are_different_zones() {
    let at = |started: &str| {
        let mut entry = small("http://a/");
        entry["startedDateTime"] = json!(started);
        entry
    };
    let said = |starts: &[&str]| {
        let entries: Vec<Value> = starts.iter().map(|started| at(started)).collect();
        read(file(&entries)).warnings.join("\n")
    };
    let one = ["2026-01-01T00:00:00Z", "2026-01-01T00:59:00+00:00", "2026-01-01T01:58:00.5Z"];
    let alike = said(&one);
    assert!(!alike.contains("zone") && !alike.contains("nothing was sent"), "{alike}");
    let mixed = said(&["2026-01-01T12:00:00Z", "2026-01-01T12:00:01+05:00", "2026-01-01T12:00:02Z"]);
    assert!(mixed.contains("entry 2 has another zone than the first"), "{mixed}");
    assert!(mixed.contains("between the entries 2 and 1: their zones differ"), "{mixed}");
    let two = said(&["2026-01-01T12:00:00Z", "2026-01-01T17:30:10Z"]);
    assert!(two.contains("for 5h30m between the entries 1 and 2: when these are several visits"), "{two}");
}
