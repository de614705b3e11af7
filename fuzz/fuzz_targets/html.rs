//! Documents of servers, with a selector.

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| nmax_fuzz::pages::html_holds(input));
