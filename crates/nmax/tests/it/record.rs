//! `nmax record` with real clients: curl, and a Chromium that it starts itself.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{ChildStdin, Command, Output};

use nmax_target::{Listen, Options, Running, Scheme};
use rustix::process::Signal;
use serde_json::Value;

use crate::bench::{Bench, Ended, Job, until};
use crate::peers::target;

/// A recorder at work.
pub(crate) struct Recording<'a> {
    bench: &'a Bench,
    job: Job,
    typing: ChildStdin,
    /// Its address, such as `http://127.0.0.1:4711`.
    pub(crate) proxy: String,
}

impl<'a> Recording<'a> {
    /// Starts `nmax record`, and waits until it listens.
    pub(crate) fn start(bench: &'a Bench, args: &[&str]) -> Self {
        let args: Vec<&str> = ["record"].iter().chain(args).copied().collect();
        let (job, typing) = bench.spawn_typing(&args);
        until("the recorder listens", || proxy_of(&job.stderr_so_far()).is_some());
        let proxy = proxy_of(&job.stderr_so_far()).unwrap();
        Self { bench, job, typing, proxy }
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) {
        writeln!(self.typing, "{line}").unwrap();
    }

    /// Waits until it shows this.
    pub(crate) fn until_shown(&self, words: &str) {
        until(words, || self.job.stderr_so_far().contains(words));
    }

    /// Ends it as a person does.
    pub(crate) fn end(mut self) -> Ended {
        self.types("q");
        self.job.wait()
    }

    /// curl through it; loopback addresses included.
    fn curl(&self, args: &[&str]) -> Output {
        let mut command = Command::new("curl");
        command.current_dir(self.bench.path("")).env_clear();
        command.args(["--silent", "--show-error", "--max-time", "240", "--proxy", &self.proxy, "--noproxy", ""]);
        command.args(args).output().expect("curl is missing: run scripts/install-test-deps.sh")
    }
}

fn proxy_of(said: &str) -> Option<String> {
    let (_, rest) = said.split_once("proxy ")?;
    Some(rest.lines().next()?.trim().to_owned()).filter(|_| rest.contains('\n'))
}

/// Entries of a HAR file.
pub(crate) fn entries(bench: &Bench, name: &str) -> Vec<Value> {
    let text = fs::read_to_string(bench.path(name)).unwrap();
    let har: Value = serde_json::from_str(&text).unwrap();
    har["log"]["entries"].as_array().unwrap().clone()
}

fn urls(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["request"]["url"].as_str().unwrap()).collect()
}

/// Who may do what with a file.
fn mode(bench: &Bench, name: &str) -> u32 {
    fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o777
}

fn encrypted(bench: &Bench) -> Running {
    let listen = |scheme| Listen { scheme, address: "127.0.0.1:0".parse().unwrap() };
    nmax_target::spawn(Options {
        listen: vec![listen(Scheme::Https), listen(Scheme::Http)],
        ca_file: Some(bench.path("target.pem")),
        shop: true,
        ..Options::default()
    })
    .unwrap()
}

