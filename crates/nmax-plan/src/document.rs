//! The plan document: YAML in, [`Plan`] or every error at once out.
//!
//! [`parse`] builds a tree that knows the place of every key, applies `--set`, and decodes the tree against the tables of
//! keys, from which [`schema()`] is made too. It reads no file and no environment itself: [`Options`] carries functions for
//! that. Documents have at most 1 MiB; reading is O(length).
//!
//! # Layout
//! - `tree`: YAML with places; `overrides`: `--set`
//! - `keys`: the tables; `cursor`: single values; `schema`: the tables for editors
//! - `decode`, `http`, `data`, `scenario`, `request`, `body`, `json`, `reply`: the parts of a plan
//! - `workload`, `stages`, `steered`, `profile`, `background`, `locations`, `timeline`, `observe`, `tags`, `thresholds`: the parts of a run
//! - [`reading`]: the same reader for documents that are no plans
//! - `csv`: data files; [`texts()`]: a list of texts in a document of its own
//! - [`write`](mod@write): a plan as a document again

use std::cell::RefCell;
use std::time::Duration;

use nmax_secrets::{MASK, Redactor, Variables, is_secret_header};

use crate::plan::{Plan, Profile, ReplyPart, Workload};

mod background;
mod body;
mod csv;
mod cursor;
mod data;
mod decode;
mod error;
mod http;
mod json;
mod keys;
mod locations;
mod observe;
mod overrides;
mod profile;
pub mod reading;
mod reply;
mod request;
mod scenario;
mod schema;
mod secrets;
mod stages;
mod steered;
mod tags;
mod texts;
mod thresholds;
mod timeline;
mod tree;
mod workload;
pub mod write;

pub use error::{DocumentError, Location};
pub use observe::observe_also;
pub use schema::schema;
pub use texts::texts;
pub use workload::MAX_IN_FLIGHT_DEFAULT;

pub(crate) use thresholds::add_default_thresholds;

/// Largest accepted document.
pub const DOCUMENT_BYTES_MAX: usize = 1 << 20;
/// The seed of plans that name none.
pub const SEED_DEFAULT: u64 = 1;
/// The length of runs whose plan says nothing about it.
pub const DURATION_DEFAULT: Duration = Duration::from_secs(30);
/// Conditions of every plan that has no condition of its own on the same metric of the whole traffic.
pub const THRESHOLDS_DEFAULT: [&str; 2] = ["failure_rate < 5%", "dropped < 1%"];

/// Who wrote a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A person or a tool.
    Written,
    /// The document of a stored run, in which masks replace the secrets.
    Stored,
}

/// What the command adds to a document.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Name of the document in messages; its stem is the default name of the plan.
    pub file: &'a str,
    /// Who wrote it.
    pub origin: Origin,
    /// Reads a data file, relative to the plan.
    pub read: &'a dyn Fn(&str) -> Result<String, String>,
    /// Length in bytes of a file that is sent or read later, relative to the plan; why it cannot be read otherwise.
    pub exists: &'a dyn Fn(&str) -> Result<u64, String>,
    /// The environment of `${env.NAME}`.
    pub env: &'a dyn Fn(&str) -> Option<String>,
    /// `--target URL`
    pub target: Option<&'a str>,
    /// `--set path.to.key=value`, in order; values are YAML.
    pub set: &'a [(String, String)],
    /// `-c` or `-r`: in place of the plan's level, profile and stages.
    pub level: Option<&'a Workload>,
    /// `--duration`
    pub duration: Option<Duration>,
    /// `--profile`: in place of the plan's shape.
    pub profile: Option<Profile>,
    /// `--compress`: how many times shorter stages, background and timeline become.
    pub compress: Option<f64>,
    /// `--seed`
    pub seed: Option<u64>,
    /// Checks the syntax of an extractor.
    pub check_source: &'a dyn Fn(&ReplyPart) -> Result<(), String>,
}

/// Why [`Options::of`] reads no file.
const NO_FILE: &str = "no file beside the document is read here";

impl<'a> Options<'a> {
    /// Of a document that stands by itself: no file, environment or flag beside it, and any extractor will do.
    pub fn standalone(file: &'a str) -> Self {
        Self {
            file,
            origin: Origin::Written,
            read: &|_| Err(NO_FILE.to_owned()),
            exists: &|_| Err(NO_FILE.to_owned()),
            env: &|_| None,
            target: None,
            set: &[],
            level: None,
            duration: None,
            profile: None,
            compress: None,
            seed: None,
            check_source: &|_| Ok(()),
        }
    }
}

/// Reads a plan. Errors are sorted by place, those of arguments last; the list is never empty.
pub fn parse(text: &str, options: &Options) -> Result<Plan, Vec<DocumentError>> {
    read_by(text, options, decode::plan).map(|(mut plan, used)| {
        secrets::hide_secrets(&mut plan, &used);
        plan
    })
}

/// Reads a document as `decode` does, and the variables of the environment that it names.
fn read_by<T>(
    text: &str,
    options: &Options,
    decode: impl FnOnce(&mut cursor::Decoder, &tree::Node) -> Option<T>,
) -> Result<(T, Variables), Vec<DocumentError>> {
    let used = RefCell::new(Variables::new());
    let env = |name: &str| {
        let value = (options.env)(name)?;
        used.borrow_mut().push((name.to_owned(), value.clone()));
        Some(value)
    };
    let options = &Options { env: &env, ..*options };
    let mut problems = Vec::new();
    let root = tree::parse(text, None, &mut problems).map(|mut root| {
        for (flag, (path, value)) in (0..).zip(options.set) {
            overrides::apply(&mut root, path, value, flag, &mut problems);
        }
        if options.origin == Origin::Stored {
            secrets::find_masks(&root, "", &mut problems);
        }
        root
    });
    let mut decoder = cursor::Decoder { options, problems, metrics: Vec::new() };
    let value = root.and_then(|root| decode(&mut decoder, &root));
    let mut problems = decoder.problems;
    match value {
        Some(value) if problems.is_empty() => Ok((value, used.take())),
        _ => {
            problems.sort_by_key(|problem| problem.at);
            problems.dedup();
            let redactor = Redactor::new(&used.borrow());
            Err(problems.into_iter().map(|problem| bind(problem, options, &redactor)).collect())
        }
    }
}

/// Gives a problem the name of its file or argument, and takes secrets out of it.
fn bind(problem: tree::Problem, options: &Options, redactor: &Redactor) -> DocumentError {
    let tree::Problem { at, message, remedy } = problem;
    let set = |flag: u32| options.set.get(flag as usize);
    let at = match at.flag {
        None => Location::File { file: options.file.to_owned(), line: at.line, column: at.column },
        Some(decode::FLAG_TARGET) => Location::Flag("--target".into()),
        Some(stages::FLAG_DURATION) => Location::Flag("--duration".into()),
        Some(decode::FLAG_PROFILE) => Location::Flag("--profile".into()),
        Some(decode::FLAG_COMPRESS) => Location::Flag("--compress".into()),
        Some(flag) => {
            let is_secret = |path: &str| path.rsplit('.').next().is_some_and(is_secret_header);
            Location::Flag(set(flag).map_or_else(
                || "--set".into(),
                |(path, value)| format!("--set {path}={}", if is_secret(path) { MASK } else { value }),
            ))
        }
    };
    DocumentError { at, message: redactor.values(&message), remedy: redactor.values(&remedy) }
}

#[cfg(test)]
pub(crate) mod tests;
