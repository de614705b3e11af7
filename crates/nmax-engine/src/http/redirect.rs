//! Redirects: where they lead, what is sent there, and a step that follows them.
//!
//! Every hop is an exchange with a sample of its own, named like its request with ` +1`, ` +2` and so on; it is due when
//! the reply before it is complete. The whole chain is a transaction.

use std::borrow::Cow;

use nmax_http::{Exchange, Origin, Reply, Url};
use nmax_metrics::{NameId, Nanos, Outcome};
use nmax_plan::plan::{Call, Method};
use nmax_plan::template::Escape;
use nmax_secrets::masked_url;

use crate::context::Context;
use crate::http::compose::{Place, Rendered};
use crate::http::driver::{Driver, Drivers};
use crate::http::exchange::Carried;
use crate::http::render::Form;
use crate::iteration::{Assignment, StepEnd, Turnstile};
use crate::measure::examples::Seen;
use crate::program::Prepared;
use crate::runtime::Runtime;
use crate::user::values::CallsOf;
use crate::user::verify::Verified;
use crate::user::vu::Vu;

#[cfg(test)]
mod tests;

/// Kind of the failure that following too many redirects is.
pub(crate) const KIND: &str = "redirects";
/// Kind of the failure that a redirect is which cannot be followed.
pub(crate) const KIND_REFUSED: &str = "redirect";
/// Characters of a URL that a text quotes.
const QUOTED_CHARS_MAX: usize = 200;

/// Where a reply sends its reader, or why that place cannot be asked; `None` when it is no redirect.
pub(crate) fn location(reply: &Reply<'_>, at: &Url) -> Option<Result<Url, String>> {
    if !matches!(reply.status(), Some(301 | 302 | 303 | 307 | 308)) {
        return None;
    }
    Some(match reply.header("location") {
        None => Err("the redirect has no `location`".to_owned()),
        Some([]) => Err("the `location` of the redirect is empty".to_owned()),
        Some(reference) => join(at, reference),
    })
}

/// A reference as a server wrote it, seen from `at`; or why it cannot be followed.
///
/// A user name in it is refused: browsers would log in with it, and what the plan sends is the plan's to say.
fn join(at: &Url, reference: &[u8]) -> Result<Url, String> {
    let mut text = String::with_capacity(reference.len());
    for &byte in reference {
        // Bytes above ASCII are of the server's own encoding: they go back to it as they are.
        match byte {
            0x80.. => text.push_str(&format!("%{byte:02X}")),
            _ => text.push(char::from(byte)),
        }
    }
    at.join(&text).map_err(|error| {
        // Secrets go before the text is cut, which may leave a part of one that looks like nothing.
        let shown = quoted(&masked_url(&text));
        format!("the redirect to `{shown}` cannot be followed: it {}", error.kind)
    })
}

/// The beginning of a long text.
fn quoted(text: &str) -> String {
    let mut quoted: String = text.chars().take(QUOTED_CHARS_MAX).collect();
    if quoted.len() < text.len() {
        quoted.push_str("...");
    }
    quoted
}

/// What is sent to where a redirect leads.
///
/// 303 asks with GET (RFC 9110, 15.4.4); so do 301 and 302 after a POST, as browsers do. 307 and 308 repeat method and
/// body. Another origin never sees what the plan sends to the first one only.
pub(crate) fn form_after(form: Form, status: u16, from: &Origin, to: &Origin) -> Form {
    let becomes_get = match status {
        303 => form.method != Method::Head,
        301 | 302 => form.method == Method::Post,
        _ => false,
    };
    Form {
        method: if becomes_get { Method::Get } else { form.method },
        has_body: form.has_body && !becomes_get,
        has_credentials: form.has_credentials && from == to,
    }
}

/// A step that follows redirects.
pub(crate) struct Chain<'a> {
    pub(crate) assignment: &'a Assignment,
    pub(crate) prepared: &'a Prepared,
    pub(crate) step: &'a Call,
    /// When the whole step is given up.
    pub(crate) deadline: Nanos,
}

