//! One request as a step of the plan.

use nmax_plan::document::write::{Yaml, source};
use nmax_plan::plan::MatchPick;

use super::body::{self, Scope};
use super::fill::{clean, literal};
use super::headers;
use super::scenario::Writing;
use crate::correlate::Correlation;
use crate::journey::template_path;
use crate::kind::kind;
use crate::options::Resources;
use crate::parts::{Place, split};
use crate::recording::{Kind, Request, Skipped};

/// Longest name of a parameter that is written as a key, in bytes.
const KEY_BYTES_MAX: usize = 200;
/// Most parameters that are written one by one.
const PARAMETERS_MAX: usize = 500;
/// Most resources of one page.
const RESOURCES_MAX: usize = nmax_plan::plan::RESOURCES_MAX;

/// What is written as one step.
pub(super) struct Shape<'a> {
    /// The request.
    pub(super) entry: usize,
    /// The entry with the reply that the step ends with.
    pub(super) last: usize,
    /// Its name; `None` for the one that follows from its path.
    pub(super) name: Option<&'a str>,
    /// What comes with the page.
    pub(super) resources: &'a [usize],
    /// It ends with a page.
    pub(super) is_page: bool,
}

impl Writing<'_, '_> {
    /// The step, and the name under which it is measured.
    pub(super) fn request(&mut self, shape: &Shape<'_>) -> (Yaml, String) {
        let recording = self.told.recording;
        let request = &recording.entries[shape.entry].request;
        let method = request.method.to_ascii_lowercase();
        let (url, query) = self.url(shape.entry, request);
        let own = format!("{} {}", request.method, url.split('?').next().unwrap_or_default());
        let name = shape.name.map_or_else(|| self.named(shape.entry), str::to_owned);
        let name: String = name.chars().filter(|c| !c.is_control()).take(120).collect();
        let mut map = vec![(method, Yaml::text(url))];
        if own != literal(&name) {
            map.push(("name".to_owned(), Yaml::text(literal(&name))));
        }
        map.extend(query.map(|query| ("query".to_owned(), query)));
        let secrets = self.shared.secrets;
        let is_secret = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok_and(|text| secrets.is_secret(text));
        let written = body::body(
            request,
            &mut Scope {
                entry: shape.entry,
                changes: &self.changes,
                files: self.files,
                bytes_max: self.shared.body_bytes_max,
                is_secret: &is_secret,
                has_files: recording.is_command,
                warnings: &mut self.warnings,
            },
        );
        let implied = written.as_ref().and_then(|written| written.implied);
        let mut headers = headers::own(
            shape.entry,
            request,
            (&self.changes, self.shared.target),
            &self.shared.profile,
            implied,
        );
        if recording.is_command {
            headers.extend(headers::cookies(shape.entry, request, &self.changes));
        }
        if !headers.is_empty() {
            map.push(("headers".to_owned(), body::pairs(headers)));
        }
        map.extend(written.map(|written| (written.key.to_owned(), written.yaml)));
        if shape.last != shape.entry {
            map.push(("redirects".to_owned(), Yaml::plain("follow")));
        }
        map.extend(self.expect(shape).map(|expect| ("expect".to_owned(), expect)));
        map.extend(self.extract(shape).map(|extract| ("extract".to_owned(), extract)));
        map.extend(self.page(shape));
        (Yaml::Map(map), name)
    }

