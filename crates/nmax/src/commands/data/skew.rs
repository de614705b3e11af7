//! `nmax data check`: how often values occur, and how records spread over shards.

use std::collections::HashMap;

use nmax_data::{Counter, Record, ShardHash, Skew};
use nmax_json::{Version, Word, records};
use nmax_report::doc::{self, Document, Item, Mark, Section};
use nmax_report::number;
use nmax_run::Exit;

use super::table::{CsvTable, LineTable, Table};
use super::{Ended, Trouble, no_column, table};
use crate::args::{HASHES, SkewArgs};
use crate::say;

/// Different values that are counted one by one, in all columns together.
const VALUES_MAX: usize = 8 * Counter::EXACT;
/// Most columns of JSON lines.
const COLUMNS_MAX: usize = 1000;
/// Commonest values that are known.
const TOP: usize = 10;
/// Most lines of a bar chart; beyond, the chart shows the fullest ones.
const BARS_MAX: usize = 32;
/// Width of the longest bar.
const BAR: f64 = 32.0;

/// A column as it is counted.
struct Column {
    name: String,
    counter: Counter,
    /// Records on each shard, by hash; empty when nobody asked.
    by_hash: Vec<u64>,
}

/// Reads a file and shows its skew.
pub(super) fn check(args: &SkewArgs) -> Ended {
    let (rows, columns) = match table::open(&args.file)? {
        Table::Csv(table) => csv(args, table)?,
        Table::Lines(table) => lines(args, table)?,
    };
    let found: Vec<(&Column, Skew)> = columns.iter().map(|column| (column, column.counter.skew(TOP))).collect();
    if args.json {
        say::line(format_args!("{:#}", nmax_json::value::<Checked, _>((args, rows, &found))));
    } else {
        say::document(&document(args, rows, &found), false);
    }
    let repeats = |(column, skew): &(&Column, Skew)| args.unique.contains(&column.name) && skew.duplicates > 0.0;
    Ok(if found.iter().any(repeats) { Exit::Failed } else { Exit::Pass })
}

impl Column {
    fn new(name: &str, args: &SkewArgs, columns: usize) -> Self {
        let limit = (VALUES_MAX / columns.max(1)).clamp(1024, Counter::EXACT);
        Self {
            name: name.to_owned(),
            counter: Counter::with_limit(limit),
            by_hash: vec![0; args.shards.map_or(0, usize::from)],
        }
    }

    fn add(&mut self, value: &str, hash: ShardHash) {
        self.counter.add(value);
        if !self.by_hash.is_empty() && !value.is_empty() {
            let shard = hash.shard(value, self.by_hash.len());
            self.by_hash[shard] += 1;
        }
    }
}

/// Whether a column is to be shown.
fn is_wanted(args: &SkewArgs, name: &str) -> bool {
    let is_named = |names: &[String]| names.iter().any(|own| own == name);
    args.column.is_empty() || is_named(&args.column) || is_named(&args.unique)
}

fn check_names(args: &SkewArgs, columns: &[&str]) -> Result<(), Trouble> {
    let mut asked = args.column.iter().chain(&args.unique);
    match asked.find(|name| !columns.contains(&name.as_str())) {
        Some(name) => Err(no_column(name, columns, args.file.display())),
        None => Ok(()),
    }
}

fn csv(args: &SkewArgs, mut table: CsvTable) -> Result<(u64, Vec<Column>), Trouble> {
    let names: Vec<String> = table.header.cells().map(str::to_owned).collect();
    check_names(args, &names.iter().map(String::as_str).collect::<Vec<_>>())?;
    let wanted: Vec<usize> = (0..names.len()).filter(|at| is_wanted(args, &names[*at])).collect();
    let mut columns: Vec<Column> = wanted.iter().map(|at| Column::new(&names[*at], args, wanted.len())).collect();
    let (mut rows, mut record, hash) = (0, Record::default(), args.hash);
    while table.read(&mut record)? {
        rows += 1;
        for (column, at) in columns.iter_mut().zip(&wanted) {
            column.add(null_as_empty(record.cell(*at)), hash);
        }
    }
    Ok((rows, columns))
}

/// What databases write for a value that is not there.
fn null_as_empty(cell: &str) -> &str {
    if matches!(cell, "NULL" | "\\N") { "" } else { cell }
}

