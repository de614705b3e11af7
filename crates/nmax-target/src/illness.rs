//! Ways in which a target grows worse while it runs: later replies take longer, memory is never given back.

use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use crate::spec::{SpecError, parse_span};

/// Memory is taken in pieces of this size.
const PIECE_BYTES: usize = 64 * 1024;
/// Most memory that a leak takes: a target left running is not to take the machine down.
const LEAK_BYTES_MAX: u64 = 1 << 30;

/// Growth of every service time, written `1ms/s`: after 10 s replies take 10 ms longer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// Nanoseconds of service time per second since the origin.
    per_s_ns: f64,
}

impl Drift {
    /// What is added to the service time of a request that begins that long after the origin, ns.
    pub(crate) fn extra_ns(self, since_origin_ns: u64) -> u64 {
        (self.per_s_ns * since_origin_ns as f64 / 1e9) as u64
    }
}

impl FromStr for Drift {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let error = || SpecError::new("drift", text, "is not a time per time", "`1ms/s` or `5ms/m`");
        let (span, period) = text.split_once('/').ok_or_else(error)?;
        let period_s = period_s(period).ok_or_else(error)?;
        Ok(Self { per_s_ns: parse_span(span)? as f64 / period_s })
    }
}

/// Memory that is taken and never given back, written `1MB/min`; at most 1 GiB.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Leak {
    bytes_per_s: f64,
}

impl FromStr for Leak {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let error = || SpecError::new("leak", text, "is not an amount of memory per time", "`1MB/min` or `64kB/s`");
        let (amount, period) = text.split_once('/').ok_or_else(error)?;
        let split = amount.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(error)?;
        let (number, unit) = amount.split_at(split);
        let scale = match unit {
            "B" => 1.0,
            "kB" => 1e3,
            "MB" => 1e6,
            _ => return Err(error()),
        };
        let number: f64 = number.trim().parse().map_err(|_| error())?;
        if !(0.0..=1e6).contains(&number) {
            return Err(error());
        }
        Ok(Self { bytes_per_s: number * scale / period_s(period).ok_or_else(error)? })
    }
}

/// Seconds of `s`, `m` or `min`.
fn period_s(word: &str) -> Option<f64> {
    match word {
        "s" => Some(1.0),
        "m" | "min" => Some(60.0),
        _ => None,
    }
}

/// What a leak holds.
#[derive(Debug, Default)]
pub(crate) struct Leaked {
    leak: Leak,
    held: Mutex<Vec<Vec<u8>>>,
}

impl Leaked {
    pub(crate) fn new(leak: Leak) -> Self {
        Self { leak, held: Mutex::default() }
    }

    /// Takes what is due that long after the origin. Every byte is written, so that the system has to give it.
    pub(crate) fn take(&self, since_origin_ns: u64) {
        if self.leak.bytes_per_s == 0.0 {
            return;
        }
        let due = (self.leak.bytes_per_s * since_origin_ns as f64 / 1e9) as u64;
        let pieces = due.min(LEAK_BYTES_MAX) as usize / PIECE_BYTES;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        while held.len() < pieces {
            held.push(vec![0x5a; PIECE_BYTES]);
        }
    }

    /// Bytes held.
    #[cfg(test)]
    fn bytes(&self) -> usize {
        self.held.lock().unwrap().len() * PIECE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drift_grows_with_time() {
        let drift: Drift = "6ms/m".parse().unwrap();
        assert_eq!(drift.extra_ns(0), 0);
        assert_eq!(drift.extra_ns(10_000_000_000), 1_000_000);
        assert_eq!(Drift::default().extra_ns(u64::MAX), 0);
        for wrong in ["1ms", "1/s", "ms/s", "1ms/h", ""] {
            assert!(wrong.parse::<Drift>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_leak_takes_what_is_due_and_not_more_than_its_limit() {
        let leaked = Leaked::new("6MB/min".parse().unwrap());
        leaked.take(10_000_000_000);
        assert!((900_000..=1_000_000).contains(&leaked.bytes()), "{}", leaked.bytes());
        leaked.take(5_000_000_000);
        assert!(leaked.bytes() >= 900_000, "it never gives back");
        for wrong in ["1MB", "1/s", "1GB/s", "-1MB/s", "xMB/s", "1MB/h"] {
            assert!(wrong.parse::<Leak>().is_err(), "{wrong}");
        }
    }
}
