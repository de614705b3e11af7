//! Targets of requests: the path itself where there is one, else a data file by popularity.

use super::File;
use crate::traffic::{OTHER, Profile, RequestType, short_name, unused, zipf_over};

/// Least share of the views of a page with which a resource is fetched.
const RESOURCE_SHARE_MIN: f64 = 0.5;
/// Resources of a page.
const RESOURCES_MAX: usize = 30;
/// Exponent below which targets are equally popular.
const FLAT: f64 = 0.02;
/// Words that cannot name a source of data.
const TAKEN: [&str; 6] = ["iteration", "vu", "env", "setup", "state", "target"];

/// What stands in front of a target that begins with two slashes: alone it would name another host.
const TARGET: &str = "${target}";

/// A source of data of the plan.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DataFile {
    pub(crate) kind: usize,
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) rows: usize,
    /// Zipf's exponent; `None` = all rows are equally likely.
    pub(crate) exponent: Option<f64>,
}

/// What a page brings along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fetched<'a> {
    /// Always this.
    Target(&'a str),
    /// One of a type, drawn by popularity.
    Drawn(usize),
}

/// Addresses of all types, made when they are asked for.
#[derive(Debug)]
pub(crate) struct Items<'a> {
    profile: &'a Profile,
    plan: &'a str,
    pub(crate) sources: Vec<DataFile>,
    files: Vec<File>,
    warnings: Vec<String>,
}

/// Whether a text can be sent as the target of a request.
pub(crate) fn is_sendable(target: &str) -> bool {
    target.starts_with('/') && target.bytes().all(|byte| byte.is_ascii_graphic())
}

/// A text in which no hole begins.
pub(crate) fn plain(text: &str) -> String {
    text.replace('$', "$$")
}

/// A target as a template that always goes to the host of the plan.
fn here(target: &str) -> String {
    let front = if target.starts_with("//") { TARGET } else { "" };
    format!("{front}{}", plain(target))
}

impl<'a> Items<'a> {
    pub(crate) fn new(profile: &'a Profile, plan: &'a str) -> Self {
        Self { profile, plan, sources: Vec::new(), files: Vec::new(), warnings: Vec::new() }
    }

    /// Where requests of a type go, as a template: to its only target, or to a row of a source.
    pub(crate) fn address(&mut self, kind: usize) -> String {
        let request = &self.profile.types[kind];
        let targets: Vec<(&str, u64)> = sendable(request).collect();
        if let [(only, _)] = targets.as_slice() {
            return here(only);
        }
        let has_host_like = targets.iter().any(|(target, _)| target.starts_with("//"));
        let hole = |source: &str| format!("{}${{{source}.path}}", if has_host_like { TARGET } else { "" });
        if let Some(source) = self.sources.iter().find(|source| source.kind == kind) {
            return hole(&source.name);
        }
        let taken: Vec<String> =
            self.sources.iter().map(|source| source.name.clone()).chain(TAKEN.map(str::to_owned)).collect();
        let name = unused(&taken, short_name(request).replace('-', "_"), '_');
        let file = format!("{}.{name}.csv", self.plan);
        let counts: Vec<f64> = targets.iter().map(|(_, count)| *count as f64).collect();
        let exponent = request.popularity.exponent.or_else(|| zipf_over(&counts).map(|(s, _)| s));
        self.sources.push(DataFile {
            kind,
            name: name.clone(),
            file: file.clone(),
            rows: targets.len(),
            exponent: exponent.filter(|s| *s > FLAT),
        });
        let rows = targets.iter().map(|(target, _)| cell(target));
        let text = std::iter::once("path".to_owned()).chain(rows).fold(String::new(), |text, row| text + &row + "\n");
        self.files.push(File { name: file, text });
        let distinct = request.popularity.distinct;
        if distinct > 2 * targets.len() as u64 {
            self.warnings.push(format!(
                "`{}` has about {distinct} targets, of which the {} most popular are sent: caches will look better than \
                 they are",
                request.name,
                targets.len()
            ));
        }
        hole(&name)
    }

    /// What a browser fetches with a page, as templates.
    pub(crate) fn resources(&mut self, kind: usize) -> Vec<String> {
        let fetched = self.fetched(kind);
        let template = |one: Fetched| match one {
            Fetched::Target(target) => here(target),
            Fetched::Drawn(kind) => self.address(kind),
        };
        fetched.into_iter().map(template).collect()
    }

    /// How many that are.
    pub(crate) fn resource_count(&self, kind: usize) -> usize {
        self.fetched(kind).len()
    }

    /// What comes with the views of a page: targets that most of them fetch. Where views fetch more of a type than those,
    /// as a picture of what they are about, one is drawn, and the next most popular ones are the rest.
    fn fetched(&self, kind: usize) -> Vec<Fetched<'a>> {
        let page = &self.profile.types[kind];
        let views = page.steps.max(1) as f64;
        let mut fetched = Vec::new();
        for attached in &page.resources {
            let Some(resource) = self.profile.types.get(attached.request) else {
                continue;
            };
            let per_view = attached.count as f64 / views;
            if per_view < RESOURCE_SHARE_MIN || resource.method != "GET" || resource.template == OTHER {
                continue;
            }
            // A target is taken to come with this page as often as its type does.
            let share = per_view / resource.popularity.count.max(1) as f64;
            let mut rest = per_view;
            let mut targets = sendable(resource).peekable();
            while let Some((target, count)) = targets.next_if(|(_, count)| *count as f64 * share >= RESOURCE_SHARE_MIN)
            {
                fetched.push(Fetched::Target(target));
                rest -= (count as f64 * share).min(1.0);
            }
            let (more, left) = (rest.round() as usize, sendable(resource).count());
            if more > 0 && targets.peek().is_some() {
                fetched.push(if left > 1 {
                    Fetched::Drawn(attached.request)
                } else {
                    Fetched::Target(targets.next().map_or("/", |(target, _)| target))
                });
                fetched.extend(targets.take(more - 1).map(|(target, _)| Fetched::Target(target)));
            }
        }
        fetched.truncate(RESOURCES_MAX);
        fetched
    }

    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    pub(crate) fn into_files(self) -> Vec<File> {
        self.files
    }
}

fn sendable(request: &RequestType) -> impl Iterator<Item = (&str, u64)> {
    let items = request.popularity.top.iter().map(|item| (item.text.as_str(), item.count));
    items.filter(|(target, _)| is_sendable(target))
}

/// A cell of a CSV file (RFC 4180).
fn cell(text: &str) -> String {
    if text.contains(['"', ',', ';']) { nmax_text::csv::in_quotes(text) } else { text.to_owned() }
}
