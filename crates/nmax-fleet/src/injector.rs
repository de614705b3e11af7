//! The machine of an injector: from a run that is offered to the end of its part.
//!
//! It is driven by [`Injector::step`] with the instant on the injector's monotonic clock; nothing in it waits, and nothing that
//! another does is needed for its load to go on once the run has begun, but for a lease where parts are leased.

use std::collections::BTreeMap;

use nmax_metrics::Nanos;
use nmax_metrics::clock::OtherClock;
use nmax_plan::share::Share;

use crate::batch::{BatchId, End, Item};
use crate::coordinator::{Coordinator, Key, Lease, ResultSink, not_ready};
use crate::load::{Load, Measured, Part};
use crate::records::{self, Command, Grant, PROTOCOL, Policy, Readiness, Spec, Start, decode};
use crate::warrant::{Trust, Warrant, WarrantError};
use crate::weights::weights;

/// The epoch of a shard's first holder.
pub const FIRST_EPOCH: u32 = 1;
/// How long the holder of the first shard waits for the others to be ready.
pub const READY_PATIENCE: Nanos = Nanos::from_secs(60);
/// How long an injector asks for the time until it is sure enough of it: a slow exchange says little.
const CLOCK_PATIENCE: Nanos = Nanos::from_secs(10);
/// How long an injector waits for a run that it is ready for to begin.
const START_PATIENCE: Nanos = Nanos::from_secs(180);
/// Why an injector gives up a run.
const NOT_BEGUN: &str = "the run did not begin in time";
/// What stands where a shard has ended.
const ENDED: &[u8] = b"ended";
/// Round trips from the decision to the start, so that all know of it before.
const LEAD_ROUND_TRIPS: u64 = 10;

/// Who an injector is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Its id, of this process alone: one that starts again is another.
    pub id: String,
    /// Its host.
    pub host: String,
    /// Its region.
    pub region: Option<String>,
    /// Its version of nmax.
    pub version: String,
    /// Requests per second that it can send, as calibrated.
    pub capacity: u32,
    /// Whose runs it takes part in.
    pub trust: Trust,
}

/// How far an injector is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing of the run is there to do; why.
    Waiting(&'static str),
    /// Its load goes on.
    Running,
    /// The run did not begin, for these reasons.
    Refused(Vec<String>),
    /// Everything of it has ended and was acknowledged.
    Done,
}

/// The machine of an injector.
#[derive(Debug)]
pub struct Injector<C, L, S> {
    me: Identity,
    coordinator: C,
    load: L,
    sink: S,
    clock: OtherClock,
    facts: ClockFacts,
    commanded: Option<Command>,
    state: State,
    /// An end that could not be kept so far.
    owed: Option<(BatchId, End)>,
    unacknowledged: usize,
    /// The last epoch in which it loaded a shard: the ids of its batches are used up.
    used: BTreeMap<u32, u32>,
}

/// How the clocks of the injector and of the broker moved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ClockFacts {
    /// Offset and error at the start, ns.
    start: Option<(f64, f64)>,
    /// The worst error so far, ns.
    error: f64,
    /// The farthest that the clocks are apart from where they were, beyond both errors, ns.
    moved: f64,
}

/// What the machine does next.
#[derive(Clone, Debug)]
enum State {
    /// It looks for a run.
    Looking,
    /// It asks for a shard, of these the last.
    Claiming(Run, Vec<u32>),
    /// It looks whether it may stand by.
    Admitting(Run),
    /// It has one, and looks how the others are.
    Ready(Run, Ready),
    /// It waits for a part that another loses.
    Standing(Run, Option<Wanted>),
    /// Its load goes on.
    Loading(Run, Loading),
    /// Its load has ended, with all that it measured or not; the results are on the way.
    Sending(Run, u32, bool),
    /// The setup is undone once the others have ended, or has been.
    TearingDown(Run, bool),
    Done(Step),
}

/// What is known of the run.
#[derive(Clone, Debug)]
struct Run {
    spec: Spec,
    since: Nanos,
    begun: Option<Begun>,
}

/// How it began.
#[derive(Clone, Debug)]
struct Begun {
    origin: Nanos,
    weights: Vec<u32>,
    values: Vec<String>,
}

