//! A row of counts, as declared with the statistics that it is of: what a window has of one name.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use nmax_metrics::aggregate::{Declaration, LoadStats, RequestStats, Unit, declared};
use nmax_metrics::{Aggregate, Group};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A field of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Column {
    /// A count, perhaps within an object of its part.
    Count(Declaration),
    /// An object of counts by name.
    Map { name: &'static str, about: &'static str },
}

/// The fields of a kind of rows, in their order.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Whether rows begin with the id of a name.
    pub(crate) has_id: bool,
    pub(crate) columns: Vec<Column>,
}

/// All kinds of rows.
#[derive(Debug)]
pub(crate) struct Shapes {
    pub(crate) request: Shape,
    groups: [Shape; Group::ALL.len()],
    pub(crate) load: Shape,
}

/// Every kind of rows.
pub(crate) static SHAPES: LazyLock<Shapes> = LazyLock::new(Shapes::new);

/// Counts of a request that its histograms tell too.
const CLASSES: [(&str, &str); 3] = [
    ("ok", "Exchanges that ended ok."),
    ("failed", "Valid replies that were not ok."),
    ("errors", "Exchanges without a valid reply."),
];

impl Shapes {
    fn new() -> Self {
        let class = |(name, about)| Declaration { part: "", name, unit: Unit::Count, about };
        let mut request: Vec<Column> = CLASSES.map(class).into_iter().map(Column::Count).collect();
        request.push(Column::Map { name: "status", about: "Replies by status code." });
        request.push(Column::Map { name: "error_kinds", about: "Errors by kind." });
        request.extend(declared::<RequestStats>("").map(Column::Count));
        let mut load: Vec<Column> = declared::<LoadStats>("").map(Column::Count).collect();
        let addresses = [
            Column::Map { name: "addresses", about: "Connections opened by server address, at most 64." },
            Column::Map {
                name: "passed_over",
                about: "Connections that an address did not take, refusing or silent, although another address of its name then did, by address, at most 64.",
            },
        ];
        let place = load.iter().position(|column| column.name() == "held_open").unwrap_or(load.len());
        load.splice(place..place, addresses);
        let none = Aggregate::default();
        let group = |group| none.table(group).declared().into_iter().map(Column::Count).collect();
        Self {
            request: Shape { has_id: true, columns: request },
            groups: Group::ALL.map(|of| Shape { has_id: true, columns: group(of) }),
            load: Shape { has_id: false, columns: load },
        }
    }

    pub(crate) fn group(&self, group: Group) -> &Shape {
        &self.groups[group as usize]
    }
}

impl Column {
    fn name(&self) -> &'static str {
        match self {
            Self::Count(declaration) => declaration.name,
            Self::Map { name, .. } => name,
        }
    }

    /// The part that it belongs to; empty for none.
    pub(crate) fn part(&self) -> &'static str {
        match self {
            Self::Count(declaration) => declaration.part,
            Self::Map { .. } => "",
        }
    }
}

/// A row that was read: its cells in the order of the columns.
pub(super) struct Row {
    pub(super) id: usize,
    /// `None` was not counted yet when the row was written.
    pub(super) counts: Vec<Option<u128>>,
    pub(super) maps: Vec<ByName>,
}

/// An object of counts by name, in its order.
pub(super) type ByName = serde_json::Map<String, Value>;

/// A count of such an object.
pub(super) fn count_of(name: &str, count: &Value) -> Result<u64, String> {
    count.as_u64().ok_or_else(|| format!("`{name}` is {count}, which is not a count"))
}

impl Shape {
    /// The JSON of a row of these cells.
    pub(super) fn written(&self, id: usize, maps: Vec<ByName>, counts: impl Iterator<Item = u128>) -> Tree {
        let (mut maps, mut counts) = (maps.into_iter(), counts);
        let mut cell = |column: &Column| match column {
            Column::Count(_) => counts.next().map(Tree::Count),
            Column::Map { .. } => maps.next().map(Tree::ByName),
        };
        let mut fields: Vec<(&'static str, Tree)> = Vec::new();
        fields.extend(self.has_id.then_some(("id", Tree::Count(id as u128))));
        for part in self.parts() {
            let inner = part.iter().filter_map(|column| Some((column.name(), cell(column)?)));
            match part[0].part() {
                "" => fields.extend(inner),
                name => {
                    let inner = Tree::Object(inner.collect());
                    fields.push((name, inner));
                }
            }
        }
        Tree::Object(fields)
    }

    /// Reads a row; fields that it does not know are passed over.
    pub(super) fn read(&self, json: &RawValue) -> Result<Row, String> {
        let fields: Fields<'_> = read(json)?;
        let id = fields.get("id").filter(|_| self.has_id);
        let mut row = Row { id: id.map_or(Ok(0), |id| read(id))?, counts: Vec::new(), maps: Vec::new() };
        for part in self.parts() {
            let inner = match part[0].part() {
                "" => None,
                name => Some(fields.get(name).map_or(Ok(Fields::new()), |inner| read(inner))?),
            };
            for column in part {
                let cell = inner.as_ref().unwrap_or(&fields).get(column.name());
                match column {
                    Column::Count(_) => row.counts.push(cell.map_or(Ok(None), |count| read(count))?),
                    Column::Map { .. } => row.maps.push(cell.map_or(Ok(ByName::new()), |counts| read(counts))?),
                }
            }
        }
        Ok(row)
    }

    /// Columns that follow each other within the same object, or within none.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[Column]> {
        self.columns.chunk_by(|a, b| a.part() == b.part())
    }
}

/// The fields of an object as they are written.
pub(super) type Fields<'a> = BTreeMap<String, &'a RawValue>;

/// Reads a part of a line. Counts beyond 64 bits are read exactly, which a `serde_json::Value` would not hold.
pub(super) fn read<'a, T: Deserialize<'a>>(json: &'a RawValue) -> Result<T, String> {
    serde_json::from_str(json.get()).map_err(|error| error.to_string())
}

/// A part of a line that is to be written.
pub(super) enum Tree {
    Count(u128),
    ByName(ByName),
    List(Vec<Tree>),
    Object(Vec<(&'static str, Tree)>),
}

impl Serialize for Tree {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => serializer.serialize_u128(*count),
            Self::ByName(counts) => counts.serialize(serializer),
            Self::List(items) => serializer.collect_seq(items),
            Self::Object(fields) => serializer.collect_map(fields.iter().map(|(name, value)| (name, value))),
        }
    }
}
