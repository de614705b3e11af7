//! Laws and cases.
