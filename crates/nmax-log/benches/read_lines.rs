//! How fast log lines are read: MB/s and lines/s of one core for each format.
//!
//! ```text
//! cargo bench -p nmax-log --bench read_lines [-- --json] [-- --write FILE]
//! ```
//!
//! Lines are made from a seed, so every run reads the same bytes. What is read is summed and compared with what was made: a
//! reader that skips work is found out. Input: 5,000 lines of each format, about 1 MB in memory, split and read again until
//! half a second has passed. The best pass counts: it is short enough to find a moment in which nothing else runs. It serves
//! the question whether plain combined lines are read at 400 MB/s or more. `--write FILE` writes 2,000,000 combined lines for
//! other programs to read.
#![expect(clippy::print_stdout, reason = "it is a program")]
#![expect(clippy::disallowed_methods, reason = "it measures real time")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use nmax_log::format::Reader;
use nmax_log::format::lines::{Cut, Lines};
use nmax_log::record::Line;
use nmax_plan::choice::Stream;

/// Lines in a buffer.
const LINES: u64 = 5_000;

/// Lines that `--write` writes.
const LINES_WRITTEN: u64 = 2_000_000;

/// Bytes that the splitter is fed at once, as a file is read.
const CHUNK_BYTES: usize = 1 << 18;

const AGENTS: [&str; 4] = [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
    "curl/8.5.0",
];

/// A request of a shop: what a line is made of.
struct Request {
    second: u64,
    client: [u64; 2],
    path: String,
    status: u64,
    bytes: u64,
    ms: u64,
    agent: &'static str,
}

impl Request {
    /// The request number `index`: forty in a second.
    fn numbered(index: u64, numbers: &mut Stream) -> Self {
        let item = numbers.below(5000);
        let path = match numbers.below(6) {
            0 => "/".to_owned(),
            1 => format!("/search?q=item+{item}&page={}", numbers.below(9)),
            2 => format!("/static/app.{item:08x}.js"),
            _ => format!("/shop/item/{item}"),
        };
        let status = [200, 200, 200, 200, 304, 404][usize::try_from(numbers.below(6)).expect("below 6")];
        let agent = AGENTS[usize::try_from(numbers.below(4)).expect("below 4")];
        let client = [numbers.below(256), numbers.below(256)];
        Self {
            second: index / 40 % 86_400,
            client,
            path,
            status,
            bytes: numbers.below(90_000),
            ms: numbers.below(900),
            agent,
        }
    }

    fn clock(&self) -> String {
        format!("{:02}:{:02}:{:02}", self.second / 3600, self.second / 60 % 60, self.second % 60)
    }
}

/// Appends the line of a request.
type Writer = fn(&mut String, &Request);

fn combined(out: &mut String, r: &Request) {
    let _ = writeln!(
        out,
        r#"203.0.{}.{} - - [10/Oct/2024:{} +0000] "GET {} HTTP/1.1" {} {} "https://shop.example/" "{}""#,
        r.client[0],
        r.client[1],
        r.clock(),
        r.path,
        r.status,
        r.bytes,
        r.agent
    );
}

fn nginx(out: &mut String, r: &Request) {
    let _ = writeln!(
        out,
        r#"203.0.{}.{} [{}.{:03}] 0.{:03} "GET {} HTTP/1.1" {} {} "{}""#,
        r.client[0],
        r.client[1],
        1_728_518_400 + r.second,
        r.ms,
        r.ms,
        r.path,
        r.status,
        r.bytes,
        r.agent
    );
}

fn iis(out: &mut String, r: &Request) {
    let (stem, query) = r.path.split_once('?').unwrap_or((&r.path, "-"));
    let _ = writeln!(
        out,
        "2024-10-10 {} 10.0.0.1 GET {stem} {query} 443 - 203.0.{}.{} {} - {} 0 0 {}",
        r.clock(),
        r.client[0],
        r.client[1],
        r.agent.replace(' ', "+"),
        r.status,
        r.ms
    );
}

fn haproxy(out: &mut String, r: &Request) {
    let _ = writeln!(
        out,
        r#"Oct 10 {} lb1 haproxy[1]: 203.0.{}.{}:4711 [10/Oct/2024:{}.{:03}] web app/n1 0/0/1/{}/{} {} {} - - ---- 9/9/1/1/0 0/0 "GET {} HTTP/1.1""#,
        r.clock(),
        r.client[0],
        r.client[1],
        r.clock(),
        r.ms,
        r.ms,
        r.ms + 1,
        r.status,
        r.bytes,
        r.path
    );
}

