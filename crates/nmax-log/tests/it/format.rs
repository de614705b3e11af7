//! Readers of log formats, seen from outside.

mod detected;
mod documented;
mod laws;
mod real;
