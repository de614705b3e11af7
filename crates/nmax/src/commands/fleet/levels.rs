//! The levels of a campaign on a fleet.

use std::time::Duration;

use nmax_fleet::records::Policy;
use nmax_nats::{Broker, Sizes, Workers};
use nmax_run::fleet::keys::{self, OwnerKeys};
use nmax_run::fleet::manager;
use nmax_run::fleet::offer::{Offered, offer};
use nmax_run::signals::Interrupts;
use nmax_run::{Finished, Order, SessionError, Trouble, new_id};
use nmax_scale::Runner;

use super::look;
use super::order::{Fleet, SEEN, enough, free, instant, pause};
use crate::args::InjectorsArgs;

/// What a level takes beside its load: the time for all to be ready, the lead of the start, the last results.
const OVERHEAD: Duration = Duration::from_secs(8);

/// The injectors of a fleet.
struct Levels {
    broker: Broker,
    keys: OwnerKeys,
    workers: Workers,
}

/// Connects to the fleet.
pub fn connect(args: &InjectorsArgs) -> Result<Box<dyn Runner>, Trouble> {
    let keys = keys::owner(&args.fleet_key)?;
    let broker = look::connect(&args.nats, &args.access, keys::connection(&args.fleet_key))?;
    nmax_nats::prepare(&broker, Sizes::default()).map_err(Trouble::unreachable)?;
    let workers = Workers::new(&broker);
    pause(SEEN);
    Ok(Box::new(Levels { broker, keys, workers }))
}

impl Runner for Levels {
    fn free(&mut self) -> Option<u32> {
        Some(free(&self.workers.list(), None, 0) as u32)
    }

    fn ready(&mut self, injectors: u32, threads: u32) -> Result<(), Trouble> {
        enough(&self.workers, &vec![None; injectors as usize], threads)
    }

    fn overhead(&self) -> Duration {
        OVERHEAD
    }

    fn run(&mut self, order: &Order, injectors: u32, interrupts: &Interrupts) -> Result<Finished, SessionError> {
        let refused = |error: String| SessionError::Fleet(vec![error]);
        // What helps was said before the first level.
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        self.ready(injectors, order.workers).map_err(|trouble| refused(first(&trouble.text)))?;
        let (run, now) = new_id();
        let order = Order { id: Some(run.clone()), ..order.clone() };
        let shards = vec![None; injectors as usize];
        let offered = Offered { shards, policy: Policy::Continue, run, now: instant(now) };
        let put = &mut |bytes: &[u8]| nmax_nats::put(&self.broker, bytes).map_err(|error| error.to_string());
        let spec = offer(&order, &self.keys, offered, put).map_err(refused)?;
        let signers = vec![self.keys.signing.public()];
        let mut fleet =
            Fleet::new(&self.broker, &spec.run, signers, Some(&self.keys.signing)).map_err(|one| refused(one.text))?;
        manager::conduct(&order, &spec, &mut fleet, interrupts, &mut [])
    }
}
