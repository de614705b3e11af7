//! Pages as browsers load them: what a document names is fetched in parallel, in the order of its urgency, and what the
//! user's browser remembers is not fetched again.
//!
//! - `queue`: which resources, in which order, at most six at a time from one origin
//! - `fetch`: a page from its document to its last resource; `lane`: one of the exchanges that are under way
//! - `ask`: the request for a resource; `reply`: what its reply leads to
//! - `cache` and `freshness`: what needs no exchange, or only the question whether it changed
//!
//! Every exchange is a sample with a name of its own, due when it became known that it is needed. What it then waits
//! for a connection is the browser's rule, like a wait for an in-flight slot, and no lag of the injector. A resource
//! that is not ok fails its page and the iteration, and not the document's own exchange. Bodies are thrown away as they
//! come, but for style sheets and frames, which name more.
//!
//! What no exchange asked for has no sample: resources out of the cache are counted, and so are those that the time
//! limit of the page left without a turn, as failed.

mod ask;
mod cache;
mod fetch;
mod freshness;
mod lane;
mod queue;
mod reply;

pub(crate) use cache::Cache;
pub(crate) use fetch::fetch_page;
pub(crate) use reply::is_html;
