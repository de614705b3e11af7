//! The load generator: share-nothing workers, their virtual users, and the meter that records them.
//!
//! One reactor per worker thread, whose tasks are the virtual users; nothing per exchange crosses
//! a thread. The engine knows no command line, user interface or file of a run.
//!
//! # Layout
//! - [`run`]: a run on this machine, from its setup to its teardown: workers, their threads, one iteration on its own
//! - [`schedule`]: when iterations start, and which user does them
//! - [`program`]: a plan made ready, steps as actions
//! - [`user`]: a virtual user, its way through the actions of a scenario, its values, what becomes of replies
//! - [`http`]: requests as bytes, redirects, pages, and what carries them
//! - [`measure`]: what is recorded, how it is joined, what this process uses
//! - [`protocol`]: what carries calls, the seam between the walk and what is sent
//! - [`script`]: behaviours that are not declared as steps, the seam for script engines
//! - [`context`]: what the virtual users of a worker share; [`core`]: what their calls do; [`iteration`]: an iteration, its user and its end
//! - [`runtime`]: what a worker needs from the world, and the world
//! - [`error`]: why a run does not start

pub mod context;
pub mod core;
pub mod error;
pub mod http;
pub mod iteration;
pub mod measure;
pub mod program;
pub mod protocol;
pub mod run;
pub mod runtime;
pub mod schedule;
pub mod script;
pub mod user;

pub use error::StartError;
pub use measure::collector::{Complete, WorkerUse};
pub use program::body_files;
pub use run::calibrate::{Calibration, calibrate};
pub use run::fixture::Fixture;
pub use run::settings::{Allow, BodyFile, Files, KeepSamples, Known, Settings};
pub use run::{Event, Origin, Ready, Run, worker_count};
pub use schedule::locations::without_users;
pub use schedule::source::{Times, times};
