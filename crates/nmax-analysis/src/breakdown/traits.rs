//! What is known of a request name from the plan: method, path template and tags.

use nmax_metrics::{Catalog, NameId};
use nmax_plan::plan::{Call, Plan, Scenario};
use nmax_plan::tags::resource_tags;
use nmax_plan::template::Part;
use nmax_text::url::split;

/// Of exchanges whose method is not one for all.
const SEVERAL: &str = "(several)";

/// What exchanges of a name have in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traits {
    /// Method.
    pub method: String,
    /// Path with its holes.
    pub template: String,
    /// Tags that all its requests have.
    pub tags: Vec<String>,
    /// Tags that only some of its requests have.
    pub(crate) torn: Vec<String>,
    /// It came with a page, and is no step of the plan.
    pub(crate) is_resource: bool,
}

/// The traits of every request name, by [`NameId`]. O(names · requests).
pub fn traits(plan: &Plan, catalog: &Catalog) -> Vec<Traits> {
    let planned: Vec<Planned> = planned(plan);
    let names = catalog.requests.list().iter().enumerate();
    names.map(|(index, name)| of_name(plan, catalog, &planned, name, NameId(index as u32))).collect()
}

/// A request of the plan.
struct Planned<'a> {
    request: &'a Call,
    template: String,
}

fn planned(plan: &Plan) -> Vec<Planned<'_>> {
    let requests = |scenario| Scenario::calls(scenario).map(move |request| (scenario, request));
    let planned = plan.scenarios.iter().flat_map(requests);
    let template =
        |scenario, request: &Call| split(&request.method_and_url().1.display(plan.labels(scenario))).path.to_owned();
    planned
        .map(|(scenario, request)| Planned { request, template: plan.redactor.url(&template(scenario, request)) })
        .collect()
}

fn of_name(plan: &Plan, catalog: &Catalog, planned: &[Planned], name: &str, id: NameId) -> Traits {
    let mut own: Vec<&Planned> = named(planned, name);
    let mut is_redirect = false;
    if own.is_empty()
        && let Some((step, hop)) = name.rsplit_once(" +")
        && hop.bytes().all(|byte| byte.is_ascii_digit())
    {
        own = named(planned, step);
        is_redirect = !own.is_empty();
    }
    if own.is_empty() {
        return of_resource(plan, catalog, name, id);
    }
    let mut traits = Traits {
        method: common(own.iter().map(|one| one.request.method_and_url().0)),
        template: common(own.iter().map(|one| one.template.as_str())),
        ..Traits::default()
    };
    if is_redirect {
        // Where a reply leads is not in the plan.
        traits.template = "(redirect)".to_owned();
        if !matches!(traits.method.as_str(), "GET" | "HEAD") {
            traits.method = SEVERAL.to_owned();
        }
    }
    let mut all: Vec<&String> = own.iter().flat_map(|one| &one.request.tags).collect();
    all.sort_unstable();
    all.dedup();
    for tag in all {
        let is_of_all = own.iter().all(|one| one.request.tags.contains(tag));
        let list = if is_of_all { &mut traits.tags } else { &mut traits.torn };
        list.push(tag.clone());
    }
    traits
}

/// Requests that are measured under this name.
fn named<'a, 'p>(planned: &'a [Planned<'p>], name: &str) -> Vec<&'a Planned<'p>> {
    planned.iter().filter(|one| fits(&one.request.name.parts, name)).collect()
}

/// Whether a template may have become this text. Holes take any text.
fn fits(parts: &[Part], text: &str) -> bool {
    let mut rest = text;
    let mut is_open = false;
    for (index, part) in parts.iter().enumerate() {
        let Part::Text(piece) = part else {
            is_open = true;
            continue;
        };
        let is_last = index + 1 == parts.len();
        let at = match (is_open, is_last) {
            (false, _) => rest.starts_with(piece.as_str()).then_some(0),
            (true, true) => rest.ends_with(piece.as_str()).then(|| rest.len() - piece.len()),
            (true, false) => rest.find(piece.as_str()),
        };
        let Some(at) = at else { return false };
        rest = &rest[at + piece.len()..];
        is_open = false;
    }
    is_open || rest.is_empty()
}

/// The text that all have, or that they differ.
fn common<'a>(mut texts: impl Iterator<Item = &'a str>) -> String {
    let first = texts.next().unwrap_or_default();
    if texts.all(|text| text == first) { first.to_owned() } else { SEVERAL.to_owned() }
}

/// What a page brings along, named `PAGE image`, or `GET /a.png` where the plan lists it; and the name of all names beyond
/// the cap.
fn of_resource(plan: &Plan, catalog: &Catalog, name: &str, id: NameId) -> Traits {
    if catalog.requests.find(name) == Some(id) && name == nmax_metrics::names::OTHER {
        return Traits { method: SEVERAL.to_owned(), template: SEVERAL.to_owned(), ..Traits::default() };
    }
    let (bare, tags) = resource_tags(plan, name);
    let step = bare.rsplit_once(" +").filter(|(_, hop)| hop.bytes().all(|byte| byte.is_ascii_digit()));
    let bare = step.map_or(bare, |(step, _)| step);
    let of_page = catalog
        .pages
        .iter()
        .filter_map(|page| bare.strip_prefix(page.as_str())?.strip_prefix(' '))
        .min_by_key(|kind| kind.len());
    let template = match (of_page, bare.strip_prefix("GET ")) {
        (Some(kind), _) => format!("({kind} of a page)"),
        (None, Some(reference)) => split(reference).path.to_owned(),
        (None, None) => SEVERAL.to_owned(),
    };
    Traits {
        method: if template == SEVERAL { SEVERAL } else { "GET" }.to_owned(),
        template,
        tags,
        torn: Vec::new(),
        is_resource: true,
    }
}
