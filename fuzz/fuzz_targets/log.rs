//! Access logs, with and without a format.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::logs::holds(input));
