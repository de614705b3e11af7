//! Lines that real servers wrote: `testdata/logs`, where `PROVENANCE.md` says how.
//!
//! The same sixteen requests went to each server, so what is read must be what was sent.

use std::path::Path;

use nmax_log::format::Reader;
use nmax_log::record::{Line, Record};

/// A request as it was sent: method, target, agent, referer.
type Sent = (&'static [u8], &'static [u8], &'static [u8], &'static [u8]);

const CURL: &[u8] = b"curl/7.88.1";

/// What was sent, in order.
const SENT: [Sent; 16] = [
    (b"GET", b"/", CURL, b""),
    (b"GET", b"/a%20b?q=1&r=%22x%22", b"Mozilla/5.0 (X11; \"quoted\" \\back)", b"http://e.example/s?a=b"),
    (b"GET", "/%c3%bcmlaut?x=é".as_bytes(), b"t\xc3\xa4b\x80", b""),
    (b"GET", b"/%c3%bc?x=%c3%a9", CURL, b"http://e.example/\"q\""),
    (b"POST", b"/form", CURL, b""),
    (b"HEAD", b"/head", CURL, b""),
    (b"GET", b"/auth", CURL, b""),
    (b"GET", b"/up?b=1", CURL, b""),
    (b"GET", b"/nc", CURL, b""),
    (b"GET", b"/empty", CURL, b""),
    (b"GET", b"/dead", CURL, b""),
    (b"GET", b"//double//slash?a=[1]&b={x}|y", b"", b""),
    // The beginning of TLS.
    (b"", b"", b"", b""),
    (b"GET", b"/old", b"", b""),
    (b"GET", b"/sp ace", b"", b""),
    (b"GET", b"http://shop.example/abs?x=1", b"", b""),
];

/// What is compared of a record.
#[derive(Debug, PartialEq)]
struct Seen {
    method: Vec<u8>,
    target: Vec<u8>,
    agent: Vec<u8>,
    referer: Vec<u8>,
    arrival_us: i64,
    resolution_us: i64,
    is_arrival: bool,
    duration_us: Option<u64>,
    upstream_us: Option<u64>,
    status: u16,
    bytes: Option<u64>,
    client: String,
    user: String,
    host: String,
    session: String,
}

impl Seen {
    fn from_record(record: &Record<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            method: record.method.to_vec(),
            target: record.target.to_vec(),
            agent: record.agent.to_vec(),
            referer: record.referer.to_vec(),
            arrival_us: record.arrival_us,
            resolution_us: i64::from(record.resolution_us),
            is_arrival: record.is_arrival,
            duration_us: record.duration_us,
            upstream_us: record.upstream_us,
            status: record.status,
            bytes: record.bytes,
            client: text(record.client),
            user: text(record.user),
            host: text(record.host),
            session: text(record.session),
        }
    }

    fn sent(&self) -> (&[u8], &[u8], &[u8], &[u8]) {
        (&self.method, &self.target, &self.agent, &self.referer)
    }
}

/// The file `name` of the test data.
fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/logs").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Records of a file, `None` for rejected lines, and the reader.
#[track_caller]
fn read(name: &str, spec: Option<&str>) -> (Vec<Option<Seen>>, Reader) {
    let bytes = file(name);
    let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    let mut reader = match spec {
        Some(spec) => Reader::compile(spec).unwrap_or_else(|error| panic!("{name}: {error}")),
        None => Reader::detect(&lines).unwrap_or_else(|error| panic!("{name}: {error}")),
    };
    let mut out = Vec::new();
    for line in lines {
        out.push(match reader.line(line) {
            Line::Record(record) => Some(Seen::from_record(&record)),
            Line::Rejected(_) => None,
            other => panic!("{name}: {other:?}"),
        });
    }
    (out, reader)
}

#[track_caller]
fn all(name: &str, spec: Option<&str>) -> (Vec<Seen>, Reader) {
    let (seen, reader) = read(name, spec);
    let seen =
        seen.into_iter().enumerate().map(|(index, seen)| seen.unwrap_or_else(|| panic!("{name}: line {}", index + 1)));
    (seen.collect(), reader)
}

/// The records are what was sent, but for what the server itself changes: `(number, what it makes of the target)`.
#[track_caller]
fn check(name: &str, seen: &[Seen], changed: &[(usize, &[u8])]) {
    assert_eq!(seen.len(), SENT.len(), "{name}");
    for (number, (seen, sent)) in seen.iter().zip(SENT).enumerate() {
        let target = changed.iter().find(|(at, _)| *at == number).map_or(sent.1, |(_, target)| *target);
        assert_eq!(seen.sent(), (sent.0, target, sent.2, sent.3), "{name}: request {number}");
        assert_eq!(seen.client, "127.0.0.1", "{name}: request {number}");
    }
}

const NGINX_CUSTOM: &str = "$msec|$request_time|$upstream_response_time|$request_method|$scheme://$host$request_uri|$status|\
     $bytes_sent|$remote_addr|$http_user_agent|$cookie_sessionid";

