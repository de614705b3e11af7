//! `nmax import har` and `nmax import curl`: from a file to a plan that runs, and what bad files get.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::bench::{Bench, count};
use crate::peers::shop;
use crate::schema::assert_schema;
use crate::visit::Visit;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

/// Every file in the folder of a test but those that the harness writes, as text.
fn stored(bench: &Bench) -> Vec<(String, String)> {
    let files = fs::read_dir(bench.path("")).unwrap().map(|entry| entry.unwrap());
    let named = files.map(|file| (file.file_name().into_string().unwrap(), file.path()));
    let own = named.filter(|(name, path)| path.is_file() && !(name.ends_with(".out") || name.ends_with(".err")));
    own.map(|(name, path)| (name, String::from_utf8(fs::read(path).unwrap()).unwrap())).collect()
}

#[test]
fn a_visit_becomes_a_plan_that_works_and_is_proved() {
    let (bench, target) = (Bench::new(), shop());
    let visit = Visit::order(&target, "ann.miller@example.test", "oak");
    bench.write("visit.har", &visit.har());
    let ended = bench.nmax(&["import", "har", "visit.har", "-o", "shop", "--json"]).exits(0);
    let answer = ended.json();
    assert_schema(&answer, "import-har");
    assert_eq!(count(&answer["entries"]), visit.entries().len() as u64);
    assert_eq!(count(&answer["scenarios"]), 1);
    assert_eq!(count(&answer["resources"]), 3);
    assert!(count(&answer["redactions"]) > 0);
    assert_eq!(answer["plan"], "shop.yaml");

    // Nothing that is stored in the open, or printed, has a secret in it; the person's own file is as it was.
    assert_eq!(fs::read_to_string(bench.path("visit.har")).unwrap(), visit.har());
    let secrets = ["correct horse 7", "correct%20horse%207", visit.cookie("sid")];
    for (name, text) in stored(&bench) {
        if name != "visit.har" && !name.contains(".secrets.") {
            for secret in secrets {
                assert!(!text.contains(secret), "{secret} in {name}:\n{text}");
            }
        }
    }
    for secret in secrets {
        assert!(!ended.stdout.contains(secret) && !ended.stderr.contains(secret), "{secret} is printed");
    }
    assert_eq!(mode(&bench.path("shop.secrets.json")), 0o600);
    let ignored = fs::read_to_string(bench.path(".gitignore")).unwrap();
    assert!(ignored.lines().any(|line| line == "/shop.secrets.json"), "{ignored}");

    // It works, more than once, with other users each time.
    for _ in 0..2 {
        bench.nmax(&["check", "shop.yaml", "--prove"]).exits(0);
    }
    let proof = bench.nmax(&["check", "shop.yaml", "--prove", "--json"]).exits(0).json();
    assert_schema(&proof, "prove");
    let all = proof["scenarios"][0]["correlations"].as_array().unwrap();
    let state = |place: &str| {
        let to = |found: &&Value| found["to"].to_string().contains(place);
        all.iter().filter(to).map(|found| found["state"].as_str().unwrap()).collect::<Vec<_>>()
    };
    let tokens = state("form field csrf");
    assert!(!tokens.is_empty() && tokens.iter().all(|state| *state == "proved"), "{proof:#}");
    assert_eq!(state("form field item"), ["harmless"], "{proof:#}");
    let order = all.iter().filter(|found| found["from"]["request"].to_string().contains("/order"));
    assert_eq!(order.map(|found| found["state"].as_str().unwrap()).collect::<Vec<_>>(), ["proved"], "{proof:#}");
    // Nothing else is proved: each of these values is one of the three.
    assert_eq!(count(&proof["proved"]), tokens.len() as u64 + 1, "{proof:#}");
    assert_eq!(proof["scenarios"][0]["jar"][0]["name"], "sid");
    assert!(all.iter().all(|found| found["evidence"].is_string()), "{proof:#}");

    // Without its pauses, which are no work of this program.
    let plan = fs::read_to_string(bench.path("shop.yaml")).unwrap();
    let hasty: Vec<&str> = plan.lines().filter(|line| !line.trim_start().starts_with("- think:")).collect();
    assert!(hasty.len() < plan.lines().count(), "{plan}");
    bench.write("hasty.yaml", &hasty.join("\n"));
    let args =
        ["run", "hasty.yaml", "--json", "--exit-zero", "--set", "workload={ closed: { vus: 5 }, iterations: 20 }"];
    // A second run on the same shop signs other people up.
    for _ in 0..2 {
        let summary = bench.nmax(&args).exits(0).json();
        assert_eq!(summary["total"]["count"], summary["total"]["ok"], "{summary:#}");
        assert!(count(&summary["total"]["count"]) >= 20 * 8, "{summary:#}");
    }
}

