//! Laws: what a server writes by the documentation of its format is read as what was asked for.
//!
//! The writers are independent of the readers: they build a line from a random request, with the calendar of `jiff`.

use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};
use nmax_log::format::Reader;
use nmax_log::record::{Line, Record};
use proptest::prelude::*;

/// A request that a server saw.
#[derive(Clone, Debug)]
struct Request {
    begin_us: i64,
    zone_s: i32,
    method: String,
    path: String,
    query: String,
    status: u16,
    bytes: u64,
    duration_us: u64,
    client: String,
    user: String,
    agent: Vec<u8>,
    referer: Vec<u8>,
    host: String,
    session: String,
}

prop_compose! {
    fn request()(
        // 1971 to 2190.
        begin_us in 31_536_000_000_000_i64..6_940_000_000_000_000,
        quarters in -56_i32..=56,
        method in prop_oneof![Just("GET"), Just("POST"), Just("PROPFIND"), Just("M-SEARCH")],
        path in "/[a-zA-Z0-9/._~%!$&'()*,;=:@-]{0,40}",
        query in prop_oneof![Just(String::new()), "[a-z0-9=&%.][a-z0-9=&%._+/?-]{0,30}[a-z0-9=]"],
        status in 100_u16..600,
        bytes in prop_oneof![Just(0_u64), 1_u64..5_000, Just(1 << 40)],
        duration_us in prop_oneof![0_u64..2_000, 0_u64..90_000_000],
        client in prop_oneof!["[1-9][0-9]{0,2}\\.[0-9]\\.7\\.1", Just("2001:db8::7".to_owned())],
        user in prop_oneof![Just(String::new()), "[a-z]{1,8}"],
        agent in prop_oneof![Just(String::new()), "[A-Z][a-z]{2,9}/[0-9.]{1,4} \\(\\PC{0,24}\\)", "[a-z\"\\\\\t\u{1}é]{2,12}z"],
        referer in prop_oneof![Just(String::new()), "https?://[a-z]{1,9}\\.example/[a-z/?=\"\\\\é]{0,20}"],
        host in "[a-z]{1,9}\\.example",
        session in prop_oneof![Just(String::new()), "[a-zA-Z0-9]{8,20}"],
    ) -> Request {
        Request {
            begin_us, zone_s: quarters * 900, method: method.to_owned(), path, query, status, bytes, duration_us,
            client, user, agent: agent.into_bytes(), referer: referer.into_bytes(), host, session,
        }
    }
}

impl Request {
    fn target(&self) -> String {
        if self.query.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, self.query) }
    }

    /// The request line.
    fn line(&self) -> String {
        format!("{} {} HTTP/1.1", self.method, self.target())
    }

    fn end_us(&self) -> i64 {
        self.begin_us.checked_add_unsigned(self.duration_us).expect("far from the end of time")
    }

    /// `us` as `strftime` writes it in the zone of the request.
    fn stamp(&self, us: i64, format: &str) -> String {
        let zone = TimeZone::fixed(Offset::from_seconds(self.zone_s).expect("within a day"));
        Timestamp::from_microsecond(us).expect("in range").to_zoned(zone).strftime(format).to_string()
    }
}

/// `us` as `strftime` writes it in UTC.
fn utc(us: i64, format: &str) -> String {
    Timestamp::from_microsecond(us).expect("in range").strftime(format).to_string()
}

/// `text`, or `-` where it is empty.
fn dash(text: &str) -> &str {
    if text.is_empty() { "-" } else { text }
}

/// As Apache's `ap_escape_logitem` is documented: quotes and backslashes get a backslash, blanks their C names, the rest `\xhh`.
fn by_apache(text: &[u8]) -> String {
    escaped(text, |byte, out| match byte {
        b'"' | b'\\' => *out += &format!("\\{}", char::from(byte)),
        b'\t' => *out += "\\t",
        b'\n' => *out += "\\n",
        0x20..0x7f => out.push(char::from(byte)),
        _ => *out += &format!("\\x{byte:02x}"),
    })
}

