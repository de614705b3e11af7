//! What carries the calls of a real worker: the one place that chooses and makes the protocol of a run.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{SystemTime, UNIX_EPOCH};

use nmax_http::{Config, Shared};
use nmax_metrics::{Catalog, Fence, Nanos};
use nmax_plan::plan::Plan;
use nmax_plan::share::Share;

use crate::context::Context;
use crate::error::StartError;
use crate::http::driver::Drivers;
use crate::http::network;
use crate::http::prepared::HttpPrepared;
use crate::http::sockets::HttpDrivers;
use crate::http::state::{Http, HttpPlan};
use crate::measure::meter::{Link, Meter, MeterSettings, Report};
use crate::measure::names::SharedCatalog;
use crate::program::Program;
use crate::protocol::Protocol;
use crate::run::settings::Settings;
use crate::runtime::Runtime;
use crate::runtime::real::{RealClock, RealRuntime};
use crate::schedule::source::{Slots, Sources};

/// What carries the calls of a run's workers.
pub(crate) type Carrier = Http<HttpDrivers>;

/// What carries calls, and the program that it made them ready for.
pub(crate) type Carried<P> = (P, Program<<P as Protocol>::Prepared>);

/// Makes what carries the calls of `plan` until a fence on its clock; `watch` may put something around its drivers.
pub(crate) fn carrier<D: Drivers>(
    settings: &Settings,
    plan: &Arc<Plan>,
    names: &Catalog,
    clock: (&RealClock, Fence),
    watch: impl FnOnce(HttpDrivers) -> D,
) -> Result<Carried<Http<D>>, StartError> {
    let (clock, fence) = clock;
    let shared = Shared::new(Config { fence, ..network::config(settings)? }, clock.clone());
    let drivers = HttpDrivers::new(shared.map_err(|error| StartError::Tls(error.to_string()))?);
    let http = Http::new(watch(drivers), HttpPlan::new(plan, names)?);
    let program: Program<HttpPrepared> = Program::new(Arc::clone(plan), names, &settings.files, &http.of)?;
    let mut program = program.with_scripts(&settings.scripts)?;
    program.shared = Arc::clone(&settings.values);
    Ok((http, program))
}

/// The context of a worker that is the only one of its plan, on this thread and from now on.
///
/// # Errors
/// When the plan has no schedule.
pub fn only_worker<P: Protocol>(
    runtime: RealRuntime,
    (protocol, program): (P, Program<P::Prepared>),
    meter: MeterSettings,
    reports: SyncSender<Report>,
    names: SharedCatalog,
) -> Result<Rc<Context<RealRuntime, P>>, StartError> {
    let (plan, whole) = (Arc::clone(&program.plan), Share::whole());
    let sources = Sources::new(&plan, &Slots::new(&plan, whole), whole, (0, 1), || runtime.timer())?;
    let (_, recycled) = sync_channel(1);
    let meter = Meter::new(meter, Link { worker: 0, reports, recycled }, runtime.thread_time());
    #[expect(clippy::disallowed_methods, reason = "wall time, for cookies and templates")]
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).map_or(Nanos::ZERO, Nanos::from);
    Ok(Rc::new(Context::new(runtime, protocol, program, sources, meter, names, unix)))
}
