//! Records by number: record i is a pure function of (seed, i).

use nmax_text::nearest;

use crate::choice::{GOLDEN, derive, mix64};

mod account;
mod person;
mod search;
mod uuid;

#[cfg(test)]
mod tests;

/// What the plan asks for.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Spec {
    /// What is generated: one of [`Generator::KINDS`].
    pub kind: String,
    /// Language and country, such as `en_US`; one of [`Generator::LOCALES`].
    pub locale: Option<String>,
    /// Column whose values never repeat.
    pub unique: Option<String>,
}

/// A generator that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct GeneratorError {
    /// Key of the plan at fault: `generate`, `locale` or `unique`.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub remedy: String,
}

/// Makes records.
#[derive(Clone, Debug, PartialEq)]
pub struct Generator {
    spec: Spec,
    columns: &'static [Column],
    names: Vec<&'static str>,
    /// Whether the column with numbers of its own is asked for.
    is_unique: bool,
}

/// What stands in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    /// Of a person.
    Person(person::Field),
    /// Of a bank account.
    Account(account::Field),
    /// Of a search.
    Search(search::Field),
    /// A UUID.
    Uuid,
}

/// A kind of record.
struct Kind {
    name: &'static str,
    columns: &'static [Column],
    /// Columns that can be kept from repeating.
    can_be_unique: &'static [&'static str],
    /// Columns that never repeat anyway.
    always_unique: &'static [&'static str],
}

/// One whose columns all repeat.
const fn kind(name: &'static str, columns: &'static [Column]) -> Kind {
    Kind { name, columns, can_be_unique: &[], always_unique: &[] }
}

/// All columns of one origin.
macro_rules! columns {
    ($of:ident $fields:expr) => {{
        let mut columns = [Column::Uuid; $fields.len()];
        let mut at = 0;
        while at < columns.len() {
            columns[at] = Column::$of($fields[at]);
            at += 1;
        }
        columns
    }};
}

const TABLE: [Kind; 8] = {
    use Column::{Person, Uuid};
    use person::Field as P;
    const PERSON: [Column; P::ALL.len()] = columns!(Person P::ALL);
    const ADDRESS: [Column; 6] =
        columns!(Person [P::Street, P::HouseNumber, P::Postcode, P::City, P::Region, P::Country]);
    const SEARCH: [Column; search::Field::ALL.len()] = columns!(Search search::Field::ALL);
    const ACCOUNT: [Column; account::Field::ALL.len()] = columns!(Account account::Field::ALL);
    [
        Kind { can_be_unique: &["email", "user_name"], ..kind("person", &PERSON) },
        kind("name", &[Person(P::FullName), Person(P::FirstName), Person(P::LastName)]),
        Kind { can_be_unique: &["email"], ..kind("email", &[Person(P::Email)]) },
        kind("phone", &[Person(P::Phone)]),
        kind("address", &ADDRESS),
        kind("search_term", &SEARCH),
        Kind { always_unique: &["iban"], ..kind("account", &ACCOUNT) },
        Kind { always_unique: &["uuid"], ..kind("uuid", &[Uuid]) },
    ]
};

impl Generator {
    /// What can be generated.
    pub const KINDS: [&'static str; TABLE.len()] = {
        let mut names = [""; TABLE.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = TABLE[at].name;
            at += 1;
        }
        names
    };
    /// Languages and countries whose names come with weights. Others are refused: made-up weights would make
    /// made-up hot spots.
    pub const LOCALES: [&'static str; 1] = ["en_US"];

    /// A generator, if there is one like this.
    pub fn new(spec: Spec) -> Result<Self, GeneratorError> {
        let kind = TABLE.iter().find(|kind| kind.name == spec.kind).ok_or_else(|| GeneratorError {
            key: "generate",
            message: format!("nothing is called `{}` that can be generated", spec.kind),
            remedy: remedy(&spec.kind, &Self::KINDS),
        })?;
        if let Some(locale) = &spec.locale
            && !Self::LOCALES.contains(&locale.as_str())
        {
            return Err(GeneratorError {
                key: "locale",
                message: format!("there are no weights of names for `{locale}`"),
                remedy: format!("write one of: {}", Self::LOCALES.join(", ")),
            });
        }
        let names: Vec<&str> = kind.columns.iter().map(|column| column.name()).collect();
        let mut is_unique = false;
        if let Some(column) = &spec.unique
            && !kind.always_unique.contains(&column.as_str())
        {
            is_unique = kind.can_be_unique.contains(&column.as_str());
            if !is_unique {
                return Err(not_unique(kind, column, &names));
            }
        }
        Ok(Self { spec, columns: kind.columns, names, is_unique })
    }

    /// What it was made from.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[&'static str] {
        &self.names
    }

