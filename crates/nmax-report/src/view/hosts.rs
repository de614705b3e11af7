//! What hosts and services felt, on the time axis of the run: pictures of what is known well, figures of all the rest.

use nmax_analysis::Evidence;
use nmax_metrics::{Figure, Nanos, Track};

/// Most hosts shown.
const HOSTS_MAX: usize = 16;
/// Most pictures of a host.
const PANELS_MAX: usize = 40;
/// Most figures of a host in its table.
const FIGURES_MAX: usize = 200;
/// Most lines of a picture.
const LINES_MAX: usize = 8;
/// Most points of a line.
const POINTS_MAX: usize = 150;

/// A host and everything on it.
#[derive(Clone, Debug, PartialEq)]
pub struct HostView {
    /// As readings call it; `injector` is this one.
    pub name: String,
    /// Pictures, in the order of reading.
    pub panels: Vec<Panel>,
    /// Every figure, by source and metric; at most [`FIGURES_MAX`].
    pub figures: Vec<FigureRow>,
    /// Figures for which there was no room in the table.
    pub left_out: usize,
}

/// Some figures over time in one picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What they are of: `Processors`, `Disk sda: queue`.
    pub title: String,
    /// Unit of all lines: `cores`, `ratio`, `ms`, `bytes per s`, `per s`, `count`, `bytes`.
    pub unit: String,
    /// Lines.
    pub lines: Vec<PanelLine>,
}

/// One figure in a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct PanelLine {
    /// In the legend.
    pub name: String,
    /// Instants, s, and means; a missing value is a gap.
    pub points: Vec<(f64, Option<f64>)>,
}

/// One figure in numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct FigureRow {
    /// Part of the host.
    pub source: String,
    /// Metric.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// Mean in the phase; `None` when there was no reading in it.
    pub mean: Option<f64>,
    /// Largest in the phase.
    pub max: Option<f64>,
    /// Share of the phase in which it was read, 0 to 1.
    pub covered: f64,
}

/// What a picture shows: of sources that are this word, or begin with it and a blank.
struct Recipe {
    source: &'static str,
    title: &'static str,
    metrics: &'static [(&'static str, &'static str)],
}

const fn recipe(source: &'static str, title: &'static str, metrics: &'static [(&'static str, &'static str)]) -> Recipe {
    Recipe { source, title, metrics }
}

/// The pictures, in order.
const RECIPES: [Recipe; 25] = [
    recipe(
        "cpu",
        "Processors",
        &[
            ("busy_cores", "busy"),
            ("user_cores", "user"),
            ("system_cores", "system"),
            ("iowait_cores", "waiting for disks"),
            ("steal_cores", "stolen"),
        ],
    ),
    recipe(
        "cpu",
        "Tasks that run, and that wait for a processor",
        &[
            ("running_count", "ready or running"),
            ("waiting_count", "waiting"),
            ("blocked_count", "blocked"),
        ],
    ),
    recipe(
        "memory",
        "Memory",
        &[
            ("available_bytes", "available"),
            ("dirty_bytes", "to be written"),
            ("swap_used_bytes", "swap used"),
        ],
    ),
    recipe(
        "memory",
        "Swapping",
        &[("swap_in_bytes_per_s", "in"), ("swap_out_bytes_per_s", "out")],
    ),
    recipe("disk", "queue", &[("queue_count", "transfers under way")]),
    recipe("disk", "time of a transfer", &[("await_ms", "await")]),
    recipe(
        "disk",
        "throughput",
        &[("read_bytes_per_s", "read"), ("written_bytes_per_s", "written")],
    ),
    recipe(
        "net",
        "throughput",
        &[("received_bytes_per_s", "received"), ("sent_bytes_per_s", "sent")],
    ),
    recipe(
        "net",
        "lost",
        &[("dropped_per_s", "dropped"), ("errors_per_s", "errors")],
    ),
    recipe(
        "tcp",
        "TCP trouble",
        &[
            ("retransmitted_per_s", "segments sent again"),
            ("listen_overflows_per_s", "listen overflows"),
            ("listen_drops_per_s", "listen drops"),
        ],
    ),
    recipe(
        "tcp",
        "Sockets",
        &[
            ("established_count", "established"),
            ("time_wait_count", "TIME_WAIT"),
            ("close_wait_count", "CLOSE_WAIT"),
            ("syn_recv_count", "SYN_RECV"),
        ],
    ),
    recipe(
        "connections",
        "Round trip of our connections",
        &[("rtt_ms", "median"), ("rtt_p95_ms", "p95")],
    ),
    recipe("kernel", "Open files", &[("open_files_count", "open")]),
    recipe("cgroup", "Held back by its quota", &[("throttled_ratio", "periods")]),
    recipe(
        "process",
        "processors",
        &[("cpu_cores", "busy"), ("waiting_count", "waiting")],
    ),
    recipe("process", "memory", &[("memory_bytes", "resident")]),
    recipe(
        "process",
        "threads and files",
        &[("threads_count", "threads"), ("open_files_count", "open files")],
    ),
    recipe(
        "pool",
        "pool",
        &[
            ("in_use_count", "in use"),
            ("waiting_count", "waiting"),
            ("limit_count", "limit"),
        ],
    ),
    recipe(
        "lock",
        "lock",
        &[("waiting_count", "waiting"), ("holding_count", "holding")],
    ),
    recipe("dependency", "dependency", &[("in_flight_count", "calls under way")]),
    recipe(
        "database",
        "sessions",
        &[
            ("running_count", "running"),
            ("wait_io_count", "waiting: disk"),
            ("wait_lock_count", "waiting: lock"),
            ("wait_lwlock_count", "waiting: light lock"),
            ("wait_client_count", "waiting: client"),
            ("wait_other_count", "waiting: other"),
        ],
    ),
    recipe(
        "database",
        "blocks",
        &[("blocks_hit_per_s", "in buffers"), ("blocks_read_per_s", "read")],
    ),
    recipe("gc", "collecting", &[("pause_ratio", "share of time")]),
    recipe(
        "log",
        "requests in the log",
        &[("requests_per_s", "requests"), ("errors_per_s", "errors")],
    ),
    recipe(
        "log",
        "times in the log",
        &[("duration_ms", "mean"), ("upstream_ms", "server behind")],
    ),
];

