//! Access logs as columns, a chunk of records at a time.

use std::collections::HashMap;
use std::sync::Arc;

use nmax_log::record::Record;
use nmax_log::traffic::Templates;
use nmax_secrets::targets::Hider;

use crate::civil;
use crate::column::{NO_TEXT, UNKNOWN};
use crate::run::classes;
use crate::{Chunk, Column, Kind, Schema, Tally, Values};

/// Records of a chunk.
const ROWS: usize = 50_000;
/// ns in a µs.
const NS_PER_US: i64 = 1_000;

/// The columns of access logs, whose hours and days are those of a zone.
pub fn schema(zone_s: i32) -> Schema {
    let columns = COLUMNS.iter().map(|(name, kind, about)| Column {
        name,
        kind: if *name == "time" { Kind::Calendar { zone_s } } else { *kind },
        about,
    });
    Schema {
        source: "an access log",
        columns: columns.collect(),
        time: "duration",
        bytes: "bytes",
        when: "time",
        failed: "failed",
        subject: "path",
    }
}

/// Name, kind, meaning.
const COLUMNS: [(&str, Kind, &str); 20] = [
    ("name", Kind::Text, "method and template"),
    ("method", Kind::Text, "method"),
    ("path", Kind::Text, "path without query"),
    ("template", Kind::Text, "path whose segments that vary are {id}; (not found) where there is no such thing"),
    ("query", Kind::Text, "query"),
    ("status", Kind::Number, "status code"),
    ("class", Kind::Text, "class of the status code: 2xx, 4xx, ..."),
    ("failed", Kind::Number, "1 where the status is 400 or more, else 0"),
    ("time", Kind::Calendar { zone_s: 0 }, "when the request came"),
    ("hour", Kind::Number, "hour of the day"),
    ("weekday", Kind::Text, "day of the week: Mon, Tue, ..."),
    ("day", Kind::Text, "date"),
    ("duration", Kind::Span, "how long the server took"),
    ("upstream", Kind::Span, "to the first byte, or of the server behind"),
    ("bytes", Kind::Bytes, "bytes of the reply"),
    ("client", Kind::Text, "address of the client"),
    ("user", Kind::Text, "authenticated user"),
    ("agent", Kind::Text, "user agent"),
    ("referer", Kind::Text, "page that led here"),
    ("host", Kind::Text, "host that was asked for"),
];

/// A column while it is made.
enum Making {
    Numbers(Vec<i64>),
    Texts(Texts),
}

/// Texts as numbers.
#[derive(Default)]
struct Texts {
    ids: Vec<u32>,
    known: HashMap<Vec<u8>, u32>,
    names: Vec<Arc<str>>,
}

impl Texts {
    fn push(&mut self, text: &[u8]) {
        let id = match self.known.get(text) {
            _ if text.is_empty() => NO_TEXT,
            Some(id) => *id,
            None => {
                let id = self.names.len() as u32;
                self.names.push(String::from_utf8_lossy(text).into());
                self.known.insert(text.to_vec(), id);
                id
            }
        };
        self.ids.push(id);
    }

    /// The values, after each text was changed; equal ones are one.
    fn take(&mut self, change: Option<fn(&str) -> String>) -> Values {
        let made = std::mem::take(self);
        let Some(change) = change else {
            return Values::Texts { ids: made.ids, names: made.names.into() };
        };
        let mut changed = Self::default();
        made.names.iter().for_each(|name| changed.push(change(name).as_bytes()));
        let id = |id: u32| changed.ids.get(id as usize).copied().unwrap_or(NO_TEXT);
        Values::Texts { ids: made.ids.into_iter().map(id).collect(), names: changed.names.into() }
    }
}

/// Makes chunks of records and adds them to a tally.
pub struct Gather {
    columns: Vec<Option<Making>>,
    rows: usize,
    zone_s: i32,
    hider: Hider,
    tally: Tally,
    /// First and last instant, ns.
    ends: Option<(i64, i64)>,
    buffer: Vec<u8>,
    /// The last date, which most records share: its number and text.
    day: (i64, String),
    templates: Templates,
}

/// Whether path templates are among the columns of these places. Then [`Templates::place`] should have seen all records
/// first: what varies shows late.
pub fn needs_templates(needs: &[usize]) -> bool {
    needs.iter().any(|number| COLUMNS.get(*number).is_some_and(|(name, ..)| matches!(*name, "name" | "template")))
}

