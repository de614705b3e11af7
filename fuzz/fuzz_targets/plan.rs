//! Plan documents.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::plan::holds(input));
