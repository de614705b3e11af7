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
pub(crate) struct Source {
    pub(crate) kind: usize,
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) rows: usize,
    /// Zipf's exponent; `None` = all rows are equally likely.
    pub(crate) exponent: Option<f64>,
}

/// Addresses of all types, made when they are asked for.
#[derive(Debug)]
pub(crate) struct Items<'a> {
    profile: &'a Profile,
    plan: &'a str,
    pub(crate) sources: Vec<Source>,
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
        Self {
            profile,
            plan,
            sources: Vec::new(),
            files: Vec::new(),
            warnings: Vec::new(),
        }
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
        let taken: Vec<String> = self
            .sources
            .iter()
            .map(|source| source.name.clone())
            .chain(TAKEN.map(str::to_owned))
            .collect();
        let name = unused(&taken, short_name(request).replace('-', "_")).replace('-', "_");
        let file = format!("{}.{name}.csv", self.plan);
        let counts: Vec<f64> = targets.iter().map(|(_, count)| *count as f64).collect();
        let exponent = request
            .popularity
            .exponent
            .or_else(|| zipf_over(&counts).map(|(s, _)| s));
        self.sources.push(Source {
            kind,
            name: name.clone(),
            file: file.clone(),
            rows: targets.len(),
            exponent: exponent.filter(|s| *s > FLAT),
        });
        let rows = targets.iter().map(|(target, _)| cell(target));
        let text = std::iter::once("path".to_owned())
            .chain(rows)
            .fold(String::new(), |text, row| text + &row + "\n");
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

    /// Targets of the resources that most views of a page fetch.
    pub(crate) fn resources(&self, kind: usize) -> Vec<String> {
        let page = &self.profile.types[kind];
        let views = page.steps.max(1) as f64;
        let often = page
            .resources
            .iter()
            .filter(|attached| attached.count as f64 >= RESOURCE_SHARE_MIN * views);
        let targets = often.filter_map(|attached| {
            let resource = self.profile.types.get(attached.request)?;
            let is_fetched = resource.method == "GET" && resource.template != OTHER;
            let (target, _) = sendable(resource).next().filter(|_| is_fetched)?;
            Some(here(target))
        });
        targets.take(RESOURCES_MAX).collect()
    }

    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    pub(crate) fn into_files(self) -> Vec<File> {
        self.files
    }
}

fn sendable(request: &RequestType) -> impl Iterator<Item = (&str, u64)> {
    let items = request
        .popularity
        .top
        .iter()
        .map(|item| (item.text.as_str(), item.count));
    items.filter(|(target, _)| is_sendable(target))
}

/// A cell of a CSV file (RFC 4180).
fn cell(text: &str) -> String {
    if text.contains(['"', ',', ';']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
