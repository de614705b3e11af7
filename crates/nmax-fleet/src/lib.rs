//! One run over many injectors: what each does alone, what they agree on, and what becomes of their results.
//!
//! Everything here is a value or a machine that is driven by `step(now)`: the same code runs in one process, in a simulated
//! world with faults, and on a message broker. `docs/methods/fleet.md` states each rule and the law that proves it.
//!
//! # Layout
//! - [`records`]: what injectors and manager agree on, as JSON
//! - [`coordinator`]: the places where they agree and where results go, as traits; [`local`]: both within one process
//! - [`injector`]: the machine of an injector, from a run that is offered to the end of its part; [`lease`]: how long it
//!   may go on; [`load`]: what puts on the load
//! - [`weights`]: how large the part of each is
//! - [`batch`]: a window on its way; [`spool`]: batches on the injector's disk until they are acknowledged
//! - [`results`]: batches of all injectors become windows of the run, each counted once; [`coverage`]: what never came
//! - [`warrant`]: the signed permission of a run; [`seal`]: what only its injectors read
//! - [`arrivals`]: when batches came, on the run's clock
//! - [`manager`]: offers a run, and gives up what does not begin; [`patience`]: how long results are waited for

pub mod arrivals;
pub mod batch;
pub mod coordinator;
pub mod coverage;
pub mod injector;
pub mod lease;
pub mod load;
pub mod local;
pub mod manager;
pub mod patience;
pub mod records;
pub mod results;
pub mod seal;
pub mod spool;
#[cfg(test)]
mod testing;
pub mod warrant;
pub mod weights;

pub use arrivals::Arrivals;
pub use batch::{Batch, BatchId, Item};
pub use coordinator::{Coordinator, Key, Lease, ResultSink};
pub use injector::{Identity, Injector, Step};
pub use load::{Load, Measured, Part};
pub use local::{Direct, Local};
pub use manager::Manager;
pub use patience::Patience;
pub use results::{Results, Taken};
pub use warrant::{Trust, Warrant};
