//! Findings of profiles.

use super::Explanation;

pub(super) const ALL: &[Explanation] = &[];
