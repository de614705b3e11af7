//! `data`.

use super::yaml::Yaml;
use super::{entry, expanded, given, plain, word};
use crate::document::keys::{AT_END, PER};
use crate::plan::{Feeder, Per, Pick, Rows};

/// A data source.
pub(super) fn data(feeder: &Feeder) -> Yaml {
    let mut map = match &feeder.rows {
        Rows::File { file, .. } | Rows::Listed { file, .. } => vec![entry("csv", expanded(file))],
        Rows::Generated { generator, rows } => {
            let spec = generator.spec();
            let mut map = vec![entry("generate", expanded(&spec.kind)), entry("rows", plain(rows))];
            map.extend(given("locale", spec.locale.as_deref(), expanded));
            map.extend(given("unique", spec.unique.as_deref(), expanded));
            map
        }
    };
    let pick = match feeder.pick {
        Pick::Sequential => "sequential",
        Pick::Unique => "unique",
        Pick::Random => "random",
        Pick::Zipf { .. } => "zipf",
    };
    map.push(entry("pick", plain(pick)));
    match feeder.pick {
        Pick::Sequential | Pick::Unique => map.push(entry("at_end", word(AT_END, &feeder.at_end))),
        Pick::Zipf { exponent } => map.push(entry("exponent", plain(exponent))),
        Pick::Random => {}
    }
    if feeder.per != Per::Iteration {
        map.push(entry("per", word(PER, &feeder.per)));
    }
    Yaml::Map(map)
}
