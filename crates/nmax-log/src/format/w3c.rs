//! The extended log format of the W3C, as IIS, its Advanced Logging and CloudFront write it: `#Fields` names the columns,
//! and may come again. Values with blanks are in quotes, which are doubled within.

use std::ops::Range;

use super::draft::{Coding, Draft};
use super::error::Problem;
use super::field::{Field, Moment, UserAgentCoding};
use super::number::Unit;
use super::stamp;
use super::template::{excerpt, lacking};
use crate::record::Rejection;

/// Columns that IIS writes unless it is told otherwise.
pub(super) const IIS: &str = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) \
     cs(Referer) sc-status sc-substatus sc-win32-status time-taken";

/// Columns of CloudFront's standard logs.
pub(super) const CLOUDFRONT: &str = "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status \
     cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id x-host-header cs-protocol \
     cs-bytes time-taken x-forwarded-for ssl-protocol ssl-cipher x-edge-response-result-type cs-protocol-version \
     fle-status fle-encrypted-fields c-port time-to-first-byte x-edge-detailed-result-type sc-content-type \
     sc-content-len sc-range-start sc-range-end";

/// Columns of CloudFront's real-time logs, in the order that they have when all are chosen, up to the query.
pub(super) const CLOUDFRONT_REALTIME: &str = "timestamp c-ip s-ip time-to-first-byte sc-status sc-bytes cs-method cs-protocol \
     cs-host cs-uri-stem cs-bytes x-edge-location x-edge-request-id x-host-header time-taken cs-protocol-version \
     c-ip-version cs-user-agent cs-referer cs-cookie cs-uri-query";

/// Who writes the log: they differ in the unit of `time-taken` and in the coding of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writer {
    Iis,
    CloudFront,
    Other,
}

/// The columns of a log.
#[derive(Clone, Debug)]
pub(super) struct W3c {
    columns: Vec<(Field, Box<str>)>,
    writer: Writer,
    /// The columns are known from the documentation, or were named in the file.
    is_named: bool,
    /// Columns up to this one must be there.
    needed: usize,
    /// Some `#Fields` lines so far told the duration, and others did not.
    has_durations_in_part: bool,
}

impl W3c {
    /// The reader of columns `names`, which blanks separate.
    pub(super) fn new(names: &str) -> Self {
        let writer = writer(names);
        let mut columns: Vec<(Field, Box<str>)> =
            names.split_ascii_whitespace().map(|name| (column(name, writer), name.into())).collect();
        // The name that the viewer asked for is better than that of the distribution.
        if columns.iter().any(|(_, name)| name.eq_ignore_ascii_case("x-host-header")) {
            for (field, name) in &mut columns {
                if matches!(name.to_ascii_lowercase().as_str(), "cs(host)" | "cs-host") {
                    *field = Field::Skip;
                }
            }
        }
        let needed = columns.iter().rposition(|(field, _)| *field != Field::Skip).map_or(0, |last| last + 1);
        Self { columns, writer, is_named: true, needed, has_durations_in_part: false }
    }

    /// The reader of a file whose `#Fields` line is still to come; until then the columns are the usual ones.
    pub(super) fn usual(names: &str) -> Self {
        let mut w3c = Self { is_named: false, ..Self::new(names) };
        // Older and newer versions have other columns behind those that a record needs.
        let is_needed =
            |field: &Field| field.is_stamp() || field.is_request() || field.is_duration() || *field == Field::Status;
        w3c.needed = w3c.fields().collect::<Vec<_>>().into_iter().rposition(is_needed).map_or(0, |last| last + 1);
        w3c
    }

