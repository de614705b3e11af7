//! URLs and references.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::urls::holds(input));
