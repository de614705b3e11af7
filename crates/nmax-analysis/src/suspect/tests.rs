//! The diagnosis against systems whose truth is known.

mod figures;
mod kinds;
mod reasons;
mod said;
mod simulator;

use super::*;
use crate::Evidence;

/// What to look at first.
fn diagnose(evidence: &Evidence) -> Diagnosis {
    super::diagnose(evidence, &crate::gates(evidence))
}
