//! HTTP: requests as bytes, redirects, pages, and what carries them.
//!
//! # Layout
//! - `call`: HTTP as what carries calls; [`state`]: what it has of a run and of each user
//! - [`driver`]: what carries requests; [`sockets`]: over real connections; [`network`]: what a plan says of the way
//! - `names`, `prepare`, [`prepared`]: requests made ready; `compose`, `render`, `multipart`: as bytes
//! - `exchange`: one exchange; `redirect`, `follow`: where it leads; `shown`: it as text
//! - `page`: what belongs to a document

mod call;
pub(crate) mod compose;
pub mod driver;
pub(crate) mod exchange;
pub(crate) mod follow;
pub(crate) mod multipart;
pub(crate) mod names;
pub mod network;
pub(crate) mod page;
pub(crate) mod prepare;
pub mod prepared;
pub(crate) mod redirect;
pub(crate) mod render;
pub(crate) mod shown;
pub mod sockets;
pub mod state;
