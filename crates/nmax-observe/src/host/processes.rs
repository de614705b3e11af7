//! Processes that the plan names: what all processes of a name use together.

use std::collections::HashMap;

use nmax_metrics::Nanos;
use nmax_plan::plan::ProcessRef;
use nmax_sources::figures;

use super::cgroup::{self, Group};
use super::reading::{HostReading, Pace};
use super::waits::Waits;
use crate::process::Names;
use crate::process::usage::{self, Transferred, Usage};

/// Processes of one name that are read; more are counted and not read.
const PROCESSES_MAX: usize = 256;
/// The part of a core that reading all processes of a name may take, and that looking at their threads may: one in this
/// many. A hundred processes are read every few seconds; the first [`ALWAYS`] every time.
const COST: u64 = 1_000;
const THREADS_COST: u64 = 2_000;
/// So many processes are read at every look, whatever it takes: some tens of microseconds each.
const ALWAYS: usize = 16;
/// Looks between two at limits and control groups, which seldom change.
const LIMITS_EVERY: u32 = 30;
/// A process that began this much before the last look, s, was there then and was not seen.
const BEGIN_TOLERANCE_S: f64 = 0.05;

/// All observed processes of a host.
#[derive(Debug)]
pub(super) struct Processes {
    all: Vec<Observed>,
    names: Names,
    /// Control group of this host's reader, shown already.
    own_group: Option<String>,
}

impl Processes {
    pub(super) fn new(processes: Vec<(String, ProcessRef)>) -> Self {
        Self { all: processes.into_iter().map(Observed::new).collect(), names: Names::default(), own_group: None }
    }

    /// Adds one unless it is read already, as the server of a port whatever it is called.
    pub(super) fn add(&mut self, look: &mut HostReading<'_>, name: String, process: ProcessRef) {
        self.names.refresh(look.files);
        let new = self.names.pids(look.files, &process);
        for one in &self.all {
            let known = self.names.pids(look.files, &one.process);
            if one.name == name || known.iter().any(|pid| new.contains(pid)) {
                return;
            }
        }
        self.all.push(Observed::new((name, process)));
    }

    /// Tells which control group is shown as that of the host.
    pub(super) fn set_own_group(&mut self, path: Option<&str>) {
        self.own_group = path.map(str::to_owned);
    }

    pub(super) fn read(&mut self, look: &mut HostReading<'_>, host_available_bytes: Option<u64>) {
        if self.all.is_empty() {
            return;
        }
        let is_any_named = self.all.iter().any(|one| matches!(one.process, ProcessRef::Name(_)));
        if is_any_named {
            self.names.refresh(look.files);
        }
        let uptime_s = look.files.read("proc/uptime").ok().and_then(parse_uptime);
        let moment = Moment { uptime_s, host_available_bytes };
        let mut always = ALWAYS;
        for observed in &mut self.all {
            let mut pace = observed.pace;
            if let Some(left) = always.checked_sub(observed.members.len()) {
                always = left;
                pace = Pace::new(COST);
            }
            pace.run(look.now, || {
                let pids = self.names.pids(look.files, &observed.process);
                observed.read(look, &moment, &pids);
                observed.read_group(look, self.own_group.as_deref());
            });
            observed.pace = pace;
        }
    }
}

/// The host, as far as processes need it.
struct Moment {
    /// Time since boot, s.
    uptime_s: Option<f64>,
    host_available_bytes: Option<u64>,
}

