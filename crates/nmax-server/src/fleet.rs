//! The fleet that this server shows. The program that makes the server knows the message broker; here is what is asked of it.

use crate::api::fleet::{FleetEnd, FleetPage};
use crate::api::{Action, Steered, Told, Wish};
use crate::refusal::Refusal;
use crate::runs::Runs;

/// A fleet. Its runs that go on are written into the folder of the server by others than the server.
pub trait Fleet: std::fmt::Debug + Send + Sync {
    /// As it is now, without what is in the folder.
    fn page(&self) -> FleetPage;

    /// Whether a run of this id may still put on load.
    fn goes_on(&self, run: &str) -> bool;

    /// Asks all injectors to end a run; what was done, in words.
    ///
    /// # Errors
    /// Why it could not be asked.
    fn end(&self, run: &str, how: FleetEnd) -> Result<String, String>;
}

/// The fleet of this server.
pub(crate) fn page(fleet: Option<&dyn Fleet>, runs: &Runs) -> FleetPage {
    let Some(fleet) = fleet else {
        return FleetPage { trouble: "this server shows no fleet".into(), ..FleetPage::default() };
    };
    let page = fleet.page();
    let here = page.runs.iter().filter(|run| runs.has(&run.run)).map(|run| run.run.clone()).collect();
    FleetPage { here, ..page }
}

/// The fleet, when the run is one of its that goes on.
pub(crate) fn fleet_of<'a>(fleet: Option<&'a dyn Fleet>, run: &str) -> Option<&'a dyn Fleet> {
    fleet.filter(|fleet| fleet.goes_on(run))
}

/// Ends a run.
pub(crate) fn end(fleet: Option<&dyn Fleet>, run: &str, how: FleetEnd) -> Result<Told, Refusal> {
    let fleet =
        fleet_of(fleet, run).ok_or_else(|| Refusal::missing(format!("the fleet has no run {run} that goes on")))?;
    Ok(Told { text: fleet.end(run, how)? })
}

/// Does to a run of a fleet what is done to one of this machine, as far as that is possible.
pub(crate) fn steer(fleet: &dyn Fleet, run: &str, wish: &Wish) -> Result<Steered, Refusal> {
    match wish.action {
        Action::Stop => Ok(Steered { revision: wish.revision, text: fleet.end(run, FleetEnd::Stop)? }),
        Action::Load | Action::Hold => {
            Err(Refusal::bad("the load of a run on several injectors cannot be changed", "it can be stopped"))
        }
    }
}
