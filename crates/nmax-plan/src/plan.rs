//! The plan: scenarios, workload and limits, validated and resolved. Later code never meets an invalid value.

use std::time::Duration;

use crate::schedule::Stage;
use crate::threshold::Threshold;

mod data;
mod http;
mod reply;
mod scenario;

pub use data::{AtEnd, Feeder, Pick};
pub use http::{
    BODY_LIMIT_DEFAULT, ClientCertificate, Coding, Connection, Cookies, Defaults, Dns, Family, HostOverride,
    PhaseTimeouts, REDIRECTS_DEFAULT, REDIRECTS_MAX, TIMEOUT_DEFAULT, Version, Visitor,
};
pub use reply::{Check, Expect, Extract, MatchPick, Source, Test};
pub use scenario::{Body, FormPart, Method, PartContent, Request, Scenario, Step, ThinkTime};

/// A validated plan. Built by [`crate::document::parse`] or [`Plan::for_url`].
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Short name, for directories and headings.
    pub name: String,
    /// Base URL (scheme, host, port) to which relative paths are appended.
    pub target: String,
    /// What holds for every request unless a step says otherwise.
    pub defaults: Defaults,
    /// Addresses given to host names in place of what the resolver says.
    pub hosts: Vec<HostOverride>,
    /// Data sources, in the order of the document; [`crate::template::Part::Feeder`] indexes them.
    pub feeders: Vec<Feeder>,
    /// Scenarios, in the order of the document.
    pub scenarios: Vec<Scenario>,
    /// How iterations start.
    pub workload: Workload,
    /// The run's shape: absolute levels (iterations per second or VUs), one after the other, warm-up included.
    pub stages: Vec<Stage>,
    /// Stop after that many iterations.
    pub iterations: Option<u64>,
    /// How long exchanges may go on after the last start, before they are censored.
    pub graceful_stop: Duration,
    /// Initial value of every choice.
    pub seed: u64,
    /// Conditions on the result, the defaults of the contract included.
    pub thresholds: Vec<Threshold>,
    /// Width of a window of measurements.
    pub window: Duration,
}

impl Plan {
    /// Every file that is read after the plan is known: issuers, client certificate and key, bodies.
    ///
    /// The names are as written in the plan; whoever reads the files resolves them against the plan's folder.
    pub fn files_mut(&mut self) -> Vec<&mut String> {
        let mut files: Vec<&mut String> = self.defaults.ca_files.iter_mut().collect();
        if let Some(client) = &mut self.defaults.client_certificate {
            files.extend([&mut client.certificate_file, &mut client.key_file]);
        }
        for step in self.scenarios.iter_mut().flat_map(|scenario| &mut scenario.steps) {
            let Step::Request(request) = step else { continue };
            match &mut request.body {
                Body::File(file) => files.push(file),
                Body::Multipart(parts) => files.extend(parts.iter_mut().filter_map(|part| match &mut part.content {
                    PartContent::File(file) => Some(file),
                    PartContent::Text(_) => None,
                })),
                Body::Empty | Body::Text(_) | Body::Json(_) | Body::Form(_) => {}
            }
        }
        files
    }
}

/// How iterations start. Levels are in [`Plan::stages`].
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// By schedule, replies or not.
    Open {
        /// Iterations per second at 100 %.
        rate_per_s: f64,
        /// Law of the arrivals.
        arrivals: Arrivals,
        /// Iterations at once; due ones wait beyond it.
        max_in_flight: u32,
    },
    /// A fixed number of VUs, each starting its next iteration when the last is done.
    Closed {
        /// VUs at 100 %.
        vus: u32,
    },
}

/// Law of open arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly spaced.
    Even,
    /// A Poisson process given its total count per stage.
    Poisson,
}
