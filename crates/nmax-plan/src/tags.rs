//! Tags that requests get by a regular expression: `images: '/images/|\.(png|jpg)$'` makes each request `images` or
//! `not images`.
//!
//! What an expression is matched with is decided here; whether it matches is asked of the caller, who has an engine for
//! them. What a page brings along is only known while it is fetched, so such a resource carries its tags in its name.

use crate::plan::{Plan, Scenario};

/// A tag and its expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRule {
    /// The tag.
    pub name: String,
    /// Expression on method and path, with and without the query, and on the name.
    pub pattern: String,
}

impl TagRule {
    /// The tag of requests that it does not match.
    pub fn inverse(&self) -> String {
        format!("{NOT}{}", self.name)
    }
}

/// In front of a tag that a request does not have.
pub(crate) const NOT: &str = "not ";
/// Between the name of a resource and its tags.
const OPEN: &str = " [";
/// Between tags.
const COMMA: &str = ", ";

/// Gives every request of a plan its tags, or their inverse. Doing it twice does it once. O(requests · rules).
pub fn tag_requests(plan: &mut Plan, is_match: &dyn Fn(&TagRule, &str) -> bool) {
    if plan.tags.is_empty() {
        return;
    }
    let rules = plan.tags.clone();
    let given: Vec<Vec<String>> = planned(plan).map(|texts| given(&rules, &texts, is_match)).collect();
    // Both walks are in the order of the document.
    let mut given = given.into_iter();
    for scenario in &mut plan.scenarios {
        scenario.change_calls(&mut |request| {
            for tag in given.next().unwrap_or_default() {
                if !request.tags.contains(&tag) {
                    request.tags.push(tag);
                }
            }
        });
    }
}

/// The texts of each request that expressions are matched with.
fn planned(plan: &Plan) -> impl Iterator<Item = Vec<String>> {
    let of = move |scenario: &Scenario| {
        let labels = plan.labels(scenario);
        let texts = scenario.calls().map(|request| {
            let (method, url) = request.method_and_url();
            texts(method, &url.display(labels), &request.name.display(labels))
        });
        texts.collect::<Vec<_>>()
    };
    plan.scenarios.iter().flat_map(of)
}

/// Method and URL, the same without its query, and the name.
fn texts(method: &str, url: &str, name: &str) -> Vec<String> {
    let path = &url[..url.find(['?', '#']).unwrap_or(url.len())];
    vec![format!("{method} {url}"), format!("{method} {path}"), name.to_owned()]
}

/// The tags of something with these texts.
fn given(rules: &[TagRule], texts: &[String], is_match: &dyn Fn(&TagRule, &str) -> bool) -> Vec<String> {
    let tag = |rule: &TagRule| match texts.iter().any(|text| is_match(rule, text)) {
        true => rule.name.clone(),
        false => rule.inverse(),
    };
    rules.iter().map(tag).collect()
}

/// The name of a resource of a page, with its tags: `home image [images]`.
pub fn resource_name(rules: &[TagRule], name: &str, url: &str, is_match: &dyn Fn(&TagRule, &str) -> bool) -> String {
    let mut all = texts("GET", url, name);
    // A request of the plan is matched by its path, so what is on another host is too.
    let target = nmax_text::url::split(url);
    if !target.scheme.is_empty() {
        all.extend(texts("GET", target.path_and_query, name));
    }
    let is_tagged = |rule: &&TagRule| all.iter().any(|text| is_match(rule, text));
    let tags: Vec<&str> = rules.iter().filter(is_tagged).map(|rule| rule.name.as_str()).collect();
    if tags.is_empty() {
        return name.to_owned();
    }
    format!("{name}{OPEN}{}]", tags.join(COMMA))
}

/// The name of a resource without its tags, and its tags and the inverse of those that it has not; of a redirect of it, the
/// name of the resource.
pub fn resource_tags<'a>(plan: &Plan, name: &'a str) -> (&'a str, Vec<String>) {
    if plan.tags.is_empty() {
        return (name, Vec::new());
    }
    let step = name.rsplit_once(" +").filter(|(_, hop)| is_number(hop)).map(|(step, _)| step);
    let whole = step.unwrap_or(name);
    let parts = whole.strip_suffix(']').and_then(|text| text.rsplit_once(OPEN));
    let (bare, found) = parts.unwrap_or((whole, ""));
    let found: Vec<&str> = found.split(COMMA).collect();
    let tag = |rule: &TagRule| match found.contains(&rule.name.as_str()) {
        true => rule.name.clone(),
        false => rule.inverse(),
    };
    (bare, plan.tags.iter().map(tag).collect())
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests;
