//! Frames of windows: whatever arrives is a sound window, or is refused for a reason.

use nmax_metrics::names::{Catalog, IdMap};
use nmax_metrics::{Frame, Section};

/// Input: a frame.
pub fn holds(input: &[u8]) {
    let frame = match Frame::decode(input) {
        Ok(frame) => frame,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert_eq!(Frame::decode(&frame.encode()).as_ref(), Ok(&frame), "it goes on as it came");
    let Frame { names, window, .. } = frame;
    let mut sum = window.aggregate.clone();
    (0..3).for_each(|_| sum.merge(&window.aggregate));
    for section in Section::ALL {
        let response = sum.total(section).latencies().response;
        assert_eq!(response.quantile_ns(0.99).is_some(), response.count() > 0);
    }
    let (mut catalog, mut ids) = (Catalog::default(), IdMap::default());
    if catalog.adopt(&mut ids, &names).is_ok() {
        let _ = window.aggregate.remap(&ids);
    }
}
