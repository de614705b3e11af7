//! What puts on the load in the simulated world: it knows what is due, and starts it in slices at targets that remember.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use nmax_fleet::batch::Content;
use nmax_fleet::records::{Command, Spec};
use nmax_fleet::warrant::Warrant;
use nmax_fleet::{Load, Measured, Part};
use nmax_metrics::names::NamesSent;
use nmax_metrics::{Aggregate, Catalog, Code, Frame, NameId, Nanos, Outcome, Sample, Section, Window};
use nmax_plan::schedule::Open;
use nmax_plan::share::Share;

use super::chance::mixed;

/// How often workers look what is due, ns.
pub const SLICE: u64 = 100_000_000;
/// A slice that comes this late was held up: what is due starts at once, in the window in which it starts.
const LATE: u64 = 3 * SLICE;

/// The plan of the simulated world.
#[derive(Debug)]
pub struct Plan {
    /// When iterations are due.
    pub open: Open,
    /// When the load ends, ns.
    pub end: u64,
    /// Width of windows, ns.
    pub window: u64,
    /// Request names.
    pub names: u32,
    /// Whether iterations are measured one by one; otherwise those of a window at once.
    pub is_each: bool,
}

impl Plan {
    /// Iterations due before an instant of the run.
    pub fn due_before(&self, at: u64) -> u64 {
        at.min(self.end).checked_sub(1).map_or(0, |last| self.open.count_at(last))
    }

    /// The name of an iteration's request.
    fn name(&self, iteration: u64) -> u32 {
        (mixed(iteration) % u64::from(self.names)) as u32
    }

    /// What is measured of an iteration that is due at `at` follows from its number.
    fn record(&self, aggregate: &mut Aggregate, name: NameId, iteration: u64, at: Nanos) {
        let took = |salt: u64| Nanos(100_000 + mixed(iteration ^ salt) % 50_000_000);
        let (sent, first) = (at + Nanos(mixed(iteration) % 2_000_000), took(1 << 40));
        let section = if mixed(iteration ^ 7).is_multiple_of(16) { Section::Outside } else { Section::Hold };
        let sample = Sample {
            name,
            scenario: 0,
            outcome: if mixed(iteration ^ 3).is_multiple_of(50) { Outcome::Failed } else { Outcome::Ok },
            status: Some(Code::new(if mixed(iteration ^ 3).is_multiple_of(50) { 503 } else { 200 })),
            intended: at,
            sent: Some(sent),
            first_byte: Some(sent + first),
            done: sent + first + took(1 << 41),
            network: Default::default(),
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 200 + mixed(iteration) % 1_000,
            bytes_sent: 100,
            bytes_decoded: 100,
        };
        aggregate.record(section, &sample);
        let load = aggregate.load_mut(section);
        (load.due, load.started) = (load.due + 1, load.started + 1);
    }
}

/// Iterations that a target got.
#[derive(Clone, Debug)]
pub struct Received {
    /// Of which shard.
    pub shard: u32,
    /// Numbers within the shard.
    pub ranks: Range<u64>,
    /// When, truly, ns.
    pub truly: u64,
    /// When on the clock of the injector, ns since the origin of the run as it has it.
    pub at: u64,
    /// The window that it counts in.
    pub window: u64,
    /// Which process sent it.
    pub process: usize,
    /// In which epoch.
    pub epoch: u32,
}

/// What happened to the world outside.
#[derive(Debug, Default)]
pub struct Outside {
    /// What targets got, in order.
    pub received: Vec<Received>,
    /// Setups done.
    pub set_up: u32,
    /// Teardowns done.
    pub torn_down: u32,
    /// Parts that ended, each with process and the true instant.
    pub ended: Vec<(usize, u64)>,
}

/// The load of one injector.
#[derive(Debug)]
pub struct Model {
    plan: Rc<Plan>,
    outside: Rc<RefCell<Outside>>,
    process: usize,
    /// Why it takes no part.
    pub refuses: Option<String>,
    is_asked: bool,
    truly: u64,
    part: Option<Part>,
    /// What was due before this instant of the run is started, ns.
    done: u64,
    window: u64,
    command: Option<Command>,
    was_fenced: bool,
    catalog: Catalog,
    measured: Aggregate,
    /// Iterations of the open window that were measured at once.
    bulked: u64,
    queue: VecDeque<Measured<Content>>,
}

impl Model {
    /// That of a process.
    pub fn new(plan: Rc<Plan>, outside: Rc<RefCell<Outside>>, process: usize) -> Self {
        Self {
            plan,
            outside,
            process,
            refuses: None,
            is_asked: false,
            truly: 0,
            part: None,
            done: 0,
            window: 0,
            command: None,
            was_fenced: false,
            catalog: Catalog::default(),
            measured: Aggregate::default(),
            bulked: 0,
            queue: VecDeque::new(),
        }
    }

    /// Whether something waits to be handed over.
    pub fn has_measured(&self) -> bool {
        !self.queue.is_empty()
    }

    /// What is due is started. Workers look at the fence by themselves, also when the rest of the process was held up.
    pub fn work(&mut self, now: Nanos, truly: u64) {
        self.truly = truly;
        let Some(part) = &self.part else { return };
        if now < part.origin {
            return;
        }
        let at = now.since(part.origin).0;
        self.was_fenced = now.since(part.origin) >= part.fence;
        if self.was_fenced || self.command.is_some() {
            return self.end(at.min(part.fence.0));
        }
        let from = part.from * self.plan.window;
        let is_late = at.saturating_sub(self.done) > LATE && at > from + LATE;
        while self.done < at.min(self.plan.end) {
            let border = (self.done / self.plan.window + 1) * self.plan.window;
            let to = at.min(self.plan.end).min(if is_late { u64::MAX } else { border });
            let window =
                if is_late { at.min(self.plan.end - 1) / self.plan.window } else { self.done / self.plan.window };
            self.close(window);
            self.start(self.done.max(from)..to, at);
            self.done = to;
        }
        self.close(at.min(self.plan.end) / self.plan.window);
        if at >= self.plan.end {
            self.end(self.plan.end);
        }
    }

