//! Bytes of a server, in pieces.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::codec::holds(input));
