//! Pages of metrics, one after the other.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::metrics::holds(input));