#[test]
fn curl_is_recorded_and_a_plan_comes_of_it() {
    let bench = Bench::new();
    let target = encrypted(&bench);
    let (https, http) = (target.url(), target.addresses()[1].to_string());
    let mut recording =
        Recording::start(&bench, &[&https, "--no-browser", "-o", "visit", "--upstream-ca", "target.pem"]);
    recording.until_shown("curl --proxy");
    // The certificate is trusted for what is recorded, and an address is a host as any other.
    let page = recording.curl(&["--cacert", "visit.ca.pem", &format!("{https}/login")]);
    let page = String::from_utf8(page.stdout).unwrap();
    assert!(page.contains("name=\"csrf\""), "{page}");
    assert!(!recording.curl(&[&format!("{https}/login")]).status.success(), "curl trusts nobody without being told");
    recording.until_shown("refused the certificate");
    recording.types("");
    recording.until_shown("name of what you do next");
    recording.types("look around");
    recording.until_shown("--- look around ---");
    let text = "token=hidden-0123456789abcdef";
    recording.curl(&["--data", text, "-H", "cookie: sid=0123456789abcdefghij", &format!("{http}/echo?a=1")]);
    recording.until_shown("/echo");
    let ended = recording.end().exits(0);
    // What it says.
    assert!(ended.stderr.contains("GET     200"), "{}", ended.stderr);
    assert!(ended.stdout.contains("nmax run visit.yaml"), "{}", ended.stdout);
    assert!(ended.stdout.contains("127.0.0.1: 1 connections were broken off"), "{}", ended.stdout);
    // What it leaves: a recording without secrets, its secrets for their owner, and nothing of the authority.
    let kept = entries(&bench, "visit.har");
    assert_eq!(urls(&kept), [format!("{https}/login"), format!("{http}/echo?a=1")]);
    assert!(kept[0]["response"]["content"]["text"].as_str().unwrap().contains("<form method=\"post\""));
    let whole = fs::read_to_string(bench.path("visit.har")).unwrap();
    for secret in ["hidden-0123456789abcdef", "0123456789abcdefghij"] {
        for text in [&whole, &ended.stderr, &ended.stdout] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    assert_eq!(mode(&bench, "visit.secrets.json"), 0o600);
    assert_eq!(mode(&bench, "visit.har"), 0o600, "it holds bodies");
    let ignored = fs::read_to_string(bench.path(".gitignore")).unwrap();
    assert!(ignored.contains("/visit.secrets.json"), "{ignored}");
    assert!(!bench.path("visit.ca.pem").exists());
    assert!(whole.contains("look around"));
    // The plan is one that nmax reads.
    bench.nmax(&["check", "visit.yaml", "--quick"]).exits(0);
    // A second recording of this name is refused before anything happens.
    let again = bench.nmax(&["record", &https, "--no-browser", "-o", "visit"]).exits(2);
    again.says(&["visit.yaml", "--force"]);
}

#[test]
fn a_chromium_of_its_own_is_recorded_with_and_without_encryption() {
    let bench = Bench::new();
    let target = encrypted(&bench);
    for (name, site) in [("plain", target.addresses()[1].to_string()), ("encrypted", target.url())] {
        let url = format!("{site}/login");
        let mut args = vec![url.as_str(), "--headless", "-o", name, "--upstream-ca", "target.pem"];
        args.extend(["--browser-arg=--disable-dev-shm-usage", "-d", "10m"]);
        let recording = Recording::start(&bench, &args);
        for path in ["/login", "/app.css", "/app.js", "/logo.png"] {
            recording.until_shown(&format!("  {path}"));
        }
        let profile = std::env::temp_dir().join(format!("nmax-browser-{}", recording.job.id()));
        assert!(profile.is_dir(), "a profile of its own");
        recording.end().exits(0);
        assert!(!profile.exists(), "and it is thrown away");
        let kept = entries(&bench, &format!("{name}.har"));
        let of_site = urls(&kept).iter().filter(|url| url.starts_with(&site)).count();
        assert_eq!(of_site, kept.len(), "nothing else is recorded: {:?}", urls(&kept));
        let page = kept.iter().find(|entry| entry["request"]["url"] == url.as_str()).unwrap();
        assert_eq!(page["_resourceType"], "document", "{page:#}");
        assert_eq!(page["response"]["status"], 200);
    }
}

#[test]
fn a_recorder_that_is_killed_leaves_a_recording() {
    let (bench, target) = (Bench::new(), target());
    let recording = Recording::start(&bench, &[&target.url(), "--no-browser", "-o", "visit"]);
    // The second one says that the first one had a password in it.
    for path in ["/echo?note=late-known-words", "/hello?password=late-known-words"] {
        recording.curl(&[&format!("{}{path}", target.url())]);
        recording.until_shown(&format!("  {}", path.split('=').next().unwrap()));
    }
    recording.job.signal(Signal::KILL);
    assert_eq!(recording.job.wait().code, 128 + 9);
    assert_eq!(mode(&bench, "visit.har"), 0o600, "nobody else may read what is left");
    let imported = bench.nmax(&["import", "har", "visit.har", "-o", "again", "--json"]).exits(0);
    assert_eq!(imported.json()["entries"], 2);
    let copy = fs::read_to_string(bench.path("again.har")).unwrap();
    assert!(!copy.contains("late-known-words"), "{copy}");
}

#[test]
fn what_is_typed_by_mistake_does_no_harm() {
    let (bench, target) = (Bench::new(), target());
    let mut recording = Recording::start(&bench, &[&target.url(), "--no-browser", "-o", "visit"]);
    recording.typing.write_all(b"l\xf6schen \xff\xfe\n").unwrap();
    recording.until_shown("schen");
    recording.types("");
    recording.until_shown("q: end the recording");
    recording.types("");
    recording.until_shown("nothing is marked");
    recording.types("look around");
    recording.until_shown("--- look around ---");
    recording.curl(&[&format!("{}/hello", target.url())]);
    recording.until_shown("  /hello");
    recording.types("");
    // Asked for a name, `q` is none.
    recording.end().exits(0);
    let text = fs::read_to_string(bench.path("visit.yaml")).unwrap();
    assert!(text.contains("look around"), "{text}");
}

#[test]
fn a_large_download_takes_no_memory() {
    let (bench, target) = (Bench::new(), target());
    let recording = Recording::start(&bench, &[&target.url(), "--no-browser", "-o", "visit"]);
    let most_kb = || {
        let status = fs::read_to_string(format!("/proc/{}/status", recording.job.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    let before = most_kb();
    for path in ["/bytes/200000000", "/chunked/200000000"] {
        let sized = recording.curl(&["-o", "/dev/null", "-w", "%{size_download}", &format!("{}{path}", target.url())]);
        assert_eq!(String::from_utf8(sized.stdout).unwrap(), "200000000");
        recording.until_shown(&format!("  {path}"));
    }
    let grown_kb = most_kb() - before;
    // Twice 8 MiB are kept, a few times over while they are written.
    assert!(grown_kb < 150_000, "{grown_kb} kB more than before");
    recording.end().exits(0);
    for entry in entries(&bench, "visit.har") {
        assert_eq!(entry["response"]["bodySize"], 200_000_000, "all of it was counted");
    }
}

#[test]
fn other_hosts_pass_and_are_named_at_the_end() {
    let (bench, target) = (Bench::new(), target());
    fs::create_dir(bench.path("mine")).unwrap();
    let recording = Recording::start(&bench, &["http://localhost:1/", "--no-browser", "-o", "mine/new/visit"]);
    recording.curl(&[&format!("{}/hello", target.url())]);
    recording.until_shown("127.0.0.1 passes undecrypted");
    let ended = recording.end().exits(5);
    ended.says(&["nothing was recorded", "127.0.0.1 (once)", "--host"]);
    let left: Vec<_> = fs::read_dir(bench.path("mine")).unwrap().collect();
    assert!(left.is_empty(), "what was made for it is taken away: {left:?}");
}

#[test]
fn a_recording_without_any_reply_is_kept_but_makes_no_plan() {
    let bench = Bench::new();
    let target = encrypted(&bench);
    let recording = Recording::start(&bench, &[&target.url(), "--no-browser", "-o", "visit"]);
    for path in ["/login?note=late-known-words", "/login?password=late-known-words"] {
        recording.curl(&["--cacert", "visit.ca.pem", &format!("{}{path}", target.url())]);
        recording.until_shown(&format!("  {}", path.split('=').next().unwrap()));
    }
    recording.until_shown("--upstream-ca FILE");
    let ended = recording.end().exits(5);
    ended.says(&["nothing in it can be replayed", "visit.har", "is not trusted", "--upstream-ca FILE", "--insecure"]);
    assert_eq!(entries(&bench, "visit.har").len(), 2, "what happened can be looked at");
    let text = fs::read_to_string(bench.path("visit.har")).unwrap();
    assert!(!text.contains("late-known-words"), "{text}");
    assert!(!bench.path("visit.yaml").exists() && !bench.path("visit.evidence.json").exists());
}

#[test]
fn it_ends_by_ctrl_c_and_by_itself() {
    let (bench, target) = (Bench::new(), target());
    let recording = Recording::start(&bench, &[&target.url(), "--no-browser", "-o", "one", "--json"]);
    recording.curl(&[&format!("{}/hello", target.url())]);
    recording.until_shown("/hello");
    recording.job.signal(Signal::INT);
    assert_eq!(recording.job.wait().exits(0).json()["entries"], 1);
    let ended = bench.nmax(&["record", &target.url(), "--no-browser", "-o", "two", "-d", "200ms"]);
    ended.exits(5);
}

#[test]
fn what_cannot_be_recorded_is_said_at_once() {
    let bench = Bench::new();
    bench.write("no.pem", "nothing\n");
    //   arguments                                                        words
    let cases: [(&[&str], &[&str]); 7] = [
        (&["shop.test"], &["no scheme", "https://"]),
        (&["http://a.test/", "--host", "http://b.test", "--host", "c d"], &["http://b.test", "c d", "is not a host"]),
        (&["http://a.test/", "--host", "com", "--host", "é.test"], &["`com` is a public suffix", "xn--"]),
        (&["http://a.test/", "--upstream-ca", "none.pem"], &["none.pem"]),
        (&["http://a.test/", "--upstream-ca", "no.pem"], &["no certificate"]),
        (&["http://a.test/", "--browser", "/nowhere/chromium", "--allow-exec", "--headless"], &["/nowhere/chromium"]),
        (&["http://a.test/", "--listen", "nowhere"], &["0.0.0.0:8888"]),
    ];
    for (args, words) in cases {
        let args: Vec<&str> = ["record"].iter().chain(args).copied().collect();
        bench.nmax(&args).exits(2).says(words);
    }
    assert_eq!(
        fs::read_dir(bench.path(""))
            .unwrap()
            .flatten()
            .filter(|file| file.path().extension().is_some_and(|end| end == "har"))
            .count(),
        0
    );
}
