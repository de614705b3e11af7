//! The format of a sample of lines.
//!
//! Every known format reads the sample; of those that read most of it the one that says most wins. Other formats are kept
//! beside it where they read lines that it does not read, so that mixed files are read as far as they go.

use super::draft::Draft;
use super::field::Moment;
use super::named::{self, apache_format, nginx_format};
use super::w3c::{self, W3c};
use super::{DetectError, Format, json, wrapped};
use crate::record::Line;

/// Share of the lines that the format of a file must read.
const SHARE_MIN: f64 = 0.2;

/// Share of the lines that a further format must read.
const SHARE_MIN_FURTHER: f64 = 0.01;

/// Share of the lines of the format that reads most, from which on one that says more is taken before it, which then reads
/// the rest: lines that were
/// cut must not cost the columns of all others.
const SHARE_OF_MOST: f64 = 0.5;

/// Whether what stands behind the last quotes of lines is what a format means.
type Tails = fn(&[&[u8]]) -> bool;

/// Times that are put behind the usual columns of nginx, and what the lines must then end with.
const TIMES: [(&str, Tails); 4] = [
    ("$request_time", are_decimals),
    ("[$request_time]", are_decimals),
    ("$request_time $upstream_response_time", are_whole_and_part),
    ("$upstream_response_time $request_time", are_part_and_whole),
];

/// Formats of one file.
const FORMATS_MAX: usize = 3;

/// Every whole number of the last column is at least this, in µs, where it is taken as `%D`: no server answers sooner, and
/// durations in ms or s have smaller ones.
const MICROSECONDS_MIN: u64 = 20;

/// What was found.
pub(super) struct DetectedFormats {
    /// The formats, the most frequent first.
    pub(super) formats: Vec<Format>,
    /// Why.
    pub(super) why: String,
}

/// A format that may be that of the sample.
struct Candidate {
    format: Format,
    /// What must stand behind the last quote of the lines that it reads.
    tails: Tails,
}

/// A candidate that has read the sample.
struct Trial {
    format: Format,
    /// Lines that it read, by index.
    read: Vec<usize>,
    /// Why it did not read the first line that it did not read.
    reason: Option<String>,
    /// How far it came in any line that it did not read.
    at_max: usize,
}

/// The formats of `sample`.
pub(super) fn detect(sample: &[&[u8]]) -> Result<DetectedFormats, DetectError> {
    let mut scratch = vec![Vec::new(); sample.len()];
    let lines = sample.iter().zip(&mut scratch).map(|(line, scratch)| wrapped::unwrapped(line, scratch).0);
    let lines: Vec<&[u8]> = lines.filter(|line| !line.trim_ascii().is_empty()).collect();
    let count = lines.iter().filter(|line| !line.starts_with(b"#")).count();
    let origin = origin(&lines);
    let (candidates, refused) = candidates(&lines, origin.map(|(moment, _)| moment));
    let trials: Vec<Trial> = candidates.into_iter().filter_map(|candidate| try_on(candidate, &lines)).collect();
    let Some(best) = best(&trials, &[]).filter(|&best| share(trials[best].read.len(), count) >= SHARE_MIN) else {
        return headers_only(&lines, count).ok_or_else(|| error(sample, trials, refused, count));
    };
    let mut chosen = vec![best];
    let mut why =
        format!("{} of {count} lines of the sample fit `{}`", trials[best].read.len(), trials[best].format.name);
    let mut taken = trials[best].read.clone();
    while chosen.len() < FORMATS_MAX
        && let Some(next) = self::best(&trials, &taken)
    {
        let more: Vec<usize> = trials[next].read.iter().copied().filter(|line| !taken.contains(line)).collect();
        if more.len() < 2 || share(more.len(), count) < SHARE_MIN_FURTHER {
            break;
        }
        why.push_str(&format!(", {} fit `{}`", more.len(), trials[next].format.name));
        taken.extend(more);
        chosen.push(next);
    }
    if let (Some((_, sign)), true) = (origin, trials[best].format.is_ambiguous) {
        why.push_str(&format!("; {sign}"));
    }
    Ok(DetectedFormats { formats: chosen.into_iter().map(|index| trials[index].format.clone()).collect(), why })
}