/// As nginx documents `escape=default`.
fn by_nginx(text: &[u8]) -> String {
    escaped(text, |byte, out| match byte {
        b'"' | b'\\' | 0..0x20 | 0x7f.. => *out += &format!("\\x{byte:02X}"),
        _ => out.push(char::from(byte)),
    })
}

fn percent(text: &[u8]) -> String {
    escaped(text, |byte, out| {
        if byte.is_ascii_alphanumeric() || b"/.()".contains(&byte) {
            out.push(char::from(byte));
        } else {
            *out += &format!("%{byte:02X}");
        }
    })
}

fn escaped(text: &[u8], escape: impl Fn(u8, &mut String)) -> String {
    let mut out = String::new();
    for &byte in text {
        escape(byte, &mut out);
    }
    if out.is_empty() { "-".to_owned() } else { out }
}

/// The record that `spec`, or detection, makes of the last line of `text`.
#[track_caller]
fn check(
    spec: Option<&str>,
    text: &str,
    compare: impl Fn(&Record<'_>) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    let lines: Vec<&[u8]> = text.split('\n').map(str::as_bytes).collect();
    let mut reader = match spec {
        Some(spec) => Reader::compile(spec).unwrap_or_else(|error| panic!("{error}")),
        None => Reader::detect(&lines).unwrap_or_else(|error| panic!("{error}")),
    };
    let (last, lead) = lines.split_last().expect("split gives at least one");
    for line in lead {
        prop_assert_eq!(reader.line(line), Line::Comment);
    }
    match reader.line(last) {
        Line::Record(record) => {
            compare(&record).map_err(|error| TestCaseError::fail(format!("{error}\nline: {text}\nrecord: {record:?}")))
        }
        other => Err(TestCaseError::fail(format!("{text}\n{other:?}"))),
    }
}

/// What every format tells.
fn basics(sent: &Request, record: &Record<'_>) -> Result<(), TestCaseError> {
    prop_assert_eq!(record.method, sent.method.as_bytes());
    let target = sent.target();
    prop_assert_eq!(record.target, target.as_bytes());
    prop_assert_eq!(record.status, sent.status);
    prop_assert_eq!(record.client, sent.client.as_bytes());
    Ok(())
}

/// The whole second that `us` is in, in µs.
fn second(us: i64) -> i64 {
    us.div_euclid(1_000_000) * 1_000_000
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn apache_combined(sent in request()) {
        let bytes = if sent.bytes == 0 { "-".to_owned() } else { sent.bytes.to_string() };
        let line = format!(
            r#"{} - {} [{}] "{}" {} {bytes} "{}" "{}""#,
            sent.client, dash(&sent.user), sent.stamp(sent.begin_us, "%d/%b/%Y:%H:%M:%S %z"), sent.line(), sent.status,
            by_apache(&sent.referer), by_apache(&sent.agent),
        );
        for spec in [Some("apache"), None] {
            check(spec, &line, |record| {
                basics(&sent, record)?;
                prop_assert_eq!(record.arrival_us, second(sent.begin_us));
                prop_assert_eq!(record.resolution_us, 1_000_000);
                prop_assert_eq!(record.bytes, Some(sent.bytes));
                prop_assert_eq!(record.user, sent.user.as_bytes());
                prop_assert_eq!(record.agent, &*sent.agent);
                prop_assert_eq!(record.referer, &*sent.referer);
                Ok(())
            })?;
        }
    }

    #[test]
    fn apache_log_format(sent in request()) {
        let spec = r#"%{%Y-%m-%d %H:%M:%S}t.%{usec_frac}t %{%z}t %D %a "%m %U%q %H" %>s %B %v \"%{User-agent}i\" \"%{sessionid}C\" %{X-Unknown}i"#;
        let query = if sent.query.is_empty() { String::new() } else { format!("?{}", sent.query) };
        let line = format!(
            r#"{} {} {} "{} {}{query} HTTP/1.1" {} {} {} "{}" "{}" a b"#,
            sent.stamp(sent.begin_us, "%Y-%m-%d %H:%M:%S.%6f %z"), sent.duration_us, sent.client, sent.method, sent.path,
            sent.status, sent.bytes, sent.host, by_apache(&sent.agent), dash(&sent.session),
        );
        check(Some(spec), &line, |record| {
            basics(&sent, record)?;
            prop_assert_eq!((record.arrival_us, record.resolution_us, record.is_arrival), (sent.begin_us, 1, true));
            prop_assert_eq!(record.duration_us, Some(sent.duration_us));
            prop_assert_eq!(record.host, sent.host.as_bytes());
            prop_assert_eq!(record.session, sent.session.as_bytes());
            prop_assert_eq!(record.agent, &*sent.agent);
            Ok(())
        })?;
    }

    #[test]
    fn nginx_log_format(sent in request(), upstream in prop_oneof![Just("-"), Just("0.100"), Just("0.100, 0.200 : 0.003")]) {
        let spec = r#"$remote_addr [$msec] $request_time $upstream_response_time "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$cookie_sid" "$http_x_forwarded_for" $host"#;
        let end_ms = sent.end_us() / 1000;
        let line = format!(
            r#"10.9.9.9 [{}.{:03}] {}.{:03} {upstream} "{}" {} {} "{}" "{}" "{}" "{}, 10.0.0.1" {}"#,
            end_ms / 1000, end_ms % 1000, sent.duration_us / 1_000_000, sent.duration_us / 1000 % 1000, sent.line(), sent.status,
            sent.bytes, by_nginx(&sent.referer), by_nginx(&sent.agent), dash(&sent.session), sent.client, sent.host,
        );
        check(Some(spec), &line, |record| {
            basics(&sent, record)?;
            prop_assert!((record.arrival_us - sent.begin_us).abs() <= 1000, "both were rounded down to ms");
            prop_assert_eq!((record.resolution_us, record.is_arrival), (1000, true));
            prop_assert_eq!(record.duration_us, Some(sent.duration_us / 1000 * 1000));
            prop_assert_eq!(record.upstream_us, match upstream { "-" => None, "0.100" => Some(100_000), _ => Some(303_000) });
            prop_assert_eq!(record.agent, &*sent.agent);
            prop_assert_eq!(record.referer, &*sent.referer);
            prop_assert_eq!(record.session, sent.session.as_bytes());
            Ok(())
        })?;
    }

    #[test]
    fn iis(sent in request(), is_short in any::<bool>()) {
        // IIS writes `+` for blanks and control characters; quotes are as they are.
        let agent: String = String::from_utf8_lossy(&sent.agent).replace(['\t', '\u{1}', '\u{a0}'], "").replace('+', "");
        let coded = agent.replace(' ', "+");
        let fields = if is_short {
            "#Fields: time date cs-uri-query cs-uri-stem cs-method c-ip sc-status time-taken sc-bytes cs-host cs(User-Agent) cs(Cookie)"
        } else {
            "#Fields: date time s-sitename cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) sc-status sc-substatus sc-win32-status time-taken sc-bytes cs-host cs(Cookie)"
        };
        let cookie = if sent.session.is_empty() { "-".to_owned() } else { format!("lang=de;+ASP.NET_SessionId={};+x=y", sent.session) };
        let (date, time) = (utc(sent.end_us(), "%Y-%m-%d"), utc(sent.end_us(), "%H:%M:%S"));
        let duration_ms = sent.duration_us / 1000;
        let line = if is_short {
            format!("{time} {date} {} {} {} {} {} {duration_ms} {} {} {} {cookie}", dash(&sent.query), sent.path, sent.method, sent.client, sent.status, sent.bytes, sent.host, dash(&coded))
        } else {
            format!("{date} {time} W3SVC1 {} {} {} 443 {} {} {} {} 0 0 {duration_ms} {} {} {cookie}", sent.method, sent.path, dash(&sent.query), dash(&sent.user), sent.client, dash(&coded), sent.status, sent.bytes, sent.host)
        };
        let other = "#Fields: date time c-ip cs-method cs-uri-stem sc-status";
        let text = format!("#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Date: 2020-01-01 00:00:00\n{other}\n{fields}\n{line}");
        for spec in [Some("iis"), None] {
            check(spec, &text, |record| {
                basics(&sent, record)?;
                prop_assert_eq!(record.arrival_us, second(sent.end_us()) - i64::try_from(duration_ms).expect("short") * 1000);
                prop_assert!(record.is_arrival);
                prop_assert_eq!(record.duration_us, Some(duration_ms * 1000));
                prop_assert_eq!(record.bytes, Some(sent.bytes));
                prop_assert_eq!(record.agent, agent.as_bytes());
                prop_assert_eq!(record.session, sent.session.as_bytes());
                prop_assert_eq!(record.host, sent.host.as_bytes());
                Ok(())
            })?;
        }
    }

    #[test]
    fn cloudfront(sent in request(), is_twice in any::<bool>()) {
        let mut agent = percent(&sent.agent);
        if is_twice && sent.agent.contains(&b' ') {
            agent = agent.replace('%', "%25");
        }
        let fields = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol cs-bytes time-taken x-forwarded-for";
        let line = [
            &utc(sent.end_us(), "%Y-%m-%d"), &utc(sent.end_us(), "%H:%M:%S"), "FRA2-C1", &sent.bytes.to_string(), &sent.client,
            &sent.method, "d111.cloudfront.net", &sent.path, &sent.status.to_string(), "-", &agent, dash(&sent.query), "-", "Hit",
            "xGN7KWpVEmB9Dp7ctcVFQC4E-nrcOcEKS3QyAez--06dV7TEXAMPLE==", &sent.host, "https", "23",
            &format!("{}.{:03}", sent.duration_us / 1_000_000, sent.duration_us / 1000 % 1000), "-",
        ].join("\t");
        for (spec, text) in [(None, format!("{fields}\n{line}")), (Some("cloudfront"), line.clone())] {
            check(spec, &text, |record| {
                basics(&sent, record)?;
                prop_assert_eq!(record.duration_us, Some(sent.duration_us / 1000 * 1000));
                prop_assert_eq!(record.arrival_us + i64::try_from(sent.duration_us / 1000 * 1000).expect("short"), second(sent.end_us()));
                prop_assert_eq!(record.agent, &*sent.agent);
                prop_assert_eq!(record.host, sent.host.as_bytes(), "that of the viewer, not that of the distribution");
                Ok(())
            })?;
        }
    }

    #[test]
    fn haproxy(sent in request(), prefix in 0..4, waits in [0_u64..2000, 0..2000, 0..2000, 0..2000], is_aborted in any::<bool>()) {
        let total_ms: u64 = waits.iter().sum::<u64>() + 7;
        let [tr, tw, tc, server] = waits;
        let timers = if is_aborted { format!("{tr}/{tw}/-1/-1/{total_ms}") } else { format!("{tr}/{tw}/{tc}/{server}/{total_ms}") };
        let end_us = sent.begin_us + i64::try_from(total_ms).expect("short") * 1000;
        let lead = match prefix {
            0 => String::new(),
            1 => sent.stamp(end_us, "%b %e %H:%M:%S localhost haproxy[14389]: "),
            2 => sent.stamp(end_us, "%Y-%m-%dT%H:%M:%S.%6f%:z lb1 haproxy[14389]: "),
            _ => sent.stamp(end_us, "<134>1 %Y-%m-%dT%H:%M:%S.%6f%:z - haproxy 28867 - - "),
        };
        let line = format!(
            "{lead}{}:33317 [{}] http-in~ static/srv1 {timers} {} {} - - ---- 1/1/1/1/+3 0/0 {{{}|Mozilla/5.0 (X11; x)}} {{}} \"{}\"",
            sent.client, sent.stamp(sent.begin_us, "%d/%b/%Y:%H:%M:%S.%3f"), sent.status, sent.bytes, sent.host, sent.line(),
        );
        check(None, &line, |record| {
            basics(&sent, record)?;
            let zone_us = if prefix < 2 { i64::from(sent.zone_s) * 1_000_000 } else { 0 };
            prop_assert_eq!(record.arrival_us, (sent.begin_us + zone_us).div_euclid(1000) * 1000, "prefix {}", prefix);
            prop_assert_eq!((record.resolution_us, record.is_arrival), (1000, true));
            prop_assert_eq!(record.duration_us, Some(total_ms * 1000));
            prop_assert_eq!(record.upstream_us, (!is_aborted).then_some((total_ms - 7) * 1000));
            prop_assert_eq!(record.host, sent.host.as_bytes());
            prop_assert_eq!(record.agent, b"Mozilla/5.0 (X11; x)");
            Ok(())
        })?;
    }

    #[test]
    fn alb(sent in request(), has_failed in any::<bool>(), more in 0_usize..14) {
        let times = if has_failed { "-1 -1 -1".to_owned() } else {
            format!("0.001 {}.{:06} 0.002", sent.duration_us / 1_000_000, sent.duration_us % 1_000_000)
        };
        let all_us = if has_failed { sent.duration_us } else { sent.duration_us + 3000 };
        let end_us = sent.begin_us + i64::try_from(all_us).expect("short");
        let iso = "%Y-%m-%dT%H:%M:%S.%6fZ";
        let rest = ["\"forward\"", "\"-\"", "\"-\"", "\"10.0.0.1:80\"", "\"200\"", "\"-\"", "\"-\"", "TID_1234abcd", "\"-\"", "\"-\"", "\"-\"", "x", "y", "z"];
        let line = format!(
            r#"h2 {} app/lb/50dc 203.0.113.9:2817 10.0.0.1:80 {times} {} 200 34 {} "{} https://{}:443{} HTTP/2.0" "{}" ECDHE TLSv1.2 arn:aws:x "Root=1-58" "www" "arn" 0 {} {}"#,
            utc(end_us, iso), sent.status, sent.bytes, sent.method, sent.host, sent.target(), by_nginx(&sent.agent),
            utc(sent.begin_us, iso), rest[..more].join(" "),
        );
        for spec in [Some("alb"), None] {
            check(spec, line.trim_end(), |record| {
                prop_assert_eq!(record.method, sent.method.as_bytes());
                let (target, host) = (format!("https://{}:443{}", sent.host, sent.target()), format!("{}:443", sent.host));
                prop_assert_eq!(record.target, target.as_bytes());
                prop_assert_eq!(record.host, host.as_bytes());
                prop_assert_eq!(record.client, b"203.0.113.9");
                prop_assert_eq!((record.arrival_us, record.is_arrival, record.resolution_us), (sent.begin_us, true, 1));
                prop_assert_eq!(record.duration_us, Some(all_us), "of the parts, or of both stamps");
                prop_assert_eq!(record.agent, &*sent.agent);
                Ok(())
            })?;
        }
    }

    #[test]
    fn caddy(sent in request()) {
        let (agent, referer) = (String::from_utf8_lossy(&sent.agent), String::from_utf8_lossy(&sent.referer));
        #[expect(clippy::cast_precision_loss, reason = "as Caddy does it")]
        let (end, duration) = (sent.end_us() as f64 / 1e6, sent.duration_us as f64 / 1e6);
        let line = serde_json::json!({
            "level": "info", "ts": end, "logger": "http.log.access.log0", "msg": "handled request",
            "request": {
                "remote_ip": sent.client, "remote_port": "41342", "proto": "HTTP/2.0", "method": sent.method, "host": sent.host,
                "uri": sent.target(), "tls": { "resumed": false, "version": 772, "server_name": sent.host },
                "headers": { "User-Agent": [agent], "Referer": [referer], "Accept": ["*/*", "a"], "Cookie": ["a=b; PHPSESSID=77"] },
            },
            "user_id": sent.user, "duration": duration, "size": sent.bytes, "status": sent.status,
            "resp_headers": { "Server": ["Caddy"], "Content-Type": [], "X": ["{[\"\\"] },
        }).to_string();
        for spec in [Some("caddy"), None] {
            check(spec, &line, |record| {
                basics(&sent, record)?;
                prop_assert!((record.arrival_us - sent.begin_us).abs() <= 2, "within the rounding of a float");
                prop_assert!(record.duration_us.expect("there is one").abs_diff(sent.duration_us) <= 1);
                prop_assert_eq!(record.bytes, Some(sent.bytes));
                prop_assert_eq!(record.user, sent.user.as_bytes());
                prop_assert_eq!(record.agent, agent.as_bytes());
                prop_assert_eq!(record.referer, referer.as_bytes());
                prop_assert_eq!(record.session, b"77");
                Ok(())
            })?;
        }
    }

    #[test]
    fn json_of_others(sent in request(), dialect in 0..5) {
        // Small numbers are no stamps, so that durations are not taken for them.
        let sent = Request { begin_us: sent.begin_us.max(978_307_200_000_000), ..sent };
        let agent = String::from_utf8_lossy(&sent.agent).into_owned();
        let ms = sent.duration_us / 1000;
        let end = utc(sent.end_us(), "%Y-%m-%dT%H:%M:%S.%6fZ");
        let line = match dialect {
            0 => serde_json::json!({ "@timestamp": end, "http": { "request": { "method": sent.method }, "response": { "status_code": sent.status } },
                "url": { "original": sent.target() }, "event": { "duration": ms * 1_000_000 }, "client": { "ip": sent.client }, "user_agent": { "original": agent } }),
            1 => serde_json::json!({ "@timestamp": end, "http.request.method": sent.method, "http.response.status_code": sent.status,
                "url.path": sent.path, "url.query": sent.query, "event.duration": ms * 1_000_000, "source.ip": sent.client, "user_agent.original": agent }),
            2 => serde_json::json!({ "level": 30, "time": sent.end_us() / 1000, "pid": 7, "hostname": "h", "req": { "method": sent.method, "url": sent.target(),
                "headers": { "user-agent": agent }, "remoteAddress": sent.client }, "res": { "statusCode": sent.status }, "responseTime_ms": ms, "msg": "request completed" }),
            3 => serde_json::json!({ "StartUTC": utc(sent.begin_us, "%Y-%m-%dT%H:%M:%S.%6fZ"), "time": end, "RequestMethod": sent.method, "RequestPath": sent.target(),
                "DownstreamStatus": sent.status, "Duration": ms * 1_000_000 + 30_000_000_000, "ClientHost": sent.client, "request_User-Agent": agent, "msg": "" }),
            _ => serde_json::json!({ "ts": end, "verb": sent.method, "request_uri": sent.target(), "code": sent.status, "latency": format!("{ms}ms"), "ip": sent.client, "ua": agent }),
        };
        check(None, &line.to_string(), |record| {
            basics(&sent, record)?;
            let want_ms = if dialect == 3 { ms + 30_000 } else { ms };
            prop_assert_eq!(record.duration_us, Some(want_ms * 1000));
            prop_assert!((record.arrival_us - sent.begin_us).abs() <= 2000, "{} of {}", record.arrival_us, sent.begin_us);
            if dialect != 3 && !agent.is_empty() {
                prop_assert_eq!(record.agent, agent.as_bytes());
            }
            Ok(())
        })?;
    }
}

/// A byte that formats give a meaning to, or any.
fn byte() -> impl Strategy<Value = u8> {
    prop_oneof![3 => prop::sample::select(b" \"\\[]{}:,-/%$#?.0123456789TZx\t\0\n=+".to_vec()), 1 => any::<u8>()]
}

const NAMES: [&str; 17] = [
    "common", "combined", "apache", "nginx", "nginx_main", "vhost_combined", "ingress-nginx", "traefik", "haproxy",
    "alb", "elb", "s3", "apache_ssl_request", "iis", "cloudfront", "caddy", "json",
];

/// Lines that are right, to be damaged.
const RIGHT: [&str; 8] = [
    r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.0" 200 2326 "http://e.x/s" "Mozilla/4.08 [en]""#,
    "#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip sc-status time-taken",
    "2000-10-10 20:55:36 GET /a b=c 127.0.0.1 200 15",
    r#"<134>1 2026-11-22T15:24:02.635551+05:30 - haproxy 1 - - 127.0.0.1:1 [22/Nov/2026:15:24:02.461] f b/n 0/0/0/1/4 200 1 - - ---- 1/1/0/0/0 0/0 {a|b} {} "GET / HTTP/1.1""#,
    r#"{"ts":1795341248.05,"request":{"method":"GET","uri":"/a\u00e9","headers":{"User-Agent":["x"]}},"duration":1e-05,"status":200}"#,
    r#"h2 2000-10-10T20:55:36.1Z lb 1.1.1.1:1 2.2.2.2:2 0.1 0.2 -1 200 200 3 4 "GET https://a:1/b HTTP/2.0" "x" a b c "d" "e" "f" 0 2000-10-10T20:55:36.0Z"#,
    r##"2026-11-25T10:00:00.1Z stdout F {"time":"2026-11-25T10:00:00Z","method":"GET","url":"/a","status":200}"##,
    r##"{"log":"1.1.1.1 - - [25/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n","stream":"stdout","time":"2026-11-25T10:00:00Z"}"##,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Law: no bytes make a reader panic or loop, and what is no record has a reason and a place in the line.
    #[test]
    fn any_bytes(lines in prop::collection::vec(prop::collection::vec(byte(), 0..120), 1..4)) {
        for name in NAMES {
            let mut reader = Reader::compile(name).expect("it is a name");
            for line in &lines {
                if let Line::Rejected(rejection) = reader.line(line) {
                    prop_assert!(rejection.at <= line.len() && !rejection.reason.is_empty(), "{rejection:?}");
                }
            }
        }
        let sample: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
        if let Err(error) = Reader::detect(&sample) {
            prop_assert!(error.to_string().contains("help: name it"));
        }
    }

    /// Law: a right line with bytes changed, or cut anywhere, is a record or is rejected with a reason.
    #[test]
    fn damaged_lines(which in 0..RIGHT.len(), cut in 0_usize..400, changes in prop::collection::vec((0_usize..400, byte()), 0..4)) {
        let mut line = RIGHT[which].as_bytes().to_vec();
        for (at, byte) in changes {
            let length = line.len();
            line[at % length] = byte;
        }
        line.truncate(cut.max(1));
        for name in NAMES {
            let mut reader = Reader::compile(name).expect("it is a name");
            reader.line(RIGHT[1].as_bytes());
            if let Line::Rejected(rejection) = reader.line(&line) {
                prop_assert!(rejection.at <= line.len() && !rejection.reason.is_empty(), "{rejection:?}");
            }
        }
        let _ = Reader::detect(&[RIGHT[which].as_bytes(), &line]);
    }

    /// Law: no text that is given as a format makes the compiler panic, and what it makes reads any line.
    #[test]
    fn any_format(spec in prop_oneof![
        "[%${}<>!\"\\\\ a-zA-Z:,.^_-]{0,40}",
        "(%[a-zA-Z>]|%\\{[a-zA-Z%:_]{0,8}\\}[tiCTx]|\\$[a-z_]{1,9}|[ \"\\[|-]){0,9} %t \\$msec %r",
        "(json|LogFormat|log_format|#Fields:) [a-z=.:'\"$% ;-]{0,30}",
    ], line in prop::collection::vec(byte(), 0..80)) {
        match Reader::compile(&spec) {
            Ok(mut reader) => {
                reader.line(&line);
                reader.line(RIGHT[0].as_bytes());
            }
            Err(error) => prop_assert!(!error.problems.is_empty() && error.to_string().contains("help")),
        }
    }
}
