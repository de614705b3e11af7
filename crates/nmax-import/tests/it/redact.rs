//! Secrets leave what is stored, and come back.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use nmax_import::form;
use nmax_import::har;
use nmax_import::recording::{Body, Entry, Mark, Message, Recording, Request, Response};
use nmax_import::redact::{Secrets, find, redact};
use nmax_text::percent;
use proptest::prelude::*;

use crate::made;

const KEY: [u8; 32] = [7; 32];

/// A text as a string of JSON, without its quotes.
fn json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn html(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}

/// A secret in every spelling that must not be found.
fn spellings(secret: &str) -> Vec<String> {
    let form = percent::encode(secret).replace("%20", "+");
    vec![
        secret.to_owned(),
        percent::encode(secret),
        form,
        json(secret),
        json(&json(secret)),
        percent::encode(&json(secret)),
        html(secret),
        STANDARD.encode(secret),
        URL_SAFE_NO_PAD.encode(secret),
        percent::encode(&STANDARD.encode(secret)),
    ]
}

fn body(mime: &str, text: String) -> Option<Body> {
    let bytes = text.into_bytes();
    Some(Body {
        mime: mime.to_owned(),
        fields: form::fields(mime, &bytes).unwrap_or_default(),
        bytes,
        ..Body::default()
    })
}