/// A sample with nothing but directives, as of a site that nobody visited yet.
fn headers_only(lines: &[&[u8]], count: usize) -> Option<DetectedFormats> {
    let names = lines.iter().find_map(|line| line.strip_prefix(b"#Fields:")).filter(|_| count == 0)?;
    let w3c = W3c::new(&String::from_utf8_lossy(names));
    w3c.problems().is_empty().then(|| DetectedFormats {
        why: "the sample has a #Fields line and no others".to_owned(),
        formats: vec![Format::w3c(w3c)],
    })
}

#[expect(clippy::cast_precision_loss, reason = "lines of a sample are few")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}

/// The first trial, which says most, of those that read nearly as many lines that are not `taken` as any.
fn best(trials: &[Trial], taken: &[usize]) -> Option<usize> {
    let count = |trial: &Trial| trial.read.iter().filter(|line| !taken.contains(line)).count();
    let counts: Vec<usize> = trials.iter().map(count).collect();
    let most = counts.iter().copied().max().filter(|&most| most > 0)?;
    counts.iter().position(|&count| share(count, most) >= SHARE_OF_MOST)
}

/// Lets a candidate read the lines. `None` when it reads some but is not meant.
fn try_on(candidate: Candidate, lines: &[&[u8]]) -> Option<Trial> {
    let mut reading = candidate.format.clone();
    let mut trial = Trial { format: candidate.format, read: Vec::new(), reason: None, at_max: 0 };
    for (index, line) in lines.iter().enumerate() {
        match reading.line(line) {
            Line::Record(_) => trial.read.push(index),
            Line::Rejected(rejection) => {
                trial.at_max = trial.at_max.max(rejection.at);
                trial.reason.get_or_insert(rejection.reason);
            }
            Line::Comment | Line::Blank => {}
        }
    }
    let tail = |&index: &usize| {
        let line = lines[index];
        let from = memchr::memrchr(b'"', line).map_or(0, |quote| quote + 1);
        line[from..].trim_ascii()
    };
    let tails: Vec<&[u8]> = trial.read.iter().map(tail).collect();
    // A file that names its columns is better described by what it names than by what is usual.
    if reading.is_w3c() && lines.iter().any(|line| line.starts_with(b"#Fields:")) {
        trial.format = Format { draft: Draft::default(), ..reading };
    }
    (tails.is_empty() || (candidate.tails)(&tails)).then_some(trial)
}

/// What may be the format, the most telling first; and why others were not even tried.
fn candidates(lines: &[&[u8]], origin: Option<Moment>) -> (Vec<Candidate>, Vec<String>) {
    let any = |_: &[&[u8]]| true;
    let strict = |format| Candidate { format, tails: any };
    let loose = |mut format: Format| {
        format.notes.push("further columns of the lines are not read; name the format to use them".to_owned());
        Candidate { format, tails: any }
    };
    let mut out = Vec::new();
    let mut refused = Vec::new();
    if lines.iter().any(|line| line.trim_ascii_start().starts_with(b"{")) {
        out.push(strict(Format::json("caddy", json::caddy())));
        match json::guess(lines) {
            Ok(json) => out.push(strict(Format::json("json", json))),
            Err(why) => refused.push(format!("`json`: {why}")),
        }
    }
    let usual = [w3c::IIS, w3c::CLOUDFRONT, w3c::CLOUDFRONT_REALTIME];
    out.extend(usual.map(|names| strict(Format::w3c(W3c::usual(names)))));
    out.extend(
        ["haproxy", "alb", "elb", "s3", "apache_ssl_request"]
            .iter()
            .filter_map(|name| named::by_name(name))
            .map(strict),
    );

    let front = front(lines);
    let moment = Some(origin.unwrap_or(Moment::End)).filter(|_| !front.is_of_apache);
    let of_apache = |name: &str, format: &str, moment, is_open| {
        let format = format!("{}{format}", front.apache);
        apache_format(&front.name(name), &format, moment, is_open)
    };
    let of_nginx =
        |name: &str, format: &str| nginx_format(&front.name(name), &format!("{}{format}", front.nginx), false);
    let of_anybody = |name: &str, format: &str, is_open| {
        let mut format = of_apache(name, format, moment, is_open);
        format.is_ambiguous = !front.is_of_apache;
        format
    };
    out.push(strict(of_nginx("ingress-nginx", named::INGRESS_NGINX)));
    out.push(strict(of_nginx("traefik", named::TRAEFIK)));
    out.push(strict(of_nginx("nginx_main", named::NGINX_MAIN)));
    for (name, columns) in [("combined", named::NGINX_COMBINED), ("nginx_main", named::NGINX_MAIN)] {
        out.extend(TIMES.map(|(times, tails)| Candidate {
            format: of_nginx(&format!("{name} with {times}"), &format!("{columns} {times}")),
            tails,
        }));
    }
    let mut apache_timed = of_apache("combined with %D", named::APACHE_TIMED, None, false);
    apache_timed
        .notes
        .push("the last column is taken as %D, the duration in µs, since no number in it is small".to_owned());
    out.push(Candidate { format: apache_timed, tails: are_microseconds });
    out.push(strict(of_anybody("combined", named::COMBINED, false)));
    out.push(strict(of_anybody("common", named::COMMON, false)));
    out.push(loose(of_anybody("combined", named::COMBINED, true)));
    out.push(loose(of_anybody("common", named::COMMON, true)));
    for (name, columns) in [("combined", named::COMBINED), ("common", named::COMMON)] {
        let without = columns.replacen("%l %u ", "", 1);
        out.push(strict(of_anybody(&format!("{name} without identity and user"), &without, false)));
    }
    (out, refused)
}

