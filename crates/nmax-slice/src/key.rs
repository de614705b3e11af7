//! What rows are grouped by: columns, tags, and spans of numbers.

use std::collections::HashMap;

use crate::column::{Cell, Kind, UNKNOWN, Values};
use crate::condition::{Frame, Origin, Scope};
use crate::tag::Tag;
use crate::{SliceError, literal};

/// Keys of a request, at most.
const KEYS_MAX: usize = 8;
/// Range of numbers that are told apart by a table.
const TABLE_MAX: i64 = 1 << 16;

/// One thing that rows are grouped by.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// As a person wrote it.
    pub(crate) label: String,
    pub(crate) origin: Origin,
    pub(crate) kind: Kind,
    /// Numbers are grouped by spans of this width.
    pub(crate) width: Option<i64>,
}

/// The keys of a request, after tags that are defined among them were taken out.
pub(crate) fn keys(part: &str, texts: &[String], scope: &Scope<'_>, errors: &mut Vec<SliceError>) -> Vec<Key> {
    let mut keys: Vec<Key> = Vec::new();
    for text in texts {
        match key(part, text, scope) {
            Ok(key) if keys.iter().any(|other| other.label == key.label) => {
                let text = format!("`{}` is named twice", key.label);
                errors.push(SliceError::new(part, text, "name it once"));
            }
            Ok(key) => keys.push(key),
            Err(error) => errors.push(error),
        }
    }
    if keys.len() > KEYS_MAX {
        let text = format!("{} columns to group by; at most {KEYS_MAX} can be used", keys.len());
        errors.push(SliceError::new(part, text, "leave some out"));
    }
    keys
}

fn key(part: &str, text: &str, scope: &Scope<'_>) -> Result<Key, SliceError> {
    let (name, width) = match text.split_once(':') {
        Some((name, width)) => (name.trim(), Some(width.trim())),
        None => (text, None),
    };
    let (origin, kind) = scope.find(part, name)?;
    let width = width.map(|width| width_of(part, name, kind, width)).transpose()?;
    if width.is_none() && (kind.is_instant() || matches!(kind, Kind::Span | Kind::Bytes)) {
        let example = if kind == Kind::Bytes { "100kB" } else { "10s" };
        let text = format!("`{name}` has nearly as many values as there are exchanges");
        return Err(SliceError::new(part, text, format!("group it by spans, as in {name}:{example}")));
    }
    Ok(Key { label: text.to_owned(), origin, kind, width })
}

fn width_of(part: &str, name: &str, kind: Kind, text: &str) -> Result<i64, SliceError> {
    let unit = match kind {
        Kind::Text => {
            let text = format!("`{name}` is text, which has no spans");
            return Err(SliceError::new(part, text, format!("write `{name}` alone")));
        }
        Kind::Calendar { .. } => Kind::Span,
        kind => kind,
    };
    let width = literal::number(unit, text).map_err(|(text, remedy)| SliceError::new(part, text, remedy))?;
    if width <= 0 {
        return Err(SliceError::new(part, format!("a span of `{text}` is empty"), "give a width above 0"));
    }
    Ok(width)
}

/// Takes the definitions of tags out of a list of keys: `images=\.png$` defines and names `images`.
pub(crate) fn take_tags(part: &str, texts: &mut [String], scope: &Scope<'_>) -> (Vec<Tag>, Vec<SliceError>) {
    let (mut tags, mut errors) = (Vec::new(), Vec::new());
    for text in texts.iter_mut().filter(|text| text.contains('=')) {
        match Tag::parse(part, text, scope.schema) {
            Ok(tag) => {
                text.clone_from(&tag.name);
                tags.push(tag);
            }
            Err(error) => errors.push(error),
        }
    }
    (tags, errors)
}

/// Parts of a list with commas between; commas between quotes belong to a part.
pub(crate) fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for letter in list.chars() {
        match (quote, letter) {
            (None, ',') => {
                parts.push(String::new());
                continue;
            }
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), letter) if letter == open => quote = None,
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(letter);
        }
    }
    let parts = parts.iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// Values of the chosen rows as small numbers.
pub(crate) struct Codes {
    /// Of each row.
    pub(crate) codes: Vec<u32>,
    /// What they stand for.
    pub(crate) cells: Vec<Cell>,
}