#[test]
fn what_is_printed_says_what_was_found_and_what_to_do_next() {
    let (bench, target) = (Bench::new(), shop());
    bench.write("visit.har", &Visit::order(&target, "ann.miller@example.test", "oak").har());
    let ended = bench.nmax(&["import", "har", "visit.har"]).exits(0);
    ended.shows(&[
        "1 scenario, ",
        "Values that the server gives and the user sends back",
        "csrf",
        "Cookies, which the jar carries by itself",
        "sid: sent ",
        "Different for each user",
        "email",
        "Written",
        "visit.yaml",
        "visit.evidence.json",
        // The copy without secrets does not take the place of the person's file.
        "visit.redacted.har",
        "nmax check visit.yaml --prove",
    ]);
}

#[test]
fn nothing_is_written_over_unless_asked_for() {
    let (bench, target) = (Bench::new(), shop());
    let mut visit = Visit::new(&target);
    visit.page("/");
    bench.write("a.har", &visit.har());
    bench.write("visit.yaml", "mine");
    let refused = bench.nmax(&["import", "har", "a.har", "-o", "visit"]).exits(2);
    refused.says(&["visit.yaml is there already", "--force"]);
    assert_eq!(fs::read_to_string(bench.path("visit.yaml")).unwrap(), "mine");
    assert!(!bench.path("visit.evidence.json").exists());
    bench.nmax(&["import", "har", "a.har", "-o", "visit", "--force"]).exits(0);
    assert!(fs::read_to_string(bench.path("visit.yaml")).unwrap().contains("nmax: 1"));
    bench.nmax(&["check", "visit.yaml", "--once"]).exits(0);
}

#[test]
fn two_visits_of_one_kind_become_one_scenario() {
    let (bench, target) = (Bench::new(), shop());
    // The second one also asked another site.
    let (one, two) =
        (Visit::order(&target, "ann@example.test", "oak"), Visit::order(&target, "bob@example.test", "steel"));
    let mut har: Value = serde_json::from_str(&two.har()).unwrap();
    let entries = har["log"]["entries"].as_array_mut().unwrap();
    let mut other = entries.last().unwrap().clone();
    other["request"]["url"] = "http://elsewhere.test/x.js".into();
    entries.push(other);
    let last = entries.len() as u64;
    bench.write("one.har", &one.har());
    bench.write("two.har", &har.to_string());
    let answer = bench.nmax(&["import", "har", "one.har", "two.har", "-o", "both", "--json"]).exits(0).json();
    assert_eq!(count(&answer["scenarios"]), 1, "{answer:#}");
    let files = answer["files"].to_string();
    assert!(files.contains("both.har") && files.contains("both-2.har"), "{files}");
    let states: Vec<&str> =
        answer["correlations"].as_array().unwrap().iter().map(|found| found["state"].as_str().unwrap()).collect();
    assert!(states.contains(&"changes"), "{answer:#}");
    let skipped = answer["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{answer:#}");
    assert_eq!((&skipped[0]["file"], count(&skipped[0]["entry"])), (&"two.har".into(), last));
    let words = fs::read_to_string(bench.path("both.words.csv")).unwrap();
    assert_eq!(words, "q\noak\nsteel\n");
    bench.nmax(&["check", "both.yaml", "--prove"]).exits(0);
}

/// What was taken out as a secret is put back when the file is imported again.
#[test]
fn a_recording_without_its_secrets_is_whole_again_with_the_file_beside_it() {
    let (bench, target) = (Bench::new(), shop());
    bench.write("visit.har", &Visit::order(&target, "ann@example.test", "oak").har());
    bench.nmax(&["import", "har", "visit.har", "-o", "first"]).exits(0);
    let first = fs::read_to_string(bench.path("first.har")).unwrap();
    let again = bench.nmax(&["import", "har", "first.har", "-o", "second", "--json"]).exits(0);
    // Equal secrets have equal placeholders, so the copies are equal too.
    assert_eq!(fs::read_to_string(bench.path("second.har")).unwrap(), first);
    assert_eq!(again.json()["warnings"].to_string().matches("placeholder").count(), 0, "{}", again.stdout);
    bench.nmax(&["check", "second.yaml", "--prove"]).exits(0);
    // In its own place it is its own copy.
    let own = bench.nmax(&["import", "har", "first.har", "--force", "--json"]).exits(0).json();
    assert!(!own["files"].to_string().contains(".har"), "{own:#}");
    bench.nmax(&["check", "first.yaml", "--prove"]).exits(0);
    fs::remove_file(bench.path("first.secrets.json")).unwrap();
    bench.nmax(&["import", "har", "first.har", "-o", "third"]).exits(0);
}

