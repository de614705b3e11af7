//! The format of a sample of lines.
//!
//! Every known format reads the sample; the one that reads most of it wins, and of equals the one that says more. Other
//! formats are kept beside it where they read lines that it does not read, so that mixed files are read as far as they go.

use super::draft::Draft;
use super::field::Moment;
use super::named::{self, apache_format, nginx_format};
use super::w3c::{self, W3c};
use super::{DetectError, Format, json};
use crate::record::Line;

/// Share of the lines that the format of a file must read.
const SHARE_MIN: f64 = 0.2;

/// Share of the lines that a further format must read.
const SHARE_MIN_FURTHER: f64 = 0.05;

/// Formats of one file.
const FORMATS_MAX: usize = 3;

/// Every whole number of the last column is at least this, in µs, where it is taken as `%D`: no server answers sooner, and
/// durations in ms or s have smaller ones.
const MICROSECONDS_MIN: u64 = 20;

/// What was found.
pub(super) struct Found {
    /// The formats, the most frequent first.
    pub(super) formats: Vec<Format>,
    /// Why.
    pub(super) why: String,
}

/// A format that may be that of the sample.
struct Candidate {
    format: Format,
    /// It passes over what follows, so it says less than the others and never stands beside them.
    is_loose: bool,
    /// What the last words of the lines that it reads must be.
    last_words: fn(&[&[u8]]) -> bool,
}

/// A candidate that has read the sample.
struct Trial {
    format: Format,
    is_loose: bool,
    /// Lines that it read, by index.
    read: Vec<usize>,
    /// Why it did not read the first line that it did not read.
    reason: Option<String>,
    /// How far it came in any line that it did not read.
    at_max: usize,
}

