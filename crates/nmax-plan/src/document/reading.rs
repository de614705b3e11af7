//! The reader of plans for other documents: YAML with places, tables of keys, every error at once.
//!
//! A document is a root [`Table`]; its module reads [`Fields`] with a [`Decoder`], which collects what is wrong and goes on.

pub use super::cursor::{Decoder, Fields, Refused};
pub use super::keys::{Key, Shape, Table, Words, key, keywords, required};
pub use super::schema::titled as schema;
pub use super::tree::{Entry, Node, NodePosition, Scalar, Value};
use super::{DocumentError, Options};
pub use crate::tables;

/// Reads a document as `decode` does. Errors are sorted by place, those of `--set` last; the list is never empty.
///
/// # Errors
/// Everything that is wrong with it.
pub fn read<T>(
    text: &str,
    options: &Options,
    decode: impl FnOnce(&mut Decoder, &Node) -> Option<T>,
) -> Result<T, Vec<DocumentError>> {
    super::read_by(text, options, decode).map(|(value, _)| value)
}
