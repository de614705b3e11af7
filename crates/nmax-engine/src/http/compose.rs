//! A request's bytes put together: where it goes, and where they are.

use std::borrow::Cow;

use nmax_http::{Jar, Origin, Piece, RequestText, Url};
use nmax_metrics::NameId;
use nmax_plan::plan::Call;
use nmax_plan::template::Escape;

use crate::context::Context;
use crate::http::driver::Drivers;
use crate::http::render::{self, Form, Message};
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

/// Where the text of a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rendered {
    /// All in [`crate::program::Fixed`].
    Fixed,
    /// The same with cookies, which is in the VU's buffer.
    FixedWithCookies,
    /// All in the VU's buffers.
    Buffers,
}

impl Rendered {
    /// Head, and body up to its first file.
    pub(crate) fn text<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers) -> &'a RequestText {
        match (self, &prepared.fixed) {
            (Self::Fixed, Some(fixed)) => &fixed.text,
            _ => &buffers.request,
        }
    }

    /// What follows the text.
    pub(crate) fn pieces<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers, form: Form) -> Vec<Piece<'a>> {
        if prepared.files.is_empty() || !form.has_body {
            return Vec::new();
        }
        match (self, &prepared.fixed) {
            (Self::Fixed | Self::FixedWithCookies, Some(fixed)) => render::pieces(prepared, &fixed.body, &fixed.marks),
            _ => render::pieces(prepared, &buffers.body.bytes, &buffers.body.marks),
        }
    }

    /// Path and query, for cookies and relative references.
    pub(crate) fn target<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers) -> Cow<'a, str> {
        String::from_utf8_lossy(self.text(prepared, buffers).target())
    }
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// The name of a request's exchanges.
    #[inline]
    pub(crate) fn name(&mut self, context: &Context<R, D>, prepared: &Prepared, step: &Call) -> NameId {
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
        step: &Call,
    ) -> Result<Place<'a>, String> {
        let form = Form::of(step.http());
        if let Some(fixed) = &prepared.fixed {
            let mut rendered = Rendered::Fixed;
            if !self.jar.is_empty() {
                let (text, to) = (&mut self.buffers.request, (&prepared.origin, fixed.text.target()));
                text.begin_as(&fixed.text);
                if add_cookies(&self.jar, to, || context.unix_now_s(), text) {
                    text.end(fixed.text.body());
                    rendered = Rendered::FixedWithCookies;
                }
            }
            return Ok(Place { origin: Cow::Borrowed(&prepared.origin), form, rendered });
        }
        if prepared.calls {
            self.values.count_calls_of(CallsOf::Target);
        }
        let buffers = &mut self.buffers;
        buffers.target.clear();
        step.http().url.render(&mut buffers.target, &self.values, Escape::Path);
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
        render::query(&step.http().query, &self.values, &mut buffers.target);
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
        step: &Call,
        form: Form,
        origin: &Origin,
        authority: &str,
    ) -> Rendered {
        let buffers = &mut self.buffers;
        let message = Message {
            plan: &context.program.plan,
            request: step.http(),
            prepared,
            form,
            authority,
            target: &buffers.target,
        };
        if prepared.calls {
            self.values.count_calls_of(CallsOf::Message);
        }
        message.write(&self.values, &mut buffers.body, &mut buffers.request);
        add_cookies(&self.jar, (origin, &buffers.target), || context.unix_now_s(), &mut buffers.request);
        buffers.request.end(buffers.body.beginning());
        Rendered::Buffers
    }

    /// Where the last rendered request went.
    pub(crate) fn url(&self, prepared: &Prepared, place: &Place<'_>) -> Url {
        Url {
            origin: place.origin.clone().into_owned(),
            target: place.rendered.target(prepared, &self.buffers).into_owned(),
        }
    }
}

/// Adds the cookies that belong to a request; false when none do.
pub(crate) fn add_cookies(
    jar: &Jar,
    (origin, target): (&Origin, &[u8]),
    now_s: impl FnOnce() -> i64,
    text: &mut RequestText,
) -> bool {
    let mut has_some = false;
    if !jar.is_empty() {
        text.field_from("cookie", |out| {
            has_some = jar.write(origin, &String::from_utf8_lossy(target), now_s(), out);
            has_some
        });
    }
    has_some
}
