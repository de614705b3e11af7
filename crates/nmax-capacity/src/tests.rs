//! What tests of several modules share.

/// Asserts a value to 1e-5 of itself.
#[track_caller]
pub(crate) fn close(found: f64, wanted: f64) {
    assert!((found - wanted).abs() <= 1e-5 * wanted.abs(), "found {found}, wanted {wanted}");
}
