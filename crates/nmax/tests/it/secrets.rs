//! What is shown of a plan and of its exchanges, and what is not: passwords, tokens, cookies.

use std::io::{Read, Write};
use std::net::TcpListener;

use crate::bench::{Bench, Ended};
use crate::peers::Listener;

/// Everything that must not be seen.
const SECRETS: [&str; 9] = [
    "s3cret-auth",
    "s3cret-query",
    "s3cret-form",
    "s3cret-json",
    "s3cret-part",
    "s3cret-env",
    "s3cret-proxy",
    "s3cret-cookie",
    "s3cret-key",
];

#[track_caller]
fn hides(ended: &Ended) {
    for secret in SECRETS {
        assert!(!ended.stdout.contains(secret), "{secret} in\n{}", ended.stdout);
        assert!(!ended.stderr.contains(secret), "{secret} in\n{}", ended.stderr);
    }
}

fn plan(target: &str, proxy: &str) -> String {
    let steps = "      - { post: '/a?token=s3cret-query', form: { user: ann, password: s3cret-form } }\n      \
                 - { post: /b, json: { password: s3cret-json, note: kept } }\n      \
                 - { post: '/${env.API_TOKEN}/c', multipart: { password: s3cret-part, note: kept } }\n";
    format!(
        "nmax: 1\ntarget: {target}\ndefaults:\n  headers: {{ authorization: Bearer s3cret-auth, api-key: s3cret-key, \
         x-request: '${{env.API_TOKEN}}' }}\n{proxy}scenarios:\n  a:\n    steps:\n{steps}\
         workload: {{ closed: {{ vus: 1 }} }}\n"
    )
}

#[test]
fn check_shows_no_secret_in_any_form() {
    let bench = Bench::new();
    let proxy = "  proxy: http://ann:s3cret-proxy@127.0.0.1:9\n";
    bench.write("proxied.yaml", &plan("http://127.0.0.1:9", proxy));
    let env = [("API_TOKEN", "s3cret-env")];
    for form in [&["check", "proxied.yaml"][..], &["check", "proxied.yaml", "--json"]] {
        let ended = bench.nmax_with(&env, form).exits(0);
        hides(&ended);
        let open = bench.nmax_with(&env, &[form, &["--show-secrets"]].concat()).exits(0);
        let open = open.shows(&["s3cret-auth", "s3cret-query", "s3cret-form", "s3cret-part"]);
        open.shows(&["s3cret-env", "s3cret-proxy", "s3cret-key"]);
    }
    let listener = Listener::start();
    bench.write("plan.yaml", &plan(&listener.url(), ""));
    for form in
        [&["--once"][..], &["--once", "--json"], &["--wire"], &["--wire", "--request", "POST /${env.API_TOKEN}/c"]]
    {
        let args = [&["check", "plan.yaml"][..], form].concat();
        let ended = bench.nmax_with(&env, &args);
        hides(&ended);
        let open = bench.nmax_with(&env, &[&args[..], &["--show-secrets"]].concat());
        assert!(form.len() == 3 || open.stdout.contains("s3cret-auth"), "{}", open.stdout);
    }
    let heard = listener.heard().join("\n");
    for secret in &SECRETS[..6] {
        assert!(heard.contains(secret), "{secret} was sent as it is");
    }
}

#[test]
fn cookies_of_replies_are_hidden_and_long_bodies_counted() {
    let (bench, listener) = (Bench::new(), TcpListener::bind("127.0.0.1:0").unwrap());
    let url = format!("http://{}/", listener.local_addr().unwrap());
    const LENGTH: usize = 200_000;
    let thread = std::thread::spawn(move || {
        // Each command connects once to see who is there, and once to ask.
        for _ in 0..4 {
            let (mut stream, _) = listener.accept().unwrap();
            let mut chunk = [0; 4096];
            if stream.read(&mut chunk).unwrap() > 0 {
                let head =
                    format!("HTTP/1.1 200 OK\r\nset-cookie: sid=s3cret-cookie\r\ncontent-length: {LENGTH}\r\n\r\n");
                stream.write_all(head.as_bytes()).unwrap();
                stream.write_all("é".repeat(LENGTH / 2).as_bytes()).unwrap();
            }
        }
    });
    let once = bench.nmax(&["check", &url, "--once"]).exits(0);
    hides(&once);
    let once = once.shows(&["set-cookie: [redacted]", "[200,000 bytes in all]", "ééé"]);
    assert!(!once.stdout.contains("no text"), "{}", once.stdout);
    let json = bench.nmax(&["check", &url, "--once", "--json"]).exits(0);
    hides(&json);
    assert_eq!(json.json()["scenarios"][0]["exchanges"][0]["reply_body_bytes"], LENGTH);
    thread.join().unwrap();
}