    /// Starts what is due in a range, at `at`.
    fn start(&mut self, due: Range<u64>, at: u64) {
        let Some(part) = &self.part else { return };
        let numbers =
            self.plan.due_before(due.start)..self.plan.due_before(due.end).max(self.plan.due_before(due.start));
        let ranks = part.share.count_below(numbers.start)..part.share.count_below(numbers.end);
        if ranks.is_empty() {
            return;
        }
        let (shard, epoch) = (part.shard, part.epoch);
        if self.plan.is_each {
            for rank in ranks.clone() {
                let iteration = part.share.nth(rank).unwrap_or(u64::MAX);
                let name = self.catalog.requests.intern(&format!("GET /{}", self.plan.name(iteration)));
                let due = Nanos(self.plan.open.offset_ns(iteration).unwrap_or(due.start));
                self.plan.record(&mut self.measured, name, iteration, due);
            }
        } else {
            self.bulk(ranks.end - ranks.start);
        }
        let received =
            Received { shard, ranks, truly: self.truly, at, window: self.window, process: self.process, epoch };
        self.outside.borrow_mut().received.push(received);
    }

    /// Measures so many iterations at once: an exchange of each name, and how many they stand for as bytes.
    fn bulk(&mut self, count: u64) {
        let names = u64::from(self.plan.names);
        for name in 0..names {
            let id = self.catalog.requests.intern(&format!("GET /{name}"));
            self.plan.record(&mut self.measured, id, name, Nanos(self.done));
            let stats = self.measured.request_mut(Section::Outside, id);
            stats.bytes_decoded += count / names + u64::from(name < count % names);
        }
        for (section, own) in [(Section::Hold, count), (Section::Outside, 0)] {
            let load = self.measured.load_mut(section);
            let before = if section == Section::Hold { self.bulked } else { 0 };
            (load.due, load.started) = (before + own, before + own);
        }
        self.bulked += count;
    }

    /// Windows below this number are over.
    fn close(&mut self, below: u64) {
        while self.window < below {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let Some(part) = &self.part else { return };
        let (index, width) = (self.window, Nanos(self.plan.window));
        self.bulked = 0;
        let window = Window { index, width, aggregate: std::mem::take(&mut self.measured) };
        // Each frame has all names so far, so that it can be read without those before it.
        let names = self.catalog.new_names(&mut NamesSent::default());
        let frame = Frame { injector: part.shard, names, window }.encode();
        self.queue.push_back(Measured::Window { index, window: Content { frame, notes: String::new() } });
        self.window += 1;
    }

    /// The load has ended at this instant of the run.
    fn end(&mut self, at: u64) {
        let Some(part) = &self.part else { return };
        let last = at.min(self.plan.end).div_ceil(self.plan.window);
        let is_open = self.measured != Aggregate::default();
        self.close(last.max(part.from).max(self.window + u64::from(is_open)));
        self.queue.push_back(Measured::Ended { windows: self.window, why: None });
        self.part = None;
        self.outside.borrow_mut().ended.push((self.process, self.truly));
    }
}

impl Load for Model {
    type Window = Content;

    fn admit(&mut self, _: &Spec, _: Option<&Warrant>) -> Result<(), String> {
        self.refuses.clone().map_or(Ok(()), Err)
    }

    fn set_up(&mut self) -> Option<Result<Vec<String>, String>> {
        if !std::mem::replace(&mut self.is_asked, true) {
            self.outside.borrow_mut().set_up += 1;
            return None;
        }
        Some(Ok(vec!["value".into()]))
    }

    fn begin(&mut self, part: Part) -> Result<Nanos, String> {
        (self.window, self.done, self.command) = (part.from, part.from * self.plan.window, None);
        (self.measured, self.catalog) = Default::default();
        // Injectors meet names in different orders.
        let names = u64::from(self.plan.names);
        self.catalog.requests.intern(&format!("GET /{}", mixed(self.process as u64) % names));
        let origin = part.origin;
        self.part = Some(part);
        Ok(origin)
    }

    fn fence(&mut self, at: Nanos) {
        if let Some(part) = &mut self.part {
            part.fence = at;
        }
    }

    fn fenced_at(&self) -> Option<Nanos> {
        self.part.as_ref().filter(|_| self.was_fenced).map(|part| part.fence)
    }

    fn command(&mut self, command: Command) {
        self.command = self.command.max(Some(command));
    }

    fn next(&mut self) -> Measured<Content> {
        self.queue.pop_front().unwrap_or(Measured::Quiet)
    }

    fn tear_down(&mut self) -> bool {
        self.outside.borrow_mut().torn_down += 1;
        true
    }
}

/// The same plan on one injector: what it measures in all, by name.
pub fn alone(plan: &Plan) -> (Catalog, Aggregate) {
    let (mut catalog, mut measured) = (Catalog::default(), Aggregate::default());
    let share = Share::whole();
    for rank in 0..plan.due_before(plan.end) {
        let iteration = share.nth(rank).unwrap_or(rank);
        let name = catalog.requests.intern(&format!("GET /{}", plan.name(iteration)));
        let due = Nanos(plan.open.offset_ns(iteration).unwrap_or(0));
        plan.record(&mut measured, name, iteration, due);
    }
    (catalog, measured)
}
