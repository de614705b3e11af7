//! When iterations start, and which user does them.
//!
//! # Layout
//! - [`source`]: where iterations come from
//! - `dispatch`: what starts them and makes users; `pace`: by schedule; `growth`: how many users that takes
//! - `turn`: how a user waits for its next one
//! - `locations`: where users are

pub(crate) mod dispatch;
pub(crate) mod growth;
pub(crate) mod locations;
pub(crate) mod pace;
pub mod source;
pub(crate) mod turn;
