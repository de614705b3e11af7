//! JSON texts of servers, with a path.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::pages::jsonpath_holds(input));
