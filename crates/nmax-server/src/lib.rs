//! Runs in the browser: the web API, live streams, the embedded page.
//!
//! Runs are followed by their files alone, so those that other processes make are watched like those that were started here.
//! Whatever is answered is made of the same structs as reports: the same number is the same number.
//!
//! # Layout
//! - [`serve`]: the server, from its options to its end; `server`: connections, bounds, replies
//! - `routes`: every way to ask, as a table, and its OpenAPI document; `api`: what is asked and answered
//! - `guard`, `session`: who is let in; `refusal`: why something is not done
//! - `runs`: the list; `page`: a run; `course`: a run over time; `live`: a run as it goes on; `analyses`: runs beside each other
//! - `capacity`: what to buy, with values that may be moved
//! - `plans`: plans of a folder; `started`: runs that are started here; `recordings`: visits that are recorded; `steer`: changes of a running run
//! - [`Fleet`]: the fleet that is shown beside them
//! - `scrape`: running runs for Prometheus; `ui`: the page

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod analyses;
mod api;
mod capacity;
mod course;
mod fleet;
mod guard;
mod live;
mod page;
mod plans;
mod recordings;
mod refusal;
mod routes;
mod runs;
mod scrape;
mod server;
mod session;
mod started;
mod steer;
mod ui;

pub use api::fleet::{FleetEnd, FleetInjector, FleetPage, FleetRun, Health};
pub use fleet::Fleet;
pub use server::{Options, Server, serve};
pub use started::Grants;

/// The OpenAPI document.
pub fn openapi() -> serde_json::Value {
    routes::openapi(&routes::table())
}
