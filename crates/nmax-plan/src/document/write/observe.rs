//! What is watched, as a document.

use nmax_sources::kind::{Form, Key, ValueForm};

use super::super::keys::{MAPPED_FIGURES, MAPPED_KIND};
use super::run::process;
use super::yaml::Yaml;
use super::{duration, entry, expanded, plain, word};
use crate::plan::{EVERY_DEFAULT, MappedResource, Observed, ObservedAddress, ObservedSource, Value};

/// An item of `observe`.
pub(super) fn observed(observed: &Observed) -> Yaml {
    Yaml::Map(match observed {
        Observed::Process { name, process } => {
            vec![entry(observed.word(), self::process(process)), entry("name", expanded(name))]
        }
        Observed::Source(source) => self::source(source),
    })
}

fn source(source: &ObservedSource) -> Vec<(String, Yaml)> {
    let place = match &source.reach {
        ObservedAddress::At(place) => expanded(place),
        ObservedAddress::Calls(address) => Yaml::Map(vec![entry("listen", expanded(address))]),
    };
    let mut map = vec![entry(source.kind.word, place), entry("name", expanded(&source.name))];
    if !matches!(source.kind.form, Form::Agent) {
        map.push(entry("host", expanded(&source.host)));
    }
    if source.every != EVERY_DEFAULT {
        map.push(entry("every", duration(source.every)));
    }
    map.extend(source.values.iter().map(|(key, value)| entry(key.name, self::value(key, value))));
    map
}

fn value(key: &Key, value: &Value) -> Yaml {
    match value {
        Value::Text(word) if matches!(key.form, ValueForm::OneOf(_)) => plain(word),
        Value::Text(text) => expanded(text),
        Value::List(texts) => Yaml::List(texts.iter().map(|text| expanded(text)).collect()),
        Value::Resources(resources) => Yaml::Map(resources.iter().map(resource).collect()),
    }
}

fn resource(resource: &MappedResource) -> (String, Yaml) {
    let mut map = vec![entry("kind", word(MAPPED_KIND, &resource.kind))];
    for (metric, of) in &resource.figures {
        let known = MAPPED_FIGURES.iter().find(|(kind, _, figure)| *kind == resource.kind && figure == metric);
        map.extend(known.map(|(_, key, _)| entry(key, expanded(of))));
    }
    (resource.name.clone(), Yaml::Map(map))
}
