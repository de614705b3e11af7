//! What each verb does.

pub mod agent;
pub mod check;
pub mod compare;
pub mod data;
pub mod doctor;
pub mod explain;
pub mod fidelity;
pub mod import;
pub mod import_log;
mod man;
pub mod once;
pub mod prove;
pub mod record;
pub mod replay;
pub mod results;
pub mod run;
pub mod scale;
pub mod slice;
pub mod small;
pub mod target;
pub mod trend;
pub mod usl;
pub mod wire;
