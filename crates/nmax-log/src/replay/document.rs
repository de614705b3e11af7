//! The plan of a replay: a document that says what it does, and what goes into the plan that it becomes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use nmax_plan::document::write::Yaml;
use nmax_plan::plan::{Plan, Rows, Table, TableBuilder};
use nmax_plan::units::{format_duration, format_rate};

use super::{Row, SPOKEN, Schedule};

/// Name of the data source that the requests of the log are.
pub const FEEDER: &str = "log";

/// Its columns.
const COLUMNS: [&str; 5] = ["target", "name", "kind", "host", "agent"];
/// Most stages that the rate of the log is shown by.
const BINS_MAX: u64 = 300;
/// Shortest of them, ns.
const BIN_NS_MIN: u64 = 1_000_000_000;
const NS_PER_MS: u64 = 1_000_000;
/// User agent of requests for which the log has none.
const AGENT: &str = "nmax";

/// What a reply has to be, by what the log had: no worse.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    /// The log had what was asked for.
    Good,
    /// The log had a redirect, or no status.
    Moved,
    /// The log had an error of the client.
    Refused,
    /// The log had an error of the server.
    Broken,
}

impl Class {
    fn from_status(status: u16) -> Self {
        match status {
            200..=299 | 304 => Self::Good,
            400..=499 => Self::Refused,
            500.. => Self::Broken,
            _ => Self::Moved,
        }
    }

    /// Accepted status codes.
    fn status(self) -> Yaml {
        match self {
            Self::Good => Yaml::List(vec![Yaml::plain("200-299"), Yaml::plain(304)]).on_one_line(),
            Self::Moved => Yaml::text("200-399"),
            Self::Refused => Yaml::text("200-499"),
            Self::Broken => Yaml::text("200-599"),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Moved => "3xx",
            Self::Refused => "4xx",
            Self::Broken => "5xx",
        }
    }
}

/// Requests that are sent and judged alike.
type Kind = (u8, Class);

fn kind_of(row: &Row) -> Kind {
    (row.method, Class::from_status(row.status))
}

fn word(kind: Kind) -> String {
    format!("{} {}", SPOKEN[usize::from(kind.0)], kind.1.word())
}

impl Schedule {
    /// The document of a plan with this name that sends the log, with these headers in every request. Its data source
    /// [`FEEDER`] is what [`Self::stub`] says until [`Self::fill`] puts the requests into the plan.
    pub fn document(&self, name: &str, file: &str, headers: &[(String, String)]) -> String {
        let text = |text: &str| Yaml::text(text.replace("${", "$${"));
        let pairs =
            |pairs: Vec<(&str, Yaml)>| Yaml::Map(pairs.into_iter().map(|(key, value)| (key.into(), value)).collect());
        let mut defaults = vec![("cookies", Yaml::plain("ignore"))];
        if !headers.is_empty() {
            let headers = headers.iter().map(|(name, value)| (name.clone(), text(value)));
            defaults.push(("headers", Yaml::Map(headers.collect())));
        }
        let feeder = pairs(vec![("csv", text(file)), ("pick", Yaml::plain("sequential"))]);
        let open = pairs(vec![
            ("rate", Yaml::plain(format_rate(self.mean_rate_per_s()))),
            ("arrivals", Yaml::plain("listed")),
        ]);
        let steps = Yaml::List(self.steps());
        let scenario = pairs(vec![("steps", steps)]);
        let document = pairs(vec![
            ("nmax", Yaml::plain(1)),
            ("name", text(name)),
            ("defaults", pairs(defaults)),
            ("data", pairs(vec![(FEEDER, feeder)])),
            ("scenarios", pairs(vec![("replay", scenario)])),
            ("workload", pairs(vec![("open", open)])),
            ("stages", Yaml::List(self.stages())),
        ]);
        document.to_string()
    }

    /// A data file with the columns that the document reads, and one row.
    pub fn stub() -> String {
        format!("{}\n/,-,-,-,-\n", COLUMNS.join(","))
    }

