//! What an access log says of the requests since the reading before.

use nmax_log::format::Reader;
use nmax_log::format::lines::Cut;
use nmax_log::record::{Line, Record};
use nmax_metrics::Histogram;
use nmax_sources::{Figure, Unit, figures};

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

    /// Name, value and unit of everything since the last call, which was `span_s` ago.
    pub(super) fn figures(&mut self, span_s: f64) -> Vec<(String, f64, Unit)> {
        let sums = std::mem::take(&mut self.sums);
        let mut all = Vec::new();
        if span_s > 0.0 {
            let mut named =
                |name: String, figure: Figure, count: u64| all.push((name, count as f64 / span_s, figure.unit));
            let requests = figures::REQUESTS_PER_S;
            named(requests.name.to_owned(), requests, sums.requests);
            for (class, count) in sums.by_class.iter().enumerate().skip(1) {
                named(requests.labeled("status", &format!("{class}xx")), requests, *count);
            }
            let mut rate = |figure: Figure, count| named(figure.name.to_owned(), figure, count);
            rate(figures::ERRORS_PER_S, sums.by_class[5]);
            rate(figures::REJECTED_LINES_PER_S, sums.misfits);
            if self.has_bytes {
                rate(figures::SENT_BYTES_PER_S, sums.bytes);
            }
        }
        let mut times = |[of_mean, of_p95]: [Figure; 2], times: &Histogram| {
            let mut put = |figure: Figure, ns: f64| all.push((figure.name.to_owned(), ns / 1e6, figure.unit));
            if let (Some(mean), Some(p95)) = (times.mean_ns(), times.quantile_ns(0.95)) {
                put(of_mean, mean);
                put(of_p95, p95 as f64);
            }
        };
        if self.has_durations {
            times([figures::DURATION_MS, figures::DURATION_P95_MS], &sums.duration);
        }
        if self.has_upstream {
            times([figures::UPSTREAM_MS, figures::UPSTREAM_P95_MS], &sums.upstream);
        }
        all
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