fn lines(args: &SkewArgs, mut table: LineTable) -> Result<(u64, Vec<Column>), Trouble> {
    let (mut columns, mut places, hash) = (Vec::<Column>::new(), HashMap::<String, usize>::new(), args.hash);
    // For each column the number of the last row that had it, and how many rows had it.
    let mut met: Vec<(u64, u64)> = Vec::new();
    let mut rows = 0;
    while let Some(line) = table.read()? {
        rows += 1;
        for leaf in line.leaves {
            let at = match places.get(&leaf.path) {
                Some(at) => *at,
                None if !is_wanted(args, &leaf.path) => continue,
                None if columns.len() == COLUMNS_MAX => {
                    let text = format!("{}: more than {COLUMNS_MAX} different names", args.file.display());
                    return Err(Trouble::usage(text, "choose some with --column"));
                }
                None => {
                    columns.push(Column::new(&leaf.path, args, if args.column.is_empty() { 32 } else { 8 }));
                    met.push((0, 0));
                    places.insert(leaf.path, columns.len() - 1);
                    columns.len() - 1
                }
            };
            if met[at].0 != rows {
                met[at] = (rows, met[at].1 + 1);
            }
            columns[at].add(&leaf.text, hash);
        }
    }
    if rows == 0 {
        return Err(Trouble::usage(
            format_args!("{}: the file is empty", args.file.display()),
            "give a file with records",
        ));
    }
    check_names(args, &columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>())?;
    for (column, (_, had)) in columns.iter_mut().zip(met) {
        // A row without the name is a row without a value.
        (had..rows).for_each(|_| column.add("", hash));
    }
    Ok((rows, columns))
}

fn document(args: &SkewArgs, rows: u64, found: &[(&Column, Skew)]) -> Document {
    let or_unknown = |value: Option<f64>| number::or_unknown(value, |value| format!("{value:.2}"));
    let about = |skew: &Skew| if skew.is_exact { "" } else { "~" };
    let table = doc::table::Table::from_rows(found)
        .named()
        .fits()
        .word("column", |(column, _)| &column.name)
        .number("empty", |(_, skew)| number::short_count(skew.empty))
        .number("different", |(_, skew)| format!("{}{}", about(skew), number::short_count(skew.distinct as u64)))
        .number("top 1", |(_, skew)| number::share(skew.top_share(1)))
        .number(format!("top {TOP}"), |(_, skew)| number::share(skew.top_share(TOP)))
        .number("Gini", |(_, skew)| or_unknown(skew.gini))
        .number("Zipf", |(_, skew)| or_unknown(skew.zipf))
        .word("commonest", |(_, skew)| {
            let commonest = skew.top.first().map_or("", |(value, _)| value);
            commonest.chars().take(24).collect::<String>()
        });
    let is_estimated = found.iter().any(|(_, skew)| !skew.is_exact);
    let mut sections = vec![Section::new("columns", "").with(|body| {
        body.table(table);
        body.items(found.iter().filter_map(|(column, skew)| duplicates(args, &column.name, skew)));
        if is_estimated {
            body.note("~ estimated from a uniform sample of the different values, within a few percent");
        }
    })];
    for (column, _) in found.iter().filter(|(column, _)| !column.by_hash.is_empty()) {
        let by_hash: Vec<f64> = column.by_hash.iter().map(|rows| *rows as f64).collect();
        let by_range = column.counter.by_range(by_hash.len());
        let title = format!("{} over {} shards", column.name, by_hash.len());
        sections.push(chart(&format!("{title} by {}", hash_name(args.hash)), &by_hash));
        sections.push(chart(&format!("{title} by range, each with as many different values"), &by_range));
    }
    Document {
        title: format!("{}: {} records", args.file.display(), number::count(rows)),
        sections: sections.into_iter().filter_map(Section::said).collect(),
        ..Document::default()
    }
}

/// A word on values that repeat and should not.
fn duplicates(args: &SkewArgs, name: &str, skew: &Skew) -> Option<Item> {
    let is_unique = args.unique.iter().any(|own| own == name);
    let share = skew.duplicates / skew.count.max(1) as f64;
    let about = if skew.is_exact { "" } else { "about " };
    let count = number::count(skew.duplicates.round() as u64);
    match (is_unique, skew.duplicates > 0.0) {
        (true, true) => {
            let commonest = skew.top.first().filter(|(_, count)| *count > 1);
            let example = commonest.map_or(String::new(), |(value, count)| format!(", `{value}` {count} times"));
            Some(Item::new(Mark::Fail, format!("{name} should not repeat: {about}{count} duplicates{example}")))
        }
        (true, false) => Some(Item::new(Mark::Pass, format!("{name}: no duplicates"))),
        // Nearly all differ: perhaps all were meant to.
        (false, true) if skew.is_exact && share < 0.01 && skew.count >= 100 => {
            let text = format!("{name}: nearly unique, {count} duplicates; --unique {name} makes that an error");
            Some(Item::new(Mark::Warning, text))
        }
        _ => None,
    }
}