/// An injector that is ready.
#[derive(Clone, Debug)]
struct Ready {
    shard: u32,
    /// What it says of itself, once it knows its clock.
    said: Option<Vec<u8>>,
    /// What the run begins with, once that is decided.
    start: Option<Vec<u8>>,
}

/// A part that another lost.
#[derive(Clone, Debug)]
struct Wanted {
    shard: u32,
    epoch: u32,
    from: u64,
}

/// A part whose load goes on.
#[derive(Clone, Debug)]
struct Loading {
    shard: u32,
    epoch: u32,
    origin: Nanos,
    sequence: u64,
    unkept: u64,
    /// Why it ends before its time.
    why: Option<String>,
    is_fenced: bool,
}

impl Loading {
    /// The lease has run out.
    fn lose(&mut self) {
        self.is_fenced = true;
        self.why.get_or_insert_with(|| "its lease ran out".into());
    }
}

impl<C: Coordinator, L: Load, S: ResultSink<L::Window>> Injector<C, L, S> {
    /// An injector that takes part in the run of `coordinator`.
    pub fn new(me: Identity, coordinator: C, load: L, sink: S) -> Self {
        Self {
            me,
            coordinator,
            load,
            sink,
            clock: OtherClock::default(),
            facts: ClockFacts::default(),
            commanded: None,
            state: State::Looking,
            owed: None,
            unacknowledged: 0,
            used: BTreeMap::new(),
        }
    }

    /// What puts on the load.
    pub fn load(&self) -> &L {
        &self.load
    }

    /// The same, to be changed.
    pub fn load_mut(&mut self) -> &mut L {
        &mut self.load
    }

    /// Where results go.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Where it agrees with the others.
    pub fn coordinator_mut(&mut self) -> &mut C {
        &mut self.coordinator
    }

    /// The shard that it has a part of.
    pub fn shard(&self) -> Option<u32> {
        match &self.state {
            State::Ready(_, Ready { shard, .. })
            | State::Loading(_, Loading { shard, .. })
            | State::Sending(_, shard, _) => Some(*shard),
            _ => None,
        }
    }

    /// Ends the load before its time, as who is at this machine asks for; `why` is for the others, for whom the rest is lost,
    /// and `None` where this is all of the run.
    pub fn end_early(&mut self, command: Command, why: Option<&str>) {
        self.commanded = self.commanded.max(Some(command));
        if let State::Loading(_, loading) = &mut self.state {
            loading.why = loading.why.take().or(why.map(str::to_owned));
            self.load.command(command);
        }
    }

    /// Does what is to be done at `now`.
    pub fn step(&mut self, now: Nanos) -> Step {
        self.look_at_clocks(now);
        self.retry_end();
        self.unacknowledged = self.sink.advance(now);
        self.obey();
        let state = std::mem::replace(&mut self.state, State::Looking);
        self.state = match state {
            State::Looking => self.look(now),
            State::Claiming(run, shards) => self.claim(run, shards),
            State::Admitting(run) => self.admit(run, now),
            State::Ready(run, ready) => self.agree(run, ready, now),
            State::Standing(run, wanted) => self.stand_by(run, wanted, now),
            State::Loading(run, loading) => self.carry_on(run, loading, now),
            State::Sending(run, shard, is_whole) => self.send(run, shard, is_whole, now),
            State::TearingDown(run, is_down) => self.clear_up(run, is_down, now),
            State::Done(step) => State::Done(step),
        };
        match &self.state {
            State::Looking => Step::Waiting("for a run"),
            State::Claiming(..) | State::Admitting(_) => Step::Waiting("for a part of the run"),
            State::Ready(..) => Step::Waiting("for the other injectors"),
            State::Standing(..) => Step::Waiting("for a part that another loses"),
            State::Loading(..) => Step::Running,
            State::Sending(..) => Step::Waiting("for the acknowledgement of results"),
            State::TearingDown(..) => Step::Waiting("for the end of the run"),
            State::Done(step) => step.clone(),
        }
    }

    fn look_at_clocks(&mut self, now: Nanos) {
        for stamps in self.coordinator.stamps(now) {
            self.clock.exchanged(&stamps);
        }
        let Some(known) = self.clock.offset(now) else { return };
        let (offset, error) = (known.offset_s * 1e9, known.error_s * 1e9);
        if let Some((at_start, uncertain)) = self.facts.start {
            self.facts.error = self.facts.error.max(error);
            self.facts.moved = self.facts.moved.max((offset - at_start).abs() - uncertain - error);
        }
    }