#[test]
fn files_that_are_no_recordings_are_all_named_at_once() {
    let (bench, target) = (Bench::new(), shop());
    let mut visit = Visit::new(&target);
    visit.page("/");
    bench.write("good.har", &visit.har());
    bench.write("empty.har", "");
    bench.write("text.har", "GET / HTTP/1.1");
    bench.write("other.har", "{\"openapi\": \"3.0\"}");
    bench.write("locked.har", "{}");
    fs::create_dir(bench.path("folder.har")).unwrap();
    fs::set_permissions(bench.path("locked.har"), fs::Permissions::from_mode(0o000)).unwrap();
    let args = ["import", "har", "good.har", "empty.har", "text.har", "other.har", "folder.har", "missing.har"];
    let refused = bench.nmax(&args).exits(2);
    let refused =
        refused.says(&["empty.har", "text.har", "other.har", "folder.har: it is a folder", "missing.har", "help:"]);
    assert_eq!(refused.stderr.matches("error: ").count(), 5, "{}", refused.stderr);
    assert!(!refused.stderr.contains("good.har:"), "{}", refused.stderr);
    assert!(!bench.path("good.yaml").exists());
    // Whoever may read everything, as in a container, finds that it is no recording.
    bench.nmax(&["import", "har", "locked.har"]).exits(2).says(&["locked.har", "help:"]);
}

