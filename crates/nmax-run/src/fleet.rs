//! Runs on many injectors: what is sent to them, and who conducts them.

pub mod bundle;
