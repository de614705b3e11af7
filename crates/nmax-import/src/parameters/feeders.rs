//! Data sources of a plan, shared by all its scenarios.

use std::collections::HashSet;

/// A data source of the plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Feeder {
    /// Records made when they are read.
    Generated {
        /// Its name in the plan.
        name: String,
        /// Kind of the generator, such as `person`.
        kind: String,
        /// Column that never repeats.
        unique: Option<String>,
    },
    /// A file that is written beside the plan.
    File {
        /// Its name in the plan.
        name: String,
        /// Column names.
        columns: Vec<String>,
        /// Recorded rows.
        rows: Vec<Vec<String>>,
        /// It holds secrets: mode 0600, never in version control.
        is_secret: bool,
        /// How rows are picked: `sequential`, `random`, ..
        pick: String,
    },
}

impl Feeder {
    /// Its name in the plan.
    pub fn name(&self) -> &str {
        match self {
            Self::Generated { name, .. } | Self::File { name, .. } => name,
        }
    }
}

/// The data sources of a plan while it is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feeders {
    /// In the order in which they were needed.
    pub list: Vec<Feeder>,
    /// Names that values have, which feeders must not have.
    pub taken: HashSet<String>,
    /// Variables of the environment that the plan reads, with their recorded values.
    pub environment: Vec<(String, String)>,
    /// The plan's setup notes when the run began, so that no run makes the users of another one again.
    pub has_run: bool,
}

impl Feeders {
    /// The template of what tells one run from another; the plan's setup makes it.
    pub(super) fn run(&mut self) -> &'static str {
        self.has_run = true;
        "${setup.run}"
    }

    /// The name of the people's data, made when it is needed. `unique` is the column that never repeats.
    pub(super) fn people(&mut self, unique: Option<&str>) -> String {
        let is_people = |feeder: &&mut Feeder| matches!(feeder, Feeder::Generated { kind, .. } if kind == "person");
        if let Some(Feeder::Generated { name, unique: own, .. }) = self.list.iter_mut().find(is_people) {
            // An e-mail address that never repeats makes a person new; a user name does when there is no address.
            if own.as_deref() != Some("email") && unique.is_some() {
                *own = unique.map(str::to_owned);
            }
            return name.clone();
        }
        self.generated("people", "person", unique)
    }

    /// The name of the accounts' data.
    pub(super) fn accounts(&mut self) -> String {
        let is_account = |feeder: &&Feeder| matches!(feeder, Feeder::Generated { kind, .. } if kind == "account");
        match self.list.iter().find(is_account) {
            Some(feeder) => feeder.name().to_owned(),
            None => self.generated("accounts", "account", None),
        }
    }

    fn generated(&mut self, name: &str, kind: &str, unique: Option<&str>) -> String {
        let name = self.free(name);
        self.list.push(Feeder::Generated {
            name: name.clone(),
            kind: kind.to_owned(),
            unique: unique.map(str::to_owned),
        });
        name
    }

    /// Adds a recorded search term; the template that reads one.
    pub(super) fn term(&mut self, column: &str, term: &str) -> String {
        let is_words = |feeder: &&mut Feeder| matches!(feeder, Feeder::File { is_secret: false, .. });
        if let Some(Feeder::File { name, columns, rows, .. }) = self.list.iter_mut().find(is_words) {
            if !rows.iter().any(|row| row[0] == term) {
                rows.push(vec![term.to_owned()]);
            }
            return format!("${{{name}.{}}}", columns[0]);
        }
        let (name, column) = (self.free("words"), column_name(column));
        let template = format!("${{{name}.{column}}}");
        self.list.push(Feeder::File {
            name,
            columns: vec![column],
            rows: vec![vec![term.to_owned()]],
            is_secret: false,
            pick: "random".to_owned(),
        });
        template
    }

    /// Adds a secret to the first row of them, and to the next ones what `others` had in its place; the template that reads
    /// it. The same value is the same column.
    pub(super) fn secret(&mut self, column: &str, value: &str, others: impl Iterator<Item = Option<String>>) -> String {
        let column = column_name(column);
        let is_secrets = |feeder: &Feeder| matches!(feeder, Feeder::File { is_secret: true, .. });
        if !self.list.iter().any(is_secrets) {
            let name = self.free("secrets");
            self.list.push(Feeder::File {
                name,
                columns: Vec::new(),
                rows: vec![Vec::new()],
                is_secret: true,
                pick: "sequential".to_owned(),
            });
        }
        let found = self.list.iter_mut().find(|feeder| is_secrets(feeder));
        let Some(Feeder::File { name, columns, rows, .. }) = found else {
            return String::new();
        };
        let at = rows[0].iter().position(|own| own == value).unwrap_or_else(|| {
            columns.push(free(&column, '_', |name| !columns.iter().any(|taken| taken == name)));
            rows.iter_mut().for_each(|row| row.push(value.to_owned()));
            columns.len() - 1
        });
        for (number, other) in others.enumerate() {
            // Who has none of their own has the first one's.
            if rows.len() <= number + 1 {
                rows.push(rows[0].clone());
            }
            if let Some(other) = other {
                rows[number + 1][at] = other;
            }
        }
        format!("${{{name}.{}}}", columns[at])
    }

    /// Notes a variable of the environment for a secret; the template that reads it. The same value is the same variable.
    pub(super) fn environment(&mut self, column: &str, value: &str) -> String {
        if let Some((name, _)) = self.environment.iter().find(|(_, known)| known == value) {
            return format!("${{env.{name}}}");
        }
        let is_free = |name: &str| !self.environment.iter().any(|(taken, _)| taken == name);
        let name = free(&column_name(column).to_ascii_uppercase(), '_', is_free);
        let template = format!("${{env.{name}}}");
        self.environment.push((name, value.to_owned()));
        template
    }

    /// A name that nothing has.
    fn free(&self, name: &str) -> String {
        let is_free = |name: &str| !self.taken.contains(name) && !self.list.iter().any(|feeder| feeder.name() == name);
        free(name, '_', is_free)
    }
}

/// The name, with the first number behind `dash` with which it is free when it is not.
pub(crate) fn free(name: &str, dash: char, is_free: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{name}{dash}{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| is_free(name)).unwrap_or_else(|| name.to_owned())
}

/// A name of letters, digits and `_`, not empty and not long.
pub(crate) fn column_name(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().take(40) {
        if c.is_ascii_alphanumeric() {
            name.push(c.to_ascii_lowercase());
        } else if !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_');
    match name.chars().next() {
        None => "value".to_owned(),
        Some(first) if first.is_ascii_digit() => format!("value_{name}"),
        Some(_) => name.to_owned(),
    }
}