impl Key {
    /// The value of each chosen row.
    pub(crate) fn codes(&self, frame: &Frame<'_>, rows: &[u32]) -> Codes {
        match frame.values(self.origin) {
            None => Codes { codes: vec![0; rows.len()], cells: vec![Cell::Unknown] },
            Some(Values::Texts { ids, names }) => {
                let mut coder = Coder::default();
                let mut known: Vec<Option<u32>> = vec![None; names.len()];
                let codes = rows.iter().map(|row| {
                    let id = ids[*row as usize] as usize;
                    match known.get_mut(id) {
                        Some(slot) => *slot.get_or_insert_with(|| coder.add(Cell::Text(names[id].clone()))),
                        None => coder.unknown(),
                    }
                });
                let codes = codes.collect();
                Codes { codes, cells: coder.cells }
            }
            Some(Values::Numbers(numbers)) => self.of_numbers(numbers, rows),
        }
    }

    fn of_numbers(&self, numbers: &[i64], rows: &[u32]) -> Codes {
        let values: Vec<i64> = rows.iter().map(|row| self.floor(numbers[*row as usize])).collect();
        let step = self.width.unwrap_or(1);
        let known = values.iter().filter(|value| **value != UNKNOWN);
        let (low, high) = known.fold((i64::MAX, i64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
        let mut coder = Coder::default();
        let range = high.saturating_sub(low) / step;
        let codes = if low <= high && range < TABLE_MAX {
            let mut table: Vec<Option<u32>> = vec![None; range as usize + 1];
            let code = |value: i64| match value {
                UNKNOWN => coder.unknown(),
                _ => *table[((value - low) / step) as usize].get_or_insert_with(|| coder.add(Cell::Number(value))),
            };
            values.into_iter().map(code).collect()
        } else {
            let mut table: HashMap<i64, u32> = HashMap::new();
            let code = |value: i64| match value {
                UNKNOWN => coder.unknown(),
                _ => *table.entry(value).or_insert_with(|| coder.add(Cell::Number(value))),
            };
            values.into_iter().map(code).collect()
        };
        Codes { codes, cells: coder.cells }
    }

    /// The beginning of the span that a number is in. Spans of dates begin at midnight of their zone.
    fn floor(&self, value: i64) -> i64 {
        let Some(width) = self.width else { return value };
        if value == UNKNOWN {
            return value;
        }
        let shift = match self.kind {
            Kind::Calendar { zone_s } => i64::from(zone_s) * 1_000_000_000,
            _ => 0,
        };
        let shifted = value.saturating_add(shift);
        (shifted - shifted.rem_euclid(width)).saturating_sub(shift)
    }
}

/// Hands out numbers.
#[derive(Default)]
struct Coder {
    cells: Vec<Cell>,
    unknown: Option<u32>,
}

impl Coder {
    fn add(&mut self, cell: Cell) -> u32 {
        self.cells.push(cell);
        self.cells.len() as u32 - 1
    }

    fn unknown(&mut self) -> u32 {
        if let Some(code) = self.unknown {
            return code;
        }
        let code = self.add(Cell::Unknown);
        self.unknown = Some(code);
        code
    }
}

/// Rows by all keys at once: the number of a combination for each row, and the combinations.
pub(crate) fn combined(keys: &[Key], frame: &Frame<'_>, rows: &[u32]) -> (Vec<u32>, Vec<Box<[Cell]>>) {
    let mut all = vec![0_u32; rows.len()];
    let mut combinations: Vec<Vec<Cell>> = vec![Vec::new()];
    for key in keys {
        let next = key.codes(frame, rows);
        let width = next.cells.len().max(1);
        let mut pairs: Pairs = Pairs::new(combinations.len(), width);
        for (code, own) in all.iter_mut().zip(&next.codes) {
            *code = pairs.code(*code, *own);
        }
        let longer = pairs.list.iter().map(|(code, own)| {
            let mut cells = combinations[*code as usize].clone();
            cells.push(next.cells[*own as usize].clone());
            cells
        });
        combinations = longer.collect();
    }
    (all, combinations.into_iter().map(Vec::into_boxed_slice).collect())
}

/// Pairs of numbers as numbers.
struct Pairs {
    width: usize,
    table: Vec<u32>,
    map: HashMap<(u32, u32), u32>,
    list: Vec<(u32, u32)>,
}

impl Pairs {
    fn new(codes: usize, width: usize) -> Self {
        let size = codes.saturating_mul(width);
        let size = if size <= TABLE_MAX as usize { size } else { 0 };
        Self { width, table: vec![u32::MAX; size], map: HashMap::new(), list: Vec::new() }
    }

    fn code(&mut self, code: u32, own: u32) -> u32 {
        let next = self.list.len() as u32;
        let slot = match self.table.get_mut(code as usize * self.width + own as usize) {
            Some(slot) => slot,
            None => self.map.entry((code, own)).or_insert(u32::MAX),
        };
        if *slot == u32::MAX {
            *slot = next;
            self.list.push((code, own));
        }
        *slot
    }
}
