//! Throw-away.
#![allow(unreachable_pub, dead_code)]
#[path = "../src/safety.rs"]
mod safety;
fn main() {}
