//! Which column holds N, X and R: as asked for, else by its name.

use nmax_text::{nearest, shown};

use super::TableError;
use crate::observation::Dimension;

/// Names of N by what they count.
const CONCURRENCY: &[(Dimension, &[&str])] = &[
    (Dimension::Vus, &["users", "user", "vus", "vu", "virtualusers", "clients", "client"]),
    (Dimension::InFlight, &["concurrency", "inflight"]),
    (Dimension::Threads, &["threads", "thread", "connections"]),
    (Dimension::Workers, &["workers", "worker"]),
    (Dimension::Injectors, &["injectors", "injector"]),
    (Dimension::Nodes, &["nodes", "node", "servers", "machines", "instances"]),
    (Dimension::Other, &["n", "cores", "cpus", "processors", "processes", "load", "warehouses"]),
];

/// Names of X; those that begin with `throughput` as well.
const THROUGHPUT: &[&str] = &[
    "x", "xn", "xpers", "tps", "rps", "qps", "ops", "reqpers", "reqpersec", "reqspers", "reqspersec", "requestspers",
    "requestspersec", "requestspersecond", "opspers", "opspersec", "transactionspers", "queriespers",
];

/// Names of R, without their unit.
const RESPONSE_TIME: &[&str] = &[
    "r", "rt", "response", "responsetime", "meanresponse", "meanresponsetime", "responsetimemean", "latency",
    "meanlatency", "latencymean", "avglatency", "residencetime",
];

/// Names of the number of completions behind X.
const COUNTS: &[&str] = &["count", "completions"];

/// Names of units of time, as they end the name of a column or follow a value, by seconds.
const UNITS: &[(f64, &[&str])] = &[
    (1e-9, &["ns", "nanoseconds"]),
    (1e-6, &["us", "µs", "usec", "microseconds"]),
    (1e-3, &["ms", "msec", "millis", "milliseconds"]),
    (1.0, &["s", "sec", "secs", "second", "seconds"]),
];

/// What a column of this name counts, if it is one of N.
fn dimension_of(name: &str) -> Option<Dimension> {
    let name = plain(name);
    CONCURRENCY.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(dimension, _)| *dimension)
}

/// Seconds of a unit of time.
pub(super) fn seconds_of(unit: &str) -> Option<f64> {
    let is_named = |names: &[&str]| names.iter().any(|name| name.eq_ignore_ascii_case(unit));
    UNITS.iter().find(|(_, names)| is_named(names)).map(|(seconds, _)| *seconds)
}

/// Columns that are asked for: each by its name, or its number from 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColumnSelection<'a> {
    /// Of N.
    pub n: Option<&'a str>,
    /// Of X.
    pub x: Option<&'a str>,
    /// Of R; after a colon its unit of time may follow.
    pub r: Option<&'a str>,
}

/// Columns, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Columns {
    /// `None` for an open load: X was set and R observed, and N is X·(R + Z).
    pub(super) n: Option<usize>,
    pub(super) x: usize,
    pub(super) r: Option<ResponseTime>,
    /// Completions behind X.
    pub(super) count: Option<usize>,
    pub(super) dimension: Dimension,
}

/// The column of response times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ResponseTime {
    pub(super) column: usize,
    /// Seconds of its unit; `None` when nothing names one.
    pub(super) unit_s: Option<f64>,
}

