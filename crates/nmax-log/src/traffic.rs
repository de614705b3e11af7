//! The traffic behind the lines, in memory bounded by the sessions that are open.

mod dist;
mod hash;
mod profile;

pub use dist::Dist;
pub use profile::*;