fn alb(out: &mut String, r: &Request) {
    let _ = writeln!(
        out,
        r#"https 2024-10-10T{}.123456Z app/shop/50dc6c495c0c9188 203.0.{}.{}:4711 10.0.0.1:80 0.001 0.{:03} 0.000 {} 200 34 {} "GET https://shop.example:443{} HTTP/2.0" "{}" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:eu:1:targetgroup/t/73e "Root=1-58337262" "shop.example" "session-reused" 0 2024-10-10T{}.000001Z "forward" "-" "-" "10.0.0.1:80" "200" "-" "-" TID_1234"#,
        r.clock(),
        r.client[0],
        r.client[1],
        r.ms,
        r.status,
        r.bytes,
        r.path,
        r.agent,
        r.clock()
    );
}

fn caddy(out: &mut String, r: &Request) {
    let _ = writeln!(
        out,
        r#"{{"level":"info","ts":{}.{:06},"logger":"http.log.access.log0","msg":"handled request","request":{{"remote_ip":"203.0.{}.{}","remote_port":"4711","proto":"HTTP/2.0","method":"GET","host":"shop.example","uri":"{}","headers":{{"User-Agent":["{}"],"Accept":["*/*"]}}}},"user_id":"","duration":0.{:03},"size":{},"status":{},"resp_headers":{{"Server":["Caddy"],"Content-Type":["text/html; charset=utf-8"]}}}}"#,
        1_728_518_400 + r.second,
        r.ms,
        r.client[0],
        r.client[1],
        r.path,
        r.agent,
        r.ms,
        r.bytes,
        r.status
    );
}

/// The formats that are measured.
const FORMATS: [(&str, &str, Writer); 6] = [
    ("combined", "combined", combined),
    ("nginx", r#"$remote_addr [$msec] $request_time "$request" $status $body_bytes_sent "$http_user_agent""#, nginx),
    ("iis", "iis", iis),
    ("haproxy", "haproxy", haproxy),
    ("alb", "alb", alb),
    ("caddy", "caddy", caddy),
];

/// What is counted, of the requests and of the records.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    lines: u64,
    status: u64,
    target_bytes: u64,
}

/// A buffer of lines, and what is in it.
fn buffer(writer: Writer) -> (String, Sums) {
    let mut numbers = Stream::new(7);
    let mut out = String::new();
    let mut sums = Sums::default();
    let host = if writer as usize == alb as Writer as usize { "https://shop.example:443".len() } else { 0 };
    for index in 0..LINES {
        let request = Request::numbered(index, &mut numbers);
        writer(&mut out, &request);
        sums.lines += 1;
        sums.status += request.status;
        sums.target_bytes += (request.path.len() + host) as u64;
    }
    (out, sums)
}

/// Splits and reads all lines.
fn pass(reader: &mut Reader, bytes: &[u8]) -> Sums {
    let mut sums = Sums::default();
    let mut lines = Lines::new();
    let mut each = |cut: Cut<'_>| {
        if let Cut::Line(line) = cut
            && let Line::Record(record) = black_box(reader.line(line))
        {
            sums.lines += 1;
            sums.status += u64::from(record.status);
            sums.target_bytes += record.target.len() as u64;
        }
    };
    for chunk in bytes.chunks(CHUNK_BYTES) {
        lines.feed(chunk, &mut each);
    }
    lines.finish(&mut each);
    sums
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if let [flag, file] = arguments.as_slice()
        && flag == "--write"
    {
        let mut numbers = Stream::new(7);
        let mut out = String::new();
        for index in 0..LINES_WRITTEN {
            combined(&mut out, &Request::numbered(index, &mut numbers));
        }
        std::fs::write(file, out).expect("the file can be written");
        return;
    }
    let is_json = arguments.iter().any(|argument| argument == "--json");
    for (name, spec, writer) in FORMATS {
        let (text, want) = buffer(writer);
        let mut reader = Reader::compile(spec).expect("the format is right");
        let mut best_s = f64::INFINITY;
        let begin = Instant::now();
        while begin.elapsed().as_secs_f64() < 0.5 {
            let start = Instant::now();
            let got = pass(&mut reader, text.as_bytes());
            best_s = best_s.min(start.elapsed().as_secs_f64());
            assert_eq!(got, want, "{name}: what was read is not what was written");
        }
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let (mb_per_s, lines_per_s) = (text.len() as f64 / 1e6 / best_s, LINES as f64 / best_s);
        if is_json {
            println!("{{\"format\":\"{name}\",\"mb_per_s\":{mb_per_s:.0},\"lines_per_s\":{lines_per_s:.0}}}");
        } else {
            println!("{name:<10} {mb_per_s:>6.0} MB/s {lines_per_s:>10.0} lines/s");
        }
    }
}
