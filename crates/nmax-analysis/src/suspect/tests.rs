//! The diagnosis against systems whose truth is known.

mod kinds;
mod simulator;
mod words;

use super::*;
