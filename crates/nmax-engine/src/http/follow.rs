//! A call that follows redirects.
//!
//! Every hop is an exchange with a sample of its own, named like its request with ` +1`, ` +2` and so on; it is due when
//! the reply before it is complete. The whole chain is a transaction.

use std::borrow::Cow;

use nmax_http::{Exchange, Url};
use nmax_metrics::{Code, Nanos, Outcome};

use crate::http::compose::OutgoingRequest;
use crate::http::driver::{Driver, Drivers};
use crate::http::exchange::Hop;
use crate::http::redirect::{self, form_after, location};
use crate::http::render::Form;
use crate::http::state::Work;
use crate::iteration::{StartTimes, StepEnd};
use crate::runtime::Runtime;
use crate::user::values::CallsOf;
use crate::user::verify::Verified;

/// Where the reply of an exchange leads, in a call that follows redirects.
pub(crate) fn leads_to<R: Runtime, D: Drivers>(
    work: &Work<'_, R, D>,
    outgoing: &OutgoingRequest<'_>,
    exchange: &Exchange,
) -> Option<Url> {
    exchange.status?.number().filter(|status| (301..=308).contains(status))?;
    location(&work.user.driver.reply(), &work.url(outgoing))?.ok()
}

/// Follows the redirect of `first`, and all that come after it.
pub(crate) async fn follow<R: Runtime, D: Drivers>(
    work: &mut Work<'_, R, D>,
    first: Hop<'_>,
    first_target: Url,
) -> StepEnd {
    let call = work.site.call.call.as_ref();
    work.site.actor.values.count_calls_of(CallsOf::Name);
    let name = work.site.text(&call.name);
    let mut form = Form::from_call(&work.prepared.request);
    let mut visited = vec![work.url(&first.outgoing)];
    let (mut hop, mut target) = (first, first_target);
    loop {
        work.keep_cookies(&hop.outgoing);
        // A valid reply that leads on is ok, whatever the step expects of the last one.
        work.record(&hop, Outcome::Ok);
        work.site.core.count_redirect(work.site.section(hop.start.intended));
        let (status, done) = (hop.exchange.status.and_then(Code::number).unwrap_or_default(), hop.exchange.done);
        form = form_after(form, status, &hop.outgoing.origin, &target.origin);
        let start = StartTimes { intended: done, begun: done, slot_wait: Nanos::ZERO };
        let outgoing = render_at(work, form, &target);
        let name = work.site.core.names.id(&format!("{name} +{}", visited.len()));
        hop = Hop::new(start, outgoing, name);
        if let Err(cut) = work.carry(&mut hop, visited.len()).await {
            return cut;
        }
        visited.push(target);
        target = match leads_to(work, &hop.outgoing, &hop.exchange) {
            None => return work.conclude(&hop),
            Some(next) if visited.len() > work.prepared.redirects_max as usize => {
                work.keep_cookies(&hop.outgoing);
                let verified = too_many(work, &visited, &next);
                return work.finish_call(&hop, verified);
            }
            Some(next) => next,
        };
    }
}

/// The limit is reached, and the last reply still leads on.
fn too_many<R: Runtime, D: Drivers>(work: &mut Work<'_, R, D>, visited: &[Url], next: &Url) -> Verified {
    work.site.use_defaults();
    Verified {
        lacks_value: work.site.lacks_defaults(),
        ..Verified::failed(redirect::KIND.to_owned(), Some(redirect::describe(visited, next)))
    }
}

/// Renders the request of a hop.
fn render_at<'p, R: Runtime, D: Drivers>(work: &mut Work<'_, R, D>, form: Form, url: &Url) -> OutgoingRequest<'p> {
    work.user.buffers.target.clear();
    work.user.buffers.target.extend_from_slice(url.target.as_bytes());
    let rendered = work.compose(form, &url.origin, &url.origin.authority());
    OutgoingRequest { origin: Cow::Owned(url.origin.clone()), form, rendered }
}