    /// What it is called.
    pub(super) fn name(&self) -> &'static str {
        match self.writer {
            Writer::Iis => "iis",
            Writer::CloudFront => "cloudfront",
            Writer::Other => "w3c",
        }
    }

    /// What its values mean.
    pub(super) fn fields(&self) -> impl Iterator<Item = &Field> + Clone {
        self.columns.iter().map(|(field, _)| field)
    }

    /// What a record needs and no column tells; the day may stand in a `#Date` line.
    pub(super) fn problems(&self) -> Vec<Problem> {
        let problems = lacking(self.fields());
        let help = ["#Fields has no `time` or `timestamp`", "#Fields has no `cs-uri-stem` or `cs-uri`"];
        let is_time = |problem: &Problem| problem.what.contains("time of the request");
        problems
            .into_iter()
            .map(|problem| Problem { at: None, what: help[usize::from(!is_time(&problem))].to_owned() })
            .collect()
    }

    /// Whether some lines of the file so far tell the duration, and others do not.
    pub(super) fn has_durations_in_part(&self) -> bool {
        self.has_durations_in_part
    }

    fn has_durations(&self) -> bool {
        self.fields().any(Field::is_duration)
    }

    /// What a person should know.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.has_durations_in_part {
            notes.push(
                "`#Fields` changes within the file, and not all of its lines tell the duration: arrivals of those that do \
                 not are later than they were"
                    .to_owned(),
            );
        }
        if !self.is_named {
            notes.push("there was no #Fields line, so the columns are taken to be the usual ones".to_owned());
        }
        if self.fields().any(|field| *field == Field::DurationAuto) {
            notes.push("`time-taken` is taken as ms, or as seconds where it has a decimal point".to_owned());
        }
        notes
    }

    /// Reads a line that begins with `#`.
    pub(super) fn directive(&mut self, line: &[u8], draft: &mut Draft) -> Result<(), Rejection> {
        if let Some(names) = line.strip_prefix(b"#Fields:") {
            let mut next = Self::new(&String::from_utf8_lossy(names));
            let differs = self.is_named && self.has_durations() != next.has_durations();
            next.has_durations_in_part = self.has_durations_in_part || differs;
            let problems = next.problems();
            *self = next;
            if !problems.is_empty() {
                let reason = problems.iter().map(|problem| problem.what.as_str()).collect::<Vec<_>>().join("; ");
                return Err(Rejection { reason, at: 0 });
            }
        } else if let Some(date) = line.strip_prefix(b"#Date:").or_else(|| line.strip_prefix(b"#Start-Date:")) {
            let date = date.trim_ascii();
            draft.begin_day(stamp::day(date, 0).or_else(|| stamp::named_day(date)));
        }
        Ok(())
    }

    /// Reads `line` into `draft`.
    pub(super) fn read(&self, line: &[u8], draft: &mut Draft) -> Result<(), Rejection> {
        let mut values = Values::from_line(line);
        for (index, (field, name)) in self.columns.iter().enumerate() {
            let Some((at, coding)) = values.next() else {
                return if index >= self.needed { Ok(()) } else { Err(self.short(line, index)) };
            };
            let value = &line[at.clone()];
            if *field == Field::Skip || value == b"-" {
                continue;
            }
            // What is in quotes has its blanks.
            let field = match field {
                Field::UserAgent(_) if coding == Coding::Doubled => &Field::UserAgent(UserAgentCoding::Plain),
                field => field,
            };
            let start = at.start;
            draft.put(field, line, at, coding).map_err(|expected| Rejection {
                reason: format!("`{name}`, field {}, should be {expected}, found `{}`", index + 1, excerpt(value)),
                at: start,
            })?;
        }
        match values.next() {
            // Blanks within a value would have shifted all that follows.
            Some((at, _)) if self.is_named => Err(Rejection {
                reason: format!(
                    "more values than the {} that #Fields names: `{}`",
                    self.columns.len(),
                    excerpt(&line[at.start..])
                ),
                at: at.start,
            }),
            _ => Ok(()),
        }
    }

    #[cold]
    fn short(&self, line: &[u8], found: usize) -> Rejection {
        let reason =
            format!("{found} fields, but #Fields names {}: `{}` is missing", self.columns.len(), self.columns[found].1);
        Rejection { reason, at: line.len() }
    }
}

/// The values of a line, one after the other.
struct Values<'l> {
    line: &'l [u8],
    /// Tabs separate one value from the next, blanks as many as there are.
    separator: u8,
    /// Where the next value begins; beyond the line when there is none.
    from: usize,
}