#[test]
fn nginx_combined_and_timed() {
    let (combined, reader) = all("nginx-combined.log", None);
    assert_eq!(reader.name(), "combined");
    assert!(reader.why().contains("nginx"), "{}", reader.why());
    check("combined", &combined, &[]);
    assert_eq!(combined[6].user, "john doe");
    assert!(combined.iter().all(|seen| !seen.is_arrival), "the end of the exchange, and no duration");

    let (timed, reader) = all("nginx-timed.log", None);
    assert_eq!(reader.name(), "combined with $request_time");
    check("timed", &timed, &[]);
    for (timed, combined) in timed.iter().zip(&combined) {
        let duration_us = i64::try_from(timed.duration_us.expect("each has one")).expect("short");
        assert!(timed.is_arrival);
        assert_eq!(timed.arrival_us + duration_us, combined.arrival_us);
    }
    assert_eq!(timed[7].duration_us, Some(171_000), "the request that a slow server answered");
}

#[test]
fn nginx_json_is_guessed_and_compiled() {
    let spec = r#"log_format js escape=json '{"time":"$time_iso8601","msec":$msec,"request":"$request","status":$status,'
        '"bytes":$body_bytes_sent,"rt":$request_time,"urt":"$upstream_response_time","agent":"$http_user_agent",'
        '"ip":"$remote_addr","referer":"$http_referer"}';"#;
    let (compiled, reader) = all("nginx-json.log", Some(spec));
    assert_eq!(reader.name(), "nginx log_format");
    check("json", &compiled, &[]);
    assert_eq!(compiled[7].upstream_us, Some(172_000), "0.000, 0.172 of two servers");
    assert!(compiled.iter().all(|seen| seen.resolution_us == 1000), "$msec is finer than $time_iso8601");
    let (guessed, reader) = all("nginx-json.log", None);
    assert_eq!(reader.name(), "json");
    check("json", &guessed, &[]);
}

#[test]
fn nginx_without_quotes() {
    let (seen, _) = read("nginx-custom.log", Some(NGINX_CUSTOM));
    let rejected: Vec<_> = (0..seen.len()).filter(|&at| seen[at].is_none()).collect();
    assert_eq!(rejected, [11], "a target that has the separator in it cannot be told");
    let seen: Vec<_> = seen.into_iter().flatten().collect();
    assert_eq!(
        seen[0].target,
        b"http://127.0.0.1/".as_slice().strip_prefix(b"http://127.0.0.1").expect("host is apart")
    );
    assert_eq!(seen[0].host, "127.0.0.1");
    assert_eq!((seen[7].duration_us, seen[7].upstream_us), (Some(171_000), Some(172_000)));
    assert_eq!(seen[2].session, "zz");
    assert_eq!(seen[2].agent, b"t\xc3\xa4b\x80");
    assert_eq!(seen[14].host, "shop.example");
}

#[test]
fn nginx_path_and_arguments() {
    let spec = r#"$time_iso8601 $remote_addr "$request_method $uri$is_args$args" $status $body_bytes_sent $upstream_response_time $upstream_header_time"#;
    let (seen, _) = all("nginx-uri.log", Some(spec));
    // nginx writes `-` where there are no arguments; the path is decoded and its slashes are merged.
    let targets: Vec<_> = seen.iter().map(|seen| String::from_utf8_lossy(&seen.target).into_owned()).collect();
    let want = [
        "/", "/a b?q=1&r=%22x%22", "/ümlaut?x=é", "/ü?x=%c3%a9", "/form", "/head", "/auth", "/up?b=1", "/nc", "/empty",
    ];
    assert_eq!(targets[..10], want);
    assert_eq!(targets[12], "", "the beginning of TLS");
    assert_eq!(seen[7].upstream_us, Some(121_000), "the header came before the rest: -, 0.121");
}

#[test]
fn apache_combined_timed_vhost() {
    for (name, format) in [
        ("apache-combined.log", "combined"),
        ("apache-timed.log", "combined with %D"),
        ("apache-vhost.log", "vhost_combined"),
    ] {
        let (seen, reader) = all(name, None);
        assert_eq!(reader.name(), format);
        assert!(seen.iter().all(|seen| seen.is_arrival), "%t is the arrival: {}", reader.why());
    }
}

#[test]
fn apache_requests() {
    for name in ["apache-combined.log", "apache-timed.log", "apache-vhost.log"] {
        let (mut seen, _) = all(name, None);
        // Apache writes no line for the beginning of TLS, so the table has one more.
        let (again, _) = all("nginx-combined.log", None);
        seen.insert(12, again.into_iter().nth(12).expect("sixteen"));
        check(name, &seen, &[]);
        assert_eq!(seen[6].user, "john doe");
    }
}

