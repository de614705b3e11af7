//! `nmax data mask`: a copy of a file whose values are others of the same form.

use std::collections::BTreeMap;

use nmax_data::{MaskKind, Masker, Record, detect};
use nmax_report::number;
use nmax_run::Exit;
use nmax_text::shown;

use super::json::{Leaf, LeafKind};
use super::output::{Output, note};
use super::table::{CsvTable, LineTable, Table};
use super::{Ended, Trouble, key, no_column, table};
use crate::args::MaskArgs;

/// Records that are looked at to tell what columns are.
const SAMPLE: usize = 1000;
/// Most bytes of them.
const SAMPLE_BYTES: usize = 8 << 20;
/// Most columns of JSON.
const COLUMNS_MAX: usize = 10_000;

/// What is done to a column, and why.
#[derive(Clone, Copy, Debug)]
struct Rule {
    kind: MaskKind,
    why: &'static str,
}

/// Writes the copy, and says what was done.
pub(super) fn mask(args: &MaskArgs) -> Ended {
    for name in &args.keep {
        if args.columns.iter().any(|(own, _)| own == name) {
            let text = format!("column `{name}` is in --columns and in --keep");
            return Err(Trouble::usage(text, "take it out of one"));
        }
    }
    let table = table::open(&args.file)?;
    let masker = Masker::new(key::key(args)?);
    let output = Output::open(args.output.as_deref(), Some(&args.file))?;
    let records = match table {
        Table::Csv(table) => csv(args, &masker, table, output)?,
        Table::Lines(table) => lines(args, &masker, table, output)?,
    };
    note(format_args!("{} records", number::count(records)));
    Ok(Exit::Pass)
}

/// What was asked for a column, or what it seems to be.
fn rule(args: &MaskArgs, name: &str, sample: &[&str]) -> Rule {
    let asked = args.columns.iter().find(|(own, _)| own == name).map(|(_, kind)| *kind);
    let kept = args.keep.iter().any(|own| own == name).then_some(MaskKind::Keep);
    match asked.or(kept) {
        Some(kind) => Rule { kind, why: "as you say" },
        None => {
            let detected = detect(name, sample);
            Rule { kind: detected.kind, why: detected.why }
        }
    }
}

/// Names of flags that are no columns.
fn check_names(args: &MaskArgs, columns: &[&str]) -> Result<(), Trouble> {
    let asked = args.columns.iter().map(|(name, _)| name).chain(&args.keep);
    match asked.into_iter().find(|name| !columns.contains(&name.as_str())) {
        Some(name) => Err(no_column(name, columns, args.file.display())),
        None => Ok(()),
    }
}

/// Says what is done to which column.
fn print_rules<'a>(rules: impl Iterator<Item = (&'a str, Rule)> + Clone) {
    let width = rules.clone().map(|(name, _)| shown(name).chars().count()).max().unwrap_or(0).min(40);
    let (kept, masked): (Vec<_>, Vec<_>) = rules.partition(|(_, rule)| rule.kind == MaskKind::Keep);
    for (name, Rule { kind, why }) in masked {
        let name = shown(name);
        note(format_args!("  {name:<width$}  {:<8}  {} ({why})", kind.name(), kind.effect()));
    }
    for (name, Rule { why, .. }) in kept {
        let name = shown(name);
        note(format_args!("  {name:<width$}  {:<8}  LEFT ALONE ({why})", "keep"));
    }
}

fn csv(args: &MaskArgs, masker: &Masker, mut table: CsvTable, mut output: Output) -> Result<u64, Trouble> {
    let names: Vec<String> = table.header.cells().map(str::to_owned).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    check_names(args, &names)?;
    let (mut sample, mut record, mut bytes) = (Vec::new(), Record::default(), 0);
    while sample.len() < SAMPLE && bytes < SAMPLE_BYTES && table.read(&mut record)? {
        bytes += record.cells().map(str::len).sum::<usize>();
        sample.push(record.clone());
    }
    let rule = |(at, name): (usize, &&str)| {
        let values: Vec<&str> = sample.iter().map(|record| record.cell(at)).filter(|cell| !cell.is_empty()).collect();
        rule(args, name, &values)
    };
    let rules: Vec<Rule> = names.iter().enumerate().map(rule).collect();
    print_rules(names.iter().copied().zip(rules.iter().copied()));
    let separator = table.separator();
    let mut text = String::new();
    table.header.write(separator, &mut text, |_, cell, out| out.push_str(cell));
    output.text().extend_from_slice(text.as_bytes());
    let mut sample = sample.into_iter();
    let mut records = 0;
    loop {
        match sample.next() {
            Some(first) => record = first,
            None if table.read(&mut record)? => {}
            None => break,
        }
        text.clear();
        record.write(separator, &mut text, |at, cell, out| masker.mask(rules[at].kind, cell, out));
        output.text().extend_from_slice(text.as_bytes());
        records += 1;
        if !went_on(&mut output, records)? {
            break;
        }
    }
    output.finish()?;
    Ok(records)
}