impl Gather {
    /// Of the columns of these places, with the path templates that are known so far.
    pub fn new(needs: &[usize], zone_s: i32, templates: Templates, tally: Tally) -> Self {
        let making = |(number, (_, kind, _)): (usize, &(&str, Kind, &str))| {
            needs.contains(&number).then(|| match kind {
                Kind::Text => Making::Texts(Texts::default()),
                _ => Making::Numbers(Vec::new()),
            })
        };
        Self {
            columns: COLUMNS.iter().enumerate().map(making).collect(),
            rows: 0,
            zone_s,
            hider: Hider::default(),
            tally,
            ends: None,
            buffer: Vec::new(),
            day: (i64::MIN, String::new()),
            templates,
        }
    }

    /// Adds a record.
    pub fn add(&mut self, record: &Record<'_>) {
        let at = record.arrival_us.saturating_mul(NS_PER_US);
        self.ends = Some(self.ends.map_or((at, at), |(first, last)| (first.min(at), last.max(at))));
        let target = self.hider.hide(record.target);
        let path_end = target.iter().position(|byte| *byte == b'?').unwrap_or(target.len());
        let (path, query) = (&target[..path_end], target.get(path_end + 1..).unwrap_or_default());
        let ns =
            |us: Option<u64>| us.map_or(UNKNOWN, |us| i64::try_from(us).unwrap_or(i64::MAX).saturating_mul(NS_PER_US));
        let status = if record.status == 0 { UNKNOWN } else { i64::from(record.status) };
        for (column, (name, ..)) in self.columns.iter_mut().zip(&COLUMNS) {
            match column {
                None => {}
                Some(Making::Numbers(numbers)) => numbers.push(match *name {
                    "status" => status,
                    "failed" if status == UNKNOWN => UNKNOWN,
                    "failed" => i64::from(status >= 400),
                    "time" => at,
                    "hour" => civil::hour(at, self.zone_s),
                    "duration" => ns(record.duration_us),
                    "upstream" => ns(record.upstream_us),
                    _ => record.bytes.map_or(UNKNOWN, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX)),
                }),
                Some(Making::Texts(texts)) => match *name {
                    "name" | "template" => {
                        let kind = self.templates.place(record.method, path, record.status);
                        let template = kind.map(|kind| self.templates.template(kind));
                        let template = template.as_ref().map_or(path, |template| template.as_bytes());
                        self.buffer.clear();
                        if *name == "name" {
                            self.buffer.extend_from_slice(record.method);
                            self.buffer.push(b' ');
                        }
                        self.buffer.extend_from_slice(template);
                        texts.push(&self.buffer);
                    }
                    "method" => texts.push(record.method),
                    "path" => texts.push(path),
                    "query" => texts.push(query),
                    // The class is made of the status.
                    "class" => texts.ids.push(u32::from(record.status)),
                    "weekday" => texts.push(civil::weekday(at, self.zone_s).as_bytes()),
                    "day" => {
                        let number = civil::day_number(at, self.zone_s);
                        if self.day.0 != number {
                            self.day = (number, civil::day(at, self.zone_s));
                        }
                        texts.push(self.day.1.as_bytes());
                    }
                    "client" => texts.push(record.client),
                    "user" => texts.push(record.user),
                    "agent" => texts.push(record.agent),
                    "referer" => texts.push(record.referer),
                    _ => texts.push(record.host),
                },
            }
        }
        self.rows += 1;
        if self.rows == ROWS {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let finished = self.columns.iter_mut().zip(&COLUMNS).map(|(column, (name, ..))| {
            Some(match column.as_mut()? {
                Making::Numbers(numbers) => Values::Numbers(std::mem::take(numbers)),
                Making::Texts(texts) => match *name {
                    "class" => {
                        let statuses: Vec<i64> = std::mem::take(texts).ids.into_iter().map(i64::from).collect();
                        classes(&statuses)
                    }
                    "referer" => texts.take(Some(without_query)),
                    _ => texts.take(None),
                },
            })
        });
        let chunk = Chunk { columns: finished.collect(), rows: std::mem::take(&mut self.rows), sums: None };
        self.tally.add(&chunk);
    }

    /// The tally, and the first and last instant of all records.
    pub fn finish(mut self) -> (Tally, Option<(i64, i64)>) {
        self.flush();
        (self.tally, self.ends)
    }
}

/// Queries of other pages hold their secrets.
fn without_query(url: &str) -> String {
    url.split(['?', '#']).next().unwrap_or_default().to_owned()
}