#[test]
fn apache_stamps_agree() {
    let custom = r#"%{%Y-%m-%dT%H:%M:%S}t.%{usec_frac}t %{%z}t %a %m %U%q %H %s %B %{ms}T %I %O %^FB "%{sid}C" "%{X-Forwarded-For}i" %V %k %X"#;
    let (custom, _) = all("apache-custom.log", Some(custom));
    let (usec, _) = all("apache-usec.log", Some(r#"%{end:usec}t %{us}T %{begin:msec}t "%r" %>s %{UNIQUE}e"#));
    let (frac, _) =
        all("apache-frac.log", Some(r#"%t "%r" %{usec_frac}t %>s %b %{us}T "%{Referer}i" "%{User-Agent}i""#));
    let (timed, _) = all("apache-timed.log", None);
    let (json, _) = all("apache-json.log", None);
    for index in 0..custom.len() {
        let (custom, usec, frac, timed, json) =
            (&custom[index], &usec[index], &frac[index], &timed[index], &json[index]);
        assert_eq!(custom.arrival_us, frac.arrival_us, "request {index}");
        assert_eq!((custom.resolution_us, frac.resolution_us), (1, 1));
        assert_eq!(custom.arrival_us.div_euclid(1_000_000), timed.arrival_us / 1_000_000, "request {index}");
        assert_eq!(custom.arrival_us.div_euclid(1000), usec.arrival_us / 1000, "%{{begin:msec}}t of request {index}");
        assert_eq!(usec.duration_us, frac.duration_us);
        assert_eq!(usec.duration_us, timed.duration_us);
        assert_eq!(usec.duration_us, json.duration_us, "guessed from `us`");
        assert_eq!(custom.duration_us.map(|us| us / 1000), usec.duration_us.map(|us| us / 1000));
        assert_eq!(json.target, timed.target);
    }
    assert_eq!(custom[2].session, "abc123");
    assert_eq!(custom[2].client, "203.0.113.7", "the first that the request was forwarded for");
    assert_eq!(custom[7].upstream_us, Some(121_312), "%^FB");
    assert_eq!(custom[1].target, b"/a b?q=1&r=%22x%22", "%U is decoded, and may have blanks");
}

#[test]
fn haproxy_with_what_syslog_writes() {
    let files = ["haproxy-raw.log", "haproxy-iso.log", "haproxy-rfc5424.log", "haproxy-rfc3164.log"];
    let all: Vec<_> = files
        .map(|name| all(name, None))
        .into_iter()
        .map(|(seen, reader)| {
            assert_eq!(reader.name(), "haproxy");
            seen
        })
        .collect();
    let [raw, iso, rfc5424, rfc3164] = &all[..] else { panic!("four files") };
    for (index, sent) in SENT.iter().enumerate() {
        // HAProxy refuses what is no request: `<BADREQ>`.
        let is_refused = [2, 12, 13, 14].contains(&index);
        let want: (&[u8], &[u8]) = if is_refused { (b"", b"") } else { (sent.0, sent.1) };
        for (seen, name) in all.iter().zip(files) {
            assert_eq!((&*seen[index].method, &*seen[index].target), want, "{name}: request {index}");
            assert_eq!(seen[index].client, "127.0.0.1");
            assert_eq!(seen[index].status == 400, is_refused);
        }
        // All three are lines of the same exchange; only two tell the zone, which was that of India.
        assert_eq!(iso[index], rfc5424[index]);
        assert_eq!(iso[index].arrival_us + 19_800_000_000, rfc3164[index].arrival_us, "request {index}");
    }
    assert_eq!(raw[1].agent, SENT[1].2, "`#22` is undone");
    assert_eq!(raw[1].host, "127.0.0.1:18084");
    assert_eq!(raw[3].session, "S-77");
    assert_eq!((raw[7].duration_us, raw[7].upstream_us), (Some(171_000), Some(121_000)));
    assert_eq!((raw[10].duration_us, raw[10].upstream_us, raw[10].status), (Some(605_000), None, 503));
}

#[test]
fn caddy_lines() {
    let (mut seen, reader) = all("caddy.log", None);
    assert_eq!(reader.name(), "caddy");
    let (nginx, _) = all("nginx-combined.log", None);
    // Caddy is not asked for, or writes no line for, the last four; and it makes the bytes of the agent UTF-8.
    assert_eq!(seen[2].client, "203.0.113.7");
    assert_eq!(seen[2].agent, "täb\u{fffd}".as_bytes());
    seen[2].agent = SENT[2].2.to_vec();
    seen[2].client = "127.0.0.1".to_owned();
    seen.extend(nginx.into_iter().skip(12));
    check("caddy", &seen, &[]);
    assert_eq!(seen[0].duration_us, Some(13));
    assert!(seen[0].is_arrival);
}

#[test]
fn nothing_is_escaped() {
    let (seen, _) = read(
        "nginx-none.log",
        Some(r#"log_format none escape=none '$remote_addr [$time_local] "$request" "$http_user_agent" $status';"#),
    );
    let rejected: Vec<_> = (0..seen.len()).filter(|&at| seen[at].is_none()).collect();
    assert_eq!(rejected, [1], "quotes in a quoted value that is not escaped cannot be told");
}