/// Finds the columns. `names` are those of the header, `None` without one; `count` is how many columns there are.
pub(super) fn find(names: Option<&[String]>, count: usize, asked: ColumnSelection<'_>) -> Result<Columns, TableError> {
    let table = Table { names, count };
    if count < 2 {
        let help = "put a comma, semicolon, tab or spaces between the concurrency and the throughput of a run";
        return Err(TableError::new("there is one column; two are needed: N and X", help));
    }
    let is_concurrency = |name: &str| dimension_of(name).is_some();
    let r = table.response_time(asked.r)?;
    let has_concurrency = match names {
        Some(names) => names.iter().any(|name| is_concurrency(name)),
        // Without names X and R have to be given both, or the first column is N.
        None => asked.x.is_none() || r.is_none(),
    };
    let n = if asked.n.is_none() && !has_concurrency && r.is_some() {
        None
    } else {
        Some(table.one("n", asked.n, "N, the concurrency", is_concurrency)?)
    };
    let x = table.one("x", asked.x, "X, the throughput", is_throughput)?;
    if n == Some(x) {
        let text = format!("N and X are both {}", table.name(x));
        return Err(TableError::new(text, "give different columns to --n and --x"));
    }
    if let Some(r) = r.filter(|r| n == Some(r.column) || x == r.column) {
        let text = format!("R is {}, as is {}", table.name(r.column), if x == r.column { "X" } else { "N" });
        return Err(TableError::new(text, "give another column to --r"));
    }
    let taken = |column: usize| n == Some(column) || column == x || r.is_some_and(|r| r.column == column);
    let is_count = |name: &String| COUNTS.iter().any(|known| name.eq_ignore_ascii_case(known));
    let counted = names.and_then(|names| (0..names.len()).find(|at| is_count(&names[*at]) && !taken(*at)));
    let dimension = n.and_then(|n| names?.get(n)).and_then(|name| dimension_of(name));
    Ok(Columns {
        n,
        x,
        r,
        count: counted,
        dimension: match (n, dimension) {
            (None, _) => Dimension::InFlight,
            (_, found) => found.unwrap_or(Dimension::Other),
        },
    })
}

/// Names of the columns, or how many there are.
#[derive(Clone, Copy)]
struct Table<'a> {
    names: Option<&'a [String]>,
    count: usize,
}

