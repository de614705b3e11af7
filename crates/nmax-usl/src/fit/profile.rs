//! Intervals by profile likelihood.

use super::Fit;
use super::table::Table;

pub(crate) fn refine(_fit: &mut Fit, _table: &Table) {}
