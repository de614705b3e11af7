//! The document of a page: what becomes of the page once it is verified.
//!
//! Its time begins when the document is due, the redirects that it follows included, and ends with the last resource.

use nmax_metrics::Nanos;

use crate::context::Context;
use crate::http::driver::Drivers;
use crate::http::page::Fetched;
use crate::iteration::{Assignment, StepEnd};
use crate::measure::tally::{Took, Visit};
use crate::program::Prepared;
use crate::runtime::Runtime;
use crate::user::vu::Vu;

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// Ends the page whose document, due at `intended`, ended like this. Other requests are none.
    pub(crate) fn end_page(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        intended: Nanos,
        end: &StepEnd,
        fetched: Fetched,
    ) {
        let Some(page) = prepared.page else { return };
        let bytes_received = std::mem::take(&mut self.document_bytes);
        let Some((done, is_ok)) = end.outcome() else { return };
        let before = self.way.come_to(page);
        let visit = Visit {
            page,
            transition: before.and_then(|before| context.program.transitions.get(&(before, page)).copied()),
            bytes_received,
            fetched,
            location: assignment.location.filter(|_| !self.is_aside()),
        };
        let section = self.section(context, intended);
        context.count_page(section, &visit, is_ok, Took { from: intended, done });
    }
}
