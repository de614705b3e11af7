//! Visits written down in few words: what is sent, what comes back.

use nmax_import::journey::{Journey, Step};
use nmax_import::recording::{Body, Entry, Kind, Recording, Request, Response, Timings};

/// Instant of the first request, in µs since 1970.
pub(super) const START_US: i64 = 1_764_000_000_000_000;

/// An exchange: what is sent, what comes back.
#[derive(Clone, Default)]
pub(super) struct Exchange {
    method: &'static str,
    url: String,
    headers: Vec<(String, String)>,
    body: Option<(&'static str, String)>,
    status: u16,
    reply_headers: Vec<(String, String)>,
    reply: String,
    kind: Kind,
    /// It belongs to the step before, as a redirect or a resource.
    belongs: Option<Belongs>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Belongs {
    Redirect,
    Resource,
}

pub(super) fn get(url: &str) -> Exchange {
    Exchange { method: "GET", url: url.to_owned(), status: 200, kind: Kind::Document, ..Exchange::default() }
}

pub(super) fn post(url: &str, form: &str) -> Exchange {
    Exchange { method: "POST", body: Some(("application/x-www-form-urlencoded", form.to_owned())), ..get(url) }
}

impl Exchange {
    pub(super) fn sends(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(super) fn json_body(mut self, body: &str) -> Self {
        self.body = Some(("application/json", body.to_owned()));
        self.kind = Kind::Call;
        self
    }

    pub(super) fn xml_body(mut self, body: &str) -> Self {
        self.body = Some(("text/xml", body.to_owned()));
        self
    }

    pub(super) fn html(self, body: &str) -> Self {
        self.replies("text/html; charset=utf-8", body)
    }

    pub(super) fn json(self, body: &str) -> Self {
        self.replies("application/json", body)
    }

    pub(super) fn replies(mut self, mime: &str, body: &str) -> Self {
        self.reply = body.to_owned();
        self.tells("content-type", mime)
    }

    pub(super) fn tells(mut self, name: &str, value: &str) -> Self {
        self.reply_headers.push((name.into(), value.into()));
        self
    }

    pub(super) fn leads_to(mut self, status: u16, location: &str) -> Self {
        self.status = status;
        self.tells("location", location)
    }

    pub(super) fn belongs(mut self, how: Belongs, kind: Kind) -> Self {
        self.belongs = Some(how);
        self.kind = kind;
        self
    }

    fn entry(&self, number: usize) -> Entry {
        let body =
            |mime: &str, text: &str| Body { mime: mime.to_owned(), bytes: text.as_bytes().to_vec(), ..Body::default() };
        let mut headers = self.headers.clone();
        headers.extend(self.body.iter().map(|(mime, _)| ("content-type".to_owned(), (*mime).to_owned())));
        Entry {
            number: number + 1,
            sent_us: START_US + number as i64 * 2_000_000,
            timings: Timings { total: Some(std::time::Duration::from_millis(100)), ..Timings::default() },
            request: Request {
                method: self.method.into(),
                url: format!("https://shop.test{}", self.url),
                headers,
                body: self.body.as_ref().map(|(mime, text)| body(mime, text)),
                ..Request::default()
            },
            response: Some(Response {
                status: self.status,
                headers: self.reply_headers.clone(),
                body: Some(body("", &self.reply)),
                ..Response::default()
            }),
            kind: self.kind,
            ..Entry::default()
        }
    }
}

pub(super) fn visit(exchanges: &[Exchange]) -> (Recording, Journey) {
    let entries: Vec<Entry> = exchanges.iter().enumerate().map(|(number, exchange)| exchange.entry(number)).collect();
    let mut steps: Vec<Step> = Vec::new();
    for (entry, exchange) in exchanges.iter().enumerate() {
        match (exchange.belongs, steps.last_mut()) {
            (Some(Belongs::Redirect), Some(step)) => step.redirects.push(entry),
            (Some(Belongs::Resource), Some(step)) => step.resources.push(entry),
            _ => steps.push(Step {
                entry,
                name: format!("step {}", steps.len()),
                is_page: exchange.kind == Kind::Document,
                ..Step::default()
            }),
        }
    }
    let recording = Recording { name: "visit".into(), entries, ..Recording::default() };
    let journey = Journey { name: "visit".into(), steps };
    (recording, journey)
}