    /// Tries again to keep an end.
    fn retry_end(&mut self) {
        if let Some((id, end)) = self.owed.take()
            && self.sink.append(id, Item::End(end.clone())).is_err()
        {
            self.owed = Some((id, end));
        }
    }

    fn obey(&mut self) {
        let command = self.coordinator.command();
        if command > self.commanded {
            self.commanded = command;
            if let (Some(command), State::Loading(..)) = (command, &self.state) {
                self.load.command(command);
            }
        }
    }

    fn look(&mut self, now: Nanos) -> State {
        let Some(bytes) = self.coordinator.once(Key::Spec, None) else { return State::Looking };
        let spec: Spec = match decode(&Key::Spec.to_string(), &bytes) {
            Ok(spec) => spec,
            Err(error) => return State::Done(Step::Refused(vec![error.to_string()])),
        };
        let fits = |region: &Option<String>| region.is_none() || *region == self.me.region;
        let mut shards: Vec<u32> =
            (0..spec.shards.len() as u32).filter(|shard| fits(&spec.shards[*shard as usize])).collect();
        // Each begins elsewhere, so that not all ask for the same.
        let first = crc32fast::hash(self.me.id.as_bytes()) as usize % shards.len().max(1);
        shards.rotate_left(first);
        State::Claiming(Run { spec, since: now, begun: None }, shards)
    }

    /// Asks for one shard after the other.
    fn claim(&mut self, run: Run, mut shards: Vec<u32>) -> State {
        let Some(&shard) = shards.last() else {
            return match run.spec.policy {
                Policy::Continue => State::Done(Step::Done),
                Policy::Takeover { .. } => State::Admitting(run),
            };
        };
        let is_mine = match run.spec.policy {
            Policy::Continue => {
                let me = self.me.id.as_bytes();
                self.coordinator.once(Key::Claim(shard), Some(me)).map(|holder| holder == me)
            }
            Policy::Takeover { ttl_ns } => {
                let lease = self.coordinator.lease(shard, Nanos(ttl_ns));
                lease.map(|lease| matches!(lease, Lease::Mine { epoch: FIRST_EPOCH, .. }))
            }
        };
        match is_mine {
            None => State::Claiming(run, shards),
            Some(true) => State::Ready(run, Ready { shard, said: None, start: None }),
            Some(false) => {
                self.coordinator.release(shard);
                shards.pop();
                State::Claiming(run, shards)
            }
        }
    }

    /// Looks whether it may stand by, once it knows the time.
    fn admit(&mut self, run: Run, now: Nanos) -> State {
        if !self.knows_time(&run, now) {
            return State::Admitting(run);
        }
        let is_sure = self.clock.offset(now).is_some_and(|known| known.error_s * 1e9 <= run.spec.skew_max_ns as f64);
        if !is_sure {
            return self.refused(vec!["its clock is too uncertain to take over a part".into()]);
        }
        match self.refusal(&run.spec, now) {
            None => State::Standing(run, None),
            Some(why) => self.refused(vec![why]),
        }
    }

    /// Why this injector takes no part.
    fn refusal(&mut self, spec: &Spec, now: Nanos) -> Option<String> {
        if spec.protocol != PROTOCOL || spec.version != self.me.version {
            let Spec { protocol, version, .. } = spec;
            return Some(format!(
                "it has nmax {} (protocol {PROTOCOL}), and the run is of nmax {version} (protocol {protocol}); \
                 use the same version everywhere",
                self.me.version
            ));
        }
        if spec.window_ns == 0 || spec.hard_stop_ns < spec.end_ns {
            return Some("the run has no windows, or its hard stop comes before its end".into());
        }
        let warrant = match self.warrant(spec, now) {
            Ok(warrant) => warrant,
            Err(error) => return Some(error.to_string()),
        };
        self.load.admit(spec, warrant.as_ref()).err()
    }

