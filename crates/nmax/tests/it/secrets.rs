//! What is shown of a plan and of its exchanges, and what is not: passwords, tokens, cookies.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

use crate::bench::{Bench, Ended};
use crate::peers::Listener;

/// Everything that must not be seen.
const SECRETS: [&str; 9] = [
    "s3cret-auth", "s3cret-query", "s3cret-form", "s3cret-json", "s3cret-part", "s3cret-env", "s3cret-proxy",
    "s3cret-cookie", "s3cret-key",
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
    let once = once.shows(&["set-cookie: sid=REDACTED", "[200,000 bytes in all]", "ééé"]);
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
    bench.write("form.yaml", &steps("/").replace("get: \"/\"", "post: /, form: 'password=s3cret-form'"));
    bench.write("head.yaml", &steps("/").replace("get: \"/\"", "get: /, headers: 'authorization: Basic s3cret-auth'"));
    let cases: [&[&str]; 15] = [
        &["check", "form.yaml"],
        &["check", "head.yaml"],
        &["run", url, "-H", "X-Api-Key s3cret-key"],
        &["run", url, "-H", "X-Api-Key: s3cret-key\nfoo"],
        &["run", url, "-e", "API_TOKEN s3cret-env"],
        &["import", "curl", "curl http://h/ --oauth2-bearer=s3cret-auth"],
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

/// A known value that is a word of plans leaves what is sent, and the stored run can be read.
#[test]
fn words_of_plans_as_secrets_leave_runs_that_can_be_read() {
    let (bench, target) = (Bench::new(), crate::peers::target());
    let url = target.url();
    bench.write(
        "plan.yaml",
        &format!(
            "nmax: 1\ntarget: {url}\nscenarios: {{ a: {{ steps: [{{ get: '{url}/', name: home, headers: {{ x-a: '${{env.PASSWORD}}' }} }}] }} }}\n\
             workload: {{ closed: {{ vus: 1 }} }}\nduration: 300ms\nthresholds: [failure_rate < 5%]\n"
        ),
    );
    for word in ["default", "header", "closed", "http", "status"] {
        bench.nmax(&["run", "plan.yaml", "--exit-zero", "-e", &format!("PASSWORD={word}")]).exits(0);
        let run = crate::bench::runs_in(&bench.path("runs")).pop().unwrap();
        let manifest = std::fs::read_to_string(run.join("manifest.json")).unwrap();
        assert!(!manifest.contains(&format!("x-a: {word}")), "{manifest}");
        let read = bench.nmax(&["report", "last", "--format", "text"]).exits(0);
        assert!(read.stdout.contains("home"), "{}", read.stdout);
    }
}

/// Lines of a log that are no requests are shown without their secrets, and the host of a URL without its user.
#[test]
fn lines_of_a_log_are_shown_without_secrets() {
    let bench = Bench::new();
    let line = |target: &str| format!("127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] \"GET {target} HTTP/1.1\" 200 5\n");
    let log =
        line("http://bob:s3cret-auth@shop.test/x").repeat(3) + "garbage password=s3cret-form and api_key: s3cret-key\n";
    bench.write("b.log", &log);
    let told = bench.nmax(&["import", "log", "b.log", "-o", "made.yaml"]).exits(0);
    hides(&told);
    hides(&bench.nmax(&["import", "log", "b.log", "-o", "other.yaml", "--json"]).exits(0));
    hides(&bench.nmax(&["slice", "b.log", "--by", "host"]).exits(0));
    for file in ["made.yaml", "made.traffic.json"] {
        let text = std::fs::read_to_string(bench.path(file)).unwrap();
        assert!(!SECRETS.iter().any(|secret| text.contains(secret)), "{file}: {text}");
    }
}

/// Servers repeat cookies in their pages; there they are no less secret.
#[test]
fn cookies_that_a_page_repeats_are_hidden() {
    let bench = Bench::new();
    let server = Listener::answering(|request| {
        let body = format!("{request}<td>s3cret-cookie s3cret-part</td>");
        format!(
            "HTTP/1.1 500 X\r\nset-cookie: own=s3cret-part\r\nx-echo: a=1; b=s3cret-cookie\r\ncontent-length: {}\r\n\
             connection: close\r\n\r\n{body}",
            body.len()
        )
    });
    let url = server.url();
    let cookie = "Cookie: first=s3cret-key; second=s3cret-cookie";
    hides(&bench.nmax(&["check", &url, "--wire", "-H", cookie]));
    bench.nmax(&["run", &url, "-n", "1", "-c", "1", "--exit-zero", "-H", cookie]);
    let run = crate::bench::runs_in(&bench.path("runs")).pop().unwrap();
    for entry in std::fs::read_dir(run).unwrap() {
        let path = entry.unwrap().path();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        assert!(!SECRETS.iter().any(|secret| text.contains(secret)), "{}: {text}", path.display());
    }
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

/// What every planted secret holds, as it is and as base64 shows it at any offset.
const PLANTED: [&str; 4] = ["PLANTED", "UExBTlRFR", "BMQU5URU", "QTEFOVEVE"];

/// A server whose replies fail and hold secrets in every form.
fn betraying(request: &str) -> String {
    let json = r#"{"tokens":["PLANTEDr1","PLANTEDr2"],"session":{"id":"PLANTEDr3"},"inner":"{\"password\":\"PLANTEDr4\",\"pins\":{\"pin\":[\"PLANTEDr5\"]}}","next":"https:\/\/ann:PLANTEDr6@h.test\/cb?code=PLANTEDr7&state=1","user":"ann"}"#;
    let xml = "<reply><user>ann</user><password>PLANTEDr8</password><s:token><a>PLANTEDr9</a></s:token><login secret=\"PLANTEDr10\"/></reply>";
    let page = "<form><input name=csrf value='PLANTEDr11'></form><script>var apiToken = \"PLANTEDr12\"; go({\"tokens\": [\"PLANTEDr13\"]})</script>user ann";
    let (kind, body) = match request {
        request if request.contains("/give") => ("application/json", r#"{"token":"PLANTEDgiven/1"}"#),
        request if request.contains("/xml") => ("application/xml", xml),
        request if request.contains("/page") => ("text/html", page),
        _ => ("application/json", json),
    };
    let status = if request.contains("/give") { "200 OK" } else { "500 Out of order" };
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nset-cookie: id=PLANTEDc1; Path=/\r\nlocation: /x?access_token=PLANTEDc2\r\nx-auth: PLANTEDc3\r\n\
         content-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

#[track_caller]
fn has_no_secret(what: &str, bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for planted in PLANTED {
        if let Some(at) = text.find(planted) {
            let around: String = text[..at].chars().rev().take(200).collect::<String>().chars().rev().collect();
            panic!("a secret in {what}, behind\n{around}\n{}", text[at..].chars().take(60).collect::<String>());
        }
    }
}

#[track_caller]
fn said_no_secret(what: &str, ended: &Ended) {
    has_no_secret(&format!("standard output of {what}"), ended.stdout.as_bytes());
    has_no_secret(&format!("standard error of {what}"), ended.stderr.as_bytes());
}

/// Every file below a folder.
fn files_hold_no_secret(folder: &Path) -> usize {
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            seen += files_hold_no_secret(&path);
            continue;
        }
        has_no_secret(&path.display().to_string(), &std::fs::read(&path).unwrap());
        seen += 1;
    }
    seen
}

/// A plan with a secret in every place that can hold one.
fn planted_plan(target: &str) -> String {
    format!(
        r#"nmax: 1
target: {target}
defaults:
  headers: {{ authorization: Bearer PLANTEDh1, x-auth: PLANTEDh2, x-plain: "${{env.API_TOKEN}}" }}
data:
  people: {{ csv: people.csv }}
tags: {{ hooks: "/hook/" }}
setup:
  steps:
    - get: /give
      name: give
      extract: {{ session: {{ json: "$.token" }} }}
scenarios:
  a:
    steps:
      - get: "/hook/${{env.API_TOKEN}}/x"
      - get: "/hook/${{env.API_TOKEN}}/y?token=PLANTEDq1&next=%7B%22pin%22%3A%22PLANTEDq2%22%7D"
        name: "y ${{env.API_TOKEN}}"
        tags: ["t ${{env.SHORT_TOKEN}}"]
        expect: {{ status: 200, contains: "${{env.API_TOKEN}}" }}
      - get: /give
        name: given
        extract: {{ token: {{ json: "$.token" }} }}
      - transaction: "buys with ${{env.API_TOKEN}}"
        steps:
          - get: "/item/${{token}}/${{setup.session}}/${{people.password}}"
            name: "item ${{token}} ${{people.password}}"
          - post: /api
            json: {{ password: {{ value: PLANTEDj1 }}, tokens: [PLANTEDj2, "${{vu}}"], vars: '{{"password":"PLANTEDj3"}}', user: ann }}
          - post: /xml
            body: "<a><password>PLANTEDx1</password><b secret='PLANTEDx2'>ann</b></a>"
          - post: /page
            form: {{ user: ann, password: PLANTEDf1, q: "token=PLANTEDf2" }}
          - post: /page
            multipart: {{ password: PLANTEDm1, note: '{{"tokens":["PLANTEDm2"]}}', user: ann }}
      - fail: "because of ${{token}} and ${{env.API_TOKEN}}"
timeline:
  - {{ at: 100ms, http: {{ post: "/tl?token=PLANTEDt1&x=${{env.API_TOKEN}}" }} }}
workload: {{ closed: {{ vus: 2 }}, iterations: 4 }}
thresholds:
  - response_time p95 < 10s for request "y ${{env.API_TOKEN}}"
"#
    )
}

/// No secret that is planted in a plan, its data, its environment, the command line or the replies is in anything that a
/// run leaves or that is made of it.
#[test]
fn no_planted_secret_is_in_anything_that_a_run_leaves() {
    let (bench, listener) = (Bench::new(), Listener::answering(betraying));
    bench.write("people.csv", "user,password\nann,PLANTEDd1\nbob,PLANTEDd2/x y\n");
    bench.write("plan.yaml", &planted_plan(&listener.url()));
    let env = [("API_TOKEN", "PLANTEDe1/x"), ("SHORT_TOKEN", "PLANTEDe2")];
    let run = [
        "run", "plan.yaml", "--no-smoke", "--samples", "all", "--note", "with PLANTEDe1/x", "--junit", "j.xml",
        "--csv", "c.csv",
    ];
    let ended = bench.nmax_with(&env, &run);
    said_no_secret("run", &ended);
    assert!(matches!(ended.code, 3 | 4), "{}\n{}", ended.stdout, ended.stderr);
    let kept = std::fs::read_to_string(bench.run().join("failures.jsonl")).unwrap();
    for shown in ["\"user\":\"ann\"", "<user>ann</user>", "user ann", "user=ann", "name=\\\"user\\\"", "because of"] {
        assert!(kept.contains(shown) || kept.contains(&shown.replace('"', "\\\"")), "{shown} not in\n{kept}");
    }
    assert!(files_hold_no_secret(&bench.path("runs")) >= 8);
    for file in ["j.xml", "c.csv"] {
        has_no_secret(file, &std::fs::read(bench.path(file)).unwrap());
    }
    for words in [
        &["show", "last"][..],
        &["show", "last", "--json"],
        &["show", "last", "--wide"],
        &["report", "--format", "html", "-o", "-"],
        &["report", "--format", "junit"],
        &["report", "--format", "csv"],
        &["runs"],
        &["slice", "last", "--by", "name"],
        &["slice", "last", "--by", "tag", "--json"],
    ] {
        said_no_secret(&words.join(" "), &bench.nmax(words));
    }
    for words in [
        &["check", "plan.yaml"][..],
        &["check", "plan.yaml", "--once"],
        &["check", "plan.yaml", "--wire"],
        &["check", "plan.yaml", "--once", "--json"],
    ] {
        said_no_secret(&words.join(" "), &bench.nmax_with(&env, words));
    }
    assert!(
        listener.heard().iter().any(|request| request.contains("/item/PLANTEDgiven%2F1/PLANTEDgiven%2F1/PLANTEDd")),
        "secrets are sent as they are"
    );
}

/// The same of what is given on the command line, and of errors that quote a value.
#[test]
fn no_planted_secret_of_a_command_line_is_kept_or_repeated() {
    let (bench, listener) = (Bench::new(), Listener::answering(betraying));
    let url = format!("{}/reset-password/PLANTEDu1x?token=PLANTEDu2", listener.url());
    let body = r#"{"password":{"value":"PLANTEDb1"},"tokens":["PLANTEDb2"],"vars":"{\"password\":\"PLANTEDb3\"}"}"#;
    let ended = bench.nmax(&[
        "run", &url, "-n", "3", "-c", "1", "-b", body, "-H", "Cookie: sid=PLANTEDb4", "-HX-Auth: PLANTEDb5", "--name",
        "n",
    ]);
    said_no_secret("run", &ended);
    assert!(files_hold_no_secret(&bench.path("runs")) >= 8);
    let body = "<a><password>PLANTEDb6</password></a>";
    said_no_secret("run", &bench.nmax(&["run", &url, "-n", "1", "-c", "1", "-b", body]));
    said_no_secret("check", &bench.nmax(&["check", &url, "--once", "-b", body]));
    assert!(files_hold_no_secret(&bench.path("runs")) >= 16);
    bench.write("wrong.yaml", "nmax: 1\ntarget: http://127.0.0.1:9\nscenarios: { a: { steps: [{ get: /, timeout: '${env.API_TOKEN}' }] } }\nworkload: { closed: { vus: 1 } }\n");
    let wrong = [
        &["check", "wrong.yaml", "-e", "API_TOKEN=PLANTEDe1"][..],
        &["check", "wrong.yaml", "-e", "API_TOKEN=1s", "--set", "defaults.headers.x-api-key=[PLANTEDs1]"],
        &["run", "wrong.yaml", "-e", "API_TOKEN=1s", "--target", "http://ann:PLANTEDs2@h"],
    ];
    for words in wrong {
        let ended = bench.nmax(words).exits(2);
        said_no_secret(&words.join(" "), &ended);
    }
}
