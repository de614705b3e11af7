//! What can be observed, as tables: plans, observers, analysis and documentation read them.
//!
//! # Layout
//! - [`figure`]: what a figure is: its name, unit and kind
//! - [`figures`]: every figure that the code knows

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod figure;
pub mod figures;

pub use figure::{Figure, Kind, Unit};
