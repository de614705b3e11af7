//! Formats that are found by themselves, and what is said where none is found.

use nmax_log::format::Reader;
use nmax_log::record::Line;

const COMBINED: &str = r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.0" 200 2326 "http://e.x/s" "Mozilla/4.08 [en]""#;
const COMMON: &str = r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.0" 200 2326"#;
const JSON: &str =
    r#"{"time":"2000-10-10T20:55:36Z","method":"GET","url":"/a?b=c","status":200,"latency_ms":12,"ip":"127.0.0.1"}"#;
const FIELDS: &str = "#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip sc-status time-taken";
const IIS: &str = "2000-10-10 20:55:36 GET /a b=c 127.0.0.1 200 15";

fn detect(sample: &[&str]) -> Reader {
    let lines: Vec<&[u8]> = sample.iter().map(|line| line.as_bytes()).collect();
    Reader::detect(&lines).unwrap_or_else(|error| panic!("{error}"))
}

/// What `line` is, in a word.
fn kind(reader: &mut Reader, line: &str) -> String {
    match reader.line(line.as_bytes()) {
        Line::Record(record) => format!("{} {}", String::from_utf8_lossy(record.target), record.status),
        Line::Comment => "comment".to_owned(),
        Line::Blank => "blank".to_owned(),
        Line::Rejected(rejection) => format!("{} at {}", rejection.reason, rejection.at),
    }
}

