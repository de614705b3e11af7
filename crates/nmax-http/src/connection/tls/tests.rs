use std::sync::Arc;

use super::*;

/// What the tests measured, rounded up.
const VISITOR_BYTES_MAX: i64 = 2048;

/// A visitor's own tickets and settings, before its first handshake. Thousands of visitors have them each.
#[test]
fn a_visitor_is_small() {
    let settings = Settings::new(&Config { insecure: true, ..Config::new(Arc::new(|_, _| Ok(()))) });
    let settings = settings.unwrap();
    // The first one makes what all share.
    let first = settings.visitor();
    let mut second = None;
    let measured = allocation_counter::measure(|| second = Some(settings.visitor()));
    assert!(measured.bytes_current <= VISITOR_BYTES_MAX, "{} bytes", measured.bytes_current);
    drop((first, second));
}