/// What stands in front of the usual columns.
#[derive(Clone, Copy)]
struct Front {
    /// In front of the names of formats.
    name: &'static str,
    apache: &'static str,
    nginx: &'static str,
    is_of_apache: bool,
}

impl Front {
    const NONE: Self = Self { name: "", apache: "", nginx: "", is_of_apache: false };
    /// As Debian's Apache writes it for several hosts.
    const HOST_AND_PORT: Self =
        Self { name: "vhost_", apache: "%v:%p ", nginx: "$host:$server_port ", is_of_apache: true };
    const HOST: Self = Self { name: "host and ", apache: "%v ", nginx: "$host ", is_of_apache: false };
    /// The address of who asked the proxy, then that of the proxy.
    const FORWARDED: Self = Self {
        name: "x-forwarded-for and ",
        apache: "%{X-Forwarded-For}i ",
        nginx: "$http_x_forwarded_for ",
        is_of_apache: false,
    };

    /// What a format with this in front is called.
    fn name(self, format: &str) -> String {
        format!("{}{format}", self.name)
    }
}

/// What stands in front of the address of the client in most lines: otherwise the address would be taken for the user.
fn front(lines: &[&[u8]]) -> Front {
    let address = |word: &[u8]| {
        let first = word.split(|&byte| byte == b',').next().and_then(|first| std::str::from_utf8(first).ok());
        first.is_some_and(|first| first.parse::<core::net::IpAddr>().is_ok())
    };
    let has_port = |word: &[u8]| {
        let port = word.rsplit(|&byte| byte == b':').next().unwrap_or_default();
        port.len() < word.len() && super::number::count(port).is_some()
    };
    let one = |line: &[u8]| {
        // Of a list of addresses, the last stands for all.
        let words = line[..memchr::memmem::find(line, b" [")?].split(|&byte| byte == b' ');
        let words: Vec<&[u8]> = words.filter(|word| !word.ends_with(b",")).collect();
        let &[first, client, _, _] = words.as_slice() else {
            return None;
        };
        match () {
            () if !address(client) => None,
            () if address(first) || first == b"-" => Some(2),
            () if has_port(first) => Some(0),
            () => Some(1),
        }
    };
    let mut counts = [0_usize; 3];
    lines.iter().filter_map(|line| one(line)).for_each(|sort| counts[sort] += 1);
    let sorts = [Front::HOST_AND_PORT, Front::HOST, Front::FORWARDED].into_iter().zip(counts);
    sorts
        .max_by_key(|(_, count)| *count)
        .filter(|(_, count)| 2 * count > lines.len())
        .map_or(Front::NONE, |(front, _)| front)
}

