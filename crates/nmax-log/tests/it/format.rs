//! Readers of log formats, seen from outside.

mod detected;
mod laws;
mod real;
