//! Lines by the documentation of their formats: `testdata/logs/documented`, where `PROVENANCE.md` says by which.
//!
//! Each format is found by itself, and each line is read as what it says or is counted as one that cannot be read.

use std::path::Path;

use jiff::Timestamp;
use nmax_log::format::Reader;
use nmax_log::format::lines::{Cut, Lines};
use nmax_log::record::{Line, Record};

/// What is read of a file.
struct Case {
    file: &'static str,
    format: &'static str,
    /// Lines that are rejected, comments and blank.
    others: [usize; 3],
    records: &'static [&'static str],
}

/// Arrival, duration in ms, method, target, status, bytes, client, user, agent.
fn shown(record: &Record<'_>) -> String {
    let arrival = Timestamp::from_microsecond(record.arrival_us).expect("in range");
    let ms = record.duration_us.map_or("-".to_owned(), |us| (us / 1000).to_string());
    let bytes = record.bytes.map_or("-".to_owned(), |bytes| bytes.to_string());
    let [method, target, client, user, agent] =
        [record.method, record.target, record.client, record.user, record.agent].map(|text| text.escape_ascii());
    format!("{arrival} {ms} {method} {target} {} {bytes} {client} {user} {agent}", record.status)
}

#[test]
fn lines_of_the_documentation_are_read() {
    let cases = [
        Case {
            file: "w3c-spec.log",
            format: "w3c",
            others: [1, 5, 1],
            records: &[
                r#"1996-01-12T23:59:23Z - GET /foo/bar.html 200 1024   Mozilla/4.08 [en] (X11; I; \"Linux\")"#,
                "1996-01-12T23:59:59Z - GET /foo/b.html 304 0   Lynx 2.8",
                "1996-01-13T00:00:07Z - GET /foo/c.html 200 77   ",
                "1996-01-14T08:00:01Z - GET /foo/d.html 404 512   Lynx 2.8",
            ],
        },
        Case {
            file: "iis-advanced.log",
            format: "iis",
            others: [1, 4, 1],
            records: &[
                "2026-11-25T00:03:11.22Z 15 GET / 401 378 192.0.2.43  Mozilla/4.0 (ISA Server Connectivity Check)",
                r"2026-11-25T00:03:12Z 0 POST /_vti_bin/lists.asmx?a=b 201 378 192.0.2.44 SHOP\\user one Mozilla/4.0 (compatible; a+b)",
            ],
        },
        Case {
            file: "s3.log",
            format: "s3",
            others: [1, 0, 0],
            records: &[
                "2026-11-25T00:00:38Z 7 GET /shop-assets?versioning 200 113 192.0.2.3  S3Console/0.4",
                "2026-11-25T00:00:39Z 41 GET /img/chair.png 200 20481 192.0.2.4  Mozilla/5.0 (X11)",
                "2026-11-25T00:00:40Z 38 GET /img/none.png 404 297 192.0.2.4  Mozilla/5.0 (X11)",
                "2026-11-25T00:00:41Z -   0 0   ",
            ],
        },
        Case {
            file: "cloudfront.log",
            format: "cloudfront",
            others: [0, 2, 0],
            records: &[
                "2026-11-25T21:02:30.999Z 1 GET /index.html 200 392 192.0.2.100  Mozilla/5.0 (Windows NT 10.0; Win64; x64)",
                "2026-11-25T21:02:30.75Z 1250 GET /list?q=oak%20table 502 392 192.0.2.100  Mozilla/5.0 (Windows NT)",
            ],
        },
        Case {
            file: "apache-ssl-request.log",
            format: "apache_ssl_request",
            others: [1, 0, 0],
            records: &[
                "2026-11-25T09:00:00Z - GET /a?b=c 0 2326 192.0.2.7  ",
                "2026-11-25T09:00:01Z - GET /none 0 0 192.0.2.7  ",
                "2026-11-25T09:00:02Z -   0 226 192.0.2.7  ",
            ],
        },
        Case {
            file: "cri-json.log",
            format: "json",
            others: [2, 0, 0],
            records: &[
                r#"2026-11-25T09:59:59.988Z 12 GET /a?n=0 200 - 192.0.2.1  a \"b\""#,
                r#"2026-11-25T10:00:01.088Z 12 GET /a?n=1 200 - 192.0.2.1  a \"b\""#,
                r#"2026-11-25T10:00:02.188Z 12 GET /a?n=2 200 - 192.0.2.1  a \"b\""#,
            ],
        },
        Case {
            file: "compose-json.log",
            format: "json",
            others: [1, 0, 0],
            records: &[
                r#"2026-11-25T09:59:59.988Z 12 GET /a?n=0 200 - 192.0.2.1  a \"b\""#,
                r#"2026-11-25T10:00:01.088Z 12 GET /a?n=1 200 - 192.0.2.1  a \"b\""#,
                r#"2026-11-25T10:00:02.188Z 12 GET /a?n=2 200 - 192.0.2.1  a \"b\""#,
            ],
        },
        Case {
            file: "docker-json-in-json.log",
            format: "json",
            others: [0, 0, 0],
            records: &[
                r#"2026-11-25T09:59:59.988Z 12 GET /a?n=0 200 - 192.0.2.1  a \"b\""#,
                r#"2026-11-25T10:00:01.088Z 12 GET /a?n=1 200 - 192.0.2.1  a \"b\""#,
                r#"2026-11-25T10:00:02.188Z 12 GET /a?n=2 200 - 192.0.2.1  a \"b\""#,
            ],
        },
        Case {
            file: "cri-combined.log",
            format: "combined",
            others: [0, 0, 0],
            records: &[
                "2026-11-25T10:00:00Z - GET /a?n=0 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:01Z - GET /a?n=1 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:02Z - GET /a?n=2 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
            ],
        },
        Case {
            file: "docker-json-file.log",
            format: "combined",
            others: [1, 0, 0],
            records: &[
                "2026-11-25T10:00:00Z - GET /a?n=0 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:01Z - GET /a?n=1 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:02Z - GET /a?n=2 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
            ],
        },
        Case {
            file: "latin-1.log",
            format: "combined",
            others: [0, 0, 0],
            records: &[
                r"2026-11-25T10:00:00Z - GET /caf\xe9 200 10 192.0.2.1  Navigateur fran\xe7ais",
                r"2026-11-25T10:00:01Z - GET /\xff\xfe?q=\xe9 200 10 192.0.2.1  ",
            ],
        },
        Case {
            file: "no-identity.log",
            format: "combined and combined without identity and user",
            others: [0, 0, 0],
            records: &[
                "2026-11-25T10:00:00Z - GET /a?n=0 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:01Z - GET /a?n=1 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:02Z - GET /a?n=2 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:03Z - GET /a?n=3 200 2326 192.0.2.1 frank Mozilla/5.0 (X11)",
            ],
        },
        Case {
            file: "forwarded-list.log",
            format: "combined",
            others: [0, 0, 0],
            records: &[
                "2026-11-25T10:00:00Z - GET /a?n=0 200 2326 203.0.113.9  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:01Z - GET /a?n=1 200 2326 203.0.113.9 frank Mozilla/5.0 (X11)",
                "2026-11-25T10:00:02Z - GET /a?n=2 200 2326 203.0.113.10  Mozilla/5.0 (X11)",
            ],
        },
        Case {
            file: "forwarded-and-client.log",
            format: "x-forwarded-for and combined",
            others: [0, 0, 0],
            records: &[
                "2026-11-25T10:00:00Z - GET /a?n=0 200 2326 203.0.113.9  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:01Z - GET /a?n=1 200 2326 203.0.113.9  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:02Z - GET /a?n=2 200 2326 10.0.0.9  Mozilla/5.0 (X11)",
            ],
        },
        Case {
            file: "seconds-in-brackets.log",
            format: "combined",
            others: [0, 0, 0],
            records: &[
                "2025-11-25T10:00:00.25Z - GET /a?n=0 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2025-11-25T10:00:01Z - GET /a?n=1 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2025-11-25T10:00:02Z - GET /a?n=2 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
            ],
        },
        Case {
            file: "duration-in-brackets.log",
            format: "combined with [$request_time]",
            others: [0, 0, 0],
            records: &[
                "2026-11-25T09:59:59.75Z 250 GET /a?n=0 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
                "2026-11-25T10:00:00Z 1000 GET /a?n=1 200 2326 192.0.2.1  Mozilla/5.0 (X11)",
            ],
        },
    ];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/logs/documented");
    for Case { file, format, others, records } in &cases {
        let text = std::fs::read(folder.join(file)).expect("a file of this repository");
        let sample: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let mut reader = Reader::detect(&sample).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(reader.name(), *format, "{file}");
        let mut counted = [0; 3];
        let mut read = Vec::new();
        let mut lines = Lines::new();
        let mut each = |cut: Cut<'_>| {
            let Cut::Line(line) = cut else { panic!("{file}: a line that is too long") };
            match reader.line(line) {
                Line::Record(record) => read.push(shown(&record)),
                Line::Rejected(_) => counted[0] += 1,
                Line::Comment => counted[1] += 1,
                Line::Blank => counted[2] += 1,
            }
        };
        lines.feed(&text, &mut each);
        lines.finish(&mut each);
        assert_eq!(read, *records, "{file}");
        assert_eq!(counted, *others, "{file}: rejected, comments, blank");
    }
    let files = std::fs::read_dir(folder).expect("the folder").count();
    assert_eq!(files, cases.len(), "each file is read");
}

/// What a line with values that nothing quotes would mean is not guessed.
#[test]
fn values_beyond_the_fields_are_refused() {
    let fields = "#Fields: date time cs-method cs-uri-stem cs(User-Agent) sc-status";
    let cases: [(&[u8], bool, &str); 5] = [
        (b"2026-11-25 10:00:00 GET /a Lynx 200", true, "as the fields say"),
        (b"2026-11-25 10:00:00 GET /a Lynx 200  ", true, "blanks at the end are nothing"),
        (b"2026-11-25 10:00:00 GET /a \"Lynx 2 \" 200", true, "blanks in quotes"),
        (b"2026-11-25 10:00:00 GET /a Lynx 200 2.8", false, "a value more than there are fields"),
        (b"2026-11-25 10:00:00 GET /a \"Lynx 200", true, "a quote that nothing ends belongs to the value"),
    ];
    for (line, is_record, why) in cases {
        let mut reader = Reader::compile(fields).expect("a format");
        assert_eq!(matches!(reader.line(line), Line::Record(record) if record.status == 200), is_record, "{why}");
    }
}
