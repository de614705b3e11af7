//! Which metrics of well-known exporters and libraries are which figures of the vocabulary.
//!
//! A table, and no code that knows one of them. Rates whose counter is in seconds are means over time: seconds of waiting
//! per second are the mean number that wait.
//!
//! # Layout
//! - this file: what a row says, and the groups of rows
//! - `hosts`, `programs`, `services`: the rows

/// Tables of resources: what each belongs to and is called; its figures, and how they are made.
macro_rules! conventions {
    ($($(#[$doc:meta])* $table:ident { $($about:ident $name:expr => { $($figure:ident = $made:expr;)+ })+ })+) => { $(
        $(#[$doc])*
        pub(super) const $table: &[Convention] = &[$($about($name, &[$(($figure, $made)),+])),+];
    )+ };
}

mod hosts;
mod programs;
mod services;

use nmax_sources::Figure;

use super::page::Formula;

/// Metrics that a figure is made of.
type MetricNames = &'static [&'static str];

/// What a resource is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Name {
    /// By this, on every host: `memory`, `operations disk reads`.
    Fixed(&'static str),
    /// By its kind and the name of the source: `gc shop`; with what follows, `operations shop requests`.
    Own(&'static str, &'static str),
    /// By its kind and the value of a label: `disk sda`; without the label as [`Name::Own`].
    Label(&'static str, &'static str),
}

/// What a page's resource belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum About {
    /// To what the page is about.
    Subject,
    /// To the program that serves the page: itself where it is a service, nobody of interest where it is an exporter.
    Server,
}

/// A resource and its figures.
pub(crate) struct Convention {
    /// What it is called.
    pub(crate) name: Name,
    /// What it belongs to.
    pub(crate) about: About,
    /// Metrics of the vocabulary, and how they are made; of two with the same name the first that is there counts.
    pub(crate) figures: &'static [(Figure, Formula<MetricNames>)],
}

const fn subject(name: Name, figures: &'static [(Figure, Formula<MetricNames>)]) -> Convention {
    Convention { name, about: About::Subject, figures }
}

const fn server(name: Name, figures: &'static [(Figure, Formula<MetricNames>)]) -> Convention {
    Convention { name, about: About::Server, figures }
}

/// Parts of names that only exporters have: what they say of themselves is not about their subject.
pub(crate) const EXPORTERS: [&str; 2] = ["exporter_build_info", "exporter_last_scrape"];

/// Those of [`CONVENTIONS`] that are about hosts.
pub(crate) const HOST_EXPORTERS: [&str; 2] = ["node_exporter", "windows_exporter"];

/// All of them, with what they have in common.
pub(crate) const CONVENTIONS: [(&str, &[Convention]); 6] = [
    ("node_exporter", hosts::NODE),
    ("windows_exporter", hosts::WINDOWS),
    ("Pools, locks and dependencies", programs::POOLS),
    ("Garbage collectors, and the process that serves the page", programs::COLLECTORS),
    ("Databases and caches", services::DATABASES),
    ("Servers in front", services::PROXIES),
];

#[cfg(test)]
mod tests;
