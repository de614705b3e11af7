//! Access logs: what servers write about requests is read as typed records, and becomes a picture of the traffic and a
//! plan that makes it again.
//!
//! Pure: lines in, values out. Files, compression and the calendar's "now" belong to the caller.
//!
//! # Layout
//!
//! - [`record`]: what one line says.
//! - [`format`]: the formats, found by themselves or compiled from `LogFormat`, `log_format`, `#Fields`.
//! - [`traffic`]: sessions, scenarios, season, popularity, baseline: the traffic behind the lines.
//! - [`plan`]: the plan that makes it again.
//! - [`hidden`]: targets without the secrets in their queries.
//! - [`replay`]: the log itself as a schedule.
//! - [`fidelity`]: how like its source a run was.

pub mod fidelity;
pub mod format;
pub mod plan;
pub mod record;
pub mod replay;
pub mod traffic;
