//! Remote write of Prometheus, version 1.0: protocol buffers in Snappy's block format.
//!
//! Source: *Prometheus Remote-Write 1.0 specification*; protocol buffers, *Encoding*.
//!
//! ```text
//! WriteRequest { repeated TimeSeries timeseries = 1; repeated MetricMetadata metadata = 3; }
//! TimeSeries   { repeated Label labels = 1; repeated Sample samples = 2; }
//! Label        { string name = 1; string value = 2; }
//! Sample       { double value = 1; int64 timestamp = 2; }          // Unix ms
//! MetricMetadata { MetricType type = 1; string metric_family_name = 2; string help = 4; string unit = 5; }
//! ```

use crate::metric::{ALL, Kind, Metric};
use crate::prometheus::{Series, of_metric};
use crate::snapshot::Snapshot;

/// Series of one request.
const SERIES_MAX: usize = 5_000;

/// The requests that carry a snapshot, compressed.
pub(crate) fn requests(snapshot: &Snapshot) -> Vec<Vec<u8>> {
    let mut requests: Vec<Vec<u8>> = Vec::new();
    let (mut open, mut count) = (Vec::new(), 0);
    for metric in ALL {
        let name = metric.prometheus_name();
        let mut has_metadata = false;
        for series in of_metric(snapshot, metric) {
            if !has_metadata {
                field(&mut open, 3, &metadata(metric, &name));
                has_metadata = true;
            }
            field(&mut open, 1, &time_series(snapshot, &name, series));
            count += 1;
            if count == SERIES_MAX {
                requests.push(compressed(&std::mem::take(&mut open)));
                count = 0;
            }
        }
    }
    if !open.is_empty() {
        requests.push(compressed(&open));
    }
    requests
}

fn time_series(snapshot: &Snapshot, name: &str, series: Series) -> Vec<u8> {
    let mut labels = series.labels;
    labels.push(("__name__".into(), format!("{name}{}", series.suffix)));
    labels.push(("instance".into(), snapshot.run_id.clone()));
    labels.push(("job".into(), "nmax".into()));
    labels.sort();
    let mut message = Vec::new();
    for (name, value) in labels.iter().filter(|(_, value)| !value.is_empty()) {
        let mut label = Vec::new();
        field(&mut label, 1, name.as_bytes());
        field(&mut label, 2, value.as_bytes());
        field(&mut message, 1, &label);
    }
    let mut sample = vec![0b0000_1001];
    sample.extend(series.value.to_le_bytes());
    sample.push(0b0001_0000);
    varint(&mut sample, snapshot.at_ns / 1_000_000);
    field(&mut message, 2, &sample);
    message
}

fn metadata(metric: &Metric, name: &str) -> Vec<u8> {
    let kind = match metric.kind {
        Kind::Counter => 1,
        Kind::Gauge => 2,
        Kind::Histogram => 3,
    };
    let mut message = vec![0b0000_1000, kind];
    field(&mut message, 2, name.as_bytes());
    field(&mut message, 4, metric.about.as_bytes());
    message
}

/// A field of bytes: tag, length, bytes.
fn field(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    out.push(number << 3 | 2);
    varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn compressed(message: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(message).expect("a request is far below the 4 GiB of a block")
}
