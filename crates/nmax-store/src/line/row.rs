//! A row of counts, as declared with the statistics that it is of: what a window has of one name.

use std::fmt;
use std::sync::LazyLock;

use nmax_metrics::aggregate::{Declaration, LoadStats, RequestStats, Unit, declared};
use nmax_metrics::{Aggregate, Group};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};

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

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    Count(u128),
    Map(Vec<(String, u64)>),
    /// Not counted yet when the row was written.
    Absent,
}

/// A row, of the columns of its shape.
pub(super) struct Row {
    pub(super) id: usize,
    pub(super) cells: Vec<Cell>,
}

impl Row {
    /// The counts among its cells.
    pub(super) fn counts(&self) -> Vec<Option<u128>> {
        let count = |cell: &Cell| match cell {
            Cell::Count(count) => Some(Some(*count)),
            Cell::Absent => Some(None),
            Cell::Map(_) => None,
        };
        self.cells.iter().filter_map(count).collect()
    }

    /// The objects among its cells, in their order.
    pub(super) fn maps(&self) -> impl Iterator<Item = &[(String, u64)]> {
        self.cells.iter().filter_map(|cell| match cell {
            Cell::Map(map) => Some(map.as_slice()),
            _ => None,
        })
    }
}

/// A row beside its shape, to be written.
pub(super) struct Shaped<'a>(pub(super) &'a Shape, pub(super) &'a Row);

impl Serialize for Shaped<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(shape, row) = self;
        let mut map = serializer.serialize_map(None)?;
        if shape.has_id {
            map.serialize_entry("id", &row.id)?;
        }
        let fields: Vec<(&Column, &Cell)> = shape.columns.iter().zip(&row.cells).collect();
        for part in fields.chunk_by(|(a, _), (b, _)| a.part() == b.part()) {
            match part[0].0.part() {
                "" => part.iter().try_for_each(|(column, cell)| map.serialize_entry(column.name(), cell))?,
                name => map.serialize_entry(name, &Part(part))?,
            }
        }
        map.end()
    }
}

/// The fields of a part.
struct Part<'a>(&'a [(&'a Column, &'a Cell)]);

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(column, cell)| (column.name(), cell)))
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Count(count) => match u64::try_from(*count) {
                Ok(count) => serializer.serialize_u64(count),
                Err(_) => serializer.serialize_u128(*count),
            },
            Self::Map(map) => serializer.collect_map(map.iter().map(|(key, count)| (key, count))),
            Self::Absent => serializer.serialize_none(),
        }
    }
}

/// Rows of a shape, to be written.
pub(super) struct ShapedRows<'a>(pub(super) &'a Shape, pub(super) &'a [Row]);

impl Serialize for ShapedRows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|row| Shaped(self.0, row)))
    }
}

/// Reads a row of a shape; fields that it does not know are passed over.
#[derive(Clone, Copy)]
pub(super) struct RowOf<'a>(pub(super) &'a Shape);

impl<'de> DeserializeSeed<'de> for RowOf<'_> {
    type Value = Row;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Row, D::Error> {
        let absent = |column: &Column| match column {
            Column::Count(_) => Cell::Absent,
            Column::Map { .. } => Cell::Map(Vec::new()),
        };
        let mut row = Row { id: 0, cells: self.0.columns.iter().map(absent).collect() };
        deserializer.deserialize_map(Fields { shape: self.0, part: "", row: &mut row })?;
        Ok(row)
    }
}

/// Reads the fields of a row, or of a part of it.
struct Fields<'a> {
    shape: &'a Shape,
    part: &'a str,
    row: &'a mut Row,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object of counts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { shape, part, row } = self;
        while let Some(key) = map.next_key::<String>()? {
            let mut columns = shape.columns.iter();
            if key == "id" && part.is_empty() && shape.has_id {
                row.id = map.next_value()?;
            } else if let Some(place) = columns.position(|column| column.part() == part && column.name() == key) {
                row.cells[place] = match shape.columns[place] {
                    Column::Count(_) => map.next_value::<Option<u128>>()?.map_or(Cell::Absent, Cell::Count),
                    Column::Map { .. } => Cell::Map(map.next_value::<Counts>()?.0),
                };
            } else if part.is_empty() && shape.columns.iter().any(|column| column.part() == key) {
                map.next_value_seed(Fields { shape, part: &key, row: &mut *row })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Reads rows of a shape.
pub(super) struct RowsOf<'a>(pub(super) &'a Shape);

impl<'de> DeserializeSeed<'de> for RowsOf<'_> {
    type Value = Vec<Row>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Row>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowsOf<'_> {
    type Value = Vec<Row>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a list of objects of counts")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<Row>, A::Error> {
        let mut rows = Vec::new();
        while let Some(row) = list.next_element_seed(RowOf(self.0))? {
            rows.push(row);
        }
        Ok(rows)
    }
}

/// A JSON object of counts that keeps its order.
#[derive(Default)]
pub(super) struct Counts(pub(super) Vec<(String, u64)>);

impl Serialize for Counts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, count)| (key, count)))
    }
}

impl<'de> serde::Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Counts;

            fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
                formatter.write_str("an object of counts")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Counts, A::Error> {
                let mut counts = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    counts.push(entry);
                }
                Ok(Counts(counts))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
