//! What a page loads with it.

use nmax_plan::document::write::Yaml;
use nmax_plan::plan::RESOURCES_MAX;

use super::fill::{clean, literal};
use super::request::Shape;
use super::scenario::Writing;
use super::url;
use crate::correlate::Correlation;
use crate::kind::kind;
use crate::options::Resources;
use crate::parameters::column_name;
use crate::parts::split;
use crate::recording::{Entry, Kind, Skipped};

/// Shortest value in a URL that tells what a page is about, in bytes.
const VALUE_BYTES_MIN: usize = 8;

impl Writing<'_, '_> {
    /// `page` and `resources`.
    pub(super) fn page(&mut self, shape: &Shape<'_>) -> Option<(String, Yaml)> {
        let is_page = shape.is_page && super::checks::is_page(&self.analysed.recording.entries[shape.last]);
        let wanted = self.shared.options.resources;
        let is_varied = is_page && wanted == Resources::Recorded && self.follow_the_page(shape);
        let wanted = if is_varied { Resources::Parsed } else { wanted };
        let listed = self.listed(shape, wanted);
        self.made.resources += listed.len();
        if wanted == Resources::Parsed && is_page {
            let yaml = match listed.is_empty() {
                true => Yaml::plain("discover"),
                false => Yaml::Map(vec![
                    ("discover".to_owned(), Yaml::plain("same-origin")),
                    ("list".to_owned(), Yaml::List(listed)),
                ]),
            };
            let yaml = match is_varied {
                true => yaml.with_note("those of what the page shows this user: they are found in it"),
                false => yaml,
            };
            return Some(("resources".to_owned(), yaml));
        }
        match listed.is_empty() {
            true => is_page.then(|| ("page".to_owned(), Yaml::plain(true))),
            false => Some(("resources".to_owned(), Yaml::List(listed))),
        }
    }

    /// Whether resources of a page have a value in their URLs that is another one for each user: the picture of the item
    /// that the page shows.
    fn follow_the_page(&self, shape: &Shape<'_>) -> bool {
        let values = || {
            let values = self.analysed.correlations.values.iter().map(|value| value.value.as_str());
            values.filter(|value| value.len() >= VALUE_BYTES_MIN)
        };
        shape.resources.iter().any(|&index| {
            let url = &self.analysed.recording.entries[index].request.url;
            values().any(|value| url.contains(value))
        })
    }

    /// Resources of the recording, each once.
    fn listed(&mut self, shape: &Shape<'_>, wanted: Resources) -> Vec<Yaml> {
        let mut urls: Vec<String> = Vec::new();
        for &index in shape.resources {
            let entry = &self.analysed.recording.entries[index];
            let reason = match self.resource(entry, wanted) {
                Err(reason) => reason,
                Ok(url) if urls.contains(&url) => "the page asks for it more than once".to_owned(),
                Ok(_) if urls.len() >= RESOURCES_MAX => "the page has more resources than a step can list".to_owned(),
                Ok(url) => {
                    self.warn_of_value(entry);
                    urls.push(url);
                    continue;
                }
            };
            self.made.skipped.push(Skipped {
                recording: self.analysed.number,
                number: entry.number,
                url: entry.request.url.clone(),
                reason,
            });
        }
        urls.into_iter().map(Yaml::text).collect()
    }

    /// Says when a listed resource asks for what the recorded user saw, while each user sees something else.
    fn warn_of_value(&mut self, entry: &Entry) {
        let target = split(&entry.request.url);
        let pairs: Vec<(String, String)> = target.pairs().filter_map(|pair| pair.decoded()).collect();
        let is_sent = |value: &&Correlation| {
            let is_named = |name: &str| {
                let name = column_name(name);
                value.name == name || value.name.starts_with(&format!("{name}_"))
            };
            let is_in_path = value.value.len() >= VALUE_BYTES_MIN && target.segments().any(|own| own == value.value);
            let mut named = pairs.iter().filter(|(_, own)| *own == value.value);
            is_in_path || named.any(|(name, own)| own.len() >= VALUE_BYTES_MIN || is_named(name))
        };
        let Some(value) = self.analysed.correlations.values.iter().find(is_sent) else {
            return;
        };
        let (url, name) = (target.path_and_query, &value.name);
        let warning = format!(
            "{url} comes with its page as it was recorded, whatever `{name}` is then: if each user must ask for its own, \
             make it a step behind the page, with `${{{name}}}` in it"
        );
        self.warn(self.shared.secrets.hide(&warning));
    }

    /// The URL of a resource, or why it is not listed.
    fn resource(&self, entry: &Entry, wanted: Resources) -> Result<String, String> {
        match wanted {
            Resources::None => return Err("resources are switched off".to_owned()),
            // What a script asked for is in no document.
            Resources::Parsed if !matches!(kind(entry), Kind::Call | Kind::Other) => {
                return Err("found in the page again when it runs".to_owned());
            }
            _ => {}
        }
        let status = entry.response.as_ref().map_or(0, |response| response.status);
        if status >= 400 {
            return Err(format!("a resource that the server did not have: status {status}"));
        }
        if self.shared.secrets.is_secret(&entry.request.url) {
            return Err("a resource with a secret in its URL".to_owned());
        }
        let target = split(&entry.request.url);
        let slash = if target.path_and_query.starts_with('/') { "" } else { "/" };
        let origin = url::origin(self, target.origin, target.path_and_query.starts_with("//"));
        Ok(format!("{origin}{slash}{}", literal(&clean(target.path_and_query))))
    }
}
