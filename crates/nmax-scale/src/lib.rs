//! A campaign: a run for each level of load, from an [`Order`] to what it [`Finished`] with, the law behind the levels.
//!
//! # Layout
//! - `order`: what it needs, and what it ends with; `campaign`: from one to the other
//! - [`task`]: what was asked for, from its words; `axis`, `price`: two of them
//! - `prepare`: everything that is checked before the first level; `data`: whether the rows of the plan last
//! - `level`: the plan of one level; `think`: the pauses of its users; `apply`: the command that sets a knob of the system
//!   under test
//! - [`runner`]: who puts on their load; `rig`: runs them; `measure`: what one measured; `judge`: what that means; [`listener`]: who is told meanwhile
//! - `conduct`: which levels are run; `find`: the highest load that holds an objective; `knobs`: the same at each
//!   `setting` of the system; `job`: what all of them work on; `demand`: what a completion asks of a processor
//! - [`capacity`]: what campaigns measured, for questions of capacity
//! - `folder`: the directory; `head`: what is known before the first level; `answer`: the result; [`stored`]: the same,
//!   read back

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod answer;
mod apply;
mod axis;
mod campaign;
pub mod capacity;
mod conduct;
mod data;
mod demand;
mod find;
mod folder;
mod head;
mod job;
mod judge;
mod knobs;
mod level;
pub mod listener;
mod measure;
mod order;
mod prepare;
mod price;
mod rig;
pub mod runner;
mod setting;
pub mod stored;
pub mod task;
mod think;

pub use axis::{Load, short};
pub use campaign::run;
pub use folder::REPORT;
pub use listener::Listener;
pub use order::{Finished, Order};
pub use runner::{Runner, ThisMachine};
pub use task::{Task, Words};
