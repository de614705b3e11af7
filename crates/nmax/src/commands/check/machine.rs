//! Whether this machine can make the load: two seconds against the built-in target.

use std::time::Duration;

use nmax_engine::calibrate;
use nmax_run::check::Machine;
use nmax_target::Options;

/// How long it takes.
const LENGTH: Duration = Duration::from_secs(2);

/// Measures this machine with as many workers as a run would have.
pub fn measure(workers: u32) -> Result<Machine, String> {
    let target = nmax_target::spawn(Options::default()).map_err(|error| error.to_string())?;
    let found = calibrate(&target.url(), workers, LENGTH)?;
    Ok(Machine::new(found.per_core_s, workers))
}
