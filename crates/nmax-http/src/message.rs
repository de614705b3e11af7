//! Requests and replies: heads whose parts are known, with the bytes that they are in HTTP/1.1.

mod fields;
mod reply;
mod request;

pub use fields::{Field, Fields, HeadText};
pub use reply::{Reply, ReplyHead};
pub use request::{KeepBody, Piece, Request, RequestHead, RequestText};