    /// Path or URL, and the parameters that are written apart.
    fn url(&self, entry: usize, request: &Request) -> (String, Option<Yaml>) {
        let target = split(&request.url);
        let changes = &self.changes;
        if changes.has(entry, &Place::Target) {
            let write = |text: &str| literal(&clean(text));
            return (changes.fill(entry, &Place::Target, target.path_and_query, write), None);
        }
        let segment = |(at, segment): (usize, &str)| {
            let place = Place::Segment(at);
            match crate::parts::percent_decode(segment).filter(|_| changes.has(entry, &place)) {
                Some(value) => changes.encoded(entry, &place, &value),
                None => literal(&clean(segment)),
            }
        };
        let path: Vec<String> = target.segments().enumerate().map(segment).collect();
        let origin = if target.origin == self.shared.target {
            String::new()
        } else {
            literal(&clean(target.origin))
        };
        let mut url = format!("{origin}/{}", path.join("/"));
        if target.query.is_none() {
            return (url, None);
        }
        let decoded: Option<Vec<(String, String)>> = target.pairs().map(|pair| pair.decoded()).collect();
        let is_short = |pairs: &Vec<(String, String)>| {
            !pairs.is_empty()
                && pairs.len() <= PARAMETERS_MAX
                && pairs.iter().all(|(name, _)| name.len() <= KEY_BYTES_MAX)
        };
        let mut seen: Vec<String> = Vec::new();
        let mut place = |name: &str| {
            let nth = seen.iter().filter(|known| *known == name).count();
            seen.push(name.to_owned());
            Place::Query(name.to_owned(), nth)
        };
        if let Some(pairs) = decoded.filter(is_short) {
            let pair = |(name, value): (String, String)| {
                let place = place(&name);
                (literal(&name), Yaml::text(changes.text(entry, &place, &value)))
            };
            return (url, Some(body::pairs(pairs.into_iter().map(pair).collect())));
        }
        let pair = |pair: crate::parts::Pair<'_>| {
            let written = match pair.value {
                Some(value) => format!("{}={value}", pair.name),
                None => pair.name.to_owned(),
            };
            let Some((name, value)) = pair.decoded() else {
                return literal(&clean(&written));
            };
            let place = place(&name);
            if changes.has(entry, &place) {
                format!(
                    "{}={}",
                    literal(&clean(pair.name)),
                    changes.encoded(entry, &place, &value)
                )
            } else {
                literal(&clean(&written))
            }
        };
        let pairs: Vec<String> = target.pairs().map(pair).collect();
        url.push('?');
        url.push_str(&pairs.join("&"));
        (url, None)
    }

    /// What makes the reply ok.
    fn expect(&self, shape: &Shape<'_>) -> Option<Yaml> {
        let entry = &self.told.recording.entries[shape.last];
        let status = match entry.response.as_ref()?.status {
            // A user without a cache gets the whole.
            304 => 200,
            status => status,
        };
        let mut map = vec![("status".to_owned(), Yaml::plain(status))];
        let is_extracted = self
            .told
            .correlations
            .values
            .iter()
            .any(|value| value.from == shape.last && reads_body(value));
        if !is_extracted {
            let path = split(&entry.request.url).path;
            let is_varied = template_path(path) != path
                || self.changes.has_any(shape.last)
                || self
                    .told
                    .journey
                    .steps
                    .iter()
                    .any(|step| step.last() == shape.last && step.name.contains("{id}"));
            let check = self
                .personal
                .check(entry, is_varied)
                .filter(|text| !self.shared.secrets.is_secret(text));
            map.extend(check.map(|text| ("contains".to_owned(), Yaml::text(literal(&text)))));
        }
        Some(Yaml::Map(map).on_one_line())
    }

    /// Values that later requests send back.
    fn extract(&self, shape: &Shape<'_>) -> Option<Yaml> {
        let own = self
            .told
            .correlations
            .values
            .iter()
            .filter(|value| value.from == shape.last);
        let map: Vec<(String, Yaml)> = own.map(|value| (value.name.clone(), self.extractor(value))).collect();
        (!map.is_empty()).then_some(Yaml::Map(map))
    }

    fn extractor(&self, value: &Correlation) -> Yaml {
        let mut map: Vec<(String, Yaml)> = source(&value.source).collect();
        match value.pick {
            MatchPick::First => {}
            MatchPick::Last => map.push(("pick".to_owned(), Yaml::plain("last"))),
            MatchPick::Random => map.push(("pick".to_owned(), Yaml::plain("random"))),
            MatchPick::Nth(number) => map.push(("pick".to_owned(), Yaml::plain(number))),
        }
        Yaml::Map(map).on_one_line().with_note(self.goes_to(value))
    }

    /// Where a value is sent, in words.
    fn goes_to(&self, value: &Correlation) -> String {
        const NAMED_MAX: usize = 2;
        let mut places: Vec<String> = Vec::new();
        for (at, _) in &value.uses {
            let request = self.named(at.entry);
            let place = format!("{request} ({})", crate::parameters::place_in_words(&at.place));
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let more = places.len().saturating_sub(NAMED_MAX);
        places.truncate(NAMED_MAX);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let text = self
            .shared
            .secrets
            .hide(&format!("goes to {}{more}", places.join(", ")));
        text.replace(['\n', '\r'], " ").chars().take(160).collect()
    }

    /// Name of a request of the journey; a redirect has its own.
    fn named(&self, entry: usize) -> String {
        let mut steps = self.told.journey.steps.iter();
        match steps.find(|step| step.entry == entry) {
            Some(step) => step.name.clone(),
            None => {
                let request = &self.told.recording.entries[entry].request;
                format!("{} {}", request.method, template_path(split(&request.url).path))
            }
        }
    }

    /// `page` and `resources`.
    fn page(&mut self, shape: &Shape<'_>) -> Option<(String, Yaml)> {
        let is_page = shape.is_page && super::checks::is_page(&self.told.recording.entries[shape.last]);
        let listed = self.listed(shape);
        self.resources += listed.len();
        match self.shared.options.resources {
            Resources::Parsed if is_page => {
                let mut map = vec![("discover".to_owned(), Yaml::plain("same-origin"))];
                if listed.is_empty() {
                    return Some(("resources".to_owned(), Yaml::plain("discover")));
                }
                map.push(("list".to_owned(), Yaml::List(listed)));
                Some(("resources".to_owned(), Yaml::Map(map)))
            }
            _ if listed.is_empty() => is_page.then(|| ("page".to_owned(), Yaml::plain(true))),
            _ => Some(("resources".to_owned(), Yaml::List(listed))),
        }
    }

    /// Resources of the recording, each once.
    fn listed(&mut self, shape: &Shape<'_>) -> Vec<Yaml> {
        let mut urls: Vec<String> = Vec::new();
        for &index in shape.resources {
            let entry = &self.told.recording.entries[index];
            let mut skip = |reason: &str| {
                self.skipped.push(Skipped {
                    number: entry.number,
                    url: entry.request.url.clone(),
                    reason: reason.to_owned(),
                });
            };
            match self.shared.options.resources {
                Resources::None => {
                    skip("resources are switched off");
                    continue;
                }
                // What a script asked for is in no document.
                Resources::Parsed if !matches!(kind(entry), Kind::Call | Kind::Other) => {
                    skip("found in the page again when it runs");
                    continue;
                }
                _ => {}
            }
            let status = entry.response.as_ref().map_or(0, |response| response.status);
            if status >= 400 {
                skip(&format!("a resource that the server did not have: status {status}"));
                continue;
            }
            if self.shared.secrets.is_secret(&entry.request.url) {
                skip("a resource with a secret in its URL");
                continue;
            }
            let target = split(&entry.request.url);
            let slash = if target.path_and_query.starts_with('/') {
                ""
            } else {
                "/"
            };
            let origin = if target.origin == self.shared.target {
                ""
            } else {
                target.origin
            };
            let url = literal(&clean(&format!("{origin}{slash}{}", target.path_and_query)));
            if urls.len() < RESOURCES_MAX && !urls.contains(&url) {
                urls.push(url);
            }
        }
        urls.into_iter().map(Yaml::text).collect()
    }
}

/// Whether an extractor looks at the body, so that another page would not pass.
fn reads_body(value: &Correlation) -> bool {
    use nmax_plan::plan::Source;
    fn reads(source: &Source) -> bool {
        match source {
            Source::Header(_) => false,
            Source::Part { of, .. } => reads(of),
            _ => true,
        }
    }
    reads(&value.source)
}
