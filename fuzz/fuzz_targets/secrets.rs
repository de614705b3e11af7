//! Texts of any kind with secrets in them.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::secrets::hold(input));
