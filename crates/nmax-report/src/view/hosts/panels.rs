//! Pictures of a host: figures over time, each line of few points.

use nmax_metrics::{Figure, Nanos, Track};

use super::recipes::{RECIPES, Recipe, SERVICES};
use super::{Panel, PanelLine};

/// Most pictures of a host.
const PANELS_MAX: usize = 40;
/// Most lines of a picture.
const LINES_MAX: usize = 8;
/// Most points of a line.
pub(super) const POINTS_MAX: usize = 150;

/// The pictures of a host with these figures, until the end of the run.
pub(super) fn panels(all: &[(&Figure, &Track)], end: Nanos) -> Vec<Panel> {
    let mut panels: Vec<Panel> = cores(all, end).into_iter().collect();
    panels.extend(pressure(all, end));
    for recipe in &RECIPES {
        panels.extend(drawn(recipe, all, end));
    }
    panels.extend(services(all, end));
    panels.truncate(PANELS_MAX);
    panels
}

/// A picture for each source that the recipe is for, where any of its figures was ever above zero.
pub(super) fn drawn(recipe: &Recipe, all: &[(&Figure, &Track)], end: Nanos) -> Vec<Panel> {
    let is_meant = |source: &str| {
        source
            .strip_prefix(recipe.source)
            .is_some_and(|rest| rest.is_empty() || (rest.starts_with(' ') && recipe.source != "cpu"))
    };
    let mut sources: Vec<&str> = all.iter().map(|(figure, _)| figure.source.as_str()).collect();
    sources.dedup();
    let sources = sources.into_iter().filter(|source| is_meant(source));
    let panel = |source: &str| {
        let of = |metric: &str| {
            let mine = all
                .iter()
                .find(|(figure, _)| figure.source == source && figure.metric == metric);
            mine.map(|(_, track)| *track)
        };
        let tracks: Vec<(&str, &Track)> = recipe
            .metrics
            .iter()
            .filter_map(|(metric, name)| Some((*name, of(metric)?)))
            .collect();
        let is_quiet = tracks
            .iter()
            .all(|(_, track)| track.points().all(|(_, value)| value == 0.0));
        if is_quiet {
            return None;
        }
        let title = match source.split_once(' ') {
            Some(_) => format!("{}: {}", capital(source), recipe.title),
            None if source == "process" => format!("nmax itself: {}", recipe.title),
            None => recipe.title.to_owned(),
        };
        Some(Panel {
            title,
            unit: tracks.first().map(|(_, track)| track.unit.clone()).unwrap_or_default(),
            lines: tracks.iter().map(|(name, track)| line(name, track, end)).collect(),
        })
    };
    sources.filter_map(panel).collect()
}

/// A figure, after the largest value that it had.
type Ranked<'a> = (f64, &'a Figure, &'a Track);

/// Whatever else services tell: a picture for each unit of a source, with the largest figures.
fn services(all: &[(&Figure, &Track)], end: Nanos) -> Vec<Panel> {
    let is_drawn = |figure: &Figure| {
        RECIPES.iter().any(|recipe| {
            figure.source.starts_with(recipe.source)
                && recipe.metrics.iter().any(|(metric, _)| *metric == figure.metric)
        })
    };
    let is_service = |source: &str| SERVICES.iter().any(|prefix| source.starts_with(prefix));
    let mut groups: Vec<((&str, &str), Vec<Ranked<'_>>)> = Vec::new();
    for (figure, track) in all {
        if !is_service(&figure.source) || is_drawn(figure) || figure.metric == "up" {
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
        Panel {
            title: format!("{}: {unit}", capital(source)),
            unit: unit.to_owned(),
            lines: lines
                .map(|(_, figure, track)| line(&figure.metric, track, end))
                .collect(),
        }
    };
    groups.into_iter().map(panel).collect()
}

/// Every processor in one picture.
fn cores(all: &[(&Figure, &Track)], end: Nanos) -> Option<Panel> {
    let is_core = |figure: &Figure| figure.source.starts_with("cpu ") && figure.metric == "busy_ratio";
    let mut lines: Vec<(usize, PanelLine)> = all
        .iter()
        .filter(|(figure, _)| is_core(figure))
        .map(|(figure, track)| {
            let number = figure.source[4..].parse().unwrap_or(usize::MAX);
            (number, line(&figure.source, track, end))
        })
        .collect();
    lines.sort_by_key(|(number, _)| *number);
    lines.truncate(LINES_MAX);
    (!lines.is_empty()).then(|| Panel {
        title: "Each processor, busy".into(),
        unit: "ratio".into(),
        lines: lines.into_iter().map(|(_, line)| line).collect(),
    })
}

/// Pressure of the whole host in one picture.
fn pressure(all: &[(&Figure, &Track)], end: Nanos) -> Option<Panel> {
    let of = |source: &str| {
        all.iter()
            .find(|(figure, _)| figure.source == source && figure.metric == "pressure_some_ratio")
            .map(|(_, track)| line(source, track, end))
    };
    let lines: Vec<PanelLine> = ["cpu", "memory", "io"].into_iter().filter_map(of).collect();
    (!lines.is_empty()).then(|| Panel {
        title: "Pressure: share of time in which some task waited (PSI)".into(),
        unit: "ratio".into(),
        lines,
    })
}

/// Few points of the whole run; neighbours are averaged. Bins without a reading are gaps, unless the figure is read as
/// seldom as that all the time.
pub(super) fn line(name: &str, track: &Track, end: Nanos) -> PanelLine {
    let bins = (end.0.div_ceil(track.width.0) as usize).max(track.bins.len());
    let per = bins.div_ceil(POINTS_MAX).max(1);
    let width_s = track.width.as_secs_f64();
    let points: Vec<(f64, Option<f64>)> = (0..bins.div_ceil(per))
        .map(|index| {
            let (first, last) = (index * per, ((index + 1) * per).min(bins));
            let at = Nanos(track.width.0 * first as u64);
            let until = Nanos(track.width.0 * last as u64);
            let middle_s = (first + last) as f64 / 2.0 * width_s;
            (middle_s, track.mean((at, until)))
        })
        .collect();
    PanelLine {
        name: name.to_owned(),
        points: without_small_gaps(points),
    }
}

/// Leaves out gaps that are no longer than twice the median distance of readings.
fn without_small_gaps(points: Vec<(f64, Option<f64>)>) -> Vec<(f64, Option<f64>)> {
    let read: Vec<usize> = (0..points.len()).filter(|index| points[*index].1.is_some()).collect();
    let mut steps: Vec<usize> = read.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    let usual = steps.get(steps.len().saturating_sub(1) / 2).copied().unwrap_or(1);
    if usual <= 1 {
        return points;
    }
    let is_small = |index: usize| {
        let next = read.partition_point(|read| *read < index);
        let (Some(before), Some(after)) = (next.checked_sub(1).map(|before| read[before]), read.get(next)) else {
            return false;
        };
        after - before <= 2 * usual
    };
    let kept = |(index, (_, value)): &(usize, (f64, Option<f64>))| value.is_some() || !is_small(*index);
    points
        .into_iter()
        .enumerate()
        .filter(kept)
        .map(|(_, point)| point)
        .collect()
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}
