//! Recordings: whatever a tool calls a HAR file or a curl command is read or refused with a reason, survives being written,
//! becomes a plan that can be read, and is stored without the secrets that were found.

use nmax_import::convert;
use nmax_import::curl;
use nmax_import::har;
use nmax_import::options::Options;
use nmax_import::recording::{Entry, Recording};
use nmax_import::redact::{Secrets, find, redact};
use nmax_plan::document;

/// Key of the placeholders.
const KEY: [u8; 32] = [7; 32];
/// What placeholders begin with: an input that has some cannot be told from a redacted one.
const PLACEHOLDER: &str = "nmax-secret-";

/// Input: a HAR file.
pub fn har_holds(input: &[u8]) {
    let read = match har::read(input, "visit") {
        Ok(read) => read,
        Err(error) => {
            assert!(error.line >= 1 && error.column >= 1, "{error}");
            return;
        }
    };
    is_in_order(&read.recording);
    let written = har::write(&read.recording, "1");
    let again = har::read(written.as_bytes(), "visit").expect("what was written can be read");
    assert_eq!(sent(&again.recording), sent(&read.recording), "in what was written:\n{written}");
    assert_eq!(har::write(&again.recording, "1"), written, "written differently the second time");
    becomes_a_plan(read.recording);
}

/// Input: what a person pastes.
pub fn curl_holds(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    match curl::read(text) {
        Ok(copied) => {
            assert!(!copied.recording.entries.is_empty(), "no request and no error");
            becomes_a_plan(copied.recording);
        }
        Err(errors) => {
            assert!(!errors.is_empty(), "refused without a reason");
            let is_whole =
                |error: &curl::CurlError| !error.at.is_empty() && !error.what.is_empty() && !error.help.is_empty();
            assert!(errors.iter().all(is_whole), "{errors:?}");
        }
    }
}

/// Input: a HAR file whose secrets leave and come back.
pub fn redaction_holds(input: &[u8]) {
    let Ok(read) = har::read(input, "visit") else {
        return;
    };
    let recording = read.recording;
    if har::write(&recording, "1").contains(PLACEHOLDER) {
        return;
    }
    let mut stored = recording.clone();
    let secrets = redact(&mut stored, &KEY);
    assert_eq!(secrets.redactions == 0, stored == recording, "{} places", secrets.redactions);
    for text in stored.entries.iter().flat_map(texts) {
        assert!(!secrets.is_secret(text), "{secrets:?} and still in {text:?}");
    }
    let left = find(&stored, &KEY);
    assert_eq!(left.redactions, 0, "{} in {}", left.to_json(), har::write(&stored, "1"));
    let loaded = Secrets::from_json(&secrets.to_json()).expect("a secrets file that was written can be read");
    assert_eq!(loaded, secrets);
    assert_eq!(loaded.restore(&mut stored), 0, "every placeholder is known");
    assert_eq!(stored, recording, "restored");
}

fn is_in_order(recording: &Recording) {
    assert!(recording.entries.is_sorted_by_key(|entry| entry.sent_us), "entries stand by instant");
}

/// Method, URL, headers and body of a request.
type Sent<'a> = (&'a str, &'a str, &'a [(String, String)], Option<&'a [u8]>);

/// What was sent, without what a file says beside it.
fn sent(recording: &Recording) -> Vec<Sent<'_>> {
    let entries = recording.entries.iter();
    entries
        .map(|entry| {
            let Entry { request, .. } = entry;
            let body = request.body.as_ref().map(|body| body.bytes.as_slice());
            (request.method.as_str(), request.url.as_str(), request.headers.as_slice(), body)
        })
        .collect()
}

/// The texts in which secrets are looked for.
fn texts(entry: &Entry) -> Vec<&str> {
    let (request, response) = (&entry.request, entry.response.as_ref());
    let headers = request.headers.iter().chain(response.iter().flat_map(|response| &response.headers));
    let bodies = [request.body.as_ref(), response.and_then(|response| response.body.as_ref())];
    let bodies = bodies.into_iter().flatten().filter_map(|body| std::str::from_utf8(&body.bytes).ok());
    headers.map(|(_, value)| value.as_str()).chain(bodies).chain([request.url.as_str()]).collect()
}

/// A recording with something to send is a plan that can be read, with its files beside it.
fn becomes_a_plan(recording: Recording) {
    let made = convert(vec![recording], &Options::default());
    if made.summary.steps == 0 {
        return;
    }
    let file = |name: &str| made.files.iter().find(|file| file.name == name);
    let options = document::Options {
        read: &|name| {
            let file = file(name).ok_or("there is no such file")?;
            String::from_utf8(file.bytes.clone()).map_err(|error| error.to_string())
        },
        exists: &|_| Ok(1),
        env: &|_| Some("value".to_owned()),
        ..document::Options::standalone("visit.yaml")
    };
    if let Err(errors) = document::parse(&made.plan, &options) {
        let printed: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}\nin the plan:\n{}", printed.join("\n"), made.plan);
    }
}