impl Table<'_> {
    /// The column for a flag: as asked for, or the one that is named so.
    fn one(
        &self,
        flag: &str,
        asked: Option<&str>,
        what: &str,
        is_named: impl Fn(&str) -> bool,
    ) -> Result<usize, TableError> {
        if let Some(asked) = asked {
            return self.find_column(flag, asked);
        }
        let Some(names) = self.names else {
            // Two columns without names are N and X, in this order; of more, nobody knows.
            return match self.count {
                2 => Ok(usize::from(flag == "x")),
                count => Err(TableError::new(
                    format!("{count} columns without a header: which of them is {what}?"),
                    "say it by number, such as --n 1 --x 2",
                )),
            };
        };
        let found: Vec<usize> = (0..names.len()).filter(|at| is_named(&names[*at])).collect();
        // A single letter is what this program writes; longer names come after it.
        let exact = found.iter().copied().filter(|at| names[*at].eq_ignore_ascii_case(flag));
        let exact: Vec<usize> = exact.collect();
        match (exact.as_slice(), found.as_slice()) {
            ([at], _) | ([], [at]) => Ok(*at),
            ([], []) => Err(TableError::new(
                format!("no column is named like {what}; there are: {}", self.list()),
                format!("say which: --{flag} NAME or --{flag} NUMBER"),
            )),
            (_, several) => {
                let name = |at: &usize| format!("{} (column {})", self.name(*at), at + 1);
                let several: Vec<String> = several.iter().map(name).collect();
                Err(TableError::new(
                    format!("{} could all be {what}", several.join(", ")),
                    format!("say which: --{flag} NAME or --{flag} NUMBER"),
                ))
            }
        }
    }

    /// Response times are optional: no name, no column; the first of several.
    fn response_time(&self, asked: Option<&str>) -> Result<Option<ResponseTime>, TableError> {
        let names = self.names.unwrap_or(&[]);
        let Some(asked) = asked else {
            let named = |name: &String| {
                let (name, _) = unit_of(name);
                RESPONSE_TIME.contains(&plain(name).as_str())
            };
            let column = names.iter().position(named);
            return Ok(column.map(|column| ResponseTime { column, unit_s: unit_of(&names[column]).1 }));
        };
        // A unit may follow, unless the column itself is called so.
        let (name, unit_s) = match asked.rsplit_once(':') {
            Some((name, unit)) if self.position(asked).is_none() => match seconds_of(unit) {
                Some(unit_s) => (name, Some(unit_s)),
                None => {
                    let text = format!("--r {asked}: `{unit}` is not a unit of time");
                    return Err(TableError::new(text, "write ns, us, ms or s after the colon"));
                }
            },
            _ => (asked, None),
        };
        let column = self.find_column("r", name)?;
        let own = names.get(column).and_then(|name| unit_of(name).1);
        Ok(Some(ResponseTime { column, unit_s: unit_s.or(own) }))
    }

    /// The column that was asked for by name or number.
    fn find_column(&self, flag: &str, asked: &str) -> Result<usize, TableError> {
        let names = self.names.unwrap_or(&[]);
        let twins: Vec<usize> = (0..names.len()).filter(|at| names[*at] == asked).collect();
        if let [first, _, ..] = twins.as_slice() {
            let text = format!("--{flag} {}: {} columns are called so", shown(asked), twins.len());
            let help = format!("give the number of one, such as --{flag} {}", first + 1);
            return Err(TableError::new(text, help));
        }
        if let Some(at) = self.position(asked) {
            return Ok(at);
        }
        let asked = shown(asked);
        let text = format!("--{flag} {asked}: there is no such column; there are: {}", self.list());
        let help = match nearest(&asked, names.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{}`?", shown(meant)),
            None => format!("give a name, or a number from 1 to {}", self.count),
        };
        Err(TableError::new(text, help))
    }

    fn position(&self, asked: &str) -> Option<usize> {
        let names = self.names.unwrap_or(&[]);
        let exact = names.iter().position(|name| name == asked);
        let alike = || names.iter().position(|name| name.eq_ignore_ascii_case(asked));
        let number = || asked.parse::<usize>().ok().filter(|number| (1..=self.count).contains(number));
        exact.or_else(alike).or_else(|| number().map(|number| number - 1))
    }

    /// How a column is called in messages.
    fn name(&self, at: usize) -> String {
        name_of(self.names, at)
    }

    fn list(&self) -> String {
        /// More names make no message clearer.
        const LISTED: usize = 20;
        let Some(names) = self.names else {
            return format!("{} without names", self.count);
        };
        let mut list: Vec<String> = (0..names.len().min(LISTED)).map(|at| self.name(at)).collect();
        if names.len() > LISTED {
            list.push(format!("{} more", names.len() - LISTED));
        }
        list.join(", ")
    }
}

/// How a column is called in messages.
pub(super) fn name_of(names: Option<&[String]>, at: usize) -> String {
    match names.and_then(|names| names.get(at)).filter(|name| !name.is_empty()) {
        Some(name) => format!("`{}`", shown(name)),
        None => format!("column {}", at + 1),
    }
}

/// Whether a column of this name holds X per second; of other units a person has to say so.
fn is_throughput(name: &str) -> bool {
    let name = plain(name);
    let per_other = ["permin", "perhour", "perday"].iter().any(|unit| name.contains(unit));
    THROUGHPUT.contains(&name.as_str()) || name.starts_with("throughput") && !per_other
}

/// A name without case, blanks, brackets and marks: `Requests/s` becomes `requestspers`.
fn plain(name: &str) -> String {
    let name = name.to_lowercase().replace('/', "per");
    name.chars().filter(|letter| letter.is_alphanumeric()).collect()
}

/// The unit of time that ends a name, as in `latency_ms` or `R (s)`, and the name before it.
fn unit_of(name: &str) -> (&str, Option<f64>) {
    let trimmed = name.trim_end_matches(|letter: char| !letter.is_alphanumeric());
    let begin =
        trimmed.char_indices().rev().take_while(|(_, letter)| letter.is_alphanumeric()).last().map_or(0, |(at, _)| at);
    match seconds_of(&trimmed[begin..]) {
        Some(seconds) if begin > 0 => (&trimmed[..begin], Some(seconds)),
        _ => (name, None),
    }
}

#[cfg(test)]
mod tests;
