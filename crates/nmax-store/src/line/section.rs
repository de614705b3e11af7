//! Counts of one section of a window: requests, what is gathered by name, load.

use std::fmt;
use std::net::IpAddr;

use nmax_metrics::aggregate::{count_address, counts, set_counts};
use nmax_metrics::{Aggregate, Code, ErrorKind, Group, LoadStats, NameId, RequestStats, Section, Statistic};
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::row::{Cell, Column, Row, RowOf, RowsOf, SHAPES, Shape, Shaped, ShapedRows};
use crate::tag::Limits;

pub(super) struct SectionLine {
    requests: Vec<Row>,
    groups: [Vec<Row>; Group::ALL.len()],
    load: Row,
}

impl SectionLine {
    pub(super) fn from_aggregate(aggregate: &Aggregate, section: Section) -> Self {
        let requests = aggregate.requests(section).filter(|(_, stats)| !stats.is_blank());
        let groups = Group::ALL.map(|group| {
            let table = aggregate.table(group);
            let row = |id| {
                let counts = table.counts(section, id)?;
                Some(Row { id, cells: counts.into_iter().map(Cell::Count).collect() })
            };
            (0..table.len()).filter_map(row).collect()
        });
        let requests = requests.map(|(name, stats)| of_request(name, stats)).collect();
        Self { requests, groups, load: of_load(aggregate.load(section)) }
    }

    pub(super) fn restore(self, aggregate: &mut Aggregate, section: Section, limits: Limits) -> Result<(), String> {
        for row in self.requests {
            known("request", row.id, limits.requests)?;
            restore_request(&row, aggregate.request_mut(section, NameId(row.id as u32)), section)?;
        }
        for (group, rows) in Group::ALL.into_iter().zip(self.groups) {
            for row in rows {
                known(group.name(), row.id, limits.for_group(group))?;
                aggregate.table_mut(group).set_counts(section, row.id, &row.counts());
            }
        }
        restore_load(&self.load, aggregate.load_mut(section), section)
    }
}

fn known(what: &str, id: usize, limit: usize) -> Result<(), String> {
    match id < limit {
        true => Ok(()),
        false => Err(format!("{what} {id} has no name in names.json")),
    }
}

/// A row whose objects are `maps` and whose counts are `counts`.
fn row(id: usize, shape: &Shape, maps: [Vec<(String, u64)>; 2], mut counts: impl Iterator<Item = u128>) -> Row {
    let mut maps = maps.into_iter();
    let cell = |column: &Column| match column {
        Column::Count(_) => counts.next().map_or(Cell::Absent, Cell::Count),
        Column::Map { .. } => Cell::Map(maps.next().unwrap_or_default()),
    };
    Row { id, cells: shape.columns.iter().map(cell).collect() }
}

fn of_request(name: NameId, stats: &RequestStats) -> Row {
    let kinds = ErrorKind::ALL.iter().zip(stats.errors).filter(|(_, count)| *count > 0);
    let kinds = kinds.map(|(kind, count)| (kind.name().to_owned(), count)).collect();
    let status = stats.status.iter().filter(|(_, count)| *count > 0);
    let status = status.map(|(code, count)| (code.to_string(), *count)).collect();
    let classes = [stats.ok(), stats.failed(), stats.errors()].map(u128::from);
    row(name.0 as usize, &SHAPES.request, [status, kinds], classes.into_iter().chain(counts(stats)))
}

/// Completes `stats`, whose histograms are already there.
fn restore_request(row: &Row, stats: &mut RequestStats, section: Section) -> Result<(), String> {
    let stored = row.counts();
    let (classes, counted) = stored.split_at(3);
    if classes != [stats.ok(), stats.failed(), stats.errors()].map(|count| Some(u128::from(count))) {
        return Err(format!("counts of request {} are not those of its histograms", row.id));
    }
    let mut maps = row.maps();
    for (code, count) in maps.next().into_iter().flatten() {
        let code = Code::parse(code).ok_or_else(|| format!("`{code}` is not a status code"))?;
        stats.status.push((code, *count));
    }
    for (name, count) in maps.next().into_iter().flatten() {
        let kind = ErrorKind::ALL.into_iter().find(|kind| kind.name() == name);
        stats.errors[kind.ok_or_else(|| format!("`{name}` is not a kind of error"))?.index()] = *count;
    }
    set_counts(stats, section, &mut counted.iter().copied());
    Ok(())
}

fn of_load(load: &LoadStats) -> Row {
    let by_address = |counts: &[(IpAddr, u64)]| -> Vec<(String, u64)> {
        counts.iter().map(|(address, count)| (address.to_string(), *count)).collect()
    };
    row(0, &SHAPES.load, [by_address(&load.addresses), by_address(&load.passed_over)], counts(load))
}

/// Completes `load`, whose histograms are already there.
fn restore_load(row: &Row, load: &mut LoadStats, section: Section) -> Result<(), String> {
    set_counts(load, section, &mut row.counts().into_iter());
    for (from, to) in row.maps().zip([&mut load.addresses, &mut load.passed_over]) {
        for (text, count) in from {
            let address = text.parse().map_err(|_| format!("`{text}` is not an address"))?;
            count_address(to, address, *count);
        }
    }
    Ok(())
}

impl Serialize for SectionLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("requests", &ShapedRows(&SHAPES.request, &self.requests))?;
        let groups = Group::ALL.into_iter().zip(&self.groups);
        for (group, rows) in groups.filter(|(group, rows)| !group.is_optional() || !rows.is_empty()) {
            map.serialize_entry(group.plural(), &ShapedRows(SHAPES.group(group), rows))?;
        }
        map.serialize_entry("load", &Shaped(&SHAPES.load, &self.load))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for SectionLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Rows)
    }
}

struct Rows;

impl<'de> Visitor<'de> for Rows {
    type Value = SectionLine;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a section of a window")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SectionLine, A::Error> {
        let (mut requests, mut groups, mut load) = (None, [const { Vec::new() }; Group::ALL.len()], None);
        while let Some(key) = map.next_key::<String>()? {
            if key == "requests" {
                requests = Some(map.next_value_seed(RowsOf(&SHAPES.request))?);
            } else if key == "load" {
                load = Some(map.next_value_seed(RowOf(&SHAPES.load))?);
            } else if let Some(group) = Group::ALL.into_iter().find(|group| group.plural() == key) {
                groups[group as usize] = map.next_value_seed(RowsOf(SHAPES.group(group)))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        let missing = |field| serde::de::Error::missing_field(field);
        let requests = requests.ok_or_else(|| missing("requests"))?;
        Ok(SectionLine { requests, groups, load: load.ok_or_else(|| missing("load"))? })
    }
}
