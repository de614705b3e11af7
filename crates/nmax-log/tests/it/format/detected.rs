//! Formats that are found by themselves.

use nmax_log::format::Reader;
use nmax_log::record::{Line, Record};

/// The only line of a sample, read by the reader that it is detected by; and the name of the format.
#[track_caller]
fn one<T>(sample: &str, read: impl Fn(&str, &Record<'_>) -> T) -> T {
    let lines: Vec<&[u8]> = sample.lines().map(str::as_bytes).collect();
    let mut reader = Reader::detect(&lines).unwrap_or_else(|error| panic!("{error}"));
    let name = reader.name().to_owned();
    let mut out = None;
    for line in lines {
        match reader.line(line) {
            Line::Record(record) => out = Some(read(&name, &record)),
            Line::Comment | Line::Blank => {}
            Line::Rejected(rejection) => panic!("{rejection:?}"),
        }
    }
    out.expect("a record")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("these are texts")
}

#[test]
fn smoke() {
    let cases = [
        r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.0" 200 2326 "http://e.x/s" "Mozilla/4.08 [en]""#,
        r#"127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=c HTTP/1.0" 200 2326"#,
        "#Software: Microsoft Internet Information Services 10.0\n#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken\n2000-10-10 20:55:36 10.0.0.1 GET /a b=c 80 frank 127.0.0.1 Mozilla/4.08+[en] http://e.x/s 200 0 0 15",
        r#"Feb  6 12:14:14 localhost haproxy[14389]: 127.0.0.1:33317 [10/Oct/2000:20:55:36.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 {1wt.eu} {} "GET /a?b=c HTTP/1.1""#,
        r#"http 2000-10-10T20:55:36.186641Z app/my-loadbalancer/50dc6c495c0c9188 127.0.0.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 "GET http://www.example.com:80/a?b=c HTTP/1.1" "curl/7.46.0" - - arn:aws:x "Root=1-58337262-36d228ad5d99923122bbe354" "-" "-" 0 2000-10-10T20:55:36.185641Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1234"#,
        r#"{"level":"info","ts":971211336.185641,"logger":"http.log.access","msg":"handled request","request":{"remote_ip":"127.0.0.1","remote_port":"41342","proto":"HTTP/2.0","method":"GET","host":"localhost","uri":"/a?b=c","headers":{"User-Agent":["curl/7.82.0"]}},"user_id":"","duration":0.000929675,"size":10900,"status":200,"resp_headers":{"Server":["Caddy"]}}"#,
        r#"{"time":"2000-10-10T20:55:36Z","method":"GET","url":"/a?b=c","status":200,"latency_ms":12,"ip":"127.0.0.1"}"#,
    ];
    for case in cases {
        let got = one(case, |name, record| {
            println!("{name}: {record:?}");
            assert_eq!(text(record.method), "GET");
            assert!(text(record.target).ends_with("/a?b=c"));
            assert_eq!(record.status, 200);
            assert_eq!(text(record.client), "127.0.0.1");
            record.arrival_us
        });
        assert_eq!((got + 20_000).div_euclid(1_000_000), 971_211_336, "{case}");
    }
}
