//! One request of a plan made ready: files found, rendered once when nothing in it varies.

use std::sync::Arc;

use nmax_http::KeepBody;
use nmax_metrics::Group;
use nmax_plan::choice::Choice;
use nmax_plan::plan::{Body, CallKind, Discover, FormPart, HttpCall, PartContent, Plan, Scenario};
use nmax_plan::template::Template;

use crate::error::ProgramError;
use crate::http::names::chain_name;
use crate::http::prepared::HttpPrepared;
use crate::http::render;
use crate::http::state::HttpPlan;
use crate::program::prepare::{KEPT_BODY_MAX, Maker, Prepare, Prepared, call_name, named};
use crate::run::settings::BodyFile;

impl Prepare for HttpPlan {
    type Prepared = HttpPrepared;

    fn prepare(
        &self,
        maker: &Maker<'_>,
        (number, scenario): (usize, &Scenario),
        prepared: &Prepared,
    ) -> Result<HttpPrepared, ProgramError> {
        let (plan, call) = (maker.plan, prepared.call.as_ref());
        let CallKind::Http(request) = &call.what;
        let url = match request.url.as_constant() {
            Some(text) => Some(
                self.base
                    .join(text)
                    .map_err(|error| ProgramError::Url { url: text.to_owned(), reason: error.to_string() })?,
            ),
            None => None,
        };
        let origin = url.as_ref().map_or(&self.base.origin, |url| &url.origin).clone();
        let redirects_max = call.redirects_max(&plan.defaults);
        let transaction = (redirects_max > 0).then(|| chain_name(plan, scenario, call, maker.is_group));
        let page = request.page.as_ref().map(|_| call_name(plan, scenario, call));
        let discovers = request.page.as_ref().is_some_and(|page| page.discover != Discover::Nothing);
        let mut ready = HttpPrepared {
            request: Arc::clone(request),
            page: page.and_then(|name| (maker.number)(Group::Page, &name)),
            fixed: None,
            authority: origin.authority(),
            origin,
            keep_body: if discovers || prepared.reads_body() {
                KeepBody::UpTo(KEPT_BODY_MAX)
            } else {
                KeepBody::Discard
            },
            discovers,
            files: body_files(maker, prepared)?,
            boundary: match &request.body {
                Body::Multipart(_) => boundary(plan.seed, number, prepared.step),
                _ => String::new(),
            },
            redirects_max,
            transaction: transaction.and_then(|name| (maker.number)(Group::Transaction, &name)),
        };
        if let Some(url) = url.filter(|_| is_constant(plan, request)) {
            ready.fixed = Some(render::fixed(plan, request, &ready, &url));
        }
        Ok(ready)
    }
}

/// The files of a body, in order.
fn body_files(maker: &Maker<'_>, prepared: &Prepared) -> Result<Vec<Arc<BodyFile>>, ProgramError> {
    let open = |name: &str| {
        maker
            .files
            .get(name)
            .map(Arc::clone)
            .ok_or_else(|| ProgramError::File { request: named(&prepared.call), file: name.to_owned() })
    };
    prepared.call.files().into_iter().map(open).collect()
}

/// What separates the parts of a step's body: 128 bits of its own, so that no content holds it by chance, and always
/// the same, so that a constant body stays constant.
fn boundary(seed: u64, scenario: usize, step: usize) -> String {
    let bits = Choice::new(seed, u64::MAX, scenario as u64, step as u64);
    format!("nmax-{:016x}{:016x}", bits.u64(0), bits.u64(1))
}

/// Every template of what is sent, defaults included.
fn templates<'a>(plan: &'a Plan, request: &'a HttpCall) -> impl Iterator<Item = &'a Template> {
    let pairs = |pairs: &'a [(Template, Template)]| pairs.iter().flat_map(|(name, value)| [name, value]);
    let body: Vec<&Template> = match &request.body {
        Body::Empty => Vec::new(),
        Body::Text(text) | Body::Json(text) => vec![text],
        Body::Form(fields) => pairs(fields).collect(),
        Body::Multipart(parts) => parts.iter().flat_map(part_templates).collect(),
        Body::File(_) => Vec::new(),
    };
    let headers = plan.defaults.headers.iter().chain(&request.headers).map(|(_, value)| value);
    std::iter::once(&request.url).chain(pairs(&request.query)).chain(headers).chain(body)
}

fn part_templates(part: &FormPart) -> impl Iterator<Item = &Template> {
    let text = match &part.content {
        PartContent::Text(text) => Some(text),
        PartContent::File(_) => None,
    };
    std::iter::once(&part.name).chain(&part.file_name).chain(text)
}

fn is_constant(plan: &Plan, request: &HttpCall) -> bool {
    templates(plan, request).all(|template| template.as_constant().is_some())
}
