//! Pictures of a host: which figures are drawn, and what they are called.

use nmax_metrics::{Nanos, Track, TrackKey};
use nmax_sources::{Figure, figures, kinds};

use super::Panel;
use super::lines::{gaps, line};
use super::recipes::{RECIPES, Recipe};

/// Most pictures of a host.
const PANELS_MAX: usize = 40;
/// Most lines of a picture.
const LINES_MAX: usize = 8;

/// The pictures of a host with these figures, until the end of the run.
pub(super) fn panels(all: &[(&TrackKey, &Track)], end: Nanos) -> Vec<Panel> {
    let mut panels: Vec<Panel> = cores(all, end).into_iter().collect();
    panels.extend(pressure(all, end));
    for recipe in &RECIPES {
        panels.extend(drawn(recipe, all, end));
    }
    panels.extend(operations(all, end));
    panels.extend(services(all, end));
    panels.truncate(PANELS_MAX);
    panels
}

/// A picture for each source that the recipe is for, where any of its figures was ever above zero.
pub(super) fn drawn(recipe: &Recipe, all: &[(&TrackKey, &Track)], end: Nanos) -> Vec<Panel> {
    let is_meant = |source: &str| {
        source
            .strip_prefix(recipe.source)
            .is_some_and(|rest| rest.is_empty() || (rest.starts_with(' ') && recipe.source != "cpu"))
    };
    let mut sources: Vec<&str> = all.iter().map(|(figure, _)| figure.source.as_str()).collect();
    sources.dedup();
    let sources = sources.into_iter().filter(|source| is_meant(source));
    let panel = |source: &str| {
        let of = |figure: Figure| {
            let mut mine = all.iter();
            mine.find(|(key, _)| key.source == source && key.metric == figure)
        };
        if recipe.only_with.is_some_and(|figure| of(figure).is_none()) {
            return None;
        }
        let tracks: Vec<(&str, (&TrackKey, &Track))> =
            recipe.metrics.iter().filter_map(|(figure, name)| Some((*name, *of(*figure)?))).collect();
        let is_quiet = tracks.iter().all(|(_, (_, track))| track.points().all(|(_, value)| value == 0.0));
        if is_quiet {
            return None;
        }
        let gaps = gaps(all, &[source], end);
        let title = match source.split_once(' ') {
            Some(_) => format!("{}: {}", capital(source), recipe.title),
            None if source == "process" => format!("nmax itself: {}", recipe.title),
            None => recipe.title.to_owned(),
        };
        Some(Panel {
            title,
            unit: tracks.first().map(|(_, (_, track))| track.unit.clone()).unwrap_or_default(),
            lines: tracks.into_iter().map(|(name, mine)| line(name, mine, &gaps, end)).collect(),
            gaps,
        })
    };
    sources.filter_map(panel).collect()
}

/// What services were asked for: a picture for each kind of operation, since a few transactions would not show beside
/// thousands of rows. Transfers of all disks together are no service's.
fn operations(all: &[(&TrackKey, &Track)], end: Nanos) -> Vec<Panel> {
    let panel = |(figure, track): &(&TrackKey, &Track)| {
        let (service, what) = figure.source.strip_prefix("operations ")?.rsplit_once(' ')?;
        let is_quiet = track.points().all(|(_, value)| value == 0.0);
        if figure.metric != figures::OPERATIONS_PER_S || service == "disk" || is_quiet {
            return None;
        }
        let gaps = gaps(all, &[&figure.source], end);
        Some(Panel {
            title: format!("{}: {what} per second", capital(service)),
            unit: track.unit.clone(),
            lines: vec![line(what, (figure, track), &gaps, end)],
            gaps,
        })
    };
    all.iter().filter_map(panel).collect()
}

/// A figure, after the largest value that it had.
type Ranked<'a> = (f64, &'a TrackKey, &'a Track);

/// Whatever else services tell: a picture for each unit of a source, with the largest figures.
fn services(all: &[(&TrackKey, &Track)], end: Nanos) -> Vec<Panel> {
    let is_drawn = |figure: &TrackKey| {
        RECIPES.iter().any(|recipe| {
            figure.source.starts_with(recipe.source) && recipe.metrics.iter().any(|(drawn, _)| figure.metric == *drawn)
        })
    };
    let is_service = |source: &str| {
        let kind = source.split_once(' ').and_then(|(word, _)| kinds::named(word));
        kind.is_some_and(|kind| ![&kinds::PROCESS, &kinds::AGENT].contains(&kind))
    };
    let mut groups: Vec<((&str, &str), Vec<Ranked<'_>>)> = Vec::new();
    for (figure, track) in all {
        if !is_service(&figure.source) || is_drawn(figure) || figure.metric == figures::UP {
            continue;
        }
        let most = track.points().map(|(_, value)| value).fold(0.0, f64::max);
        if most == 0.0 {
            continue;
        }
        let key = (figure.source.as_str(), track.unit.as_str());
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push((most, figure, track)),
            None => groups.push((key, vec![(most, figure, track)])),
        }
    }
    let panel = |((source, unit), mut group): ((&str, &str), Vec<Ranked<'_>>)| {
        group.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let lines = group.iter().take(LINES_MAX);
        let gaps = gaps(all, &[source], end);
        Panel {
            title: format!("{}: {unit}", capital(source)),
            unit: unit.to_owned(),
            lines: lines.map(|(_, figure, track)| line(&figure.metric, (figure, track), &gaps, end)).collect(),
            gaps,
        }
    };
    groups.into_iter().map(panel).collect()
}

/// Every processor in one picture.
fn cores(all: &[(&TrackKey, &Track)], end: Nanos) -> Option<Panel> {
    let is_core = |figure: &TrackKey| figure.source.starts_with("cpu ") && figure.metric == figures::BUSY_RATIO;
    let number = |source: &str| source[4..].parse().unwrap_or(usize::MAX);
    let mut cores: Vec<(&TrackKey, &Track)> = all.iter().filter(|(figure, _)| is_core(figure)).copied().collect();
    cores.sort_by_key(|(figure, _)| number(&figure.source));
    cores.truncate(LINES_MAX);
    of_sources("Each processor, busy", "ratio", &cores, end)
}

/// Pressure of the whole host in one picture.
fn pressure(all: &[(&TrackKey, &Track)], end: Nanos) -> Option<Panel> {
    let of = |source: &str| {
        let mut mine = all.iter();
        mine.find(|(figure, _)| figure.source == source && figure.metric == figures::PRESSURE_SOME_RATIO).copied()
    };
    let shown: Vec<(&TrackKey, &Track)> = ["cpu", "memory", "io"].into_iter().filter_map(of).collect();
    let title = "Pressure: share of time in which some task waited (PSI)";
    of_sources(title, "ratio", &shown, end)
}

/// One figure of each of some sources in one picture.
fn of_sources(title: &str, unit: &str, shown: &[(&TrackKey, &Track)], end: Nanos) -> Option<Panel> {
    let sources: Vec<&str> = shown.iter().map(|(figure, _)| figure.source.as_str()).collect();
    let gaps = gaps(shown, &sources, end);
    let lines = shown.iter().map(|mine| line(&mine.0.source, *mine, &gaps, end));
    (!shown.is_empty()).then(|| Panel {
        title: title.to_owned(),
        unit: unit.to_owned(),
        lines: lines.collect(),
        gaps: gaps.clone(),
    })
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
