//! What is watched beside the load.

use std::time::Duration;

use nmax_secrets::{MASK, masked_url};
use nmax_sources::kind::{Form, Key, SourceKind, ValueForm};
use nmax_sources::tls::change_issuers;
use nmax_sources::{Figure, INJECTOR, kinds};

use super::ProcessRef;

/// From one reading to the next, where the plan says nothing.
pub const EVERY_DEFAULT: Duration = Duration::from_secs(1);

/// What is watched beside the injector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observed {
    /// Memory, CPU time, threads and open files of processes of this host.
    Process {
        /// Its name in the results.
        name: String,
        /// The process.
        process: ProcessRef,
    },
    /// Anything else that can be read.
    Source(ObservedSource),
}

impl Observed {
    /// Its name in the results.
    pub fn name(&self) -> &str {
        match self {
            Self::Process { name, .. } => name,
            Self::Source(source) => &source.name,
        }
    }

    /// The word of the plan for what it is.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Process { .. } => kinds::PROCESS.word,
            Self::Source(source) => source.kind.word,
        }
    }

    /// The host that its figures belong to.
    pub fn host(&self) -> &str {
        match self {
            Self::Process { .. } => INJECTOR,
            Self::Source(source) => &source.host,
        }
    }

    /// What it is and whose, as messages call it.
    pub fn title(&self) -> String {
        let (word, name, host) = (self.word(), self.name(), self.host());
        match host == INJECTOR || host == name {
            true => format!("{word} {name}"),
            false => format!("{word} {name} on {host}"),
        }
    }

    /// The source, where it is one of this kind.
    pub fn source(&self, kind: &SourceKind) -> Option<&ObservedSource> {
        match self {
            Self::Source(source) if source.kind == kind => Some(source),
            Self::Source(_) | Self::Process { .. } => None,
        }
    }
}

/// A source of readings. Its place and values may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObservedSource {
    /// Host that its figures belong to.
    pub host: String,
    /// Its name in the results, without the word of its kind.
    pub name: String,
    /// From one reading to the next.
    pub every: Duration,
    /// What is read.
    pub kind: &'static SourceKind,
    /// Where it is.
    pub reach: ObservedAddress,
    /// What else the plan says of it, in the order of the table; none is empty.
    pub values: Vec<(&'static Key, Value)>,
}

impl ObservedSource {
    /// A source of this host at a place, called after its kind.
    pub fn at(kind: &'static SourceKind, place: &str) -> Self {
        let reach = ObservedAddress::At(place.to_owned());
        let (host, name) = (INJECTOR.to_owned(), kind.word.to_owned());
        Self { host, name, every: EVERY_DEFAULT, kind, reach, values: Vec::new() }
    }

    /// The same of which the plan says this besides.
    pub fn with(mut self, key: &'static Key, value: Value) -> Self {
        self.values.push((key, value));
        self
    }

    /// What the plan says under a key that has one text.
    pub fn text(&self, key: &Key) -> Option<&str> {
        self.value(key).and_then(|value| if let Value::Text(text) = value { Some(text.as_str()) } else { None })
    }

    /// What it says under a key that has a list.
    pub fn list(&self, key: &Key) -> &[String] {
        self.value(key).map_or(&[], |value| if let Value::List(list) = value { list } else { &[] })
    }

    /// What is made of its metrics.
    pub fn resources(&self) -> &[MappedResource] {
        self.value(&kinds::RESOURCES).map_or(&[], |value| if let Value::Resources(all) = value { all } else { &[] })
    }

    fn value(&self, key: &Key) -> Option<&Value> {
        self.values.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// Where it is, as it may be shown: without user and password.
    pub fn place(&self) -> String {
        match (&self.reach, self.kind.form) {
            (ObservedAddress::At(url), Form::Url(_) | Form::Agent) => masked_url(url),
            (ObservedAddress::At(place), _) => place.clone(),
            (ObservedAddress::Calls(address), _) => format!("that calls at {address}"),
        }
    }

    /// Puts masks in the place of its secrets.
    pub fn mask(&mut self) {
        if let (ObservedAddress::At(url), Form::Url(_)) = (&mut self.reach, self.kind.form) {
            *url = masked_url(url);
        }
        for (key, value) in &mut self.values {
            if matches!(key.form, ValueForm::Token) {
                *value = Value::Text(MASK.to_owned());
            }
        }
    }

    /// Lets `change` change the name of each file that it is read from, or that it needs.
    pub(super) fn change_files(&mut self, change: &mut dyn FnMut(&mut String)) {
        match (&mut self.reach, self.kind) {
            (ObservedAddress::At(file), SourceKind { form: Form::File(_), .. }) => change(file),
            (ObservedAddress::At(url), SourceKind { issuers: Some(option), .. }) => change_issuers(url, option, change),
            _ => {}
        }
    }
}

/// Where a source is: a URL, an address or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObservedAddress {
    /// The run reads it there: `http://db1:9797`.
    At(String),
    /// It calls at this address of the injector: `0.0.0.0:9798`.
    Calls(String),
}

/// What a plan says of a source under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text or a word.
    Text(String),
    /// Several.
    List(Vec<String>),
    /// What is made of its metrics.
    Resources(Vec<MappedResource>),
}

/// A resource whose figures have names of their own at their source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappedResource {
    /// Its name: `orders`.
    pub name: String,
    /// What it is.
    pub kind: MappedKind,
    /// Each with the metric that it is made of, perhaps with labels: `hikaricp_connections_active{pool="orders"}`. What is per
    /// second or a ratio is made of a counter.
    pub figures: Vec<(Figure, String)>,
}

nmax_text::named! {
    /// What a mapped resource is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum MappedKind {
        /// Things that are lent: connections, threads, slots.
        Pool = "pool",
        /// A lock.
        Lock = "lock",
        /// A service that the system asks.
        Dependency = "dependency",
        /// A database.
        Database = "database",
        /// Garbage collection.
        Gc = "gc",
    }
    /// The word of the plan and of readings: `pool orders`.
    word
}
