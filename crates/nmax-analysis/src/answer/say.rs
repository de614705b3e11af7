//! Loads, spans of time and amounts in words.

use nmax_plan::plan::{Plan, Workload};

use crate::wording::{digits, value};

/// Unit of the levels of a plan.
pub(super) const fn load_unit(plan: &Plan) -> &'static str {
    match plan.workload {
        Workload::Open { .. } => "/s",
        Workload::Closed { .. } => "VUs",
    }
}

/// `412/s`, `40 VUs`
pub(super) fn load(plan: &Plan, level: f64) -> String {
    match load_unit(plan) {
        "VUs" if (level - 1.0).abs() < 1e-9 => "1 VU".to_owned(),
        unit => value(level, unit),
    }
}

/// `12.3 s`, `25 min`, `24 h`
pub(crate) fn span(seconds: f64) -> String {
    match seconds {
        short if short < 120.0 => value(short * 1e3, "ms"),
        middle if middle < 7_200.0 => format!("{} min", digits(middle / 60.0)),
        long => format!("{} h", digits(long / 3_600.0)),
    }
}

/// `1.02 MB`, of bytes
pub(super) fn bytes(bytes: f64) -> String {
    match bytes.abs() {
        size if size < 1e3 => format!("{} bytes", digits(bytes)),
        size if size < 1e6 => format!("{} kB", digits(bytes / 1e3)),
        size if size < 1e9 => format!("{} MB", digits(bytes / 1e6)),
        _ => format!("{} GB", digits(bytes / 1e9)),
    }
}

/// ` (compressed 60 x)`; empty when lengths are as written.
pub(crate) fn compressed(plan: &Plan) -> String {
    match plan.compress == 1.0 {
        true => String::new(),
        false => format!(" (compressed {} x)", digits(plan.compress)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_amounts_read_well() {
        let cases = [
            (span(0.25), "250 ms"),
            (span(12.34), "12.3 s"),
            (span(1_500.0), "25 min"),
            (span(86_400.0), "24 h"),
            (bytes(1_020_000.0), "1.02 MB"),
            (bytes(-512.0), "-512 bytes"),
        ];
        for (text, want) in cases {
            assert_eq!(text, want);
        }
    }
}