/// The formats of `sample`.
pub(super) fn detect(sample: &[&[u8]]) -> Result<Found, DetectError> {
    let lines: Vec<&[u8]> = sample
        .iter()
        .copied()
        .filter(|line| !line.trim_ascii().is_empty())
        .collect();
    let count = lines.iter().filter(|line| !line.starts_with(b"#")).count();
    let origin = origin(&lines);
    let (candidates, refused) = candidates(&lines, origin.map(|(moment, _)| moment));
    let trials: Vec<Trial> = candidates
        .into_iter()
        .filter_map(|candidate| try_on(candidate, &lines))
        .collect();
    let Some(best) = best(&trials, |_| true, &[]).filter(|&best| share(trials[best].read.len(), count) >= SHARE_MIN)
    else {
        return headers_only(&lines, count).ok_or_else(|| error(sample, trials, refused, count));
    };
    let mut chosen = vec![best];
    let mut why = format!(
        "{} of {count} lines of the sample fit `{}`",
        trials[best].read.len(),
        trials[best].format.name
    );
    let mut taken = trials[best].read.clone();
    while chosen.len() < FORMATS_MAX
        && let Some(next) = self::best(&trials, |trial| !trial.is_loose, &taken)
    {
        let more: Vec<usize> = trials[next]
            .read
            .iter()
            .copied()
            .filter(|line| !taken.contains(line))
            .collect();
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
    Ok(Found {
        formats: chosen.into_iter().map(|index| trials[index].format.clone()).collect(),
        why,
    })
}

/// A sample with nothing but directives, as of a site that nobody visited yet.
fn headers_only(lines: &[&[u8]], count: usize) -> Option<Found> {
    let names = lines
        .iter()
        .find_map(|line| line.strip_prefix(b"#Fields:"))
        .filter(|_| count == 0)?;
    let w3c = W3c::new(&String::from_utf8_lossy(names));
    w3c.problems().is_empty().then(|| Found {
        why: "the sample has a #Fields line and no others".to_owned(),
        formats: vec![Format::w3c(w3c)],
    })
}

#[expect(clippy::cast_precision_loss, reason = "lines of a sample are few")]
fn share(part: usize, of: usize) -> f64 {
    part as f64 / of.max(1) as f64
}

/// Which trial that is `wanted` read most lines that are not `taken`; the first of equals.
fn best(trials: &[Trial], wanted: impl Fn(&Trial) -> bool, taken: &[usize]) -> Option<usize> {
    let mut best = (0, None);
    for (index, trial) in trials.iter().enumerate().filter(|(_, trial)| wanted(trial)) {
        let count = trial.read.iter().filter(|line| !taken.contains(line)).count();
        if count > best.0 {
            best = (count, Some(index));
        }
    }
    best.1
}

/// Lets a candidate read the lines. `None` when it reads some but is not meant.
fn try_on(candidate: Candidate, lines: &[&[u8]]) -> Option<Trial> {
    let mut reading = candidate.format.clone();
    let mut trial = Trial {
        format: candidate.format,
        is_loose: candidate.is_loose,
        read: Vec::new(),
        reason: None,
        at_max: 0,
    };
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
    let last_word = |&index: &usize| lines[index].rsplit(|&byte| byte == b' ').next().unwrap_or_default();
    let last_words: Vec<&[u8]> = trial.read.iter().map(last_word).collect();
    // A file that names its columns is better described by what it names than by what is usual.
    if reading.is_w3c() && lines.iter().any(|line| line.starts_with(b"#Fields:")) {
        trial.format = Format {
            draft: Draft::default(),
            ..reading
        };
    }
    (last_words.is_empty() || (candidate.last_words)(&last_words)).then_some(trial)
}

/// What may be the format, the most telling first; and why others were not even tried.
fn candidates(lines: &[&[u8]], origin: Option<Moment>) -> (Vec<Candidate>, Vec<String>) {
    let any = |_: &[&[u8]]| true;
    let strict = |format| Candidate {
        format,
        is_loose: false,
        last_words: any,
    };
    let loose = |mut format: Format| {
        format
            .notes
            .push("further columns of the lines are not read; name the format to use them".to_owned());
        Candidate {
            format,
            is_loose: true,
            last_words: any,
        }
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
        ["haproxy", "alb", "elb"]
            .iter()
            .filter_map(|name| named::by_name(name))
            .map(strict),
    );

    let moment = Some(origin.unwrap_or(Moment::End));
    let of_anybody = |name, format, is_open| {
        let mut format = apache_format(name, format, moment, is_open);
        format.is_ambiguous = true;
        format
    };
    out.push(strict(apache_format(
        "vhost_combined",
        named::VHOST_COMBINED,
        None,
        false,
    )));
    out.push(strict(nginx_format("ingress-nginx", named::INGRESS_NGINX, false)));
    out.push(strict(nginx_format("traefik", named::TRAEFIK, false)));
    out.push(strict(nginx_format("nginx_main", named::NGINX_MAIN, false)));
    let nginx_timed = nginx_format("combined with $request_time", named::NGINX_TIMED, false);
    out.push(Candidate {
        format: nginx_timed,
        is_loose: false,
        last_words: are_decimals,
    });
    let mut apache_timed = apache_format("combined with %D", named::APACHE_TIMED, None, false);
    apache_timed
        .notes
        .push("the last column is taken as %D, the duration in µs, since no number in it is small".to_owned());
    out.push(Candidate {
        format: apache_timed,
        is_loose: false,
        last_words: are_microseconds,
    });
    out.push(strict(of_anybody("combined", named::COMBINED, false)));
    out.push(strict(of_anybody("common", named::COMMON, false)));
    out.push(loose(of_anybody("combined", named::COMBINED, true)));
    out.push(loose(of_anybody("common", named::COMMON, true)));
    (out, refused)
}

/// Times as nginx writes them: `0.004`.
fn are_decimals(words: &[&[u8]]) -> bool {
    words.iter().all(|word| *word == b"-" || word.contains(&b'.'))
}

/// Whole numbers that are too large for seconds and milliseconds.
fn are_microseconds(words: &[&[u8]]) -> bool {
    words
        .iter()
        .all(|word| super::number::count(word).is_some_and(|number| number >= MICROSECONDS_MIN))
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
        (0, 0) if has(b"\\x22") => Some((
            Moment::End,
            "written by nginx (`\\x22`), so stamps are those of the end",
        )),
        (0, 0) => None,
        (apache, nginx) if apache > nginx => Some((
            Moment::Begin,
            "written by Apache (`-` for no bytes), so stamps are those of the arrival",
        )),
        _ => Some((
            Moment::End,
            "written by nginx (`0` for no bytes, or its own codes), so stamps are those of the end",
        )),
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
        format!(
            "`{}`: {} of {count} lines; {reason}",
            trial.format.name,
            trial.read.len()
        )
    });
    let mut tried: Vec<String> = refused.into_iter().chain(tried.take(SHOWN_MAX)).collect();
    let others: Vec<_> = trials
        .iter()
        .skip(SHOWN_MAX)
        .map(|trial| trial.format.name.as_str())
        .collect();
    if !others.is_empty() {
        tried.push(format!("{}: no closer", others.join(", ")));
    }
    DetectError::of(sample, tried)
}
