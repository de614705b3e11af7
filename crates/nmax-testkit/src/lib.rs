//! For tests only: a simulated world in which an hour of load passes in seconds, and servers that misbehave.
//!
//! # Layout
//! - [`sim`]: clock, tasks, driver and server models in simulated time; [`sim::simulate`] runs a plan in it
//! - [`servers`]: small real servers on free ports that refuse, hang, babble or hang up
//! - [`fleet`]: a fleet of injectors in a world that fails, and the laws that hold in it
//! - [`plans`]: plans from text, with data files in memory

pub mod fleet;
pub mod plans;
pub mod servers;
pub mod sim;
