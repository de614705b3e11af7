//! What carries the calls of virtual users: the seam between a user's way through its steps and what it sends.
//!
//! The walk knows calls, values, checks, extractors and times. A protocol makes calls ready ([`crate::program::prepare::Prepare`]), has a state of its own for
//! each user, and sends; one call may be several exchanges. It records each of them when it ends, by its [`Site`], for an
//! exchange belongs to the window of its end.

use std::future::Future;
use std::rc::Rc;

use nmax_http::line::Line;
use nmax_http::{Alarm, Notes};
use nmax_plan::plan::Scenario;

use crate::error::ProgramError;
use crate::iteration::StepEnd;
use crate::program::prepare::{Maker, Prepared};
use crate::runtime::Runtime;
use crate::user::site::Site;
use crate::user::verify::Answer;

/// What carries the calls of a worker's virtual users.
pub trait Protocol: Sized + 'static {
    /// What it makes of a call before the run.
    type Prepared: 'static;
    /// What it has of each virtual user.
    type User: 'static;
    /// What a user keeps of its setup, for each iteration.
    type SetupState: 'static;

    /// A user who has done nothing yet. It sets `alarm` to when its call wants to be polled.
    fn user(&self, alarm: Alarm) -> Self::User;

    /// A user begins an iteration: as somebody new, or with what it kept of its setup.
    fn begin(&self, user: &mut Self::User, is_new: bool, kept: Option<&Self::SetupState>);

    /// A user ends an iteration.
    fn end(&self, user: &mut Self::User);

    /// What a user whose setup is done keeps.
    fn keep(&self, user: &Self::User) -> Self::SetupState;

    /// A user thinks: it needs little memory.
    fn rest(&self, user: &mut Self::User);

    /// A user is at the end of another line, or of none.
    fn set_line(&self, user: &mut Self::User, line: Option<Rc<Line>>);

    /// Makes a call of a scenario, given its number, ready while the run goes on.
    fn prepare(
        &self,
        maker: &Maker<'_>,
        scenario: (usize, &Scenario),
        call: &Prepared,
    ) -> Result<Self::Prepared, ProgramError>;

    /// What came back at the end of the user's last call.
    fn answer<'u>(&self, user: &'u Self::User) -> impl Answer + use<'u, Self>;

    /// Carries a call, records what it sends, and says how it ended. It sends nothing once the fence of its run is reached;
    /// the call is cut off then.
    fn call<'a, R: Runtime>(
        &'a self,
        site: Site<'a, R>,
        user: &'a mut Self::User,
        prepared: &'a Self::Prepared,
    ) -> impl Future<Output = StepEnd> + 'a;

    /// Opens connections to the target before the run, for users who come one after the other.
    fn open_ahead(&self, _count: u32) -> impl Future<Output = ()> {
        std::future::ready(())
    }

    /// Sockets that servers should close and that are still watched.
    fn watching(&self) -> usize {
        0
    }

    /// What was noticed beside exchanges since the last call.
    fn take_notes(&self, _is_last: bool) -> Notes {
        Notes::default()
    }
}