/// One exchange of a chain.
pub(crate) struct Hop<'a> {
    pub(crate) turn: Turnstile,
    pub(crate) place: Place<'a>,
    pub(crate) name: NameId,
    pub(crate) exchange: Exchange,
    /// When the exchange is given up, and the reading of its reply.
    pub(crate) deadline: Nanos,
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// Where the reply of an exchange leads, in a step that follows redirects.
    pub(crate) fn leads_to(&self, prepared: &Prepared, place: &Place<'_>, exchange: &Exchange) -> Option<Url> {
        exchange.status.filter(|status| (301..=308).contains(status))?;
        location(&self.driver.reply(), &self.url(prepared, place))?.ok()
    }

    /// Why the last reply, which has this status, is a redirect that cannot be followed; `None` when it is none or can.
    pub(crate) fn refusal(&self, prepared: &Prepared, place: &Place<'_>, status: u16) -> Option<String> {
        Some(status).filter(|status| (301..=308).contains(status))?;
        location(&self.driver.reply(), &self.url(prepared, place))?.err()
    }

    /// Follows the redirect of `first`, and all that come after it.
    pub(crate) async fn follow(
        &mut self,
        context: &Context<R, D>,
        chain: &Chain<'_>,
        first: Hop<'_>,
        first_target: Url,
    ) -> StepEnd {
        let (prepared, step) = (chain.prepared, chain.step);
        let mut name = Vec::new();
        self.values.count_calls_of(CallsOf::Name);
        step.name.render(&mut name, &self.values, Escape::None);
        let name = String::from_utf8_lossy(&name);
        let mut form = Form::of(step.http());
        let mut visited = vec![self.url(prepared, &first.place)];
        let (mut hop, mut target) = (first, first_target);
        loop {
            self.keep_cookies(context, prepared, &hop.place);
            self.record_hop(context, chain, &hop);
            let (status, done) = (hop.exchange.status.unwrap_or_default(), hop.exchange.done);
            form = form_after(form, status, &hop.place.origin, &target.origin);
            let turn = Turnstile { intended: done, begun: done, slot_wait: Nanos::ZERO };
            let place = self.render_at(context, prepared, step, form, &target);
            let name = context.names.id(&format!("{name} +{}", visited.len()));
            let exchange = match self.carry(context, prepared, step, &place, chain.deadline).await {
                Carried::Ended(exchange) => exchange,
                Carried::TimedOut => self.timed_out(context, step, visited.len()),
                Carried::Cut => return self.cut_off(context, turn.intended),
            };
            visited.push(target);
            hop = Hop { turn, place, name, exchange, deadline: chain.deadline };
            target = match self.leads_to(prepared, &hop.place, &hop.exchange) {
                None => return self.conclude(context, chain.assignment, prepared, step, &hop),
                Some(next) if visited.len() > prepared.redirects_max as usize => {
                    self.keep_cookies(context, prepared, &hop.place);
                    let verified = self.too_many(step, &visited, &next);
                    return self.settle(context, chain.assignment, prepared, &hop, verified);
                }
                Some(next) => next,
            };
        }
    }

    /// A valid reply that leads on is ok, whatever the step expects of the last one.
    fn record_hop(&mut self, context: &Context<R, D>, chain: &Chain<'_>, hop: &Hop<'_>) {
        let seen =
            Seen { assignment: chain.assignment, name: hop.name, exchange: &hop.exchange, intended: hop.turn.intended };
        let sample = self.record(context, &seen, hop.turn.slot_wait, Outcome::Ok);
        if context.tells {
            let text = hop.place.rendered.text(chain.prepared, &self.buffers);
            self.tell_exchange(context, chain.assignment, &sample, text);
        }
        if chain.prepared.page.is_some() {
            self.document_bytes += hop.exchange.bytes_received;
        }
        let section = self.section(context, hop.turn.intended);
        let mut meter = context.meter.borrow_mut();
        meter.window().aggregate.load_mut(section).redirects += 1;
    }

    /// The limit is reached, and the last reply still leads on.
    fn too_many(&mut self, step: &Call, visited: &[Url], next: &Url) -> Verified {
        self.use_defaults(step);
        Verified {
            outcome: Outcome::Failed,
            kind: KIND.to_owned(),
            text: Some(words(visited, next)),
            lacks_value: step.extract.iter().any(|extract| extract.default.is_none()),
        }
    }

    /// Renders the request of a hop.
    fn render_at<'a>(
        &mut self,
        context: &Context<R, D>,
        prepared: &Prepared,
        step: &Call,
        form: Form,
        url: &Url,
    ) -> Place<'a> {
        self.buffers.target.clear();
        self.buffers.target.extend_from_slice(url.target.as_bytes());
        let authority = url.origin.authority();
        let rendered: Rendered = self.compose(context, prepared, step, form, &url.origin, &authority);
        Place { origin: Cow::Owned(url.origin.clone()), form, rendered }
    }
}

/// The way that too many redirects took; a circle is named once, however often it was gone round.
fn words(visited: &[Url], next: &Url) -> String {
    let followed = visited.len() - 1;
    let list = |urls: &[Url]| {
        let texts: Vec<String> = urls.iter().map(shown).collect();
        texts.join(" -> ")
    };
    match visited.iter().rposition(|url| url == next) {
        Some(start) => format!(
            "the redirects go in a circle of {}, left after {followed}: {} -> {}",
            visited.len() - start,
            list(&visited[start..]),
            shown(next)
        ),
        None => format!("more than {followed} redirects: {} -> {}", list(visited), shown(next)),
    }
}

/// A URL without its secrets, shortened.
pub(crate) fn shown(url: &Url) -> String {
    quoted(&masked_url(&url.to_string()))
}
