//! The diagnosis against systems whose truth is known.

mod figures;
mod kinds;
mod said;
mod simulator;
mod words;

use super::*;
