//! Integration tests.

mod format;
mod traffic;
