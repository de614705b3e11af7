//! Tables that the terminal and the page share.

pub(crate) mod breakdown;
pub(crate) mod groups;
pub(crate) mod scalability;

pub(crate) use crate::doc::table::{Alignment, Cell, Column, Emphasis, Table};