    /// Appends one cell of record `record`. No cell is empty or holds a quote, comma, backslash or control character.
    pub fn cell(&self, seed: u64, record: u64, column: usize, out: &mut String) {
        if let Some(column) = self.columns.get(column) {
            let mut cell = Vec::with_capacity(64);
            self.row(seed, record).push(*column, &mut cell);
            out.push_str(std::str::from_utf8(&cell).expect("generated cells are ASCII"));
        }
    }

    /// Record `record`, ready to be written column by column.
    pub(crate) fn row(&self, seed: u64, record: u64) -> Row {
        let words = Words::new(seed, record);
        Row {
            words,
            person: matches!(self.columns[0], Column::Person(_))
                .then(|| person::Person::new(words, self.is_unique.then_some(self.spec.unique.as_deref()).flatten())),
        }
    }

    /// Appends one cell of a row of this generator.
    pub(crate) fn push(&self, row: &Row, column: usize, out: &mut Vec<u8>) {
        row.push(self.columns[column], out);
    }
}

/// One record.
#[derive(Debug)]
pub(crate) struct Row {
    words: Words,
    person: Option<person::Person>,
}

impl Row {
    fn push(&self, column: Column, out: &mut Vec<u8>) {
        match (column, &self.person) {
            (Column::Person(field), Some(person)) => person.push(field, out),
            (Column::Account(field), _) => account::push(self.words, field, out),
            (Column::Search(field), _) => search::push(self.words, field, out),
            (Column::Uuid, _) => uuid::push(self.words, out),
            (Column::Person(_), None) => {}
        }
    }
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Person(field) => field.name(),
            Self::Account(field) => field.name(),
            Self::Search(field) => field.name(),
            Self::Uuid => "uuid",
        }
    }
}

/// The random words of one record.
#[derive(Clone, Copy, Debug)]
struct Words {
    seed: u64,
    record: u64,
    key: u64,
}

impl Words {
    fn new(seed: u64, record: u64) -> Self {
        Self { seed, record, key: derive(mix64(seed), record) }
    }

    /// Uniform word number `number`; what it decides is fixed by the caller.
    const fn word(self, number: u64) -> u64 {
        mix64(self.key.wrapping_add(GOLDEN.wrapping_mul(number + 1)))
    }
}

/// The share `word` of `n`: uniform among 0, …, n − 1 but for a bias of n / 2⁶⁴.
fn below(word: u64, n: u64) -> u64 {
    ((u128::from(word) * u128::from(n)) >> 64) as u64
}

fn remedy(word: &str, options: &[&str]) -> String {
    match nearest(word, options.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`? There are: {}", options.join(", ")),
        None => format!("write one of: {}", options.join(", ")),
    }
}

fn not_unique(kind: &Kind, column: &str, names: &[&str]) -> GeneratorError {
    if !names.contains(&column) {
        return GeneratorError {
            key: "unique",
            message: format!("`{}` has no column `{column}`", kind.name),
            remedy: remedy(column, names),
        };
    }
    let can: Vec<&str> = kind.can_be_unique.iter().chain(kind.always_unique).copied().collect();
    GeneratorError {
        key: "unique",
        message: format!("`{column}` repeats, as it does in reality"),
        remedy: match can.as_slice() {
            [] => format!("leave `unique` out: no column of `{}` can be kept from repeating", kind.name),
            can => format!("write one of: {}", can.join(", ")),
        },
    }
}