    /// What a user permits of the run; `None` for one of this process.
    fn warrant(&self, spec: &Spec, now: Nanos) -> Result<Option<Warrant>, WarrantError> {
        let Trust::Keys(keys) = &self.me.trust else { return Ok(None) };
        let warrant = Warrant::verify(spec.warrant.as_deref().ok_or(WarrantError::None)?, keys)?;
        let now_s = self.clock.offset(now).map_or(0.0, |known| known.offset_s + now.as_secs_f64());
        warrant.permits(spec, self.me.region.as_deref(), now_s as u64)?;
        Ok(Some(warrant))
    }

    /// Whether it is as sure of the broker's time as it has to be, or will not be.
    fn knows_time(&self, run: &Run, now: Nanos) -> bool {
        let waited = now.since(run.since);
        match self.clock.offset(now) {
            Some(known) => known.error_s * 1e9 <= run.spec.skew_max_ns as f64 || waited >= CLOCK_PATIENCE,
            None => waited >= READY_PATIENCE,
        }
    }

    /// Says what it is, looks how the others are, and begins with them.
    fn agree(&mut self, run: Run, mut ready: Ready, now: Nanos) -> State {
        if let Policy::Takeover { ttl_ns } = run.spec.policy
            && !matches!(self.coordinator.lease(ready.shard, Nanos(ttl_ns)), Some(Lease::Mine { epoch: FIRST_EPOCH, until }) if until > now)
        {
            self.coordinator.release(ready.shard);
            return State::Standing(run, None);
        }
        if self.commanded.is_some() {
            return self.refused(vec!["the run was stopped before it began".into()]);
        }
        let known = self.clock.offset(now);
        if ready.said.is_none() && !self.knows_time(&run, now) {
            return State::Ready(run, ready);
        }
        let said = ready.said.take().unwrap_or_else(|| {
            let refusal = self.refusal(&run.spec, now);
            let error_ns = known.map_or(u64::MAX, |known| (known.error_s * 1e9) as u64);
            let Identity { id, host, region, capacity, .. } = self.me.clone();
            records::encode(&Readiness { injector: id, host, region, capacity, clock_error_ns: error_ns, refusal })
        });
        let _ = self.coordinator.once(Key::Ready(ready.shard), Some(&said));
        ready.said = Some(said);
        if ready.shard == 0 && ready.start.is_none() {
            ready.start = self.decide(&run, now).map(|start| records::encode(&start));
        }
        let start = self.coordinator.once(Key::Start, ready.start.as_deref());
        match start.map(|start| decode(&Key::Start.to_string(), &start)) {
            None if now.since(run.since) > START_PATIENCE => self.refused(vec![NOT_BEGUN.into()]),
            None => State::Ready(run, ready),
            Some(start) => match self.begun(&run.spec, start.map_err(|error| error.to_string()), now) {
                Ok(begun) => {
                    let run = Run { begun: Some(begun), ..run };
                    self.begin(run, Wanted { shard: ready.shard, epoch: FIRST_EPOCH, from: 0 }, now)
                }
                Err(why) => self.refused(why),
            },
        }
    }

    /// How the run begins, once that can be said: the holder of the first shard decides.
    fn decide(&mut self, run: &Run, now: Nanos) -> Option<Start> {
        let of = run.spec.shards.len() as u32;
        let Some(all) = self.coordinator.barrier(Key::Ready, of) else {
            let is_over = now.since(run.since) > READY_PATIENCE;
            return is_over.then(|| Start::Refused(not_ready(&mut self.coordinator, of)));
        };
        let all: Result<Vec<Readiness>, _> = all.iter().map(|bytes| decode("ready", bytes)).collect();
        let all = match all {
            Ok(all) => all,
            Err(error) => return Some(Start::Refused(vec![error.to_string()])),
        };
        let reasons: Vec<String> = all.iter().filter_map(|ready| reason(ready, &run.spec)).collect();
        if !reasons.is_empty() {
            return Some(Start::Refused(reasons));
        }
        let values = match self.load.set_up()? {
            Ok(values) => values,
            Err(why) => return Some(Start::Refused(vec![why])),
        };
        let round_trip = all.iter().map(|ready| ready.clock_error_ns.saturating_mul(2)).max().unwrap_or(0);
        let lead = Nanos(run.spec.lead_ns.max(round_trip.saturating_mul(LEAD_ROUND_TRIPS)));
        let capacities: Vec<u32> = all.iter().map(|ready| ready.capacity).collect();
        let offset_s = self.clock.offset(now)?.offset_s;
        let origin_ns = ((now + lead).0 as f64 + offset_s * 1e9).max(0.0) as u64;
        Some(Start::Go { origin_ns, weights: weights(&capacities), values })
    }

