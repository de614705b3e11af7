//! A fleet in a simulated world: injectors, managers and a broker on lines that fail, with clocks that differ, and the laws
//! that hold whatever happens.
//!
//! The machines are those of `nmax-fleet`; the broker, the lines, the disks and the load are simulated. Everything follows from
//! one seed: `NMAX_FLEET_SEED=n cargo test -p nmax-testkit --test it fleet` repeats a seed.
//!
//! # Layout
//! - [`matrix`]: which world a seed stands for, and what happens in it
//! - [`world`]: its events in true time; [`chance`]: numbers and clocks
//! - [`client`]: an injector's way to the broker, and its disk; [`broker`]: where records and batches are
//! - [`model`]: what puts on the load, and what targets got
//! - [`fold`]: what managers make of batches
//! - [`exchanges`]: every exchange, by the engine itself
//! - [`laws`]: what has to hold at the end

pub mod broker;
pub mod chance;
pub mod client;
pub mod exchanges;
pub mod fold;
pub mod laws;
pub mod matrix;
pub mod model;
pub mod world;
