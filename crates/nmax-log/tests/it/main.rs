//! Integration tests.

mod format;
