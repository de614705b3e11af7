//! Who puts on the load of levels: this machine, or injectors of a fleet.

use std::time::Duration;

use nmax_run::signals::Interrupts;
use nmax_run::{Finished, Order, SessionError, Trouble};

/// Who puts on the load of levels.
pub trait Runner {
    /// How many injectors are free; `None` where this machine puts on the load.
    fn free(&mut self) -> Option<u32>;

    /// Looks whether so many injectors are free that have so many threads, or more.
    ///
    /// # Errors
    /// How many are asked for, and how many there are.
    fn ready(&mut self, injectors: u32, threads: u32) -> Result<(), Trouble>;

    /// What a level takes beside its load, before one was seen.
    fn overhead(&self) -> Duration;

    /// Runs a level to its end.
    ///
    /// - `order`: with the threads of each injector; 0 leaves them to a fleet's injectors
    /// - `injectors`: how many share the load
    ///
    /// # Errors
    /// Why it did not begin.
    fn run(&mut self, order: &Order, injectors: u32, interrupts: &Interrupts) -> Result<Finished, SessionError>;
}

/// This machine puts on the load.
#[derive(Clone, Copy, Debug)]
pub struct ThisMachine;

impl Runner for ThisMachine {
    fn free(&mut self) -> Option<u32> {
        None
    }

    fn ready(&mut self, _: u32, _: u32) -> Result<(), Trouble> {
        Ok(())
    }

    fn overhead(&self) -> Duration {
        Duration::from_millis(500)
    }

    fn run(&mut self, order: &Order, _: u32, interrupts: &Interrupts) -> Result<Finished, SessionError> {
        nmax_run::run(order, interrupts, &mut [])
    }
}
