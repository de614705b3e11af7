//! What is watched, as a document.

use super::super::keys::{LOG_KIND, MAPPED_FIGURES, MAPPED_KIND};
use super::run::process;
use super::yaml::Yaml;
use super::{duration, entry, expanded, word};
use crate::plan::{AgentReach, EVERY_DEFAULT, MappedResource, Observed, ObservedSource, SourceKind};

/// An item of `observe`.
pub(super) fn observed(observed: &Observed) -> Yaml {
    Yaml::Map(match observed {
        Observed::Process { name, process } => {
            vec![entry("process", self::process(process)), entry("name", expanded(name))]
        }
        Observed::Source(source) => self::source(source),
    })
}

fn source(source: &ObservedSource) -> Vec<(String, Yaml)> {
    let mut map = Vec::new();
    let mut rest = Vec::new();
    let what = match &source.kind {
        SourceKind::Agent { reach, token, processes } => {
            rest.extend(token.as_ref().map(|token| entry("token", expanded(token))));
            if !processes.is_empty() {
                let names = processes.iter().map(|name| expanded(name)).collect();
                rest.push(entry("processes", Yaml::List(names)));
            }
            match reach {
                AgentReach::Pull(url) => expanded(url),
                AgentReach::Listen(address) => Yaml::Map(vec![entry("listen", expanded(address))]),
            }
        }
        SourceKind::Prometheus { url, token, resources } => {
            rest.extend(token.as_ref().map(|token| entry("token", expanded(token))));
            if !resources.is_empty() {
                rest.push(entry("resources", Yaml::Map(resources.iter().map(resource).collect())));
            }
            expanded(url)
        }
        SourceKind::Postgres { url } | SourceKind::Redis { url } | SourceKind::Nginx { url } => expanded(url),
        SourceKind::Memcached { address } => expanded(address),
        SourceKind::Log { file, format, kind, layer } => {
            rest.extend(format.as_ref().map(|format| entry("format", expanded(format))));
            rest.extend(kind.as_ref().map(|kind| entry("kind", word(LOG_KIND, kind))));
            rest.extend(layer.as_ref().map(|layer| entry("layer", expanded(layer))));
            expanded(file)
        }
    };
    map.push(entry(source.kind.word(), what));
    map.push(entry("name", expanded(&source.name)));
    if !matches!(source.kind, SourceKind::Agent { .. }) {
        map.push(entry("host", expanded(&source.host)));
    }
    if source.every != EVERY_DEFAULT {
        map.push(entry("every", duration(source.every)));
    }
    map.extend(rest);
    map
}

fn resource(resource: &MappedResource) -> (String, Yaml) {
    let mut map = vec![entry("kind", word(MAPPED_KIND, &resource.kind))];
    for (metric, of) in &resource.figures {
        let known = MAPPED_FIGURES.iter().find(|(kind, _, figure)| *kind == resource.kind && figure == metric);
        map.extend(known.map(|(_, key, _)| entry(key, expanded(of))));
    }
    (resource.name.clone(), Yaml::Map(map))
}
