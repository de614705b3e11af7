//! Nodes that survive a loss, headroom as a time, the date when demand meets supply, the upgrade path.

pub mod date;
pub mod headroom;
pub mod help;
pub mod nodes;
pub mod path;
