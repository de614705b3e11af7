//! Pasted curl commands.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::recordings::curl_holds(input));