fn headers(pairs: &[(&str, String)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// How many secrets [`planted`] takes.
const PLANTED: usize = 17;

/// A recording with a secret in every place where there can be one, and with all of them in a page and in a picture.
fn planted(secrets: &[String]) -> Recording {
    let mut left = secrets.iter().map(String::as_str);
    let mut next = || left.next().unwrap();
    let (cookie, set) = (percent::encode(next()), percent::encode(next()));
    let request = headers(&[
        ("authorization", format!("Bearer {}", next())),
        ("cookie", format!("theme=dark; id={cookie}")),
        ("x-api-key", next().to_owned()),
        ("referer", format!("https://a.test/x?access_token={}&page=2", percent::encode(next()))),
    ]);
    let response = headers(&[
        ("set-cookie", format!("sid={set}; Path=/; HttpOnly")),
        ("location", format!("/next?reset_token={}", percent::encode(next()))),
    ]);
    let url = format!("https://ann:{}@a.test/x?q=1&api_key={}", percent::encode(next()), percent::encode(next()));
    let form = format!("user=ann&password={}&next=%2F", percent::encode(next()).replace("%20", "+"));
    let inner = format!("{{\"token\":\"{}\"}}", json(next()));
    let sent = format!("{{\"user\":\"ann\",\"new_password\": \"{}\",\"log\":\"{}\"}}", json(next()), json(&inner));
    let parts = format!(
        "--B\r\nContent-Disposition: form-data; name=\"pin_code\"\r\n\r\n{}\r\n--B\r\nContent-Disposition: form-data; \
         name=\"note\"\r\n\r\nplain\r\n--B--\r\n",
        next()
    );
    let page = format!(
        "<form><input type=\"hidden\" name=\"csrf\" value=\"{}\"><meta name=csrf-token content='{}'></form>\
         <script>var apiToken = \"{}\"; go({{ sessionToken: '{}' }})</script><p>welcome</p>",
        html(next()),
        html(next()).replace('\'', "&#39;"),
        json(next()),
        json(next()).replace('\'', "\\u0027"),
    );
    let message = format!("{{\"type\":\"auth\",\"secret\":\"{}\"}}", json(next()));
    assert_eq!(left.next(), None);
    let all: Vec<String> = secrets.iter().flat_map(|secret| spellings(secret)).collect();
    let picture = [&b"\xff\xd8"[..], all.join(" ").as_bytes(), b"\xff"].concat();
    let entry = |mime: &str, text: String, response_body: Option<Body>| Entry {
        request: Request {
            method: "POST".to_owned(),
            url: url.clone(),
            headers: request.clone(),
            body: body(mime, text),
            ..Request::default()
        },
        response: Some(Response { status: 200, headers: response.clone(), body: response_body, ..Response::default() }),
        initiator: Some(url.clone()),
        comment: all[0].clone(),
        messages: vec![Message { is_sent: true, at_us: 0, opcode: 1, data: message.clone() }],
        ..Entry::default()
    };
    let whole = format!("{page}<pre>{}</pre>", all.join("\n"));
    Recording {
        name: "r".to_owned(),
        entries: vec![
            entry("application/x-www-form-urlencoded", form, body("text/html", whole)),
            entry("application/json", sent, body("application/json", json(&page))),
            entry(
                "multipart/form-data; boundary=B",
                parts,
                Some(Body { mime: "image/jpeg".to_owned(), bytes: picture, ..Body::default() }),
            ),
        ],
        marks: vec![Mark { at_us: 0, name: format!("as {}", secrets[0]) }],
        ..Recording::default()
    }
}

/// Everything that is stored of a recording, the bytes of pictures included.
fn stored(recording: &Recording) -> String {
    let mut text = har::write(recording, "1");
    for entry in &recording.entries {
        let bodies = [entry.request.body.as_ref(), entry.response.as_ref().and_then(|response| response.body.as_ref())];
        for body in bodies.into_iter().flatten() {
            text.push_str(&String::from_utf8_lossy(&body.bytes));
        }
    }
    text
}

/// Secrets that look like some, with every sign that encodings change.
fn secrets() -> impl Strategy<Value = Vec<String>> {
    let secret = "k7[!-~äß😀]{7,12}";
    prop::collection::btree_set(secret, PLANTED).prop_map(|set| set.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn what_was_redacted_is_restored(recording in made::recording(), key: [u8; 32]) {
        let mut stored = recording.clone();
        let secrets = redact(&mut stored, &key);
        prop_assert_eq!(secrets.redactions == 0, stored == recording);
        prop_assert_eq!(secrets.restore(&mut stored), 0);
        prop_assert_eq!(stored, recording);
    }

    #[test]
    fn no_secret_is_stored_in_any_spelling(secrets in secrets()) {
        let recording = planted(&secrets);
        let mut redacted = recording.clone();
        let found = redact(&mut redacted, &KEY);
        let text = stored(&redacted);
        for (index, secret) in secrets.iter().enumerate() {
            for spelling in spellings(secret) {
                prop_assert!(!text.contains(&spelling), "{} ({}): {} in {}", index, secret, spelling, text);
            }
            prop_assert!(found.is_secret(secret) && found.placeholder(secret).is_some(), "{}", secret);
        }
        for kept in ["theme=", "page=2", "user=ann", "HttpOnly", "plain", "<p>welcome</p>", "\"type\\\":\\\"auth"] {
            prop_assert!(text.contains(kept), "{} not in {}", kept, text);
        }
        // Through both files and back.
        let read = har::read(har::write(&redacted, "1").as_bytes(), "r").unwrap();
        let loaded = Secrets::from_json(&found.to_json()).unwrap();
        prop_assert_eq!(&loaded, &found);
        let (mut restored, mut want) = (read.recording, recording);
        prop_assert_eq!(loaded.restore(&mut restored), 0);
        want.creator = restored.creator.clone();
        for (index, entry) in want.entries.iter_mut().enumerate() {
            (entry.number, entry.kind) = (index + 1, restored.entries[index].kind);
        }
        prop_assert_eq!(restored, want);
    }

    #[test]
    fn what_is_hidden_is_revealed(secrets in secrets(), around in "[ -~]{0,10}") {
        let found = find(&planted(&secrets), &KEY);
        for spelling in spellings(&secrets[0]) {
            let text = format!("{around} {spelling} {around}");
            let hidden = found.hide(&text);
            prop_assert!(!hidden.contains(&spelling));
            prop_assert_eq!(found.reveal(&hidden), text);
        }
    }

    #[test]
    fn any_text_is_redacted_without_panic(bytes: Vec<u8>, text in "(password|token|=|:|\"|'|\\\\|\\[|&|%2|%25|\\+|<input |value=|name=|>|eyJhbGciOi|\\.|4111111111111111|://|@|;){0,40}") {
        let mut recording = Recording::default();
        for bytes in [bytes, text.clone().into_bytes()] {
            for mime in ["text/html", "application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=x"] {
                let body = Some(Body { mime: mime.to_owned(), bytes: bytes.clone(), ..Body::default() });
                let request = Request { url: text.clone(), headers: headers(&[("cookie", text.clone()), ("authorization", text.clone())]), body, ..Request::default() };
                recording.entries.push(Entry { request, ..Entry::default() });
            }
        }
        let before = recording.clone();
        redact(&mut recording, &KEY).restore(&mut recording);
        prop_assert_eq!(recording, before);
    }

    #[test]
    fn any_secrets_file_is_read_without_panic(text in "\\PC{0,40}", key in "[0-9a-fä]{60,66}") {
        let _ = Secrets::from_json(&text);
        let _ = Secrets::from_json(&format!("{{\"schema_version\":1,\"key\":\"{key}\",\"values\":{{}}}}"));
    }
}

fn page(text: &str) -> Recording {
    let response = Response { status: 200, body: body("text/html", text.to_owned()), ..Response::default() };
    let entry = Entry { response: Some(response), ..Entry::default() };
    Recording { entries: vec![entry], ..Recording::default() }
}

#[track_caller]
fn redacted(mut recording: Recording) -> (String, Secrets) {
    let secrets = redact(&mut recording, &KEY);
    (stored(&recording), secrets)
}

#[test]
fn shapes_of_secrets_are_found_anywhere() {
    let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
    let (text, secrets) = redacted(page(&format!("<p>card 4111 1111 1111 1111, {jwt}</p><b>1700000000000</b>")));
    assert!(!text.contains("4111") && !text.contains("eyJ"), "{text}");
    assert!(text.contains("1700000000000"), "{text}");
    assert_eq!(secrets.redactions, 2, "{text}");
}

/// Equal secrets have equal placeholders, others have others, and another key has none of them.
#[test]
fn equal_secrets_stay_equal() {
    let text = "<input name=csrf value=a1b2c3d4><input name=token value=a1b2c3d4><input name=token value=zzz111yyy>";
    let mut one = page(text);
    redact(&mut one, &KEY);
    let values = |recording: &Recording| {
        let bytes = recording.entries[0].response.clone().unwrap().body.unwrap().bytes;
        let text = String::from_utf8(bytes).unwrap();
        let values: Vec<String> =
            text.split("value=").skip(1).map(|rest| rest.split('>').next().unwrap().to_owned()).collect();
        values
    };
    let first = values(&one);
    assert_eq!(first[0], first[1]);
    assert_ne!(first[0], first[2]);
    assert!(first.iter().all(|value| value.len() == 28 && value.starts_with("nmax-secret-")), "{first:?}");
    let mut other = page(text);
    redact(&mut other, &[8; 32]);
    assert_ne!(values(&other)[0], first[0]);
}

/// Trap: short and plain values of cookies would take words out of every page.
#[test]
fn plain_values_are_replaced_in_their_place_only() {
    let mut recording = page("<html class=dark lang=en>darkness, a password and 123 ways</html>");
    recording.entries[0].request.headers =
        headers(&[("cookie", "theme=dark; lang=en; password=password; pin=123".to_owned())]);
    let (text, secrets) = redacted(recording.clone());
    assert!(text.contains("class=dark lang=en>darkness, a password and 123 ways"), "{text}");
    assert!(!text.contains("theme=dark") && !text.contains("pin=123"), "{text}");
    assert!(!secrets.is_secret("dark") && secrets.placeholder("dark").is_some());
    redact(&mut recording, &KEY);
    secrets.restore(&mut recording);
    assert!(har::write(&recording, "1").contains("theme=dark; lang=en; password=password; pin=123"));
}

#[test]
fn code_and_words_about_secrets_stay() {
    let script = "if (token == \"abc12345\") { el.type = \"password\"; label({ password: \"Enter your password\", token_type: \"Bearer\" }) }";
    let (text, secrets) = redacted(page(script));
    assert_eq!(secrets.redactions, 0, "{text}");
}

#[test]
fn a_basic_login_gives_away_its_password_nowhere() {
    let mut recording = page("<p>your password is tr0ub4dor&3</p>");
    recording.entries[0].request.headers =
        headers(&[("Authorization", format!("Basic {}", STANDARD.encode("ann:tr0ub4dor&3")))]);
    let (text, _) = redacted(recording);
    assert!(!text.contains("tr0ub4dor") && text.contains("Basic nmax-secret-"), "{text}");
}

#[test]
fn what_is_redacted_already_stays() {
    let mut recording = page("<input name=csrf value=a1b2c3d4>");
    redact(&mut recording, &KEY);
    let once = recording.clone();
    assert_eq!(redact(&mut recording, &KEY).redactions, 0);
    assert_eq!(recording, once);
    assert_eq!(Secrets::new(&KEY).restore(&mut recording), 1, "a placeholder without a value is told");
}

#[test]
fn a_secrets_file_that_is_none_says_where() {
    for (text, line, word) in [
        ("{\n x", 2, "not JSON"),
        ("[]", 1, "not a secrets file"),
        ("{\"schema_version\":2,\"key\":\"\",\"values\":{}}", 1, "version"),
    ] {
        let error = Secrets::from_json(text).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(word) && error.to_string().contains("help:"), "{error}");
    }
    assert_eq!(format!("{:?}", Secrets::new(&KEY)), "Secrets(0 values, 0 local)");
}

/// A code of OAuth opens a door however short it is; one of a coupon does not.
#[test]
fn codes_of_logins_are_in_no_file() {
    let mut recording = page("<p>welcome</p>");
    let mut callback = recording.entries[0].clone();
    recording.entries[0].request =
        Request { method: "GET".to_owned(), url: "https://a.test/buy?code=SUMMER".to_owned(), ..Request::default() };
    callback.sent_us = 5_000_000;
    callback.request = Request {
        method: "GET".to_owned(),
        url: "https://a.test/cb?code=4%2Fx9kq&state=af0&scope=open".to_owned(),
        ..Request::default()
    };
    recording.entries.push(callback);
    let (text, _) = redacted(recording.clone());
    assert!(!text.contains("x9kq") && text.contains("code=SUMMER"), "{text}");
    let made = nmax_import::convert(vec![recording], &nmax_import::options::Options::default());
    assert!(!made.plan.contains("x9kq") && made.plan.contains("SUMMER"), "{}", made.plan);
    for file in made.files.iter().filter(|file| !file.name.contains(".secrets.")) {
        assert!(!String::from_utf8_lossy(&file.bytes).contains("x9kq"), "{}", file.name);
    }
}

/// A plan, its evidence and its data hold no secret of the recording; the file of secrets alone does. One secret stands in a
/// path, others are members of objects that have secret names.
#[test]
fn no_secret_is_in_what_is_made_of_a_recording() {
    let mut recording = page("");
    let json = r#"{"card":{"number":"4111111111111111"},"secret":[778899001],"creditcard":{"pan":4111111111111111}}"#;
    recording.entries[0].request = Request {
        method: "POST".to_owned(),
        url: "https://a.test/hooks/shop-hook-secret/run".to_owned(),
        headers: vec![("x-api-key".to_owned(), "shop-hook-secret".to_owned())],
        body: body("application/json", json.to_owned()),
        ..Request::default()
    };
    for secrets in [nmax_import::options::SecretsIn::File, nmax_import::options::SecretsIn::Env] {
        let options = nmax_import::options::Options { secrets, ..Default::default() };
        let made = nmax_import::convert(vec![recording.clone()], &options);
        let others = made.files.iter().filter(|file| !file.name.contains(".secrets."));
        let others = others.map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
        for text in others.chain([made.plan.clone(), made.evidence.clone(), format!("{:?}", made.summary)]) {
            for secret in ["shop-hook-secret", "4111111111111111", "778899001"] {
                assert!(!text.contains(secret), "{secret} in\n{text}");
            }
        }
        assert!(made.plan.contains("POST /hooks/{id}/run"), "{}", made.plan);
    }
}

/// What is stored of a JSON body is JSON, and comes back with the numbers that it had.
#[test]
fn bodies_of_json_stay_json() {
    let text = r#"{"pin":12345,"tokens":["a1b2c3d4e5",7],"inner":"{\"pin\":98765}","n":5}"#;
    let mut recording = page("");
    recording.entries[0].request.body = body("application/json", text.to_owned());
    let mut stored = recording.clone();
    let secrets = redact(&mut stored, &KEY);
    let written = String::from_utf8(stored.entries[0].request.body.clone().unwrap().bytes).unwrap();
    let json: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert!(json["pin"].is_string() && json["tokens"].is_string() && json["n"] == 5, "{written}");
    let inner: serde_json::Value = serde_json::from_str(json["inner"].as_str().unwrap()).unwrap();
    assert!(inner["pin"].is_string(), "{written}");
    let loaded = Secrets::from_json(&secrets.to_json()).unwrap();
    assert_eq!(loaded.restore(&mut stored), 0);
    assert_eq!(stored, recording);
}
