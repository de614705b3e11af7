//! The load generator: share-nothing workers, their virtual users, and the meter that records them.
//!
//! One tokio current-thread runtime per worker thread; virtual users are local tasks; nothing per exchange crosses
//! a thread. The engine knows no command line, user interface or file of a run.
//!
//! # Layout
//! - [`settings`]: how a run is executed, beside its plan
//! - [`run`]: a run on this machine; `seat`: one worker's thread; [`worker`]: its main task
//! - [`runtime`]: what a worker needs from the world; [`real`] is the world, [`timers`] its deadlines
//! - [`source`] and `dispatch`: where iterations come from and who runs them; `locations`: where these users are
//! - `vu`, `setup`, `walk`: a virtual user, what it does once, and its way through the actions of a scenario
//! - `exchange`, `redirect`, `verify`: one exchange of it, where it leads, what becomes of the reply
//! - `document`, `page`: the page that it begins, and what belongs to that
//! - [`program`], `flow`, `prepare`, `compose`, `render` and `multipart`: a plan made ready, steps as actions, requests as
//!   bytes; `functions`: what templates call
//! - [`network`]: what a plan says of the way to its servers
//! - [`driver`], [`http_driver`]: what carries requests
//! - [`meter`], [`collector`], `tally`, `examples`: what is recorded, and how it is joined
//! - [`alone`]: steps that are done once for a run, before and after it; [`bracket`]: when they are done
//! - [`told`]: every exchange as a log would have it, for runs that are compared with one
//! - [`once`]: one iteration with all that it sent and received
//! - [`context`]: what the virtual users of a worker share; [`names`]: those of their requests
//! - [`watch`]: this process's own resources

pub mod alone;
pub mod bracket;
pub mod collector;
mod compose;
pub mod context;
mod dispatch;
mod document;
pub mod driver;
mod examples;
mod exchange;
mod flow;
mod functions;
pub mod http_driver;
mod locations;
pub mod meter;
mod multipart;
pub mod names;
pub mod network;
pub mod once;
mod pace;
mod page;
mod prepare;
pub mod program;
pub mod real;
mod redirect;
mod render;
pub mod run;
pub mod runtime;
mod seat;
pub mod settings;
mod setup;
pub mod source;
mod tally;
pub mod timers;
pub mod told;
mod verify;
mod vu;
mod walk;
pub mod watch;
pub mod worker;

pub use bracket::Bracket;
pub use collector::{Complete, WorkerUse};
pub use locations::without_users;
pub use program::body_files;
pub use run::{Event, Origin, Ready, Run, StartError, worker_count};
pub use settings::{Allow, BodyFile, Files, KeepSamples, Known, Settings};
pub use source::{Times, times};