fn parse_uptime(text: &str) -> Option<f64> {
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// What is known of one process from one look to the next.
#[derive(Clone, Debug, Default)]
struct Member {
    usage: Usage,
    transferred: Option<Transferred>,
    files_limit: Option<f64>,
    /// Path of its control group.
    group: Option<String>,
    looks: u32,
}

/// Processes of one name.
#[derive(Debug)]
struct Observed {
    source: String,
    name: String,
    process: ProcessRef,
    members: HashMap<u32, Member>,
    read_at: Option<Nanos>,
    waits: Waits,
    pace: Pace,
    group: Option<Group>,
    is_missing: bool,
}

/// All processes of a name together.
#[derive(Debug, Default)]
struct Sums {
    cpu_s: f64,
    memory_bytes: f64,
    threads: f64,
    /// Unknown where that of one process is: those of other users cannot be counted.
    open_files: Option<f64>,
    /// The largest part of its limit that one process has open, and all limits together.
    files_ratio: f64,
    files_limit: Option<f64>,
    read_bytes: Option<f64>,
    written_bytes: Option<f64>,
    /// What they could have besides, bytes.
    available_bytes: Option<f64>,
}

impl Observed {
    fn new((name, process): (String, ProcessRef)) -> Self {
        Self {
            source: format!("process {name}"),
            name,
            process,
            members: HashMap::new(),
            read_at: None,
            waits: Waits::new(THREADS_COST),
            pace: Pace::new(COST),
            group: None,
            is_missing: false,
        }
    }

    fn read(&mut self, look: &mut HostReading<'_>, moment: &Moment, pids: &[u32]) {
        let span_s = self.read_at.map(|before| look.now.since(before).as_secs_f64());
        let span_s = span_s.filter(|span_s| *span_s > 0.0);
        if pids.len() > PROCESSES_MAX {
            let text = format!("of {} processes `{}` the first {PROCESSES_MAX} are read", pids.len(), self.name);
            look.notes.note_once(&text);
        }
        let mut members = HashMap::new();
        let mut sums = Sums {
            open_files: Some(0.0),
            files_limit: Some(0.0),
            read_bytes: Some(0.0),
            written_bytes: Some(0.0),
            ..Sums::default()
        };
        let mut available = HashMap::new();
        for pid in pids.iter().take(PROCESSES_MAX) {
            let Some(member) = self.member(look, *pid) else {
                continue;
            };
            let before = self.members.get(pid);
            sums.add_usage(&member, before, moment.uptime_s, span_s);
            sums.add_files(look, *pid, &member);
            if let Some(group) = &member.group
                && !available.contains_key(group)
            {
                available.insert(group.clone(), cgroup::available_bytes(look.files, group));
            }
            members.insert(*pid, member);
        }
        let bounds = available.into_values().flatten().chain(moment.host_available_bytes);
        sums.available_bytes = bounds.min().map(|bytes| bytes as f64);
        self.members = members;
        self.read_at = Some(look.now);
        self.tell_changes(look);
        if !self.members.is_empty() {
            self.show(look, &sums, span_s);
            self.read_waits(look);
        }
    }

    /// Reads one process; `None` when it is gone.
    fn member(&self, look: &mut HostReading<'_>, pid: u32) -> Option<Member> {
        let usage = look.files.read(&format!("proc/{pid}/stat")).ok().and_then(usage::parse_stat)?;
        let known = self.members.get(&pid).filter(|known| known.usage.began_s == usage.began_s);
        let mut member = known.cloned().unwrap_or_default();
        member.usage = usage;
        let io = look.files.read(&format!("proc/{pid}/io")).ok();
        member.transferred = io.and_then(usage::parse_io);
        if member.looks.is_multiple_of(LIMITS_EVERY) {
            let limits = look.files.read(&format!("proc/{pid}/limits")).ok();
            member.files_limit = limits.and_then(usage::parse_files_limit);
            let group = look.files.read(&format!("proc/{pid}/cgroup")).ok();
            member.group = group.and_then(cgroup::parse_path).map(str::to_owned);
        }
        member.looks = member.looks.wrapping_add(1);
        Some(member)
    }

    fn tell_changes(&mut self, look: &mut HostReading<'_>) {
        let is_missing = self.members.is_empty();
        if is_missing != self.is_missing {
            self.is_missing = is_missing;
            let word = if is_missing { "is not there" } else { "is there again" };
            look.notes.change(format!("observed process `{}` {word}", self.name));
        }
    }

    fn show(&self, look: &mut HostReading<'_>, sums: &Sums, span_s: Option<f64>) {
        let rate = |value: Option<f64>| Some(value? / span_s?);
        // The limit at which the process nearest to its own would be full: with one process, its limit.
        let files_limit = match sums.open_files {
            Some(open) if sums.files_ratio > 0.0 => sums.files_limit.map(|_| open / sums.files_ratio),
            _ => sums.files_limit,
        };
        let limit = sums.available_bytes.map(|available| sums.memory_bytes + available);
        let figures = [
            (figures::MEMORY_BYTES, Some(sums.memory_bytes)),
            (figures::MEMORY_LIMIT_BYTES, limit),
            (figures::CPU_CORES, rate(Some(sums.cpu_s))),
            (figures::THREADS_COUNT, Some(sums.threads)),
            (figures::OPEN_FILES_COUNT, sums.open_files),
            (figures::OPEN_FILES_LIMIT_COUNT, files_limit),
            (figures::READ_BYTES_PER_S, rate(sums.read_bytes)),
            (figures::WRITTEN_BYTES_PER_S, rate(sums.written_bytes)),
        ];
        look.put_all(&self.source, &figures);
    }

    fn read_waits(&mut self, look: &mut HostReading<'_>) {
        let pids: Vec<u32> = self.members.keys().copied().collect();
        let waiting = self.waits.mean(look, |_| pids);
        look.put(&self.source, figures::WAITING_COUNT, waiting);
    }

    /// The control group of the first process, where it is not that of the reader.
    fn read_group(&mut self, look: &mut HostReading<'_>, own: Option<&str>) {
        let first = self.members.keys().min().and_then(|pid| self.members.get(pid));
        let path = first.and_then(|member| member.group.clone());
        let Some(path) = path.filter(|path| Some(path.as_str()) != own) else {
            self.group = None;
            return;
        };
        let is_same = self.group.as_ref().is_some_and(|group| group.path == path);
        if !is_same {
            self.group = Some(Group::new(look.files, &path));
        }
        if let Some(group) = &mut self.group {
            group.read(look, &format!("cgroup {}", self.name));
        }
    }
}

impl Sums {
    /// - `before`: the same number at the last look, if any
    fn add_usage(&mut self, member: &Member, before: Option<&Member>, uptime_s: Option<f64>, span_s: Option<f64>) {
        let usage = &member.usage;
        self.memory_bytes += usage.memory_bytes;
        self.threads += usage.threads;
        let known = before.filter(|before| before.usage.began_s == usage.began_s);
        let nothing = Member::default();
        let before = match known {
            Some(before) => before,
            // All that a process used that came since the last look, it used since then.
            None if is_new(usage, uptime_s, span_s) => &nothing,
            None => member,
        };
        self.cpu_s += (usage.cpu_s - before.usage.cpu_s).max(0.0);
        let now = member.transferred;
        let then = before.transferred.or(now.filter(|_| known.is_none()).map(|_| Transferred::default()));
        let grown = |field: fn(&Transferred) -> u64| Some(field(&now?).saturating_sub(field(&then?)) as f64);
        let (read, written) = (grown(|io| io.read_bytes), grown(|io| io.written_bytes));
        self.read_bytes = self.read_bytes.zip(read).map(|(sum, one)| sum + one);
        self.written_bytes = self.written_bytes.zip(written).map(|(sum, one)| sum + one);
    }

    fn add_files(&mut self, look: &mut HostReading<'_>, pid: u32, member: &Member) {
        let open = look.files.count(&format!("proc/{pid}/fd")).map(|count| count as f64);
        self.open_files = self.open_files.zip(open).map(|(sum, one)| sum + one);
        self.files_limit = self.files_limit.zip(member.files_limit).map(|(sum, one)| sum + one);
        let ratio = open.zip(member.files_limit).filter(|(_, limit)| *limit > 0.0);
        let ratio = ratio.map_or(0.0, |(open, limit)| open / limit);
        self.files_ratio = self.files_ratio.max(ratio);
    }
}

/// Whether a process began since the last look.
fn is_new(usage: &Usage, uptime_s: Option<f64>, span_s: Option<f64>) -> bool {
    match (uptime_s, span_s) {
        (Some(uptime_s), Some(span_s)) => uptime_s - usage.began_s <= span_s + BEGIN_TOLERANCE_S,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
