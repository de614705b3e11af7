//! Counts of one section of a window: requests, what is gathered by name, load.

use std::net::IpAddr;

use nmax_metrics::aggregate::{count_address, counts, set_counts};
use nmax_metrics::{Aggregate, Code, ErrorKind, Group, LoadStats, NameId, RequestStats, Section, Statistic};
use serde_json::value::{RawValue, to_raw_value};

use super::row::{ByName, Fields, Row, SHAPES, Tree, count_of, read};
use crate::tag::Limits;

/// The JSON of a section.
pub(super) fn written(aggregate: &Aggregate, section: Section) -> Box<RawValue> {
    let requests = aggregate.requests(section).filter(|(_, stats)| !stats.is_blank());
    let requests = requests.map(|(name, stats)| of_request(name, stats)).collect();
    let mut fields = vec![("requests", Tree::List(requests))];
    for group in Group::ALL {
        let table = aggregate.table(group);
        let row = |id| Some(SHAPES.group(group).written(id, Vec::new(), table.counts(section, id)?.into_iter()));
        let rows: Vec<Tree> = (0..table.len()).filter_map(row).collect();
        if !group.is_optional() || !rows.is_empty() {
            fields.push((group.plural(), Tree::List(rows)));
        }
    }
    fields.push(("load", of_load(aggregate.load(section))));
    to_raw_value(&Tree::Object(fields)).expect("counts and names always become JSON")
}

/// Adds the counts of a section; the histograms are already there.
pub(super) fn restore(
    json: &RawValue,
    aggregate: &mut Aggregate,
    section: Section,
    limits: Limits,
) -> Result<(), String> {
    let fields: Fields<'_> = read(json)?;
    let field = |name: &str| fields.get(name).copied().ok_or_else(|| format!("missing field `{name}`"));
    for json in read::<Vec<&RawValue>>(field("requests")?)? {
        let row = SHAPES.request.read(json)?;
        known("request", row.id, limits.requests)?;
        restore_request(&row, aggregate.request_mut(section, NameId(row.id as u32)), section)?;
    }
    for group in Group::ALL {
        let rows = fields.get(group.plural()).map(|rows| read::<Vec<&RawValue>>(rows)).transpose()?;
        for json in rows.unwrap_or_default() {
            let row = SHAPES.group(group).read(json)?;
            known(group.name(), row.id, limits.for_group(group))?;
            aggregate.table_mut(group).set_counts(section, row.id, &row.counts);
        }
    }
    restore_load(&SHAPES.load.read(field("load")?)?, aggregate.load_mut(section), section)
}

fn known(what: &str, id: usize, limit: usize) -> Result<(), String> {
    match id < limit {
        true => Ok(()),
        false => Err(format!("{what} {id} has no name in names.json")),
    }
}

fn of_request(name: NameId, stats: &RequestStats) -> Tree {
    let kinds = ErrorKind::ALL.iter().zip(stats.errors).filter(|(_, count)| *count > 0);
    let kinds: ByName = kinds.map(|(kind, count)| (kind.name().to_owned(), count.into())).collect();
    let status = stats.status.iter().filter(|(_, count)| *count > 0);
    let status: ByName = status.map(|(code, count)| (code.to_string(), (*count).into())).collect();
    let classes = [stats.ok(), stats.failed(), stats.errors()].map(u128::from);
    SHAPES.request.written(name.0 as usize, vec![status, kinds], classes.into_iter().chain(counts(stats)))
}

/// Completes `stats`, whose histograms are already there.
fn restore_request(row: &Row, stats: &mut RequestStats, section: Section) -> Result<(), String> {
    let (classes, counted) = row.counts.split_at(3);
    if classes != [stats.ok(), stats.failed(), stats.errors()].map(|count| Some(u128::from(count))) {
        return Err(format!("counts of request {} are not those of its histograms", row.id));
    }
    let mut maps = row.maps.iter();
    for (text, count) in maps.next().into_iter().flatten() {
        let code = Code::parse(text).ok_or_else(|| format!("`{text}` is not a status code"))?;
        stats.status.push((code, count_of(text, count)?));
    }
    for (name, count) in maps.next().into_iter().flatten() {
        let kind = ErrorKind::ALL.into_iter().find(|kind| kind.name() == name);
        let kind = kind.ok_or_else(|| format!("`{name}` is not a kind of error"))?;
        stats.errors[kind.index()] = count_of(name, count)?;
    }
    set_counts(stats, section, &mut counted.iter().copied());
    Ok(())
}

fn of_load(load: &LoadStats) -> Tree {
    let by_address = |counts: &[(IpAddr, u64)]| -> ByName {
        counts.iter().map(|(address, count)| (address.to_string(), (*count).into())).collect()
    };
    SHAPES.load.written(0, vec![by_address(&load.addresses), by_address(&load.passed_over)], counts(load))
}

/// Completes `load`, whose histograms are already there.
fn restore_load(row: &Row, load: &mut LoadStats, section: Section) -> Result<(), String> {
    set_counts(load, section, &mut row.counts.iter().copied());
    for (from, to) in row.maps.iter().zip([&mut load.addresses, &mut load.passed_over]) {
        for (text, count) in from {
            let address = text.parse().map_err(|_| format!("`{text}` is not an address"))?;
            count_address(to, address, count_of(text, count)?);
        }
    }
    Ok(())
}