    /// What the start says, on this injector's clock.
    fn begun(&self, spec: &Spec, start: Result<Start, String>, now: Nanos) -> Result<Begun, Vec<String>> {
        let (origin_ns, weights, values) = match start.map_err(|error| vec![error])? {
            Start::Go { origin_ns, weights, values } => (origin_ns, weights, values),
            Start::Refused(why) => return Err(why),
        };
        if weights.len() != spec.shards.len() {
            let (weights, shards) = (weights.len(), spec.shards.len());
            return Err(vec![format!(
                "the run has {shards} parts and {weights} weights, so its parts do not sum to the plan"
            )]);
        }
        // A start may come later than a user thought.
        let end_s = origin_ns.saturating_add(spec.hard_stop_ns) / 1_000_000_000;
        if let Some(warrant) = self.warrant(spec, now).map_err(|error| vec![error.to_string()])?
            && end_s >= warrant.expires_s
        {
            let (from_s, to_s) = (warrant.not_before_s, warrant.expires_s);
            return Err(vec![WarrantError::Time { from_s, to_s, now_s: end_s }.to_string()]);
        }
        let origin = self.clock.here(Nanos(origin_ns), now);
        let origin = origin.ok_or_else(|| vec!["the run began before the clock of this injector".to_owned()])?;
        let lead = Nanos(spec.lead_ns.max(spec.skew_max_ns.saturating_mul(2 * LEAD_ROUND_TRIPS)));
        if origin > now + lead + Nanos(spec.skew_max_ns.saturating_mul(2)) {
            return Err(vec!["the broker's clock was set back after the run began".into()]);
        }
        Ok(Begun { origin, weights, values })
    }

    fn refused(&mut self, why: Vec<String>) -> State {
        State::Done(Step::Refused(why))
    }

    /// Begins a part.
    fn begin(&mut self, run: Run, wanted: Wanted, now: Nanos) -> State {
        let Wanted { shard, epoch, from } = wanted;
        let Some(begun) = &run.begun else { return State::Standing(run, None) };
        let share = match Share::for_injector(shard, &begun.weights) {
            Ok(share) => share,
            Err(error) => return self.refused(vec![error.to_string()]),
        };
        let origin = begun.origin;
        // An injector that learns late of a start, or of its grant, leaves out what is past.
        let from = if now > origin { from.max(now.since(origin).0 / run.spec.window_ns + 1) } else { from };
        let hard_stop = Nanos(run.spec.hard_stop_ns);
        let fence = match run.spec.policy {
            Policy::Continue => hard_stop,
            Policy::Takeover { ttl_ns } => match self.coordinator.lease(shard, Nanos(ttl_ns)) {
                Some(Lease::Mine { epoch: held, until }) if held == epoch => until.since(origin).min(hard_stop),
                _ => Nanos::ZERO,
            },
        };
        let part = Part { shard, epoch, share, values: begun.values.clone(), origin, from, fence };
        self.used.insert(shard, epoch);
        match self.load.begin(part) {
            Ok(origin) => {
                let known = self.clock.offset(now).map(|known| (known.offset_s * 1e9, known.error_s * 1e9));
                self.facts = ClockFacts { start: known, error: known.map_or(0.0, |known| known.1), moved: 0.0 };
                let begun = Begun { origin, ..begun.clone() };
                let loading = Loading { shard, epoch, origin, sequence: 0, unkept: 0, why: None, is_fenced: false };
                State::Loading(Run { begun: Some(begun), ..run }, loading)
            }
            Err(why) => self.refused(vec![why]),
        }
    }

