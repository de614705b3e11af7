//! What the plan says of a request by its name: method and server, as OpenTelemetry's conventions want them.

use std::collections::HashMap;

use nmax_metrics::names::OTHER;
use nmax_plan::addresses::is_absolute;
use nmax_plan::plan::{Call, Plan};
use nmax_text::url::split;

/// A method that is not known, by the convention.
const UNKNOWN: &str = "_OTHER";

/// Requests of a plan by name.
pub(crate) struct Requests {
    known: HashMap<String, About>,
    /// Names of pages: what is fetched along with one is named after it.
    pages: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct About {
    method: &'static str,
    /// Host and port; `None` where only replies tell.
    server: Option<(String, String)>,
}

impl Requests {
    pub(crate) fn new(plan: &Plan) -> Self {
        let (mut known, mut pages): (HashMap<String, About>, _) = (HashMap::new(), Vec::new());
        for scenario in plan.all_scenarios() {
            for call in scenario.calls() {
                let name = call.name.display(plan.labels(scenario));
                let about = about(plan, call);
                pages.extend(call.page().map(|_| format!("{name} ")));
                let of_name = known.entry(name).or_insert_with(|| about.clone());
                if of_name.method != about.method {
                    of_name.method = UNKNOWN;
                }
                if of_name.server != about.server {
                    of_name.server = None;
                }
            }
        }
        Self { known, pages }
    }

    /// Attributes of the request of this name.
    pub(crate) fn attributes(&self, name: &str) -> Vec<(&'static str, String)> {
        let found = self.known.get(name).filter(|_| name != OTHER);
        let resource =
            || self.pages.iter().filter_map(|page| name.strip_prefix(page)).any(|kind| !kind.starts_with('+'));
        let method = found.map_or_else(|| if resource() { "GET" } else { UNKNOWN }, |about| about.method);
        let mut attributes = vec![("http.request.method", method.to_owned())];
        if let Some((host, port)) = found.and_then(|about| about.server.as_ref()) {
            attributes.extend([("server.address", host.clone()), ("server.port", port.clone())]);
        }
        attributes
    }
}

fn about(plan: &Plan, call: &Call) -> About {
    let (method, url) = call.method_and_url();
    let url = match url.as_constant() {
        Some(url) if is_absolute(url) => Some(url),
        Some(_) => Some(plan.target.as_str()),
        // A path with holes is the target's; what begins with a hole may lead anywhere.
        None => match url.parts.first() {
            Some(nmax_plan::template::Part::Text(text)) if !is_absolute(text) => Some(plan.target.as_str()),
            _ => None,
        },
    };
    About { method, server: url.map(server) }
}

/// Host, without brackets, and port.
fn server(url: &str) -> (String, String) {
    let url = split(url);
    let usual = if url.scheme.eq_ignore_ascii_case("https") { "443" } else { "80" };
    let port = url.place[url.host.len()..].strip_prefix(':').unwrap_or(usual);
    (url.host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase(), port.to_owned())
}

#[cfg(test)]
mod tests {
    use nmax_testkit::plans::requests;

    use super::*;

    #[test]
    fn a_name_has_its_method_and_server() {
        let steps = "[{ get: /a }, { post: 'https://api.test/b', name: pay }, { get: /c, name: both },
            { put: 'http://[::1]:81/c', name: both }, { get: '/item/${iteration}' }, { get: /, name: home, page: true }]";
        let known = Requests::new(&requests("http://Shop.test:8080", steps, "workload: { closed: { vus: 1 } }"));
        let cases = [
            ("GET /a", "GET shop.test 8080"),
            ("pay", "POST api.test 443"),
            ("both", "_OTHER"),
            ("GET /item/${iteration}", "GET shop.test 8080"),
            ("home", "GET shop.test 8080"),
            ("home image", "GET"),
            ("home +1", "_OTHER"),
            ("other", "_OTHER"),
        ];
        for (name, want) in cases {
            let found: Vec<String> = known.attributes(name).into_iter().map(|(_, value)| value).collect();
            assert_eq!(found.join(" "), want, "{name}");
        }
    }
}
