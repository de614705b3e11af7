//! The `nmax` command as a whole: a real process, real sockets on the loopback, real files.
//!
//! No test judges how fast this machine is. Other tests run at the same time, so a run may rightly be judged
//! INVALID; a test that needs another verdict makes a run so small that it cannot be. Each test leaves neither a
//! process nor a file behind.
//!
//! # Layout
//! - harness: [`bench`] (the program in a folder of its own), [`mutants`] (of good inputs), [`peers`] (what it talks to), [`ports`] (where servers listen), [`reader`] (who follows a page
//!   of the documentation), [`schema`], [`serving`] (runs in the browser), [`visit`] (a visitor who writes down a HAR file)
//! - tests: `cases` (arguments and plans, as folders), `planless`, `plans`, `outcomes`, `trouble` (servers and
//!   certificates), `data`, `doctor`, `wire`, `limits` (ways to a server),
//!   `secrets` (what is not shown), `inputs` (files of certificates),
//!   `servers` (nginx, Apache, varnish), `schemas` (of answers), `seeds` (of the fuzz targets), `signals`, `survival` (kill, full disk), `damaged` (files),
//!   `completion` (of shells), `action` (of CI), `import`, `prove` (of recorded plans), `logs` (imported, replayed), `slice`, `results`, `reports` (of several runs), `pages` (of reports, in a browser), `compare`, `scale`, `steered`, `suspects` (known bottlenecks), `terminal`, `calibration`, `advice` and `observed` (of `nmax check`),
//!   `consent` (to other hosts, to programs), `endings` (before the plan's), `fleet` (of injectors), `fleet_served` (on the page), `undo` (whatever ends a run), `examples`, `readme`, `serve`, `served` and `browser` (runs in the browser), `tutorials`

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests watch real processes in real time")]
#![allow(clippy::print_stderr, reason = "a test that skips itself says so")]

mod bench;
mod mutants;
#[cfg(feature = "nats")]
#[path = "../../../nmax-nats/tests/it/server.rs"]
#[allow(dead_code, reason = "its own tests need more of it")]
mod nats;
mod peers;
mod ports;
mod reader;
mod schema;
mod serving;
mod visit;

mod action;
mod advice;
mod agents;
mod browser;
mod calibration;
mod capacity;
mod cases;
mod compare;
mod completion;
mod consent;
mod controls;
mod damaged;
mod data;
mod doctor;
mod endings;
mod examples;
#[cfg(feature = "nats")]
mod fleet;
#[cfg(feature = "nats")]
mod fleet_served;
mod import;
mod inputs;
mod launch;
mod limits;
mod logs;
mod observed;
mod outcomes;
mod pages;
mod planless;
mod plans;
mod prove;
mod readme;
mod record;
mod record_story;
mod reports;
mod results;
mod scale;
mod schemas;
mod secrets;
mod seeds;
mod serve;
mod served;
mod servers;
mod signals;
mod slice;
mod steered;
mod survival;
mod suspects;
mod terminal;
mod trouble;
mod tutorials;
mod undo;
mod usl;
mod wire;
