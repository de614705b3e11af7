use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::sync::mpsc::Receiver;

use nmax_plan::plan::{ObservedSource, Value};
use nmax_sources::SourceKind;
use nmax_sources::kinds::*;

use super::*;
use crate::fixture::Fake;
use crate::host::tree::Tree;

fn observed(kind: &'static SourceKind, place: &str) -> ObservedSource {
    ObservedSource { name: "it".into(), ..ObservedSource::at(kind, place) }
}

fn nginx(server: &Fake) -> Observed {
    Observed::Source(observed(&NGINX, &server.url("/status")))
}

fn log(file: &Path, format: Option<&str>) -> Observed {
    let log = observed(&LOG, &file.display().to_string());
    Observed::Source(match format {
        Some(format) => log.with(&FORMAT, Value::Text(format.to_owned())),
        None => log,
    })
}

/// What is tried, and what is said of it.
#[track_caller]
fn assert_says(observed: &[Observed], wants: &[Result<(&str, usize), &str>]) -> Vec<Attempt> {
    let attempts = try_all(observed);
    assert_eq!(attempts.len(), wants.len());
    for (attempt, want) in attempts.iter().zip(wants) {
        match (&attempt.outcome, want) {
            (Ok(answer), Ok((about, figures))) => {
                assert_eq!(answer.about.as_deref().unwrap_or_default(), *about, "{attempt:?}");
                assert_eq!(answer.figures, *figures, "{attempt:?}");
            }
            (Err(trouble), Err(words)) => assert!(trouble.text.contains(words), "{words}: {trouble}"),
            _ => panic!("{want:?}: {attempt:?}"),
        }
    }
    attempts
}

const STATUS: &str =
    "Active connections: 3\nserver accepts handled requests\n 9 9 20\nReading: 0 Writing: 1 Waiting: 2\n";

/// Each answers for itself, in the order of the plan, and says what it is.
#[test]
fn every_source_is_tried_once() {
    let status = Fake::says(format!(
        "HTTP/1.1 200 OK\r\nServer: nginx/1.22.1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{STATUS}",
        STATUS.len()
    ));
    let page = Fake::page("text/plain", "# TYPE a gauge\na 1\n# TYPE b counter\nb_total 3\n");
    let web = Fake::page("text/html", "<html>");
    let memcached = Fake::start(|stream| {
        let mut stream = BufReader::new(stream);
        stream.read_line(&mut String::new()).unwrap();
        let answer = b"STAT version 1.6.18\x1b[2J\r\nSTAT threads 4\r\nSTAT curr_connections 2\r\nEND\r\n";
        stream.get_mut().write_all(answer).unwrap();
        None
    });
    let prometheus = |server: &Fake| Observed::Source(observed(&PROMETHEUS, &server.url("/metrics")));
    let observed = [
        nginx(&status),
        nginx(&web),
        prometheus(&page),
        prometheus(&web),
        Observed::Source(observed(&MEMCACHED, &memcached.address.to_string())),
        Observed::Source(observed(&AGENT, "http://127.0.0.1:1")),
    ];
    assert_says(
        &observed,
        &[
            Ok(("nginx/1.22.1", 4)),
            Err("is not a page of `stub_status`"),
            Ok(("a page of 2 series", 1)),
            Err("is a web page and has no metrics"),
            // What a server says cannot steer a terminal.
            Ok(("memcached 1.6.18\\u001b[2J", 1)),
            Err("is `nmax agent` running there?"),
        ],
    );
    assert_says(&[], &[]);
}

/// One that says nothing keeps nobody longer than the limit.
#[test]
fn a_source_that_hangs_is_left() {
    /// Says nothing until the test is over.
    struct Hangs(Receiver<()>);
    impl Source for Hangs {
        fn read(&mut self, _: Nanos) -> Result<Vec<Reading>, Trouble> {
            let _ = self.0.recv();
            Ok(Vec::new())
        }
    }
    let (_end, ended) = sync_channel(0);
    let task = Task::Source(Box::new(Hangs(ended)), Vec::new());
    let attempts = attempt_all(vec![task], Duration::from_millis(50));
    assert_eq!(attempts[0].outcome, Err(Trouble::passing("no answer within 0.05 s".to_owned())));
}

#[test]
fn logs_are_looked_at() {
    let access = "127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"a\"\n".repeat(30);
    let tree = Tree::new(&[
        ("access.log", &access),
        ("app.log", "2026-10-10 13:55:36 INFO up\n"),
        ("new.log", ""),
        ("old.log.gz", "\u{1f}x"),
    ]);
    fs::write(tree.path().join("old.log.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    let at = |name: &str| tree.path().join(name);
    let observed = [
        log(&at("access.log"), None),
        log(&at("app.log"), None),
        log(&at("new.log"), None),
        log(&at("none.log"), None),
        log(&at("old.log.gz"), None),
        log(tree.path(), None),
        log(&at("access.log"), Some("iis")),
        log(&at("access.log"), Some("%h %q")),
    ];
    let attempts = assert_says(
        &observed,
        &[
            Ok(("an access log", 0)),
            Ok(("a log of an application", 0)),
            Ok(("a log without lines, whose format the first ones will tell", 0)),
            Err("there is no such file"),
            Err("packed by gzip"),
            Err("not a regular file"),
            Ok(("an access log", 0)),
            Err("`format` is none of an access log"),
        ],
    );
    let notes = |number: usize| attempts[number].notes.join("; ");
    assert!(notes(0).contains("in the format combined"), "{}", notes(0));
    assert!(notes(6).contains("do not fit the `format` of the plan"), "{}", notes(6));
    assert_eq!(notes(3), "", "what cannot be read says why, and no more");
}

#[test]
fn processes_of_this_host_are_looked_for() {
    let stat = "0 S 1 1 1 0 -1 4 0 0 0 0 5 0 0 0 20 0 3 0 100 999 10 18446744073709551615 0\n";
    let tree = Tree::new(&[("proc/uptime", "1000.00 1\n"), ("run/shop.pid", "7\n")]);
    for pid in [7, 8, 9, 10] {
        tree.write(&format!("proc/{pid}/comm"), "shop\n");
        tree.write(&format!("proc/{pid}/stat"), format!("{pid} (shop) {}", &stat[2..]));
    }
    let look = |process: ProcessRef| look_for(tree.path(), "it", &process);
    let found = look(ProcessRef::Name("shop".into())).unwrap();
    assert_eq!(found.about.as_deref(), Some("4 processes, 7, 8, 9, .."));
    assert!(found.figures > 0);
    let found = look(ProcessRef::PidFile("run/shop.pid".into())).unwrap();
    assert_eq!(found.about.as_deref(), Some("1 process, 7"));
    let said = |process| look(process).unwrap_err().text;
    assert!(said(ProcessRef::Name("shops".into())).starts_with("no process is called `shops`; write"));
    assert!(said(ProcessRef::Pid(11)).starts_with("there is no process 11; give"));
    assert!(said(ProcessRef::PidFile("run/x.pid".into())).starts_with("run/x.pid has no number of a process"));
}
