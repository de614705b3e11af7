//! What the person wants of the plan.

use std::time::Duration;

/// Gap after which a request belongs to something new that the user did.
pub const GAP_DEFAULT: Duration = Duration::from_millis(1000);

/// How recordings become a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Name of the plan and of its files; the first recording's by default.
    pub name: Option<String>,
    /// Hosts that belong to the site beside its own registrable domain; `*.shop.test` means all below it.
    pub hosts: Vec<String>,
    /// Requests that got no reply are requests of the plan too.
    pub without_replies: bool,
    /// What is done with the resources of pages.
    pub resources: Resources,
    /// Where secrets are read from that the plan must send.
    pub secrets: SecretsIn,
    /// The user's pauses.
    pub think: Think,
    /// A request that is sent this long after the last arrival begins something new.
    pub gap: Duration,
    /// How much load the plan puts on.
    pub load: Load,
    /// Key of the placeholders in the evidence: that of the stored recording when there is one.
    pub key: [u8; 32],
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: None,
            hosts: Vec::new(),
            without_replies: false,
            resources: Resources::Recorded,
            secrets: SecretsIn::File,
            think: Think::Recorded,
            gap: GAP_DEFAULT,
            load: Load::Rate { per_s: 1.0 },
            key: [0; 32],
        }
    }
}

/// What is done with the resources of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resources {
    /// Those of the recording are listed.
    Recorded,
    /// The page is parsed at each load, and what it names is fetched.
    Parsed,
    /// None is fetched.
    None,
}

/// Where secrets are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecretsIn {
    /// A CSV file beside the plan that never goes into version control.
    File,
    /// The environment: `-e NAME=VALUE`.
    Env,
}

/// The user's pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Think {
    /// As recorded; a distribution when there are several recordings of the same journey.
    Recorded,
    /// The same everywhere where a pause was recorded; none when it is 0.
    Fixed(Duration),
}

/// How much load the plan puts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    /// So many journeys begin in a second, whatever the target does.
    Rate {
        /// Journeys per second.
        per_s: f64,
    },
    /// So many users, each beginning its next journey when the last one is done.
    Users {
        /// How many.
        vus: u64,
    },
}
