//! What HTTP has of a run and of each of its users.

use std::collections::HashMap;
use std::sync::Arc;

use nmax_extract::Tagger;
use nmax_extract::resources::Resources;
use nmax_http::{Jar, RequestText, Url};
use nmax_metrics::Catalog;
use nmax_plan::addresses::is_absolute;
use nmax_plan::plan::{Call, Discover, HttpCall, Page, Plan, Scenario};
use nmax_plan::template::Part;

use crate::error::ProgramError;
use crate::http::driver::Drivers;
use crate::http::names;
use crate::http::page::Cache;
use crate::http::prepared::HttpPrepared;
use crate::http::render::BodyBuffer;
use crate::runtime::Runtime;
use crate::user::site::Site;

/// Largest buffer that a user keeps while it thinks.
const BUFFER_KEPT_BYTES_MAX: usize = 4096;

/// HTTP over drivers.
pub struct Http<D: Drivers> {
    /// Makes drivers.
    pub(crate) drivers: D,
    /// What it has of the plan.
    pub(crate) of: HttpPlan,
}

impl<D: Drivers> Http<D> {
    /// For this plan.
    pub fn new(drivers: D, of: HttpPlan) -> Self {
        Self { drivers, of }
    }
}

/// What HTTP has of a plan.
pub struct HttpPlan {
    pub(crate) plan: Arc<Plan>,
    /// Base of relative URLs.
    pub(crate) base: Url,
    /// Whether some URL may be relative to the page before.
    pub(crate) has_references: bool,
    /// Gives resources of pages their tags; `None` in a plan without tags by expression.
    pub(crate) tagger: Option<Tagger>,
    /// Numbers of the transitions between pages, by the numbers of the two.
    pub(crate) transitions: HashMap<(usize, usize), usize>,
}

impl HttpPlan {
    /// With the numbers of `catalog`.
    pub fn new(plan: &Arc<Plan>, catalog: &Catalog) -> Result<Self, ProgramError> {
        let tagger = (!plan.tags.is_empty()).then(|| Tagger::new(&plan.tags)).transpose();
        let tagger = tagger.map_err(|reason| ProgramError::Source { request: "tags".into(), reason })?;
        let pairs = names::transitions(plan, &catalog.pages);
        let base = Url::parse(&plan.target)
            .map_err(|error| ProgramError::Url { url: plan.target.clone(), reason: error.to_string() })?;
        Ok(Self {
            base,
            has_references: plan.scenarios.iter().flat_map(Scenario::calls).any(|call| refers(call)),
            tagger,
            transitions: pairs.into_iter().enumerate().map(|(number, pair)| (pair, number)).collect(),
            plan: Arc::clone(plan),
        })
    }
}

/// Whether the URL of a call, or of what its page lists, may be relative to the page before.
fn refers(call: &Call) -> bool {
    let Some(HttpCall { url, page, .. }) = call.http() else { return false };
    let has_resources = |page: &Page| !page.listed.is_empty() || page.discover != Discover::Nothing;
    !matches!(url.parts.first(), Some(Part::Text(text)) if text.starts_with('/') || is_absolute(text))
        || page.as_ref().is_some_and(has_resources)
}

/// What HTTP has of a virtual user.
pub struct HttpUser<D> {
    pub(crate) driver: D,
    pub(crate) jar: Jar,
    pub(crate) buffers: Buffers,
    /// Where relative references start: the last URL requested.
    pub(crate) page: Option<Url>,
    /// Bytes received for the document of the page under way.
    pub(crate) document_bytes: u64,
    /// What the document of the page under way names, when it was parsed anyway.
    pub(crate) named: Option<Resources>,
    /// What its browser remembers of resources; none before the first page.
    pub(crate) cache: Option<Box<Cache>>,
}

/// Reused by every exchange.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) target: Vec<u8>,
    pub(crate) body: BodyBuffer,
    pub(crate) request: RequestText,
    /// Number of the next request, which tells the spans of a trace apart.
    pub(crate) spans: u64,
}

impl Buffers {
    /// Gives large ones back: a user who thinks is not to hold what the last request took.
    pub(crate) fn release(&mut self) {
        for buffer in [&mut self.target, &mut self.body.bytes] {
            if buffer.capacity() > BUFFER_KEPT_BYTES_MAX {
                *buffer = Vec::new();
            }
        }
        self.request.release(BUFFER_KEPT_BYTES_MAX);
    }
}

/// A call under way: what it may use of its worker and user, and what HTTP has of both.
pub(crate) struct Work<'a, R: Runtime, D: Drivers> {
    pub(crate) site: Site<'a, R>,
    pub(crate) user: &'a mut HttpUser<D::Driver>,
    pub(crate) http: &'a Http<D>,
    pub(crate) prepared: &'a HttpPrepared,
}