    /// Renews the lease, and hands over what was measured.
    fn carry_on(&mut self, run: Run, mut loading: Loading, now: Nanos) -> State {
        self.renew(&run, &mut loading, now);
        let id = |loading: &Loading| BatchId { shard: loading.shard, epoch: loading.epoch, sequence: loading.sequence };
        match self.load.next() {
            Measured::Quiet => State::Loading(run, loading),
            Measured::Window { index, window } => {
                match self.sink.append(id(&loading), Item::Window { index, window }) {
                    Ok(()) => loading.sequence += 1,
                    Err(why) => {
                        // What is not kept is not measured.
                        loading.unkept += 1;
                        loading.why.get_or_insert_with(|| format!("results cannot be kept: {why}"));
                        self.load.command(Command::Cut);
                    }
                }
                State::Loading(run, loading)
            }
            Measured::Ended { windows, why } => {
                let fenced = self.load.fenced_at().filter(|at| *at < Nanos(run.spec.end_ns));
                if fenced.is_some() {
                    loading.lose();
                }
                let end = End {
                    windows,
                    loaded: fenced.map_or(windows, |at| windows.min(at.0.div_ceil(run.spec.window_ns))),
                    unkept: loading.unkept,
                    clock_error_ns: self.facts.error as u64,
                    clock_moved_ns: self.facts.moved as u64,
                    why: loading.why.clone().or(why),
                };
                let is_lost = loading.is_fenced && self.commanded.is_none() && !self.is_over(&run, now);
                self.owed = Some((id(&loading), end));
                self.retry_end();
                if is_lost {
                    self.coordinator.release(loading.shard);
                    return State::Standing(run, None);
                }
                State::Sending(run, loading.shard, loading.why.is_none())
            }
        }
    }

    /// Moves the fence to the end of the lease.
    fn renew(&mut self, run: &Run, loading: &mut Loading, now: Nanos) {
        let Policy::Takeover { ttl_ns } = run.spec.policy else { return };
        if loading.is_fenced {
            return;
        }
        let fence = match self.coordinator.lease(loading.shard, Nanos(ttl_ns)) {
            Some(Lease::Mine { epoch, until }) if epoch == loading.epoch => until.since(loading.origin),
            _ => Nanos::ZERO,
        };
        let at = now.since(loading.origin);
        if fence <= at {
            loading.lose();
        }
        self.load.fence(fence.min(Nanos(run.spec.hard_stop_ns)));
    }

    /// Whether the load of the run is over as planned.
    fn is_over(&self, run: &Run, now: Nanos) -> bool {
        run.begun.as_ref().is_some_and(|begun| now.since(begun.origin) >= Nanos(run.spec.end_ns))
    }

    /// Takes a part whose lease is free.
    fn stand_by(&mut self, run: Run, wanted: Option<Wanted>, now: Nanos) -> State {
        let Policy::Takeover { ttl_ns } = run.spec.policy else { return State::Done(Step::Done) };
        let Some(begun) = &run.begun else {
            let Some(start) = self.coordinator.once(Key::Start, None) else {
                let is_over = self.commanded.is_some() || now.since(run.since) > START_PATIENCE;
                return if is_over { self.refused(vec![NOT_BEGUN.into()]) } else { State::Standing(run, None) };
            };
            return match self.begun(&run.spec, decode("start", &start).map_err(|error| error.to_string()), now) {
                Ok(begun) => State::Standing(Run { begun: Some(begun), ..run }, None),
                Err(why) => self.refused(why),
            };
        };
        if self.commanded.is_some() || self.is_over(&run, now) {
            return State::TearingDown(run, false);
        }
        let at = now.since(begun.origin);
        if let Some(wanted) = wanted {
            return self.take_over(run, wanted, now);
        }
        for shard in 0..run.spec.shards.len() as u32 {
            let fits = run.spec.shards[shard as usize].is_none() || run.spec.shards[shard as usize] == self.me.region;
            if !fits || self.coordinator.once(Key::Ended(shard), None).is_some() {
                continue;
            }
            if let Some(Lease::Mine { epoch, until }) = self.coordinator.lease(shard, Nanos(ttl_ns))
                && until > now
            {
                // A release that got lost leaves this injector the holder of an epoch that it used up.
                if epoch <= self.used.get(&shard).copied().unwrap_or(FIRST_EPOCH) {
                    self.coordinator.release(shard);
                    continue;
                }
                // The holder before counted on a clock that may be off by as much as is allowed.
                let margin = run.spec.window_ns.max(run.spec.skew_max_ns.saturating_mul(4));
                let from = if now < begun.origin { 0 } else { (at.0 + margin).div_ceil(run.spec.window_ns) };
                return State::Standing(run, Some(Wanted { shard, epoch, from }));
            }
        }
        State::Standing(run, None)
    }