    /// Puts starts and requests into the plan of [`Self::document`]. `name_of` gives a request's name by method and target.
    /// False when there are more different texts than a plan can hold.
    #[must_use]
    pub fn fill<'a>(&self, plan: &mut Plan, name_of: impl Fn(&[u8], &[u8]) -> &'a str) -> bool {
        plan.starts = self.starts();
        let Some(table) = self.table(&plan.target, name_of) else {
            return false;
        };
        let table = Arc::new(table);
        for feeder in plan.feeders.iter_mut().filter(|feeder| feeder.name == FEEDER) {
            let Rows::File { file, .. } = &feeder.rows else {
                continue;
            };
            feeder.rows = Rows::Listed { file: file.clone(), table: Arc::clone(&table) };
        }
        true
    }

    fn table<'a>(&self, base: &str, name_of: impl Fn(&[u8], &[u8]) -> &'a str) -> Option<Table> {
        let authority = nmax_text::url::split(base).place;
        let or = |text: &str, other: &str| {
            if text.is_empty() { other.to_owned() } else { text.to_owned() }
        };
        let mut cells = Cells::default();
        for (_, number) in &self.starts {
            let row = self.rows.get(*number as usize)?;
            let (target, kind) = (self.targets.get(row.target), kind_of(row));
            let method = SPOKEN[usize::from(row.method)];
            // Two slashes would begin the name of another host.
            let sent = || {
                if target.starts_with("//") { format!("{base}{target}") } else { target.to_owned() }
            };
            let numbers = [
                cells.number(0, (0, row.target), sent)?,
                cells
                    .number(1, (row.method, row.target), || name_of(method.as_bytes(), target.as_bytes()).to_owned())?,
                cells.number(2, (kind.0, kind.1 as u32), || word(kind))?,
                cells.number(3, (0, row.host), || or(self.hosts.get(row.host), authority))?,
                cells.number(4, (0, row.agent), || or(self.agents.get(row.agent), AGENT))?,
            ];
            cells.table.push_numbers(&numbers);
        }
        Some(cells.table.build())
    }

    fn steps(&self) -> Vec<Yaml> {
        let mut counts: BTreeMap<Kind, u64> = BTreeMap::new();
        for (_, row) in &self.starts {
            if let Some(row) = self.rows.get(*row as usize) {
                *counts.entry(kind_of(row)).or_default() += 1;
            }
        }
        let mut kinds: Vec<(Kind, u64)> = counts.into_iter().collect();
        kinds.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let (has_hosts, has_agents) = (self.hosts.has_any(), self.agents.has_any());
        let step = |kind: Kind| {
            let hole = |column: &str| Yaml::text(format!("${{{FEEDER}.{column}}}"));
            let method = SPOKEN[usize::from(kind.0)].to_ascii_lowercase();
            let mut step = vec![(method, hole("target")), ("name".to_owned(), hole("name"))];
            let headers = [("host", "host", has_hosts), ("user-agent", "agent", has_agents)];
            let headers = headers.into_iter().filter(|(.., is_known)| *is_known);
            let headers: Vec<_> = headers.map(|(header, column, _)| (header.to_owned(), hole(column))).collect();
            if !headers.is_empty() {
                step.push(("headers".to_owned(), Yaml::Map(headers)));
            }
            let expect = vec![("status".to_owned(), kind.1.status())];
            step.push(("expect".to_owned(), Yaml::Map(expect)));
            Yaml::Map(step)
        };
        if let [(only, _)] = kinds.as_slice() {
            return vec![step(*only)];
        }
        let conditional = |kind: Kind| {
            let condition = format!("${{{FEEDER}.kind}} == {}", word(kind));
            let then = Yaml::List(vec![step(kind)]);
            Yaml::Map(vec![("if".to_owned(), Yaml::text(condition)), ("then".to_owned(), then)])
        };
        kinds.into_iter().map(|(kind, _)| conditional(kind)).collect()
    }

    /// Requests per second on average.
    pub fn mean_rate_per_s(&self) -> f64 {
        (self.len() as f64 / (self.length_ns as f64 / 1e9)).max(1e-9)
    }

    /// The rate over time, as holds of the same length.
    fn stages(&self) -> Vec<Yaml> {
        let width_ns = (self.length_ns.div_ceil(BINS_MAX).max(BIN_NS_MIN)).div_ceil(NS_PER_MS) * NS_PER_MS;
        let bins = self.length_ns.div_ceil(width_ns);
        let mut counts = vec![0_u64; bins as usize];
        for (start_ns, _) in &self.starts {
            let bin = (start_ns / width_ns).min(bins - 1);
            counts[bin as usize] += 1;
        }
        let stage = |(bin, count): (u64, u64)| {
            let length_ns = width_ns.min(self.length_ns - bin * width_ns);
            let rate_per_s = count as f64 / (length_ns as f64 / 1e9);
            let stage = vec![
                ("hold".to_owned(), Yaml::plain(format_duration(Duration::from_nanos(length_ns)))),
                ("to".to_owned(), Yaml::plain(format_rate(rate_per_s))),
            ];
            Yaml::Map(stage).on_one_line()
        };
        (0..).zip(counts).map(stage).collect()
    }
}

/// A table under way: texts that have a number of their own elsewhere are looked up by that.
struct Cells {
    table: TableBuilder,
    /// Number in the table by column and number elsewhere.
    known: HashMap<(u8, u8, u32), u32>,
}

impl Default for Cells {
    fn default() -> Self {
        Self { table: Table::builder(COLUMNS.len()), known: HashMap::new() }
    }
}

impl Cells {
    /// The number of what `key` stands for in a column; `None` when the table is full.
    fn number(&mut self, column: u8, key: (u8, u32), text: impl FnOnce() -> String) -> Option<u32> {
        match self.known.get(&(column, key.0, key.1)) {
            Some(number) => Some(*number),
            None => {
                let number = self.table.number_of(&text())?;
                self.known.insert((column, key.0, key.1), number);
                Some(number)
            }
        }
    }
}