/// The parser of arguments quotes what it refuses; so do others.
#[test]
fn no_error_repeats_a_password() {
    let bench = Bench::new();
    let url = "http://127.0.0.1:9/";
    let steps = |step: &str| {
        format!(
            "nmax: 1\ntarget: {url}\nscenarios: {{ a: {{ steps: [{{ get: \"{step}\" }}] }} }}\nworkload: {{ closed: {{ vus: 1 }} }}\n"
        )
    };
    bench.write("plan.yaml", &steps("http://ann:s3cret-auth@127.0.0.1:9/x"));
    bench.write("fine.yaml", &steps("/"));
    let cases: [&[&str]; 9] = [
        &["run", "ann:s3cret-auth@127.0.0.1:9/x"],
        &["run", url, "--proxy", "ftp://ann:s3cret-proxy@h"],
        &["run", url, "--proxy", "http://ann:s3cret-proxy@h/path"],
        &["check", url, "--proxy", "http://ann:s3cret-proxy%@h"],
        &["run", "http://ann:s3cret-auth@127.0.0.1:9/x"],
        &["check", "http://ann:s3cret-auth@127.0.0.1:9/x"],
        &["check", "plan.yaml"],
        &["check", "fine.yaml", "--target", "http://ann:s3cret-auth@h"],
        &["run", url, "--resolve", "http://ann:s3cret-auth@h"],
    ];
    for args in cases {
        hides(&bench.nmax(args).exits(2).says(&["error: "]));
    }
    let proxy = ["run", url, "--proxy", "http://ann:s3cret-proxy@h/path"];
    let help = "help: write `http://HOST:PORT` or `http://USER:PASSWORD@HOST:PORT`";
    bench.nmax(&proxy).exits(2).says(&[help]);
    bench
        .nmax(&["check", "plan.yaml"])
        .exits(2)
        .says(&["plan.yaml:3:", "`http://REDACTED@127.0.0.1:9` has a user name before the host"]);
}

/// An import writes what a plan must send into `NAME.secrets.csv`; it is hidden wherever it comes back.
#[test]
fn what_a_file_of_secrets_holds_is_shown_and_stored_nowhere() {
    let bench = Bench::new();
    let target = crate::peers::target();
    bench.write("visit.secrets.csv", "key,login\ns3cret/plain,Basic c2VjcmV0LWxvZ2lu\n");
    let steps = "      - post: /echo\n        query: { q: '${secrets.key}' }\n        headers: { x-login: '${secrets.login}' }\n        \
                 body: 'text with ${secrets.key}'\n        expect: { status: 201 }\n";
    let plan = format!(
        "nmax: 1\ntarget: {}\ndata:\n  secrets: {{ csv: visit.secrets.csv }}\nscenarios:\n  a:\n    steps:\n{steps}\
         workload: {{ open: {{ rate: 10/s }} }}\nduration: 1s\n",
        target.url()
    );
    bench.write("visit.yaml", &plan);
    let hidden = |text: &str| {
        for secret in ["s3cret/plain", "s3cret%2Fplain", "c2VjcmV0LWxvZ2lu"] {
            assert!(!text.contains(secret), "{secret} in\n{text}");
        }
    };
    for form in [&["--once"][..], &["--once", "--json"], &["--wire"]] {
        let ended = bench.nmax(&[&["check", "visit.yaml"][..], form].concat());
        assert!(ended.stdout.contains("text with"), "{}", ended.stdout);
        hidden(&ended.stdout);
        hidden(&ended.stderr);
    }
    let ended = bench.nmax(&["run", "visit.yaml", "--name", "kept"]);
    hidden(&ended.stdout);
    let mut seen = 0;
    for file in std::fs::read_dir(bench.run()).unwrap().flatten() {
        let Ok(bytes) = std::fs::read(file.path()) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        seen += usize::from(text.contains("text with"));
        hidden(&text);
    }
    assert!(seen >= 2, "examples of failures are kept, without the secret");
}

/// The same of a source that is called `secrets`, whatever its file: any row, in any spelling of a reply that repeats it.
#[test]
fn what_a_source_of_secrets_holds_is_hidden_in_every_spelling() {
    let (bench, target) = (Bench::new(), crate::peers::target());
    let row = |row: usize| format!("\"pl\"\"ant dee/{row:03}\",Bearer plantedbearer{row:03}\n");
    let rows: String = (0..300).map(row).collect();
    // One value is the beginning of others.
    bench.write("keys.csv", &format!("key,login\n\"pl\"\"ant\",none\n{rows}"));
    let steps = "      - post: /echo\n        query: { q: '${secrets.key}' }\n        headers: { x-login: '${secrets.login}', \
                 x-key: 'plantedbearer299', x-coded: '${base64(secrets.key)}' }\n        \
                 form: { note: 'text ${secrets.key}' }\n        expect: { status: 201 }\n";
    let plan = format!(
        "nmax: 1\ntarget: {}\ndata:\n  secrets: {{ csv: keys.csv, pick: sequential }}\nscenarios:\n  a:\n    steps:\n{steps}\
         workload: {{ open: {{ rate: 10/s }} }}\nduration: 1s\n",
        target.url()
    );
    bench.write("visit.yaml", &plan);
    let hidden = |text: &str| {
        for secret in ["ant dee", "ant+dee", "ant%20dee", "plantedbearer", "IGRlZS8"] {
            assert!(!text.contains(secret), "{secret} in\n{text}");
        }
    };
    for form in [&["--once"][..], &["--once", "--json"], &["--wire"]] {
        let args = [&["check", "visit.yaml"][..], form].concat();
        let ended = bench.nmax(&args);
        assert!(ended.stdout.contains("x-coded"), "{}", ended.stdout);
        hidden(&ended.stdout);
        let open = bench.nmax(&[&args[..], &["--show-secrets"]].concat());
        assert!(open.stdout.contains("IGRlZS8") && open.stdout.contains("plantedbearer"));
    }
    hidden(&bench.nmax(&["run", "visit.yaml", "--name", "kept", "--samples", "all"]).stdout);
    let mut seen = 0;
    for file in std::fs::read_dir(bench.run()).unwrap().flatten() {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        seen += usize::from(text.contains("x-coded"));
        hidden(&text);
    }
    assert!(seen >= 2, "examples of failures are kept, without the secrets");
}
