//! Runs on many injectors, around the machines of nmax-fleet: what is sent to injectors, and who conducts them.
//!
//! - [`keys`]: who may order runs; [`offer`]: a run as it is offered; [`bundle`]: its plan with all files
//! - [`member`]: one injector's part; [`manager`]: the run as it is followed and written down
//! - [`notes`]: what injectors say beside their windows

pub mod bundle;
pub mod keys;
pub mod manager;
pub mod member;
pub mod notes;
pub mod offer;
