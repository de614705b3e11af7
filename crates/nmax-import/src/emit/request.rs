//! One request as a step of the plan.

use nmax_plan::document::write::{Yaml, source};
use nmax_plan::plan::MatchPick;

use super::body::{self, Scope};
use super::fill::literal;
use super::headers::{self, Author};
use super::scenario::Writing;
use super::url;
use crate::correlate::Correlation;
use crate::journey::template_path;
use crate::parts::split;

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
        let recording = self.analysed.recording;
        let request = &recording.entries[shape.entry].request;
        let method = request.method.to_ascii_lowercase();
        let (url, query) = url::url(self, shape.entry, request);
        let own = format!("{} {}", request.method, url.split('?').next().unwrap_or_default());
        let name = shape.name.map_or_else(|| self.named(shape.entry), str::to_owned);
        let name: String = name.chars().filter(|c| !c.is_control()).take(120).collect();
        let mut map = vec![(method, Yaml::text(url))];
        if own != literal(&name) {
            map.push(("name".to_owned(), Yaml::text(literal(&name))));
        }
        map.extend(query.map(|query| ("query".to_owned(), query)));
        let secrets = self.shared.secrets;
        let is_secret = |bytes: &[u8]| secrets.is_in(bytes);
        let written = body::body(
            request,
            &mut Scope {
                entry: shape.entry,
                changes: &self.changes,
                files: self.files,
                bytes_max: self.shared.body_bytes_max,
                is_secret: &is_secret,
                has_files: recording.is_command,
                warnings: &mut self.made.warnings,
            },
        );
        let headers = self.headers(shape.entry, written.as_ref().and_then(|written| written.implied));
        if !headers.is_empty() {
            map.push(("headers".to_owned(), body::pairs(headers)));
        }
        map.extend(written.map(|written| (written.key.to_owned(), written.yaml)));
        if shape.last != shape.entry || recording.entries[shape.entry].is_to_follow {
            map.push(("redirects".to_owned(), Yaml::plain("follow")));
        }
        map.extend(self.expect(shape).map(|expect| ("expect".to_owned(), expect)));
        map.extend(self.extract(shape).map(|extract| ("extract".to_owned(), extract)));
        map.extend(self.page(shape));
        (Yaml::Map(map), name)
    }

    /// Headers of a request; what is to be said of them is noted.
    fn headers(&mut self, entry: usize, implied: Option<&str>) -> Vec<(String, Yaml)> {
        let recording = self.analysed.recording;
        let request = &recording.entries[entry].request;
        let mut headers = Vec::new();
        if let Some(host) = headers::host(request).filter(|host| !self.shared.secrets.is_secret(host)) {
            headers.push(("host".to_owned(), Yaml::text(literal(host))));
            let note = format!(
                "requests name the host `{host}` in place of that in their URL, and the plan sends the same header `host`"
            );
            self.warn(note);
        }
        let own = headers::own(
            entry,
            request,
            (&self.changes, self.shared.target),
            (&self.shared.profile, Author::from_recording(recording)),
            implied,
        );
        headers.extend(own.headers);
        if recording.is_command {
            headers.extend(headers::cookies(entry, request, &self.changes));
        }
        self.unsendable.extend(own.unsendable);
        own.notes.into_iter().for_each(|note| self.warn(note));
        headers
    }

    pub(super) fn warn(&mut self, warning: String) {
        if !self.made.warnings.contains(&warning) {
            self.made.warnings.push(warning);
        }
    }

    /// What makes the reply ok.
    fn expect(&self, shape: &Shape<'_>) -> Option<Yaml> {
        let entry = &self.analysed.recording.entries[shape.last];
        let status = match entry.response.as_ref()?.status {
            // A user without a cache gets the whole.
            304 => 200,
            status => status,
        };
        let mut map = vec![("status".to_owned(), Yaml::plain(status))];
        let is_extracted =
            self.analysed.correlations.values.iter().any(|value| value.from == shape.last && reads_body(value));
        if !is_extracted {
            let path = split(&entry.request.url).path;
            let is_varied = template_path(path) != path
                || self.changes.has_any(shape.last)
                || self
                    .analysed
                    .journey
                    .steps
                    .iter()
                    .any(|step| step.last() == shape.last && step.name.contains("{id}"));
            let check = self.personal.check(entry, is_varied).filter(|text| !self.shared.secrets.is_secret(text));
            map.extend(check.map(|text| ("contains".to_owned(), Yaml::text(literal(&text)))));
        }
        Some(Yaml::Map(map).on_one_line())
    }

    /// Values that later requests send back.
    fn extract(&self, shape: &Shape<'_>) -> Option<Yaml> {
        let own = self.analysed.correlations.values.iter().filter(|value| value.from == shape.last);
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
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let text = self.shared.secrets.hide(&format!("goes to {}{more}", places.join(", ")));
        text.replace(['\n', '\r'], " ").chars().take(160).collect()
    }

    /// Name of a request of the journey; a redirect has its own.
    fn named(&self, entry: usize) -> String {
        let mut steps = self.analysed.journey.steps.iter();
        match steps.find(|step| step.entry == entry) {
            Some(step) => step.name.clone(),
            None => {
                let request = &self.analysed.recording.entries[entry].request;
                let name = format!("{} {}", request.method, template_path(split(&request.url).path));
                self.shared.secrets.without(&name)
            }
        }
    }
}

/// Whether an extractor looks at the body, so that another page would not pass.
fn reads_body(value: &Correlation) -> bool {
    use nmax_plan::plan::ReplyPart;
    fn reads(source: &ReplyPart) -> bool {
        match source {
            ReplyPart::Header(_) => false,
            ReplyPart::Part { of, .. } => reads(of),
            _ => true,
        }
    }
    reads(&value.source)
}
