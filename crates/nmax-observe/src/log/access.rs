//! What an access log says of the requests since the reading before.

use nmax_log::format::Reader;
use nmax_log::format::lines::Cut;
use nmax_log::record::{Line, Record};
use nmax_metrics::Histogram;

use super::tap::Batch;

/// Classes of statuses: unknown, 1xx to 5xx.
const CLASSES: usize = 6;

/// Reads lines of an access log and sums them up.
pub(super) struct Access {
    reader: Reader,
    sums: Sums,
    lines: u64,
    misfits: u64,
    /// Why the first line that did not fit did not.
    why: String,
    /// Which figures the log can tell, so that silence is told apart from not knowing.
    has_durations: bool,
    has_upstream: bool,
    has_bytes: bool,
}

#[derive(Default)]
struct Sums {
    requests: u64,
    by_class: [u64; CLASSES],
    duration: Histogram,
    upstream: Histogram,
    bytes: u64,
    misfits: u64,
}

impl Access {
    pub(super) fn new(reader: Reader) -> Self {
        Self {
            reader,
            sums: Sums::default(),
            lines: 0,
            misfits: 0,
            why: String::new(),
            has_durations: false,
            has_upstream: false,
            has_bytes: false,
        }
    }

    /// Takes a line.
    pub(super) fn line(&mut self, cut: Cut<'_>, batch: &mut Batch) {
        let Cut::Line(line) = cut else {
            self.lines += 1;
            self.misfits += 1;
            self.sums.misfits += 1;
            return;
        };
        match self.reader.line(line) {
            Line::Record(record) => {
                self.lines += 1;
                self.has_durations |= record.duration_us.is_some();
                self.has_upstream |= record.upstream_us.is_some();
                self.has_bytes |= record.bytes.is_some();
                self.sums.add(&record);
                batch.add(&record);
            }
            Line::Rejected(rejection) => {
                self.lines += 1;
                self.misfits += 1;
                self.sums.misfits += 1;
                if self.why.is_empty() {
                    self.why = rejection.reason;
                }
            }
            Line::Comment | Line::Blank => {}
        }
    }

    /// Lines of the run, and how many of them did not fit the format.
    pub(super) fn fit(&self) -> (u64, u64) {
        (self.lines, self.misfits)
    }

    /// Why the first line that did not fit did not.
    pub(super) fn why(&self) -> &str {
        &self.why
    }

    /// Metric, value and unit of everything since the last call, which was `span_s` ago.
    pub(super) fn figures(&mut self, span_s: f64) -> Vec<(String, f64, &'static str)> {
        let sums = std::mem::take(&mut self.sums);
        let mut figures = Vec::new();
        if span_s > 0.0 {
            let mut rate =
                |metric: &str, count: u64, unit| figures.push((metric.to_owned(), count as f64 / span_s, unit));
            rate("requests_per_s", sums.requests, "per s");
            for (class, count) in sums.by_class.iter().enumerate().skip(1) {
                rate(&format!("requests_per_s{{status=\"{class}xx\"}}"), *count, "per s");
            }
            rate("errors_per_s", sums.by_class[5], "per s");
            rate("rejected_lines_per_s", sums.misfits, "per s");
            if self.has_bytes {
                rate("sent_bytes_per_s", sums.bytes, "bytes per s");
            }
        }
        let mut times = |metric: &str, times: &Histogram| {
            let ms = |ns: f64| ns / 1e6;
            if let (Some(mean), Some(p95)) = (times.mean_ns(), times.quantile_ns(0.95)) {
                figures.push((format!("{metric}_ms"), ms(mean), "ms"));
                figures.push((format!("{metric}_p95_ms"), ms(p95 as f64), "ms"));
            }
        };
        if self.has_durations {
            times("duration", &sums.duration);
        }
        if self.has_upstream {
            times("upstream", &sums.upstream);
        }
        figures
    }
}

impl Sums {
    fn add(&mut self, record: &Record<'_>) {
        self.requests += 1;
        self.by_class[usize::from(record.status / 100).min(CLASSES - 1)] += 1;
        self.bytes = self.bytes.saturating_add(record.bytes.unwrap_or(0));
        let times = [(record.duration_us, &mut self.duration), (record.upstream_us, &mut self.upstream)];
        for (us, histogram) in times {
            if let Some(us) = us {
                histogram.record(us.saturating_mul(1_000));
            }
        }
    }
}