impl<'l> Values<'l> {
    fn from_line(line: &'l [u8]) -> Self {
        let from = line.len() - line.trim_ascii_start().len();
        // Only values in quotes have the other one in them, and the first value is never in quotes.
        let separator = memchr::memchr2(b'\t', b' ', &line[from..]).map_or(b' ', |at| line[from + at]);
        Self { line, separator, from }
    }

    /// Where the next value is, without the quotes around it.
    fn next(&mut self) -> Option<(Range<usize>, Coding)> {
        let from = self.from;
        let rest = self.line.get(from..)?;
        if let Some(length) = self.quoted(rest) {
            self.pass(from + length + 2);
            return Some((from + 1..from + 1 + length, Coding::Doubled));
        }
        let end = memchr::memchr(self.separator, rest).map_or(self.line.len(), |length| from + length);
        self.pass(end);
        Some((from..end, Coding::Plain))
    }

    /// How long the text in the quotes that `rest` begins with is: a quote ends it that no other one follows, and the value
    /// with it. Some writers put quotes around nothing, and a value may begin with one.
    fn quoted(&self, rest: &[u8]) -> Option<usize> {
        let text = rest.strip_prefix(b"\"")?;
        let mut at = 0;
        loop {
            at += memchr::memchr(b'"', text.get(at..)?)?;
            match text.get(at + 1) {
                None => return Some(at),
                Some(&byte) if byte == self.separator => return Some(at),
                Some(b'"') => at += 2,
                Some(_) => at += 1,
            }
        }
    }

    /// A value ended before `end`.
    fn pass(&mut self, end: usize) {
        let rest = self.line.get(end..).unwrap_or_default();
        let gap = match self.separator {
            b' ' => rest.iter().take_while(|&&byte| byte == b' ').count(),
            _ => 1,
        };
        // Blanks at the end of the line separate nothing.
        self.from = if gap == rest.len() && self.separator == b' ' { self.line.len() + 1 } else { end + gap };
    }
}

/// Who writes a log with these columns.
fn writer(names: &str) -> Writer {
    if names.contains("x-edge-") || names.contains("time-to-first-byte") {
        Writer::CloudFront
    } else if names.contains("sc-win32-status")
        || names.contains("sc-substatus")
        || names.contains("s-sitename")
        || names.contains("s-ip")
        || names.contains("TimeTakenMS")
    {
        Writer::Iis
    } else {
        Writer::Other
    }
}

/// What a column means.
fn column(name: &str, writer: Writer) -> Field {
    let agent = match writer {
        Writer::CloudFront => UserAgentCoding::Percent,
        Writer::Iis | Writer::Other => UserAgentCoding::Plus,
    };
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "date" => Field::Day,
        "time" => Field::Clock,
        "timestamp" | "timestamp(ms)" => Field::Epoch(Moment::End, None),
        "timetakenms" => Field::Duration(Unit::Ms),
        "time-taken" => match writer {
            Writer::Iis => Field::Duration(Unit::Ms),
            Writer::CloudFront => Field::Duration(Unit::S),
            Writer::Other => Field::DurationAuto,
        },
        "time-to-first-byte" => Field::FirstByte(Unit::S),
        "cs-method" => Field::Method,
        "cs-uri-stem" => Field::Path,
        "cs-uri-query" => Field::Query,
        "cs-uri" => Field::Target,
        "cs-username" => Field::User,
        "c-ip" => Field::Client,
        "sc-status" => Field::Status,
        "sc-bytes" | "bytes" => Field::All,
        "x-host-header" => Field::Host,
        "s-computername" => Field::Server,
        _ => {
            let header = name.strip_prefix("cs(").and_then(|rest| rest.strip_suffix(')')).or(name.strip_prefix("cs-"));
            match Field::of_header(header.unwrap_or(&name)) {
                Field::UserAgent(_) => Field::UserAgent(agent),
                field => field,
            }
        }
    }
}
