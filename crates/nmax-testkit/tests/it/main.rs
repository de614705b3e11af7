//! The fleet in a simulated world.

mod fleet;
