//! HAR files whose secrets leave and come back.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::recordings::redaction_holds(input));