/// Times as nginx writes them: `0.004`, `[0.004]`.
fn are_decimals(words: &[&[u8]]) -> bool {
    words.iter().all(|word| matches!(*word, b"-" | b"[-]") || word.contains(&b'.'))
}

/// Two times of which none of the first is shorter than the second: the request, and the upstream within it.
fn are_whole_and_part(tails: &[&[u8]]) -> bool {
    tails.iter().all(|tail| {
        let space = memchr::memchr(b' ', tail);
        space.is_some_and(|at| is_part(&tail[at + 1..], &tail[..at]))
    })
}

/// The other way round.
fn are_part_and_whole(tails: &[&[u8]]) -> bool {
    tails.iter().all(|tail| {
        let space = memchr::memrchr(b' ', tail);
        space.is_some_and(|at| is_part(&tail[..at], &tail[at + 1..]))
    })
}

/// Whether all times of the list `parts` are within the time `whole`. A dash is no time.
fn is_part(parts: &[u8], whole: &[u8]) -> bool {
    /// What rounding may add, s.
    const SLACK_S: f64 = 0.001_5;
    let seconds = |word: &[u8]| match word {
        b"-" => Some(None),
        _ if !word.contains(&b'.') => None,
        _ => std::str::from_utf8(word).ok()?.parse::<f64>().ok().map(Some),
    };
    let Some(whole) = seconds(whole) else {
        return false;
    };
    let mut parts = parts.split(|byte| matches!(byte, b' ' | b',' | b':')).filter(|part| !part.is_empty());
    parts.all(|part| match (seconds(part), whole) {
        (Some(Some(part)), Some(whole)) => part <= whole + SLACK_S,
        (part, _) => part.is_some(),
    })
}

/// Whole numbers that are too large for seconds and milliseconds.
fn are_microseconds(words: &[&[u8]]) -> bool {
    words.iter().all(|word| super::number::count(word).is_some_and(|number| number >= MICROSECONDS_MIN))
}

/// Who wrote lines that look the same from Apache and from nginx, whose stamps mean different ends of the exchange.
fn origin(lines: &[&[u8]]) -> Option<(Moment, &'static str)> {
    let has = |part: &[u8]| lines.iter().any(|line| memchr::memmem::find(line, part).is_some());
    let mut by_apache = 0;
    let mut by_nginx = 0;
    for line in lines {
        let Some(end) = memchr::memmem::find(line, b"\" ") else {
            continue;
        };
        let mut words = line[end + 2..].split(|&byte| byte == b' ');
        let (status, bytes) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        by_apache += usize::from(bytes == b"-");
        by_nginx += usize::from(bytes == b"0" || matches!(status, b"499" | b"444" | b"494" | b"495" | b"496" | b"497"));
    }
    match (by_apache, by_nginx) {
        (0, 0) if has(b"\\x22") => Some((Moment::End, "written by nginx (`\\x22`), so stamps are those of the end")),
        (0, 0) => None,
        (apache, nginx) if apache > nginx => {
            Some((Moment::Begin, "written by Apache (`-` for no bytes), so stamps are those of the arrival"))
        }
        _ => {
            Some((Moment::End, "written by nginx (`0` for no bytes, or its own codes), so stamps are those of the end"))
        }
    }
}

/// Why nothing was found: what was tried, the closest first.
fn error(sample: &[&[u8]], mut trials: Vec<Trial>, refused: Vec<String>, count: usize) -> DetectError {
    const SHOWN_MAX: usize = 4;
    trials.sort_by_key(|trial| std::cmp::Reverse((trial.read.len(), trial.at_max)));
    let mut names = std::collections::BTreeSet::new();
    trials.retain(|trial| names.insert(trial.format.name.clone()));
    let tried = trials.iter().map(|trial| {
        let reason = trial.reason.as_deref().unwrap_or("no line to read");
        format!("`{}`: {} of {count} lines; {reason}", trial.format.name, trial.read.len())
    });
    let mut tried: Vec<String> = refused.into_iter().chain(tried.take(SHOWN_MAX)).collect();
    let others: Vec<_> = trials.iter().skip(SHOWN_MAX).map(|trial| trial.format.name.as_str()).collect();
    if !others.is_empty() {
        tried.push(format!("{}: no closer", others.join(", ")));
    }
    DetectError::for_sample(sample, tried)
}