/// Largest share of a shard over the mean one; `None` without records.
fn largest_to_mean(rows: &[f64]) -> Option<f64> {
    let total: f64 = rows.iter().sum();
    let largest = rows.iter().copied().fold(0.0, f64::max);
    (total > 0.0).then(|| largest * rows.len() as f64 / total)
}

/// A bar for each shard.
fn chart(title: &str, rows: &[f64]) -> Section {
    let Some(ratio) = largest_to_mean(rows) else {
        return Section::new(title, title).with(|body| _ = body.note("no values"));
    };
    let total: f64 = rows.iter().sum();
    let largest = rows.iter().copied().fold(0.0, f64::max);
    let mut shown: Vec<usize> = (0..rows.len()).collect();
    shown.sort_by(|a, b| rows[*b].total_cmp(&rows[*a]));
    shown.truncate(BARS_MAX);
    if rows.len() <= BARS_MAX {
        shown.sort_unstable();
    }
    let table = doc::table::Table::from_rows(shown)
        .fits()
        .number("shard", |shard| shard.to_string())
        .count("records", |shard| rows[shard])
        .share("share", |shard| rows[shard] / total)
        .word("", |shard| "#".repeat((rows[shard] / largest * BAR).round() as usize));
    Section::new(title, title).with(|body| {
        body.note(format!("the fullest has {ratio:.2} times the mean")).table(table);
        if rows.len() > BARS_MAX {
            body.note(format!("the {BARS_MAX} fullest of {}", rows.len()));
        }
    })
}

fn hash_name(hash: ShardHash) -> &'static str {
    HASHES.iter().find(|(_, known, _)| *known == hash).map_or("", |(name, ..)| name)
}

records! {
    pub(in crate::commands) struct Checked(all: (&SkewArgs, u64, &Vec<(&Column, Skew)>)) {
        schema_version: Version = Version;
        file: String = all.0.file.display().to_string();
        rows: u64 = all.1;
        columns: Vec<ColumnRow> = all.2.iter().map(|(column, skew)| (all.0.hash, *column, skew)).collect::<Vec<_>>();
    }
    pub(in crate::commands) struct ColumnRow(of: (ShardHash, &Column, &Skew)) {
        name: String = &of.1.name;
        count: u64 = of.2.count, "Values that are not empty.";
        empty: u64 = of.2.empty;
        distinct: u64 = of.2.distinct as u64, "Different values.";
        duplicates: u64 = of.2.duplicates as u64, "Values beyond the first of each kind.";
        is_exact: bool = of.2.is_exact, "All was counted; else estimated within a few percent.";
        top: Vec<Often> = &of.2.top, "The commonest first.";
        top_count_error: u64 = of.2.top_error, "How much too low the counts of `top` may be.";
        top_1_share: f64 = of.2.top_share(1), "Of the values, 0 to 1.";
        top_10_share: f64 = of.2.top_share(TOP);
        gini: Option<f64> = of.2.gini, "0 where all values are equally common.";
        zipf_exponent: Option<f64> = of.2.zipf, "Null for fewer than ten values.";
        #[serde(skip_serializing_if = "Option::is_none")] #[schemars(with = "Shards")]
        shards: Option<Shards> = (!of.1.by_hash.is_empty()).then_some((of.0, of.1)), "Absent without --shards.";
    }
    pub(in crate::commands) struct Often(of: &(String, u64)) {
        value: String = &of.0;
        count: u64 = of.1;
    }
    pub(in crate::commands) struct Shards(of: (ShardHash, &Column)) {
        hash: Word = hash_name(of.0), in HASHES.map(|(name, ..)| name);
        by_hash: Spread = of.1.by_hash.iter().map(|rows| *rows as f64).collect::<Vec<_>>();
        by_range: Spread = of.1.counter.by_range(of.1.by_hash.len()), "Ranges with as many different values each.";
    }
    pub(in crate::commands) struct Spread(shards: Vec<f64>) {
        rows: Vec<u64> = shards.iter().map(|rows| rows.round() as u64).collect::<Vec<_>>(), "Of each shard.";
        largest_to_mean: Option<f64> = largest_to_mean(&shards), "Null without values.";
    }
}
