//! Every output of one view, checked against the others and against the rules they share.

#![allow(clippy::unwrap_used)]

mod agreement;
mod comparison;
mod demand;
mod documents;
mod ending;
mod escaping;
mod live;
mod pdf;
mod sample;
mod scalability;
mod schema;
mod sizes;
mod supply;
mod watched;
mod widths;
mod written;
