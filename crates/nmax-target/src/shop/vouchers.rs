//! Vouchers of the shop: what a test inserts before it begins and removes when it is done.
//!
//! - `POST /api/vouchers` with `{"cents": 500}`: 201 and the voucher with its `id`
//! - `GET /api/vouchers`: how many there are; `GET /api/vouchers/ID`: one of them
//! - `DELETE /api/vouchers/ID`: 204

use std::collections::BTreeMap;

use hyper::{Method, Response, StatusCode};
use serde_json::{Value, json};

use super::api_error;
use crate::body::Body;
use crate::replies::{self, with_status};

/// Most vouchers that are kept; the oldest go first.
const VOUCHERS_MAX: usize = 10_000;
const PATH: &str = "/api/vouchers";

/// Vouchers by number, in cents.
#[derive(Default)]
pub(crate) struct Vouchers {
    cents: BTreeMap<u64, u64>,
    last: u64,
}

impl Vouchers {
    /// The reply to a path of the vouchers; `None` for other paths.
    pub(super) fn reply(&mut self, method: &Method, path: &str, body: &[u8]) -> Option<Response<Body>> {
        let rest = path.strip_prefix(PATH)?;
        let reply = match (method, rest.strip_prefix('/')) {
            (&Method::POST, None) if rest.is_empty() => self.insert(body),
            (&Method::GET, None) if rest.is_empty() => replies::json(&json!({ "count": self.cents.len() })),
            (&Method::GET, Some(id)) => match self.find(id) {
                Some((id, cents)) => voucher(id, cents),
                None => unknown(),
            },
            (&Method::DELETE, Some(id)) => match self.find(id) {
                Some((id, _)) => {
                    self.cents.remove(&id);
                    with_status(StatusCode::NO_CONTENT, Response::new(Body::empty()))
                }
                None => unknown(),
            },
            _ => return None,
        };
        Some(reply)
    }

    fn find(&self, id: &str) -> Option<(u64, u64)> {
        let id = id.parse().ok()?;
        self.cents.get(&id).map(|cents| (id, *cents))
    }

    fn insert(&mut self, body: &[u8]) -> Response<Body> {
        let wanted: Value = serde_json::from_slice(body).unwrap_or_default();
        let Some(cents) = wanted["cents"].as_u64().filter(|cents| *cents > 0) else {
            return api_error(StatusCode::BAD_REQUEST, "give cents as JSON, a whole number above 0");
        };
        self.last += 1;
        self.cents.insert(self.last, cents);
        if self.cents.len() > VOUCHERS_MAX {
            self.cents.pop_first();
        }
        with_status(StatusCode::CREATED, voucher(self.last, cents))
    }
}

fn voucher(id: u64, cents: u64) -> Response<Body> {
    replies::json(&json!({ "id": id.to_string(), "cents": cents }))
}

fn unknown() -> Response<Body> {
    api_error(StatusCode::NOT_FOUND, "no such voucher")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_inserted_is_there_until_it_is_removed() {
        let mut vouchers = Vouchers::default();
        let mut ask = |method: Method, path: &str, body: &str| {
            let reply = vouchers.reply(&method, path, body.as_bytes());
            reply.map(|reply| reply.status().as_u16())
        };
        assert_eq!(ask(Method::POST, PATH, r#"{"cents": 500}"#), Some(201));
        assert_eq!(ask(Method::GET, "/api/vouchers/1", ""), Some(200));
        assert_eq!(ask(Method::DELETE, "/api/vouchers/1", ""), Some(204));
        assert_eq!(ask(Method::DELETE, "/api/vouchers/1", ""), Some(404));
        assert_eq!(ask(Method::GET, "/api/vouchers/1", ""), Some(404));
        assert_eq!(ask(Method::GET, "/api/vouchers/x", ""), Some(404));
        assert_eq!(ask(Method::GET, PATH, ""), Some(200));
        for wrong in ["", "{}", r#"{"cents": -1}"#, r#"{"cents": 0}"#] {
            assert_eq!(ask(Method::POST, PATH, wrong), Some(400), "{wrong}");
        }
        for other in ["/api/vouchersx", "/api/items"] {
            assert_eq!(ask(Method::GET, other, ""), None, "{other}");
        }
    }

    #[test]
    fn the_oldest_go_first() {
        let mut vouchers = Vouchers::default();
        for _ in 0..=VOUCHERS_MAX {
            vouchers.insert(br#"{"cents": 1}"#);
        }
        assert_eq!(vouchers.cents.len(), VOUCHERS_MAX);
        assert!(vouchers.find("1").is_none() && vouchers.find("2").is_some());
    }
}