    /// Begins with a part once everybody can know since when it is this injector's.
    fn take_over(&mut self, run: Run, wanted: Wanted, now: Nanos) -> State {
        let Policy::Takeover { ttl_ns } = run.spec.policy else { return State::Done(Step::Done) };
        let Wanted { shard, epoch, from } = wanted;
        let is_held = matches!(
            self.coordinator.lease(shard, Nanos(ttl_ns)),
            Some(Lease::Mine { epoch: held, until }) if held == epoch && until > now
        );
        if !is_held {
            self.coordinator.release(shard);
            return State::Standing(run, None);
        }
        let grant = records::encode(&Grant { injector: self.me.id.clone(), from });
        match self.coordinator.once(Key::Grant(shard, epoch), Some(&grant)) {
            None => State::Standing(run, Some(wanted)),
            Some(written) if written == grant => self.begin(run, wanted, now),
            Some(_) => {
                self.coordinator.release(shard);
                State::Standing(run, None)
            }
        }
    }

    fn is_acknowledged(&self) -> bool {
        self.unacknowledged == 0 && self.owed.is_none()
    }

    /// Waits until everything is acknowledged. A part that is not whole is not marked as ended, so another may go on with it.
    fn send(&mut self, run: Run, shard: u32, is_whole: bool, now: Nanos) -> State {
        if let Policy::Takeover { ttl_ns } = run.spec.policy {
            if is_whole {
                let _ = self.coordinator.lease(shard, Nanos(ttl_ns));
            } else {
                self.coordinator.release(shard);
            }
        }
        let is_sent = self.is_acknowledged();
        let is_known = is_sent && (!is_whole || self.coordinator.once(Key::Ended(shard), Some(ENDED)).is_some());
        if shard == 0 && (is_known || self.is_past_hard_stop(&run, now)) {
            return State::TearingDown(run, false);
        }
        if !is_known {
            return State::Sending(run, shard, is_whole);
        }
        self.coordinator.release(shard);
        State::Done(Step::Done)
    }

    fn is_past_hard_stop(&self, run: &Run, now: Nanos) -> bool {
        run.begun.as_ref().is_none_or(|begun| now.since(begun.origin) >= Nanos(run.spec.hard_stop_ns))
    }

    /// Undoes the setup when the others have ended, or must have.
    fn clear_up(&mut self, run: Run, is_down: bool, now: Nanos) -> State {
        let of = run.spec.shards.len() as u32;
        let have_ended =
            is_down || self.is_past_hard_stop(&run, now) || self.coordinator.barrier(Key::Ended, of).is_some();
        if !have_ended {
            return State::TearingDown(run, false);
        }
        // Where parts are leased, the setup may have had several holders of the first.
        let is_mine = match run.spec.policy {
            Policy::Continue => Some(true),
            Policy::Takeover { .. } => {
                let me = self.me.id.as_bytes();
                self.coordinator.once(Key::TearDown, Some(me)).map(|who| who == me)
            }
        };
        let is_down = is_down || is_mine.is_some_and(|is_mine| !is_mine || self.load.tear_down());
        if is_down && self.is_acknowledged() { State::Done(Step::Done) } else { State::TearingDown(run, is_down) }
    }
}

/// Why an injector cannot take part, as the others are told.
fn reason(ready: &Readiness, spec: &Spec) -> Option<String> {
    let who = format!("injector {} on {}", ready.injector, ready.host);
    if let Some(refusal) = &ready.refusal {
        return Some(format!("{who}: {refusal}"));
    }
    let ms = |ns: u64| Nanos(ns).as_millis_f64();
    (ready.clock_error_ns > spec.skew_max_ns).then(|| match ready.clock_error_ns {
        u64::MAX => format!("{who}: it does not know the broker's time"),
        error => format!(
            "{who}: its clock is uncertain by {:.0} ms, and {:.0} ms are allowed; bring it nearer to the broker",
            ms(error),
            ms(spec.skew_max_ns)
        ),
    })
}

#[cfg(test)]
mod tests;
