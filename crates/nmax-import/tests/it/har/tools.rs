//! Files of real tools, and the same files damaged. Where they come from: `testdata/har/PROVENANCE.md`.

use std::path::PathBuf;

use nmax_import::har::{self, Read};
use nmax_import::recording::{Entry, Kind, header};
use nmax_import::redact::redact;
use proptest::prelude::*;

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "..", "..", "testdata", "har"].iter().collect()
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap()
}

#[track_caller]
fn read(name: &str) -> Read {
    har::read(&bytes(name), name).unwrap()
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = files.filter(|name| name.ends_with(".har")).collect();
    names.sort();
    names
}

fn line(entry: &Entry) -> String {
    let path = entry.request.url.splitn(4, '/').nth(3).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default().split('/').next().unwrap_or_default();
    let status = entry.response.as_ref().map_or(0, |response| response.status);
    format!("{} /{path} {status} {:?}", entry.request.method, entry.kind)
}

/// Documents and calls of a visit.
fn steps(read: &Read) -> Vec<String> {
    let entries = read.recording.entries.iter();
    entries.filter(|entry| matches!(entry.kind, Kind::Document | Kind::Call | Kind::Socket)).map(line).collect()
}

#[test]
fn every_file_is_read_whole_and_written_again() {
    let names = names();
    assert!(names.len() >= 9, "{names:?}");
    for name in names {
        let read = read(&name);
        assert!(!read.recording.entries.is_empty() && !read.recording.creator.is_empty(), "{name}");
        for entry in &read.recording.entries {
            assert!(entry.sent_us > 1_700_000_000_000_000 && entry.timings.total.is_some(), "{name} {}", line(entry));
        }
        let mut want = read.recording;
        let again = har::read(har::write(&want, "1").as_bytes(), &name).unwrap().recording;
        want.creator = again.creator.clone();
        for (entry, again) in want.entries.iter_mut().zip(&again.entries) {
            entry.number = again.number;
        }
        assert_eq!(again, want, "{name}");
    }
}

const VISIT: [&str; 9] = [
    "GET / 200 Document", "GET /signup 200 Document", "POST /signup 302 Document", "GET /account 200 Document",
    "GET /search 200 Document", "GET /item 200 Document", "POST /basket 303 Document", "GET /basket 200 Document",
    "POST /order 303 Document",
];

#[test]
fn chrome_and_playwright_tell_the_same_visit() {
    let (chrome, playwright) = (read("chrome-156.har"), read("playwright-1.har"));
    assert_eq!(steps(&chrome)[..9], VISIT);
    assert_eq!(steps(&playwright)[..9], VISIT);
    for read in [&chrome, &playwright] {
        let sign_up = read.recording.entries.iter().find(|entry| entry.request.method == "POST").unwrap();
        let fields = &sign_up.request.body.as_ref().unwrap().fields;
        let password = fields.iter().find(|field| field.name == "password").unwrap();
        assert_eq!(password.value, "tr0ub4dor & 3");
        assert!(header(&sign_up.request.headers, "cookie").unwrap().contains("sid="));
        assert_eq!(header(&sign_up.response.as_ref().unwrap().headers, "location"), Some("/account"));
        assert!(!read.warnings.iter().any(|warning| warning.starts_with("sanitized")), "{:?}", read.warnings);
    }
    let page = playwright.recording.entries[0].response.as_ref().unwrap();
    assert!(String::from_utf8_lossy(&page.body.as_ref().unwrap().bytes).contains("Peak Goods"));
    // Chrome has forgotten the pages that were left before the export.
    assert!(chrome.warnings.iter().any(|warning| warning.contains("without its body")), "{:?}", chrome.warnings);
    let sheet = chrome.recording.entries.iter().find(|entry| entry.kind == Kind::Style).unwrap();
    assert_eq!(sheet.initiator.as_deref(), Some(chrome.recording.entries[0].request.url.as_str()));
}

#[test]
fn a_sanitized_export_of_chrome_is_detected() {
    let read = read("chrome-156-sanitized.har");
    let warning = read.warnings.iter().find(|warning| warning.starts_with("sanitized")).unwrap();
    assert!(
        warning.contains("POST /signup") && warning.contains("Allow to generate HAR with sensitive data"),
        "{warning}"
    );
}

#[test]
fn a_form_of_firefox_is_read() {
    let read = read("firefox-153.har");
    let post = &read.recording.entries[0];
    assert_eq!(line(post), "POST /login 403 Document");
    assert_eq!(post.request.body.as_ref().unwrap().fields[0].value, "ann ä@example.test");
}

