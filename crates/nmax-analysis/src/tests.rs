//! What tests of several modules begin with.

pub(crate) mod fixture;
pub(crate) mod simulate;
