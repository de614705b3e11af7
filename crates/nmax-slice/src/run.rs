//! Runs as columns: exchanges kept one by one, or the sums of each window.

use std::sync::{Arc, LazyLock};

use nmax_metrics::RequestStats;
use nmax_metrics::aggregate::Unit;

use crate::column::NO_TEXT;
use crate::{Column, Kind, Schema, Values};

mod exchanges;
mod windows;

pub use exchanges::{Stored, Texts, chunk};
pub use windows::{NOTE, Windows, lacking};

/// The columns of runs. Their order is that of [`COLUMNS`].
pub fn schema() -> Schema {
    Schema {
        source: "a run",
        columns: COLUMNS.clone(),
        time: "response",
        bytes: "bytes_received",
        when: "time",
        failed: "failed",
        subject: "name",
    }
}

/// Every column, sums over exchanges included.
pub static COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    let plain = |(name, kind, about)| Column { name, kind, about };
    let kind = |unit| match unit {
        Unit::Count => Kind::Number,
        Unit::Bytes => Kind::Bytes,
        Unit::Ns => Kind::Span,
    };
    let sums = RequestStats::sums().map(|sum| Column { name: sum.name, kind: kind(sum.unit), about: sum.about });
    MEASURED.map(plain).into_iter().chain(sums).chain(WHO.map(plain)).collect()
});

/// Name, kind, meaning.
const MEASURED: [(&str, Kind, &str); 22] = [
    ("name", Kind::Text, "request name"),
    ("method", Kind::Text, "method of the request, from the plan"),
    ("template", Kind::Text, "path with its holes, from the plan"),
    ("tag", Kind::Text, "tags of the request, with commas between"),
    ("scenario", Kind::Text, "scenario"),
    ("outcome", Kind::Text, "ok, failed or error"),
    ("failed", Kind::Number, "1 where the outcome is not ok, else 0"),
    ("error_kind", Kind::Text, "kind of error: timeout, reset, connect, ..."),
    ("status", Kind::Number, "status code"),
    ("class", Kind::Text, "class of the status code: 2xx, 4xx, ..."),
    ("code", Kind::Text, "status code where it is a text, such as a SQLSTATE"),
    ("phase", Kind::Text, "hold, or outside: ramps and warm-up"),
    ("time", Kind::Moment, "when the request was due, since the start of the run"),
    ("response", Kind::Span, "response time: from when it was due to the end of the reply"),
    ("service", Kind::Span, "service time: from sending to the end of the reply"),
    ("lag", Kind::Span, "from when it was due to sending"),
    ("ttfb", Kind::Span, "from sending to the first byte of the reply"),
    ("dns", Kind::Span, "name resolution"),
    ("connect", Kind::Span, "TCP connect"),
    ("tls", Kind::Span, "TLS handshake"),
    ("send", Kind::Span, "sending, where the kernel did not take all at once"),
    ("slot_wait", Kind::Span, "wait for an in-flight slot"),
];

/// The same of who did it.
const WHO: [(&str, Kind, &str); 4] = [
    ("worker", Kind::Number, "worker thread"),
    ("vu", Kind::Number, "virtual user"),
    ("iteration", Kind::Number, "iteration"),
    ("why", Kind::Text, "why it was kept: all, error, slow, random"),
];

/// What ids of requests stand for.
#[derive(Clone, Debug)]
pub struct Names {
    /// Names of requests.
    pub request: Arc<[Arc<str>]>,
    /// Methods.
    pub method: Arc<[Arc<str>]>,
    /// Paths with their holes.
    pub template: Arc<[Arc<str>]>,
    /// Tags, with commas between.
    pub tag: Arc<[Arc<str>]>,
}

/// Where an exchange may be: in phase hold, or not.
fn phases(is_outside: impl Iterator<Item = bool>) -> Values {
    Values::Texts { ids: is_outside.map(u32::from).collect(), names: Arc::from(["hold".into(), "outside".into()]) }
}

/// Classes of status codes.
pub(crate) fn classes(statuses: &[i64]) -> Values {
    const NAMES: [&str; 9] = ["1xx", "2xx", "3xx", "4xx", "5xx", "6xx", "7xx", "8xx", "9xx"];
    let class = |status: &i64| match status {
        100..=999 => (status / 100 - 1) as u32,
        _ => NO_TEXT,
    };
    Values::Texts {
        ids: statuses.iter().map(class).collect(),
        names: NAMES.iter().map(|name| (*name).into()).collect(),
    }
}

/// Tags of requests; none is not known.
pub(crate) fn tags(values: Values) -> Values {
    match values {
        Values::Texts { ids, names } => {
            let is_none = |id: u32| names.get(id as usize).is_none_or(|tags| tags.is_empty());
            let ids = ids.into_iter().map(|id| if is_none(id) { NO_TEXT } else { id });
            Values::Texts { ids: ids.collect(), names }
        }
        other => other,
    }
}