#[test]
fn mitmproxy_has_sockets_and_uploads() {
    let read = read("mitmproxy-11.har");
    let entries = &read.recording.entries;
    let socket = entries.iter().find(|entry| entry.kind == Kind::Socket).unwrap();
    let said: Vec<_> = socket.messages.iter().map(|message| (message.is_sent, message.opcode)).collect();
    assert_eq!(said, [(true, 1), (false, 1), (true, 2), (false, 2)]);
    assert_eq!(socket.messages[0].data, "{\"hello\":\"world\"}");
    let upload = entries.iter().find(|entry| entry.request.url.ends_with("/echo")).unwrap();
    let fields = &upload.request.body.as_ref().unwrap().fields;
    assert_eq!((fields[0].value.as_str(), fields[1].file_name.as_deref()), ("hi", Some("ws.py")));
}

#[test]
fn files_made_after_other_tools_are_read() {
    let safari = read("safari-made.har");
    let kinds: Vec<_> = safari.recording.entries.iter().map(|entry| (entry.kind, entry.is_from_cache)).collect();
    assert_eq!(kinds, [(Kind::Document, false), (Kind::Style, true), (Kind::Other, false)]);
    let charles = read("charles-made.har");
    assert!(charles.skipped[0].reason.contains("tunnel"));
    let upload = &charles.recording.entries[0];
    assert_eq!(upload.request.body.as_ref().unwrap().fields[1].value, "one");
    assert_eq!(upload.response.as_ref().unwrap().body.as_ref().unwrap().bytes, b"{\"id\":17}");
    assert_eq!(charles.recording.entries[1].response, None);
    let insomnia = read("insomnia-made.har");
    let search = &insomnia.recording.entries[0].request;
    assert_eq!(search.url, "https://shop.test/api/items?q=oak%20%26%20elm&limit=2");
    assert_eq!((header(&search.headers, "cookie"), search.body.as_ref()), (Some("sid=8e1f00c2"), None));
    let fiddler = read("fiddler-made.har");
    assert_eq!(fiddler.recording.creator, "Fiddler 5.0");
    assert_eq!(fiddler.recording.entries[0].sent_us % 1_000_000, 123_456);
    assert!(fiddler.warnings.iter().any(|warning| warning.contains("304")));
}

/// Passwords, sessions and tokens of the visits; none of them is stored.
#[test]
fn no_secret_of_a_visit_is_stored() {
    for name in names() {
        let mut recording = read(&name).recording;
        let before = recording.clone();
        let mut wanted: Vec<String> = vec!["tr0ub4dor".to_owned(), "8e1f00c2".to_owned(), "5f1c9a7e2b".to_owned()];
        for entry in &recording.entries {
            wanted.extend(
                header(&entry.request.headers, "cookie").map(|line| line.split('=').nth(1).unwrap().to_owned()),
            );
            for field in entry.request.body.iter().flat_map(|body| &body.fields) {
                wanted.extend((field.name == "csrf").then(|| field.value.clone()));
            }
        }
        let secrets = redact(&mut recording, &[3; 32]);
        let text = har::write(&recording, "1");
        for secret in wanted {
            assert!(!text.contains(&secret), "{name}: {secret}");
        }
        secrets.restore(&mut recording);
        assert_eq!(recording, before, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Bytes changed, taken out, put in, repeated: something is read or an error says why.
    #[test]
    fn damaged_files_are_read_without_panic(which: prop::sample::Index, changes in prop::collection::vec((any::<prop::sample::Index>(), 0usize..4, any::<u8>()), 1..6)) {
        let names = names();
        let mut bytes = bytes(&names[which.index(names.len())]);
        for (at, how, byte) in changes {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                2 => drop(bytes.drain(at..(at + usize::from(byte)).min(bytes.len()))),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let _ = har::read(&bytes, "r");
    }

    /// One broken entry costs no other one.
    #[test]
    fn one_damaged_entry_costs_only_itself(which in 1usize..14) {
        let text = String::from_utf8(bytes("playwright-1.har")).unwrap();
        let whole = har::read(text.as_bytes(), "r").unwrap().recording.entries.len();
        let at = text.match_indices("\"startedDateTime\": \"").nth(which + 1).unwrap().0;
        let damaged = format!("{}\"{}", &text[..at], &text[at..]);
        let read = har::read(damaged.as_bytes(), "r").unwrap();
        prop_assert!(read.recording.entries.len() + 1 >= whole, "{} of {}: {:?}", read.recording.entries.len(), whole, read.warnings);
    }
}