#[test]
fn names_of_what_is_found() {
    let cases = [
        (vec![COMBINED], "combined"),
        (vec![COMMON], "common"),
        (vec![JSON], "json"),
        (vec![FIELDS, IIS], "w3c"),
        (vec![FIELDS], "w3c"),
    ];
    for (sample, name) in cases {
        assert_eq!(detect(&sample).name(), name, "{sample:?}");
    }
    for (more, name) in [
        (r#" "-""#, "nginx_main"),
        (" 0.004", "combined with $request_time"),
        (" 0.004 0.003", "combined with $request_time $upstream_response_time"),
        (" 0.004 -", "combined with $request_time $upstream_response_time"),
        (" 0.003 0.009", "combined with $upstream_response_time $request_time"),
        (" 0.001, 0.002 0.004", "combined with $upstream_response_time $request_time"),
        (r#" "-" 0.004"#, "nginx_main with $request_time"),
        (r#" "-" 0.004 0.004"#, "nginx_main with $request_time $upstream_response_time"),
        (" 512 0.004", "combined"),
        (" 4711", "combined with %D"),
        (" 1", "combined"),
        (r#" "a" "b" c"#, "combined"),
        (r#" 12 "router@docker" "http://10.0.0.1:80" 3ms"#, "traefik"),
    ] {
        let line = format!("{COMBINED}{more}");
        assert_eq!(detect(&[&line]).name(), name, "{more}");
    }
}

/// A request lasts at least as long as its upstream, so times behind the usual columns tell which is which.
#[test]
fn times_behind_the_columns_are_told_apart() {
    let pairs = [(0.004, 0.003), (0.250, 0.250), (1.5, 0.0)];
    for is_whole_first in [true, false] {
        let line = |(whole, part): (f64, f64)| match is_whole_first {
            true => format!("{COMBINED} {whole:.3} {part:.3}"),
            false => format!("{COMBINED} {part:.3} {whole:.3}"),
        };
        let lines = pairs.map(line);
        let mut reader = detect(&lines.each_ref().map(String::as_str));
        for (line, (whole, part)) in lines.iter().zip(pairs) {
            let Line::Record(record) = reader.line(line.as_bytes()) else { panic!("a record") };
            let us = |seconds: f64| Some((seconds * 1e6).round() as u64);
            assert_eq!((record.duration_us, record.upstream_us), (us(whole), us(part)), "{line}");
        }
    }
}

#[test]
fn who_wrote_it_decides_what_the_stamp_means() {
    let apache = COMBINED.replace("2326", "-");
    let nginx = COMBINED.replace("200 2326", "304 0");
    // What is in the file, whether stamps are arrivals, why this row.
    let cases = [
        (vec![&*apache, COMBINED], true, "Apache writes `-` for no bytes"),
        (vec![&*nginx, COMBINED], false, "nginx writes 0"),
        (vec![COMBINED], false, "not known"),
    ];
    for (sample, is_arrival, why) in cases {
        let mut reader = detect(&sample);
        let Line::Record(record) = reader.line(COMBINED.as_bytes()) else { panic!("{why}") };
        assert_eq!(record.is_arrival, is_arrival, "{why}");
        assert_eq!(reader.notes().iter().any(|note| note.contains("taken too late")), !is_arrival, "{why}");
    }
}

#[test]
fn mixed_files_are_read_as_far_as_they_go() {
    let mut sample = vec![COMBINED; 8];
    sample.extend([JSON, JSON, "garbage"]);
    let mut reader = detect(&sample);
    assert_eq!(reader.name(), "combined and json");
    assert_eq!(reader.why(), "8 of 11 lines of the sample fit `combined`, 2 fit `json`");
    assert_eq!(kind(&mut reader, COMBINED), "/a?b=c 200");
    assert_eq!(kind(&mut reader, JSON), "/a?b=c 200");
    assert_eq!(kind(&mut reader, "garbage"), "no ` ` ends `%h` at 0");
    assert_eq!(kind(&mut reader, "  \t "), "blank");
    assert_eq!(kind(&mut reader, "# a comment"), "comment");
    // A file that begins to say what it is, is believed.
    assert_eq!(kind(&mut reader, FIELDS), "comment");
    assert_eq!(kind(&mut reader, IIS), "/a?b=c 200");
    assert_eq!(
        kind(&mut reader, "#Fields: date c-ip"),
        "#Fields has no `time` or `timestamp`; #Fields has no `cs-uri-stem` or `cs-uri` at 0"
    );
}

/// A file that tells durations in one part of it is not said to tell none.
#[test]
fn columns_may_change_within_a_file() {
    let without = "#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip sc-status";
    let (line_without, _) = IIS.rsplit_once(' ').expect("a duration");
    let cases: [(&[&str], &str); 4] = [
        (&[FIELDS, IIS, without, line_without], "not all of its lines tell the duration"),
        (&[without, line_without, FIELDS, IIS], "not all of its lines tell the duration"),
        (&[without, line_without], "not how long they took"),
        (&[FIELDS, IIS], ""),
    ];
    for (sample, want) in cases {
        let notes = detect(sample).notes().join("; ");
        assert!(notes.contains(want), "{sample:?}: {notes}");
        let said = usize::from(notes.contains("how long they took")) + usize::from(notes.contains("not all"));
        assert_eq!(said, usize::from(!want.is_empty()), "{sample:?}: {notes}");
    }
}

#[test]
fn referers_by_a_short_name_look_like_one() {
    let line = |value: &str| {
        format!(
            "{{\"ts\":\"2026-11-20T10:00:00Z\",\"uri\":\"/a\",\"method\":\"GET\",\"status\":200,\"ref\":\"{value}\"}}"
        )
    };
    for (value, is_one) in [("https://shop.test/", true), ("/list", true), ("refs/heads/main", false)] {
        let notes = detect(&[line(value).as_str()]).notes().join("; ");
        assert_eq!(notes.contains("referer = `ref`"), is_one, "{value}: {notes}");
    }
}

#[test]
fn what_is_wrong_is_said_with_its_column() {
    let mut reader = Reader::compile("combined").expect("a name");
    // What is done to the line, what is said.
    let cases = [
        (COMBINED.replace(" 200 ", " 2000 "), "`%>s` should be a status code from 100 to 999, found `2000` at 69"),
        (COMBINED.replace(" 2326", " 23x6"), "`%b` should be a count of bytes, found `23x6` at 73"),
        (
            COMBINED.replace("10/Oct", "31/Feb"),
            "`%t` should be a time like 10/Oct/2000:13:55:36 +0000, found `31/Feb/2000:13:55:36 -0700` at 19",
        ),
        (COMBINED[..80].to_owned(), "no `\" \"` ends `%{Referer}i` at 79"),
        (COMMON.to_owned(), "no ` \"` ends `%b` at 73"),
    ];
    for (line, want) in cases {
        assert_eq!(kind(&mut reader, &line), want, "{line}");
    }
    let long = "x".repeat(nmax_log::format::LINE_BYTES_MAX + 1);
    assert!(kind(&mut reader, &long).starts_with("the line has 1048577 bytes"));
}

#[test]
fn a_sample_that_nothing_reads() {
    let error = Reader::detect(&[b"hello world", b"", b"second line"]).expect_err("no log");
    let message = error.to_string();
    for part in [
        "| hello world",
        "| second line",
        "tried `combined`: 0 of 2 lines",
        "help: name it: common, combined",
        "$remote_addr",
    ] {
        assert!(message.contains(part), "{part} in {message}");
    }
    let hints = [(&b"\x1f\x8b\x08\x00"[..], "gzip"), (b"\xff\xfeh\0i\0", "UTF-16"), (b"", "no lines")];
    for (line, hint) in hints {
        let error = Reader::detect(&[line]).expect_err("no log");
        assert!(error.hint.as_deref().is_some_and(|found| found.contains(hint)), "{error}");
    }
    let error = Reader::detect(&[br#"{"msg":"started","level":"info"}"#]).expect_err("no access log");
    assert!(error.to_string().contains("no member tells the time"), "{error}");
}

#[test]
fn all_that_is_wrong_with_a_format_is_said_at_once() {
    let problems = |spec: &str| -> Vec<String> {
        let error = Reader::compile(spec).expect_err(spec);
        error.problems.into_iter().map(|problem| format!("{:?} {}", problem.at, problem.what)).collect()
    };
    let all = problems("%h%u %y %{parsecs}T %{%Q}t");
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all[0].starts_with("Some(5) `%y` is not a directive"), "{all:?}");
    assert!(all[1].contains("`parsecs` is not a unit of %T") && all[2].contains("`%Q`"), "{all:?}");
    let all = problems("$remote_addr$status");
    assert!(all[0].contains("nothing separates `$remote_addr` from `$status`"), "{all:?}");
    assert!(all[1].contains("the time") && all[2].contains("what was asked for"), "{all:?}");
    assert!(problems("json time=ts colour=red")[0].contains("`colour` means nothing"));
    assert!(problems("json time=ts")[0].contains("target=NAME"));
    assert!(problems("combinde")[0].contains("neither the name of a format"));
}

#[test]
fn json_with_names_of_a_person() {
    let mut reader =
        Reader::compile("json begin=at:ms method=r.verb target=r.where status=code duration=took:us").expect("right");
    let line = br#"{"at":971211336185,"r":{"verb":"GET","where":"\/a?b=c"},"code":"200","took":"1500"}"#;
    let Line::Record(record) = reader.line(line) else { panic!("a record") };
    assert_eq!((record.arrival_us, record.duration_us), (971_211_336_185_000, Some(1500)));
    assert_eq!((record.target, record.status, record.is_arrival), (&b"/a?b=c"[..], 200, true));
    // Flat names with dots are the same.
    let line = br#"{"at":971211336185,"r.verb":"GET","r.where":"/x","code":404}"#;
    assert_eq!(kind(&mut reader, std::str::from_utf8(line).expect("text")), "/x 404");
    assert_eq!(
        kind(&mut reader, r#"{"level":"info","msg":"started"}"#),
        "no request in this object: `r.where` is missing at 0"
    );
}

#[test]
fn stamps_without_a_zone_are_in_that_of_the_reader() {
    let mut reader = Reader::compile("%{%Y-%m-%d %H:%M:%S}t %h \"%r\" %>s").expect("right");
    assert!(reader.notes()[0].contains("no time zone"));
    let line = br#"2000-10-10 13:55:36 1.1.1.1 "GET / HTTP/1.1" 200"#;
    for (zone_s, want_s) in [(0, 971_186_136), (-25_200, 971_211_336)] {
        reader.set_zone(zone_s);
        let Line::Record(record) = reader.line(line) else { panic!("a record") };
        assert_eq!(record.arrival_us, want_s * 1_000_000);
    }
}

#[test]
fn a_cut_line_does_not_cost_the_columns_of_the_others() {
    let cut = &COMBINED[..COMBINED.len() - 10];
    let mut sample = vec![COMBINED; 20];
    sample.push(cut);
    let mut reader = detect(&sample);
    assert_eq!(reader.name(), "combined");
    let Line::Record(record) = reader.line(COMBINED.as_bytes()) else { panic!("a record") };
    assert_eq!(record.agent, b"Mozilla/4.08 [en]");
    assert!(kind(&mut reader, cut).contains("User-Agent"));
    // Several such lines are read as far as they go.
    sample.push(COMMON);
    sample.push(COMMON);
    let mut reader = detect(&sample);
    assert_eq!(reader.name(), "combined and common");
    assert_eq!(kind(&mut reader, COMMON), "/a?b=c 200");
}

#[test]
fn what_stands_in_front_of_the_client_is_not_the_client() {
    // What stands in front and behind, the name, client, host and user.
    let cases = [
        ("shop.test:8080 ", " 4711", "vhost_combined with %D", "127.0.0.1", "shop.test"),
        ("10.0.0.1:80 ", "", "vhost_combined", "127.0.0.1", "10.0.0.1"),
        ("shop.test ", " 0.004", "host and combined with $request_time", "127.0.0.1", "shop.test"),
        ("shop.test ", " x", "host and combined", "127.0.0.1", "shop.test"),
        ("9.9.9.9 ", "", "x-forwarded-for and combined", "9.9.9.9", ""),
    ];
    for (front, behind, name, client, host) in cases {
        let line = format!("{front}{COMBINED}{behind}");
        let mut reader = detect(&[&line]);
        assert_eq!(reader.name(), name);
        let Line::Record(record) = reader.line(line.as_bytes()) else { panic!("a record of {name}") };
        let texts = [record.client, record.host, record.user].map(String::from_utf8_lossy);
        assert_eq!(texts, [client, host, "frank"], "{name}");
    }
}

#[test]
fn the_members_that_are_taken_are_named() {
    let line = r#"{"ts":"2000-10-10T20:55:36Z","verb":"GET","url":"/a","code":200,"addr":"10.0.0.7","pid":12}"#;
    let mut reader = detect(&[line]);
    let Line::Record(record) = reader.line(line.as_bytes()) else { panic!("a record") };
    assert_eq!(record.client, b"10.0.0.7");
    let taken = "time = `ts`, method = `verb`, target = `url`, status = `code`, client = `addr`; not used: `pid`";
    assert!(reader.notes().iter().any(|note| note == taken), "{:?}", reader.notes());
    // A name that may be of anything needs the looks of an address.
    let line = line.replace("10.0.0.7", "checkout");
    let mut reader = detect(&[&line]);
    assert!(matches!(reader.line(line.as_bytes()), Line::Record(record) if record.client.is_empty()));
}
