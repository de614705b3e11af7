//! What can be observed, as tables: plans, observers, analysis and documentation read them.
//!
//! # Layout
//! - [`figure`]: what a figure is: its name, unit and kind
//! - [`figures`]: every figure that the code knows
//! - [`kind`]: what a kind of source is: its word, where it is, and what plans say of it; [`kinds`]: every kind
//! - [`said`]: which figures each kind says, by the parts that readings call them after
//! - [`service`]: places as people write them; [`tls`]: what their options say of TLS

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod figure;
pub mod figures;
pub mod kind;
pub mod kinds;
pub mod said;
pub mod service;
pub mod tls;

pub use figure::{Figure, Kind, Unit};
pub use kind::SourceKind;
pub use service::{BESIDE, INJECTOR, RUN};
