//! What servers set as cookies.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::cookies::holds(input));
