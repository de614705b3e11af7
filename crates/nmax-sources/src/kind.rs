//! What a kind of source is: a row of [`super::kinds`].

use std::fmt;

use crate::service::{Located, Wrong};

/// What is told apart by its name alone, and shown by it.
macro_rules! by_name {
    ($($Type:ident $name:ident;)+) => { $(
        impl PartialEq for $Type {
            fn eq(&self, other: &Self) -> bool {
                self.$name == other.$name
            }
        }

        impl Eq for $Type {}

        impl fmt::Debug for $Type {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(self.$name)
            }
        }
    )+ };
}
by_name! { SourceKind word; Key name; }

/// A kind of source.
pub struct SourceKind {
    /// The word of plans, flags and readings.
    pub word: &'static str,
    /// What its key in a plan says, one line.
    pub about: &'static str,
    /// How plans say where it is.
    pub form: Form,
    /// What else plans say of it.
    pub keys: &'static [Key],
    /// Option of its URL that names a file of issuers of certificates.
    pub issuers: Option<&'static str>,
}

/// How plans say where a source is.
#[derive(Clone, Copy)]
pub enum Form {
    /// Processes of this host: by name, by number, or by a file with the number.
    Process,
    /// The URL of an agent, which is the host that it reads; or an address of this host, at which one calls.
    Agent,
    /// A URL, in which there may be secrets.
    Url(fn(&str) -> Result<Located, Wrong>),
    /// Host and port.
    Address(fn(&str) -> Result<Located, Wrong>),
    /// A file of this host.
    File(fn(&str) -> Result<Located, Wrong>),
}

/// What plans say of a source besides its place, name, host and interval.
#[derive(Clone, Copy)]
pub struct Key {
    /// Its name in plans.
    pub name: &'static str,
    /// What it says, one line.
    pub about: &'static str,
    /// What its value is.
    pub form: ValueForm,
    /// A key and a word of it beside which this one says nothing, what that is called, and what to do.
    pub not_beside: Option<(&'static str, &'static str, &'static str, &'static str)>,
}

/// What the value of a key is.
#[derive(Clone, Copy)]
pub enum ValueForm {
    /// A secret, sent in a header.
    Token,
    /// Any text.
    Text,
    /// A name that appears in results.
    Label,
    /// One of these words.
    OneOf(fn() -> Vec<&'static str>),
    /// Names of processes.
    Processes,
    /// Resources that are made of metrics.
    Resources,
}
