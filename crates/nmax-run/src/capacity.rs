//! A question of capacity from its document, and from what the document names.

use std::path::Path;

use nmax_capacity::Document;
use nmax_plan::document::Options;

use crate::Trouble;
use crate::load::{LoadError, every, length, read_beside, read_document};
use crate::logs::Listener;

mod logs;

pub use logs::count;

/// The question of a file, with other values in place of some of its own; logs that it names are counted.
///
/// # Errors
/// The file cannot be read, or everything that is wrong with the document.
pub fn question(file: &Path, set: &[(String, String)], listener: &mut dyn Listener) -> Result<Document, Trouble> {
    let text = read_document(file).map_err(|error| {
        let help = "give the path of a document that begins with `capacity: 1`; examples/capacity has four";
        Trouble::usage(format_args!("{}: cannot read it: {error}", file.display()), help)
    })?;
    let mut document = question_of_text(file, &text, set).map_err(|error| match error {
        LoadError::Document(errors) => every(&errors).into(),
        other => Trouble::from(other),
    })?;
    count(&mut document, file.parent().unwrap_or(Path::new("")), listener)?;
    Ok(document)
}

/// The question of a text, beside whose file lies what it names; [`count`] reads its logs.
///
/// # Errors
/// Everything that is wrong with the document.
pub fn question_of_text(file: &Path, text: &str, set: &[(String, String)]) -> Result<Document, LoadError> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let label = file.display().to_string();
    let options = Options {
        read: &|name| read_beside(&folder.join(name)),
        exists: &|name| length(&folder.join(name)),
        env: &|name| std::env::var(name).ok(),
        set,
        ..Options::standalone(&label)
    };
    nmax_capacity::parse(text, &options).map_err(LoadError::Document)
}