/// Writes what is ready; false when nobody reads on.
fn went_on(output: &mut Output, records: u64) -> Result<bool, Trouble> {
    if records.is_multiple_of(100_000) {
        output.progress(&format!("{} records", number::count(records)));
    }
    output.flush_if_full()
}

fn lines(args: &MaskArgs, masker: &Masker, mut table: LineTable, mut output: Output) -> Result<u64, Trouble> {
    let (mut sample, mut bytes) = (Vec::new(), 0);
    while sample.len() < SAMPLE && bytes < SAMPLE_BYTES {
        let Some(line) = table.read()? else { break };
        bytes += line.text.len();
        sample.push((line.text.to_owned(), line.leaves));
    }
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for leaf in sample.iter().flat_map(|(_, leaves)| leaves) {
        let values = values.entry(&leaf.path).or_default();
        values.extend(Some(leaf.text.as_str()).filter(|text| !text.is_empty()));
    }
    check_names(args, &values.keys().copied().collect::<Vec<_>>())?;
    let mut rules: BTreeMap<String, Rule> =
        values.iter().map(|(name, values)| ((*name).to_owned(), rule(args, name, values))).collect();
    print_rules(rules.iter().map(|(name, rule)| (name.as_str(), *rule)));
    let mut records = 0;
    for (text, leaves) in &sample {
        masked_line(masker, &rules, text, leaves, output.text());
        records += 1;
    }
    let mut is_read = went_on(&mut output, records)?;
    while is_read {
        let Some(line) = table.read()? else { break };
        for leaf in &line.leaves {
            if !rules.contains_key(&leaf.path) && rules.len() < COLUMNS_MAX {
                // Not in the sample: this value has to tell.
                let rule = rule(args, &leaf.path, &[leaf.text.as_str()]);
                note(format_args!("also, met in record {}:", number::count(records + 1)));
                print_rules(std::iter::once((leaf.path.as_str(), rule)));
                rules.insert(leaf.path.clone(), rule);
            }
        }
        masked_line(masker, &rules, line.text, &line.leaves, output.text());
        records += 1;
        is_read = went_on(&mut output, records)?;
    }
    output.finish()?;
    Ok(records)
}

/// Appends a line with its values replaced, and all else as it was.
fn masked_line(masker: &Masker, rules: &BTreeMap<String, Rule>, text: &str, leaves: &[Leaf], out: &mut Vec<u8>) {
    let mut at = 0;
    for leaf in leaves {
        let kind = rules.get(&leaf.path).map_or(MaskKind::Text, |rule| rule.kind);
        if let Some(masked) = masked_leaf(masker, kind, leaf) {
            out.extend_from_slice(&text.as_bytes()[at..leaf.place.start]);
            out.extend_from_slice(masked.as_bytes());
            at = leaf.place.end;
        }
    }
    out.extend_from_slice(&text.as_bytes()[at..]);
    out.push(b'\n');
}

/// What stands for a leaf in the line; `None` when it stays.
fn masked_leaf(masker: &Masker, kind: MaskKind, leaf: &Leaf) -> Option<String> {
    if kind == MaskKind::Keep || leaf.kind == LeafKind::Word {
        return None;
    }
    let mut masked = String::new();
    masker.mask(kind, &leaf.text, &mut masked);
    match leaf.kind {
        LeafKind::Text => Some(serde_json::Value::String(masked).to_string()),
        // A number with an exponent would be none any more.
        _ => serde_json::from_str::<serde_json::Number>(&masked).is_ok().then_some(masked),
    }
}