#[test]
fn a_recording_without_anything_to_replay_writes_nothing() {
    let bench = Bench::new();
    bench.write("none.har", r#"{"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": []}}"#);
    bench.nmax(&["import", "har", "none.har"]).exits(2).says(&["nothing in it can be replayed", "help:"]);
    let found = bench.nmax(&["import", "har", "none.har", "--json"]).exits(2).says(&["help:"]).json();
    assert_schema(&found, "import-har");
    assert_eq!((count(&found["entries"]), &found["plan"]), (0, &Value::Null), "{found:#}");
    assert!(found["reason"].as_str().unwrap().contains("nothing in it can be replayed"), "{found:#}");
    assert!(!bench.path("none.yaml").exists());
}

/// What a plan cannot do is counted and named.
#[test]
fn what_is_left_out_is_counted_and_named() {
    let bench = Bench::new();
    let entry = |kind: &str, url: &str| {
        format!(
            r#"{{"startedDateTime":"2026-11-25T10:00:00Z","time":1,"_resourceType":"{kind}","request":{{"method":"GET","url":"{url}"}},"response":{{"status":200}}}}"#
        )
    };
    let entries = [
        entry("document", "http://shop.test/"),
        entry("websocket", "ws://shop.test/news"),
        entry("websocket", "ws://shop.test/chat?room=1"),
        entry("websocket", "ws://shop.test/chat?room=2"),
        entry("script", "https://www.google-analytics.com/analytics.js"),
        entry("script", "https://cdn.example.com/a.js"),
    ];
    bench.write("visit.har", &format!(r#"{{"log":{{"version":"1.2","entries":[{}]}}}}"#, entries.join(",")));
    let ended = bench.nmax(&["import", "har", "visit.har"]).exits(0);
    ended.shows(&[
        "3  a WebSocket",
        "ws://shop.test/news",
        "ws://shop.test/chat (2 times)",
        "analytics.js",
        "cdn.example.com/a.js",
    ]);
}

/// What converters write has no replies, and is a plan when that is wanted.
#[test]
fn requests_without_replies_are_taken_when_they_are_wanted() {
    let bench = Bench::new();
    let entry = |path: &str| {
        format!(
            r#"{{"startedDateTime":"2026-11-25T10:00:00Z","request":{{"method":"GET","url":"http://127.0.0.1:9/{path}"}},"response":{{"status":0,"statusText":"","_error":"net::ERR_FAILED"}}}}"#
        )
    };
    bench.write("made.har", &format!(r#"{{"log":{{"version":"1.1","entries":[{},{}]}}}}"#, entry("a"), entry("b")));
    bench.nmax(&["import", "har", "made.har"]).exits(2).says(&["--without-replies"]);
    let found = bench.nmax(&["import", "har", "made.har", "--without-replies", "--json"]).exits(0).json();
    assert_schema(&found, "import-har");
    assert_eq!((count(&found["steps"]), count(&found["entries"])), (2, 2), "{found:#}");
    bench.nmax(&["check", "made.yaml", "--quick"]).exits(0);
}

/// A recording that broke off is used as far as it goes.
#[test]
fn a_truncated_file_gives_what_is_whole_in_it() {
    let (bench, target) = (Bench::new(), shop());
    let mut visit = Visit::new(&target);
    visit.page("/");
    visit.page("/search?q=oak");
    visit.page("/signup");
    let whole = visit.har();
    let cut = whole.rfind("\"request\"").unwrap();
    bench.write("cut.har", &whole[..cut]);
    let answer = bench.nmax(&["import", "har", "cut.har", "--json"]).exits(0).json();
    assert!(!answer["warnings"].as_array().unwrap().is_empty(), "{answer:#}");
    assert_eq!(count(&answer["steps"]), 2, "{answer:#}");
    bench.nmax(&["check", "cut.yaml", "--once"]).exits(0);
}

#[test]
fn a_copied_command_becomes_a_plan() {
    let (bench, target) = (Bench::new(), shop());
    let command = format!("curl '{}/search?q=oak' -H 'accept: text/html' --compressed", target.url());
    bench.nmax(&["import", "curl", &command, "-o", "search"]).exits(0).shows(&["search.yaml"]);
    bench.nmax(&["check", "search.yaml", "--once"]).exits(0).shows(&["accept: text/html"]);
    // From standard input, and word by word.
    bench.shell(&format!("echo \"{command}\" | $NMAX import curl - -o piped")).exits(0);
    bench.nmax(&["check", "piped.yaml", "--once"]).exits(0);
    bench.nmax(&["import", "curl", "-o", "words", "--", "curl", &target.url()]).exits(0);
    bench.nmax(&["check", "words.yaml", "--once"]).exits(0);
    bench.nmax(&["import", "curl", "-o", "bare", "curl", "-L", &target.url(), "-H", "x-a: b", "-o", "out"]).exits(0);
    let plan = fs::read_to_string(bench.path("bare.yaml")).unwrap();
    assert!(plan.contains("redirects: follow") && plan.contains("x-a: b"), "{plan}");
    let secret = format!("curl '{}/api/account' -H 'authorization: Bearer s3cr3t-t0ken-0815'", target.url());
    let ended = bench.nmax(&["import", "curl", &secret, "-o", "secret"]).exits(0);
    assert!(!ended.stdout.contains("s3cr3t"), "{}", ended.stdout);
    for (name, text) in stored(&bench) {
        assert!(name.contains(".secrets.") || !text.contains("s3cr3t"), "{name}:\n{text}");
    }
    // The cookies of a copied command are who the person is: they are sent, and kept with the secrets.
    let command = format!("curl '{}/api/account' -H 'Cookie: sid=s3cr3t-s1d; theme=dark'", target.url());
    let ended = bench.nmax(&["import", "curl", &command, "-o", "who"]).exits(0);
    assert!(!ended.stdout.contains("no reply of the recording"), "{}", ended.stdout);
    assert!(!ended.stdout.contains("the jar carries"), "{}", ended.stdout);
    bench.nmax(&["check", "who.yaml", "--once", "--show-secrets"]).shows(&["cookie: sid=s3cr3t-s1d; theme=dark"]);
    let plan = fs::read_to_string(bench.path("who.yaml")).unwrap();
    assert!(!plan.contains("s3cr3t"), "{plan}");
    bench.nmax(&["import", "curl", "wget http://127.0.0.1:1/"]).exits(2).says(&["help:"]);
}

/// Trap: a page that is nested without end takes the square of its length.
#[test]
fn a_reply_that_is_made_to_hold_the_parser_is_told_and_the_rest_is_imported() {
    let bench = Bench::new();
    let entry = |second: u32, path: &str, body: &str| {
        format!(
            r#"{{"startedDateTime":"2026-01-01T00:00:{second:02}Z","time":20,"request":{{"method":"GET",
            "url":"http://127.0.0.1:1{path}","headers":[]}},"response":{{"status":200,"headers":
            [{{"name":"content-type","value":"text/html"}}],"content":{{"mimeType":"text/html","text":"{body}"}}}}}}"#
        )
    };
    let entries = [
        entry(0, "/deep", &"<div>".repeat(100_000)),
        entry(5, "/nul", &"\\u0000".repeat(1 << 20)),
        entry(10, "/c", "c"),
    ];
    bench.write("a.har", &format!(r#"{{"log":{{"version":"1.2","entries":[{}]}}}}"#, entries.join(",")));
    let answer = bench.nmax(&["import", "har", "a.har", "-o", "a", "--json"]).exits(0).json();
    assert_eq!(count(&answer["steps"]), 3, "{answer:#}");
    let warnings = answer["warnings"].as_array().unwrap();
    let is_told = |warning: &Value| {
        let text = warning.as_str().unwrap_or_default();
        text.contains("entry 1, GET http://127.0.0.1:1/deep") && text.contains("nested more than 1024 deep")
    };
    assert!(warnings.iter().any(is_told), "{warnings:#?}");
}
