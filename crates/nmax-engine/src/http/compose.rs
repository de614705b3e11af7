//! A request's bytes put together: where it goes, and where they are.

use std::borrow::Cow;

use nmax_http::{Origin, Piece, Url};
use nmax_metrics::NameId;
use nmax_plan::plan::Request;
use nmax_plan::template::Escape;

use crate::context::Context;
use crate::http::driver::Drivers;
use crate::http::render::{self, Form, Layout, Message};
use crate::program::Prepared;
use crate::runtime::Runtime;
use crate::user::values::CallsOf;
use crate::user::vu::{Buffers, Vu};

/// Where a request goes, how, and where its bytes are.
pub(crate) struct Place<'a> {
    pub(crate) origin: Cow<'a, Origin>,
    pub(crate) form: Form,
    pub(crate) rendered: Rendered,
}

/// Where the bytes of a request are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rendered {
    source: Source,
    /// Where the body begins.
    pub(crate) body_at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// All in [`crate::program::Fixed`].
    Fixed,
    /// The same with cookies, which is in the VU's buffer.
    FixedWithCookies,
    /// All in the VU's buffers.
    Buffers,
}

impl Rendered {
    /// Head, and body up to its first file.
    pub(crate) fn bytes<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers) -> &'a [u8] {
        match (self.source, &prepared.fixed) {
            (Source::Fixed, Some(fixed)) => &fixed.bytes,
            _ => &buffers.bytes,
        }
    }

    /// What follows the bytes.
    pub(crate) fn pieces<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers, form: Form) -> Vec<Piece<'a>> {
        if prepared.files.is_empty() || !form.has_body {
            return Vec::new();
        }
        match (self.source, &prepared.fixed) {
            (Source::Fixed | Source::FixedWithCookies, Some(fixed)) => {
                render::pieces(prepared, &fixed.body, &fixed.marks)
            }
            _ => render::pieces(prepared, &buffers.body.bytes, &buffers.body.marks),
        }
    }

    /// Path and query, for cookies and relative references.
    pub(crate) fn target<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers) -> Cow<'a, str> {
        match (self.source, &prepared.fixed) {
            (Source::Fixed | Source::FixedWithCookies, Some(fixed)) => Cow::Borrowed(&fixed.target),
            _ => String::from_utf8_lossy(&buffers.target),
        }
    }
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// The name of a request's exchanges.
    #[inline]
    pub(crate) fn name(&mut self, context: &Context<R, D>, prepared: &Prepared, step: &Request) -> NameId {
        if let Some(name) = prepared.name {
            return name;
        }
        self.buffers.text.clear();
        self.values.count_calls_of(CallsOf::Name);
        step.name.render(&mut self.buffers.text, &self.values, Escape::None);
        context.names.id(&String::from_utf8_lossy(&self.buffers.text))
    }

    /// Puts the request's bytes together. The error says why it cannot be sent.
    #[inline]
    pub(crate) fn render<'a>(
        &mut self,
        context: &Context<R, D>,
        prepared: &'a Prepared,
        step: &Request,
    ) -> Result<Place<'a>, String> {
        let form = Form::of(step);
        if let Some(fixed) = &prepared.fixed {
            let layout = Layout { cookies_at: fixed.cookies_at, body_at: fixed.body_at };
            let added = if self.jar.is_empty() {
                None
            } else {
                self.insert_cookies(context, &prepared.origin, &fixed.bytes, layout, &fixed.target)
            };
            return Ok(Place {
                origin: Cow::Borrowed(&prepared.origin),
                form,
                rendered: Rendered {
                    source: if added.is_some() { Source::FixedWithCookies } else { Source::Fixed },
                    body_at: fixed.body_at + added.unwrap_or(0),
                },
            });
        }
        if prepared.calls {
            self.values.count_calls_of(CallsOf::Target);
        }
        let buffers = &mut self.buffers;
        buffers.target.clear();
        step.url.render(&mut buffers.target, &self.values, Escape::Path);
        let origin = if buffers.target.first() == Some(&b'/') && buffers.target.get(1) != Some(&b'/') {
            Cow::Borrowed(&prepared.origin)
        } else {
            let text = String::from_utf8_lossy(&buffers.target);
            let base = self.page.as_ref().unwrap_or(&context.program.base);
            let url = base.join(&text).map_err(|error| format!("`{text}` is no URL to request: {error}"))?;
            buffers.target.clear();
            buffers.target.extend_from_slice(url.target.as_bytes());
            Cow::Owned(url.origin)
        };
        if let Some(fragment) = buffers.target.iter().position(|byte| *byte == b'#') {
            buffers.target.truncate(fragment);
        }
        render::query(&step.query, &self.values, &mut buffers.target);
        let authority = match &origin {
            Cow::Borrowed(_) => Cow::Borrowed(prepared.authority.as_str()),
            Cow::Owned(origin) => Cow::Owned(origin.authority()),
        };
        let rendered = self.compose(context, prepared, step, form, &origin, &authority);
        if prepared.calls
            && let Some(why) = self.values.take_trouble()
        {
            return Err(why);
        }
        Ok(Place { origin, form, rendered })
    }

    /// Writes the request for the target that is in its buffer, with its cookies.
    pub(crate) fn compose(
        &mut self,
        context: &Context<R, D>,
        prepared: &Prepared,
        step: &Request,
        form: Form,
        origin: &Origin,
        authority: &str,
    ) -> Rendered {
        let buffers = &mut self.buffers;
        let message =
            Message { plan: &context.program.plan, request: step, prepared, form, authority, target: &buffers.target };
        buffers.text.clear();
        if prepared.calls {
            self.values.count_calls_of(CallsOf::Message);
        }
        let layout = message.write(&self.values, &mut buffers.body, &mut buffers.text);
        let mut added = None;
        if !self.jar.is_empty() {
            let (bytes, target) = (std::mem::take(&mut self.buffers.text), std::mem::take(&mut self.buffers.target));
            added = self.insert_cookies(context, origin, &bytes, layout, &String::from_utf8_lossy(&target));
            (self.buffers.text, self.buffers.target) = (bytes, target);
        }
        if added.is_none() {
            std::mem::swap(&mut self.buffers.text, &mut self.buffers.bytes);
        }
        Rendered { source: Source::Buffers, body_at: layout.body_at + added.unwrap_or(0) }
    }

    /// Copies a request into the buffer with its cookies; how many bytes they are, `None` when none belong to it.
    fn insert_cookies(
        &mut self,
        context: &Context<R, D>,
        origin: &Origin,
        bytes: &[u8],
        layout: Layout,
        target: &str,
    ) -> Option<usize> {
        let out = &mut self.buffers.bytes;
        out.clear();
        out.extend_from_slice(&bytes[..layout.cookies_at]);
        out.extend_from_slice(b"cookie: ");
        if !self.jar.write(origin, target, context.unix_now_s(), out) {
            return None;
        }
        out.extend_from_slice(b"\r\n");
        let added = out.len() - layout.cookies_at;
        out.extend_from_slice(&bytes[layout.cookies_at..]);
        Some(added)
    }

    /// Where the last rendered request went.
    pub(crate) fn url(&self, prepared: &Prepared, place: &Place<'_>) -> Url {
        Url {
            origin: place.origin.clone().into_owned(),
            target: place.rendered.target(prepared, &self.buffers).into_owned(),
        }
    }
}
