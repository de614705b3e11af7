//! HTTP: requests as bytes, redirects, pages, and what carries them.
//!
//! # Layout
//! - [`driver`]: what carries requests; [`sockets`]: over real connections; [`network`]: what a plan says of the way
//! - `compose`, `render`, `multipart`: requests as bytes
//! - `exchange`, `redirect`: one exchange of a user, and where it leads
//! - `document`, `page`: the page that it begins, and what belongs to that

pub(crate) mod compose;
pub(crate) mod document;
pub mod driver;
pub(crate) mod exchange;
pub(crate) mod multipart;
pub mod network;
pub(crate) mod page;
pub(crate) mod redirect;
pub(crate) mod render;
pub mod sockets;
