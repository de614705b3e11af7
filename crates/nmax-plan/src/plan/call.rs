//! What the rest of nmax asks of a call, whatever it calls: each protocol answers here.

use std::sync::Arc;

use super::{Body, Call, CallKind, Defaults, Discover, Expect, HttpCall, Page, PartContent};
use crate::addresses::is_absolute;
use crate::template::{Part, Template};

/// Where a call may send, as far as the plan tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address<'a> {
    /// To the target of the plan.
    Target,
    /// To the origin of this URL.
    Url(&'a str),
    /// To this host, perhaps.
    Host(&'a str),
    /// Where a reply or the values of a user lead: only each connection tells.
    Unknown,
}

impl<'a> Address<'a> {
    fn from_template(url: &'a Template) -> Self {
        match (url.as_constant(), url.parts.first()) {
            (Some(text), _) if is_absolute(text) => Self::Url(text),
            (_, Some(Part::Text(text))) if !is_absolute(text) => Self::Target,
            _ => Self::Unknown,
        }
    }
}

impl Call {
    /// A GET of a path, named after it; any status from 200 to 399 is ok.
    pub fn get(url: &str) -> Self {
        Self {
            name: Template::text(format!("GET {url}")),
            expect: Expect { status: vec![Expect::STATUS_DEFAULT], checks: Vec::new() },
            extract: Vec::new(),
            metrics: Vec::new(),
            timeout: None,
            tags: Vec::new(),
            what: CallKind::Http(Arc::new(HttpCall::get(Template::text(url)))),
        }
    }

    /// The HTTP request that it is, if it is one.
    pub fn http(&self) -> Option<&HttpCall> {
        match &self.what {
            CallKind::Http(call) => Some(call),
        }
    }

    /// The same, to be changed.
    pub fn http_mut(&mut self) -> Option<&mut HttpCall> {
        match &mut self.what {
            CallKind::Http(call) => Some(Arc::make_mut(call)),
        }
    }

    /// What is done, in a word, and to what.
    pub fn method_and_url(&self) -> (&'static str, &Template) {
        match &self.what {
            CallKind::Http(request) => (request.method.token(), &request.url),
        }
    }

    /// Where its exchanges may go.
    pub fn addresses(&self, defaults: &Defaults) -> Vec<Address<'_>> {
        match &self.what {
            CallKind::Http(request) => {
                let listed = request.page.iter().flat_map(|page| &page.listed);
                let mut all: Vec<_> = std::iter::once(&request.url).chain(listed).map(Address::from_template).collect();
                if let Some(Page { discover: Discover::Hosts(hosts), .. }) = &request.page {
                    all.extend(hosts.iter().map(|host| Address::Host(host)));
                }
                all.extend((self.redirects_max(defaults) > 0).then_some(Address::Unknown));
                all
            }
        }
    }

    /// Exchanges that replies may make it add to its first, one after the other.
    pub fn redirects_max(&self, defaults: &Defaults) -> u32 {
        match &self.what {
            CallKind::Http(request) => request.redirects_max.unwrap_or(defaults.redirects_max),
        }
    }

    /// What is fetched along with it, several at the same time.
    pub fn page(&self) -> Option<&Page> {
        match &self.what {
            CallKind::Http(request) => request.page.as_ref(),
        }
    }

    /// The names of the files that it sends, in order.
    pub fn files(&self) -> Vec<&str> {
        let CallKind::Http(request) = &self.what;
        match &request.body {
            Body::File(name) => vec![name],
            Body::Multipart(parts) => {
                let parts = parts.iter().filter_map(|part| match &part.content {
                    PartContent::File(name) => Some(name.as_str()),
                    PartContent::Text(_) => None,
                });
                parts.collect()
            }
            Body::Empty | Body::Text(_) | Body::Json(_) | Body::Form(_) => Vec::new(),
        }
    }
}