/// Beginnings of sources whose other figures are drawn as they are.
const SERVICES: [&str; 6] = ["postgres ", "redis ", "memcached ", "nginx ", "prometheus ", "log "];

/// Every host that was read, the injector last.
pub(super) fn hosts(evidence: &Evidence<'_>, phase: (Nanos, Nanos)) -> Vec<HostView> {
    let mut names: Vec<&str> = Vec::new();
    for (figure, _) in evidence.readings.iter() {
        if names.last() != Some(&figure.host.as_str()) {
            names.push(&figure.host);
        }
    }
    names.sort_by_key(|name| (*name == nmax_plan::plan::INJECTOR, *name));
    names.truncate(HOSTS_MAX);
    names.into_iter().map(|name| host(evidence, phase, name)).collect()
}

fn host(evidence: &Evidence<'_>, phase: (Nanos, Nanos), name: &str) -> HostView {
    let all: Vec<(&Figure, &Track)> = evidence
        .readings
        .iter()
        .filter(|(figure, _)| figure.host == name)
        .collect();
    let mut panels: Vec<Panel> = cores(&all, evidence.end).into_iter().collect();
    panels.extend(pressure(&all, evidence.end));
    for recipe in &RECIPES {
        panels.extend(drawn(recipe, &all, evidence.end));
    }
    panels.extend(services(&all, evidence.end));
    panels.truncate(PANELS_MAX);
    let rows: Vec<FigureRow> = all
        .iter()
        .filter(|(figure, _)| figure.metric != "up")
        .map(|(figure, track)| row(figure, track, phase))
        .collect();
    HostView {
        name: name.to_owned(),
        panels,
        left_out: rows.len().saturating_sub(FIGURES_MAX),
        figures: rows.into_iter().take(FIGURES_MAX).collect(),
    }
}

/// A picture for each source that the recipe is for, where any of its figures was ever above zero.
fn drawn(recipe: &Recipe, all: &[(&Figure, &Track)], end: Nanos) -> Vec<Panel> {
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

/// Whatever else services tell: a picture for each unit of a source, with the largest figures.
fn services(all: &[(&Figure, &Track)], end: Nanos) -> Vec<Panel> {
    let is_drawn = |figure: &Figure| {
        RECIPES.iter().any(|recipe| {
            figure.source.starts_with(recipe.source)
                && recipe.metrics.iter().any(|(metric, _)| *metric == figure.metric)
        })
    };
    let is_service = |source: &str| SERVICES.iter().any(|prefix| source.starts_with(prefix));
    let mut groups: Vec<((&str, &str), Vec<(f64, &Figure, &Track)>)> = Vec::new();
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
    let panel = |((source, unit), mut group): ((&str, &str), Vec<(f64, &Figure, &Track)>)| {
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
fn line(name: &str, track: &Track, end: Nanos) -> PanelLine {
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

fn row(figure: &Figure, track: &Track, phase: (Nanos, Nanos)) -> FigureRow {
    let all = track.within(phase);
    let bins = phase.1.since(phase.0).0.div_ceil(track.width.0).max(1) as usize;
    let first = phase.0.0.div_ceil(track.width.0) as usize;
    let read = track
        .bins
        .iter()
        .skip(first)
        .take(bins)
        .filter(|bin| bin.count > 0)
        .count();
    FigureRow {
        source: figure.source.clone(),
        metric: figure.metric.clone(),
        unit: track.unit.clone(),
        mean: all.mean(),
        max: (all.count > 0).then_some(all.max),
        covered: read as f64 / bins as f64,
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests;
