//! Recordings for tests, written down in short.

use std::time::Duration;

use crate::recording::{Body, Entry, Kind, Recording, Request, Response, Timings};

/// Host of the recordings.
pub(crate) const ORIGIN: &str = "http://shop.test:8080";

/// An exchange that begins at `at_ms` and takes 20 ms.
pub(crate) fn get(at_ms: i64, path: &str, kind: Kind) -> Entry {
    Entry {
        sent_us: at_ms * 1000,
        timings: Timings { total: Some(Duration::from_millis(20)), ..Timings::default() },
        request: Request {
            method: "GET".into(),
            url: if path.starts_with("http") { path.into() } else { format!("{ORIGIN}{path}") },
            ..Request::default()
        },
        response: Some(Response { status: 200, ..Response::default() }),
        kind,
        ..Entry::default()
    }
}

/// A page.
pub(crate) fn page(at_ms: i64, path: &str, html: &str) -> Entry {
    get(at_ms, path, Kind::Document).answers("text/html", html)
}

/// A form that is posted.
pub(crate) fn post(at_ms: i64, path: &str, form: &str) -> Entry {
    let mut entry = get(at_ms, path, Kind::Document);
    entry.request.method = "POST".into();
    entry.sends("application/x-www-form-urlencoded", form)
}

impl Entry {
    /// With a header of the request.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.request.headers.push((name.into(), value.into()));
        self
    }

    /// With that method.
    pub(crate) fn by(mut self, method: &str) -> Self {
        self.request.method = method.into();
        self
    }

    /// With a body.
    pub(crate) fn sends(mut self, mime: &str, body: &str) -> Self {
        self.request.headers.push(("content-type".into(), mime.into()));
        self.request.body = Some(Body { mime: mime.into(), bytes: body.as_bytes().to_vec(), ..Body::default() });
        self
    }

    /// With a reply's body.
    pub(crate) fn answers(mut self, mime: &str, body: &str) -> Self {
        let response = self.response.get_or_insert_default();
        response.headers.push(("content-type".into(), mime.into()));
        response.body = Some(Body { mime: mime.into(), bytes: body.as_bytes().to_vec(), ..Body::default() });
        self
    }

    /// With a status.
    pub(crate) fn status(mut self, status: u16) -> Self {
        self.response.get_or_insert_default().status = status;
        self
    }

    /// As a redirect.
    pub(crate) fn leads_to(mut self, status: u16, location: &str) -> Self {
        let response = self.response.get_or_insert_default();
        response.status = status;
        response.headers.push(("location".into(), location.into()));
        self
    }

    /// That took so long.
    pub(crate) fn taking(mut self, ms: u64) -> Self {
        self.timings.total = Some(Duration::from_millis(ms));
        self
    }
}

/// Exchanges in order of sending, numbered.
pub(crate) fn recording(mut entries: Vec<Entry>) -> Recording {
    for (index, entry) in entries.iter_mut().enumerate() {
        entry.number = index + 1;
    }
    Recording { name: "visit".into(), entries, ..Recording::default() }
}
