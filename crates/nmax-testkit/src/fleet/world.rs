//! The events of the simulated world, in true time.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::rc::Rc;

use nmax_fleet::records::{PROTOCOL, Policy, Spec, Start};
use nmax_fleet::spool::Spool;
use nmax_fleet::warrant::Trust;
use nmax_fleet::{Batch, BatchId, Identity, Injector, Manager, Step};
use nmax_metrics::Nanos;
use nmax_plan::schedule::{Arrivals, Open, Stage};

use super::broker::Broker;
use super::chance::{Chance, Clock, mixed};
use super::client::{Answer, Ask, Client, Drive};
use super::fold::Folded;
use super::matrix::{Fault, Line, World};
use super::model::{Model, Outside, Plan};

const S: u64 = 1_000_000_000;
/// Version of nmax in the simulated world.
pub const VERSION: &str = "1.0.0";
/// The run of the simulated world.
pub const RUN: &str = "r1";
/// Time from the decision to the origin, ns.
const LEAD: u64 = 3 * S;
/// Steps of an injector at an instant, at most.
const STEPS_MAX: usize = 256;
/// How often an injector looks before and after its load, ns.
const IDLE: u64 = 300_000_000;
/// How often a manager looks, ns.
const MANAGE: u64 = 1_000_000_000;
/// A manager shows windows this long after their end, whether all have come or not, ns.
const SHOWN_AFTER: u64 = 6 * S;

/// The spec of the run of a world.
pub fn spec(world: &World) -> Spec {
    Spec {
        protocol: PROTOCOL,
        version: VERSION.into(),
        run: RUN.into(),
        plan: "plan".into(),
        bundle: None,
        shards: vec![None; world.injectors],
        workers: None,
        policy: world.policy,
        window_ns: world.window,
        end_ns: world.end,
        hard_stop_ns: world.end + world.grace,
        lead_ns: LEAD,
        skew_max_ns: 50_000_000,
        warrant: None,
    }
}

/// The plan of a world.
pub fn plan(world: &World) -> Plan {
    let length = std::time::Duration::from_nanos(world.end);
    let open =
        Open::new(&[Stage::hold(world.rate, Some(length))], Arrivals::Even).expect("a steady rate is a schedule");
    Plan { open, end: world.end, window: world.window, names: world.names, is_each: world.is_each }
}

#[derive(Debug)]
enum Event {
    /// An injector's process, of this incarnation, looks.
    Beat(usize, u32),
    Manage(usize, u32),
    /// A message of a machine is at the broker.
    Arrived(usize, Ask),
    /// A message of the broker is at a machine, for this incarnation.
    Delivered(usize, u32, Answer),
    Synced(u32, usize),
    Happens(Fault),
    Back(usize, bool),
    BrokerBack,
    ManagerBack(usize),
    DiskFree(usize),
}

/// An event in the queue: when, and which of those at the same instant.
struct Due(u64, u64, Event);

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        (self.0, self.1) == (other.0, other.1)
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, self.1).cmp(&(other.0, other.1))
    }
}

/// An injector's process.
struct Process {
    machine: Injector<Client, Model, Spool<Drive, Client>>,
    client: Client,
    step: Step,
    is_done: bool,
}

/// A machine with an injector on it.
struct Host {
    clock: Clock,
    drive: Drive,
    process: Option<Process>,
    incarnation: u32,
    paused_until: u64,
    /// How the last process stood when it ended.
    steps: Vec<Step>,
}

/// A manager's process.
struct Desk {
    manager: Manager,
    client: Client,
    folded: Option<Folded>,
    cursor: usize,
    asked_at: u64,
}

/// A machine with a manager on it.
struct Office {
    desk: Option<Desk>,
    incarnation: u32,
}

/// What is left of a world at its end.
pub struct Ended {
    /// The broker.
    pub broker: Broker,
    /// What happened outside.
    pub outside: Outside,
    /// Batches that an injector was told are safe.
    pub acknowledged: BTreeSet<BatchId>,
    /// Folds of the managers that live.
    pub folds: Vec<Folded>,
    /// Last step of the process on each host that has one, and whether everything of it is acknowledged.
    pub steps: Vec<Option<(Step, bool)>>,
    /// Refusals, with their reasons.
    pub refusals: Vec<Vec<String>>,
    /// Lies, strangers and damaged batches that were sent on purpose.
    pub liars: u64,
    /// Processes that began.
    pub processes: usize,
    /// When the last event was, ns.
    pub at: u64,
    /// When a command was asked, ns.
    pub commanded_at: Option<u64>,
}

/// A world that goes on.
pub struct Sim {
    world: World,
    plan: Rc<Plan>,
    spec: Spec,
    chance: Chance,
    now: u64,
    number: u64,
    queue: BinaryHeap<Reverse<Due>>,
    broker: Broker,
    broker_life: u32,
    broker_down: u32,
    hosts: Vec<Host>,
    offices: Vec<Office>,
    cut_until: Vec<u64>,
    outside: Rc<RefCell<Outside>>,
    acknowledged: BTreeSet<BatchId>,
    refusals: Vec<Vec<String>>,
    processes: usize,
    liars: u64,
    commanded_at: Option<u64>,
    versions: BTreeMap<usize, &'static str>,
    refuses: BTreeMap<usize, String>,
}

impl Sim {
    /// The beginning of a world.
    pub fn new(world: World) -> Self {
        let (spec, plan) = (spec(&world), Rc::new(plan(&world)));
        let mut chance = Chance::new(world.seed, 2);
        let ppm = |machine: usize| world.drifts.get(machine).copied().unwrap_or(0);
        let clock = Clock { offset: chance.below(1_000 * S), ppm: world.drifts.last().copied().unwrap_or(0) };
        let broker = Broker::new(clock, (1_000_000_000 + chance.below(2_000_000_000)) as i64 * S as i64, world.broken);
        let hosts = (0..world.all()).map(|machine| Host {
            clock: Clock { offset: chance.below(10_000_000 * S), ppm: ppm(machine) },
            drive: Drive::default(),
            process: None,
            incarnation: 0,
            paused_until: 0,
            steps: Vec::new(),
        });
        let hosts: Vec<Host> = hosts.collect();
        let offices = (0..world.managers).map(|_| Office { desk: None, incarnation: 0 }).collect();
        let mut sim = Self {
            cut_until: vec![0; world.all() + world.managers],
            plan,
            spec,
            chance,
            now: 0,
            number: 0,
            queue: BinaryHeap::new(),
            broker,
            broker_life: 0,
            broker_down: 0,
            hosts,
            offices,
            outside: Rc::default(),
            acknowledged: BTreeSet::new(),
            refusals: Vec::new(),
            processes: 0,
            liars: 0,
            commanded_at: None,
            versions: BTreeMap::new(),
            refuses: BTreeMap::new(),
            world,
        };
        for (at, fault) in sim.world.faults.clone() {
            sim.push(at, Event::Happens(fault));
        }
        sim
    }

    /// The spec that managers offer, to be changed.
    pub fn spec_mut(&mut self) -> &mut Spec {
        &mut self.spec
    }

    /// The broker, to put something there.
    pub fn broker_mut(&mut self) -> &mut Broker {
        &mut self.broker
    }

    /// The injector on a machine has this version.
    pub fn with_version(&mut self, machine: usize, version: &'static str) {
        self.versions.insert(machine, version);
    }

    /// The injector on a machine takes no part, for this reason.
    pub fn refusing(&mut self, machine: usize, why: &str) {
        self.refuses.insert(machine, why.into());
    }

    fn push(&mut self, at: u64, event: Event) {
        self.number += 1;
        self.queue.push(Reverse(Due(at.max(self.now), self.number, event)));
    }

    /// Lets the world go on to its end.
    pub fn run(mut self) -> Ended {
        for machine in 0..self.hosts.len() {
            self.begin(machine);
        }
        for office in 0..self.offices.len() {
            self.open(office);
        }
        while let Some(Reverse(Due(at, _, event))) = self.queue.pop() {
            if at > self.world.horizon {
                break;
            }
            self.now = at;
            self.happen(event);
        }
        self.end()
    }

    fn end(mut self) -> Ended {
        let steps = self.hosts.iter_mut().map(|host| {
            let process = host.process.as_mut()?;
            Some((process.step.clone(), process.is_done))
        });
        let steps = steps.collect();
        let folds = self.offices.into_iter().filter_map(|office| office.desk?.folded);
        let folds = folds.map(|mut folded| {
            folded.close();
            folded
        });
        let folds = folds.collect();
        drop(self.hosts);
        Ended {
            broker: self.broker,
            outside: Rc::into_inner(self.outside).map(RefCell::into_inner).unwrap_or_default(),
            acknowledged: self.acknowledged,
            folds,
            steps,
            refusals: self.refusals,
            liars: self.liars,
            processes: self.processes,
            at: self.now,
            commanded_at: self.commanded_at,
        }
    }

    /// A process begins on a machine, and finds the spool of the one before.
    fn begin(&mut self, machine: usize) {
        let process = self.processes;
        self.processes += 1;
        let host = &mut self.hosts[machine];
        host.incarnation += 1;
        let client = Client::on(process, host.drive.clone());
        let mut load = Model::new(Rc::clone(&self.plan), Rc::clone(&self.outside), process);
        load.refuses = self.refuses.get(&machine).cloned();
        let spool = Spool::open(RUN, host.drive.clone(), client.clone(), host.drive.length());
        let spool = spool.expect("law: a spool can be opened whatever happened to its process");
        let me = Identity {
            id: format!("i{machine}.{}", host.incarnation),
            host: format!("host{machine}"),
            region: None,
            version: self.versions.get(&machine).copied().unwrap_or(VERSION).into(),
            capacity: 1_000 + (mixed(machine as u64 ^ self.world.seed) % 3 * 1_000) as u32,
            trust: Trust::Own,
        };
        let machine_of = Injector::new(me, client.clone(), load, spool);
        host.process = Some(Process { machine: machine_of, client, step: Step::Waiting(""), is_done: false });
        let (incarnation, first) = (host.incarnation, self.chance.below(IDLE));
        self.push(self.now + first, Event::Beat(machine, incarnation));
    }

    /// A manager's process begins.
    fn open(&mut self, office: usize) {
        self.offices[office].incarnation += 1;
        let desk =
            Desk { manager: Manager::new(&self.spec), client: Client::default(), folded: None, cursor: 0, asked_at: 0 };
        self.offices[office].desk = Some(desk);
        let first = self.chance.below(MANAGE);
        self.push(self.now + first, Event::Manage(office, self.offices[office].incarnation));
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Beat(machine, incarnation) => self.beat(machine, incarnation),
            Event::Manage(office, incarnation) => self.manage(office, incarnation),
            Event::Arrived(from, ask) => self.arrived(from, ask),
            Event::Delivered(to, incarnation, answer) => self.delivered(to, incarnation, answer),
            Event::Synced(life, to) if life == self.broker_life => {
                for (to, answer) in self.broker.synced(to) {
                    self.answer(to, answer);
                }
                self.sync();
            }
            Event::Synced(..) => {}
            Event::Happens(fault) => self.fault(fault),
            Event::Back(machine, is_new_machine) => {
                if self.hosts[machine].process.is_none() {
                    if is_new_machine {
                        self.hosts[machine].clock.offset = self.chance.below(100 * S);
                    }
                    self.begin(machine);
                }
            }
            Event::BrokerBack => {
                self.broker_down -= 1;
                if self.broker_down == 0 {
                    let longest = match self.world.policy {
                        Policy::Takeover { ttl_ns } => Nanos(ttl_ns),
                        Policy::Continue => Nanos::ZERO,
                    };
                    self.broker.begin(self.now, longest);
                }
            }
            Event::ManagerBack(office) => {
                if self.offices[office].desk.is_none() {
                    self.open(office);
                }
            }
            Event::DiskFree(machine) => self.hosts[machine].drive.fill(false),
        }
    }

    fn fault(&mut self, fault: Fault) {
        let now = self.now;
        match fault {
            Fault::Cut(machine, length) => self.cut_until[machine] = self.cut_until[machine].max(now + length),
            Fault::Pause(machine, length) => {
                let host = &mut self.hosts[machine];
                host.paused_until = host.paused_until.max(now + length);
            }
            Fault::Kill(machine, back) => self.kill(machine, back, false),
            Fault::PowerLoss(machine, back) => self.kill(machine, back, true),
            Fault::FullDisk(machine, length) => {
                self.hosts[machine].drive.fill(true);
                self.push(now + length, Event::DiskFree(machine));
            }
            Fault::BrokerDown(length) => {
                if self.broker_down == 0 {
                    self.broker.end(&mut self.chance);
                    self.broker_life += 1;
                }
                self.broker_down += 1;
                self.push(now + length, Event::BrokerBack);
            }
            Fault::BrokerSet(by) => self.broker.calendar = self.broker.calendar.saturating_add(by),
            Fault::ManagerDown(office, back) => {
                self.offices[office].desk = None;
                self.offices[office].incarnation += 1;
                if let Some(back) = back {
                    self.push(now + back, Event::ManagerBack(office));
                }
            }
            Fault::Asked(command) if self.broker.is_up => {
                self.broker.command(command);
                self.commanded_at = Some(now);
                self.sync();
            }
            // Whoever asks asks until the broker is there.
            Fault::Asked(command) => self.push(now + S, Event::Happens(Fault::Asked(command))),
            Fault::Liar => self.lie(),
        }
    }

    fn kill(&mut self, machine: usize, back: Option<u64>, with_machine: bool) {
        let host = &mut self.hosts[machine];
        let Some(process) = host.process.take() else { return };
        host.steps.push(process.step);
        host.incarnation += 1;
        host.paused_until = 0;
        if with_machine {
            let torn: Vec<u8> = (0..self.chance.below(40)).map(|_| self.chance.next() as u8).collect();
            host.drive.tear(&torn);
        }
        if let Some(back) = back {
            self.push(self.now + back, Event::Back(machine, with_machine));
        }
    }

    /// Sends batches that lie about their time, are of another run, or are damaged.
    fn lie(&mut self) {
        let Some(Start::Go { .. }) = super::fold::start(&self.broker) else { return };
        let shard = self.chance.below(self.world.injectors as u64) as u32;
        let id = BatchId { shard, epoch: 1, sequence: 1_000_000 + self.liars };
        let far = (self.world.end + self.world.grace) / self.world.window + 1_000_000;
        let kind = self.chance.below(3);
        let index = if kind == 0 { far } else { 0 };
        let window = nmax_metrics::Window::new(index, Nanos(self.world.window));
        let frame = nmax_metrics::Frame { injector: shard, names: Default::default(), window }.encode();
        let frame = if kind == 1 { frame[..frame.len() / 2].to_vec() } else { frame };
        let run = if kind == 2 { "another" } else { RUN };
        let window = nmax_fleet::batch::Content { frame, notes: String::new() };
        let bytes = Batch { run: run.into(), id, item: nmax_fleet::Item::Window { index, window } }.encode();
        self.liars += 1;
        self.push(self.now, Event::Arrived(usize::MAX, Ask::Publish(id, bytes.into())));
    }

    /// A process looks.
    fn beat(&mut self, machine: usize, incarnation: u32) {
        let now = self.now;
        let host = &mut self.hosts[machine];
        if host.incarnation != incarnation {
            return;
        }
        if host.paused_until > now {
            let until = host.paused_until;
            return self.push(until, Event::Beat(machine, incarnation));
        }
        if let Some(beat) = self.look(machine) {
            self.push(now + beat, Event::Beat(machine, incarnation));
        }
    }

    /// A process does what is to be done now; when it looks again, if it does.
    fn look(&mut self, machine: usize) -> Option<u64> {
        let host = &mut self.hosts[machine];
        let (now, here) = (self.now, host.clock.at(self.now));
        let process = host.process.as_mut().filter(|process| !process.is_done)?;
        process.client.at(here);
        process.machine.load_mut().work(here, now);
        for _ in 0..STEPS_MAX {
            process.step = process.machine.step(here);
            if !process.machine.load().has_measured() {
                break;
            }
        }
        let left = nmax_fleet::ResultSink::<nmax_fleet::batch::Content>::advance(process.machine.sink_mut(), here);
        process.is_done = left == 0 && matches!(process.step, Step::Done | Step::Refused(_));
        if let (true, Step::Refused(why)) = (process.is_done, &process.step) {
            self.refusals.push(why.clone());
        }
        let beat = if process.step == Step::Running { self.world.beat } else { IDLE };
        let (asks, is_done) = (process.client.take(), process.is_done);
        for ask in asks {
            self.send(machine, ask);
        }
        (!is_done).then_some(beat)
    }

    /// A manager looks.
    fn manage(&mut self, office: usize, incarnation: u32) {
        let now = self.now;
        if self.offices[office].incarnation != incarnation {
            return;
        }
        let Some(desk) = &mut self.offices[office].desk else { return };
        desk.client.at(Nanos(now));
        let mut none = Folded::new(&self.spec, 0);
        let folded = desk.folded.as_mut().unwrap_or(&mut none);
        let taken = desk.manager.step(&mut desk.client, &mut folded.results, Nanos(now));
        folded.add(taken.expect("law: all records of a run can be read"));
        if let (None, Some(Start::Go { origin_ns, .. })) = (&desk.folded, desk.manager.start()) {
            desk.folded = Some(Folded::new(&self.spec, *origin_ns));
        }
        if desk.folded.is_some() && now >= desk.asked_at + S {
            desk.asked_at = now;
            desk.client.ask(Ask::Fetch(desk.cursor));
        }
        let asks = desk.client.take();
        for ask in asks {
            self.send(self.world.all() + office, ask);
        }
        self.push(now + MANAGE, Event::Manage(office, incarnation));
    }

    /// A message goes to the broker, if it does.
    fn send(&mut self, from: usize, ask: Ask) {
        let Some(delays) = self.delays(from, 0) else { return };
        for delay in delays.into_iter().flatten() {
            self.push(self.now + delay, Event::Arrived(from, ask.clone()));
        }
    }

    /// How long a message, and its double, are under way; `None` when it gets lost.
    fn delays(&mut self, machine: usize, way: usize) -> Option<[Option<u64>; 2]> {
        let line: Line = self.world.lines.get(machine).copied().unwrap_or_default();
        if self.cut_until[machine] > self.now || self.chance.is(line.loss) {
            return None;
        }
        let mut delay = || line.ways[way] + self.chance.below(line.jitter + 1);
        let first = delay();
        let second = delay();
        Some([Some(first), self.chance.is(line.twice).then_some(second)])
    }

    fn arrived(&mut self, from: usize, ask: Ask) {
        if self.broker_down > 0 {
            return;
        }
        if let Some(answer) = self.broker.asked(from, ask, self.now) {
            self.answer(from, answer);
        }
        self.sync();
    }

    fn sync(&mut self) {
        if let Some(to) = self.broker.sync() {
            let takes = self.chance.within(200_000, 12_000_000);
            self.push(self.now + takes, Event::Synced(self.broker_life, to));
        }
    }

    fn answer(&mut self, to: usize, answer: Answer) {
        if to == usize::MAX {
            return;
        }
        let incarnation = self.incarnation(to);
        let Some(delays) = self.delays(to, 1) else { return };
        for delay in delays.into_iter().flatten() {
            self.push(self.now + delay, Event::Delivered(to, incarnation, answer.clone()));
        }
    }

    fn incarnation(&self, machine: usize) -> u32 {
        let hosts = self.hosts.len();
        if machine < hosts { self.hosts[machine].incarnation } else { self.offices[machine - hosts].incarnation }
    }

    fn delivered(&mut self, to: usize, incarnation: u32, answer: Answer) {
        if self.incarnation(to) != incarnation {
            return;
        }
        if to >= self.hosts.len() {
            return self.reported(to - self.hosts.len(), answer);
        }
        let host = &mut self.hosts[to];
        if host.paused_until > self.now {
            let until = host.paused_until;
            return self.push(until, Event::Delivered(to, incarnation, answer));
        }
        if let Answer::Acknowledged(id) = &answer {
            self.acknowledged.insert(*id);
        }
        if let Some(process) = &host.process {
            process.client.answered(answer, host.clock.at(self.now));
            if matches!(process.step, Step::Waiting(_)) {
                self.look(to);
            }
        }
    }

    /// The broker answered a manager.
    fn reported(&mut self, office: usize, answer: Answer) {
        let Some(desk) = &mut self.offices[office].desk else { return };
        let Answer::Batches(first, batches) = answer else {
            return desk.client.answered(answer, Nanos(self.now));
        };
        let Some(folded) = &mut desk.folded else { return };
        if first != desk.cursor {
            return;
        }
        desk.cursor += batches.len();
        desk.asked_at = if batches.is_empty() { desk.asked_at } else { 0 };
        for (stamp, bytes) in batches {
            let arrived = folded.arrivals.at(stamp);
            folded.take(&bytes, arrived);
            // The first manager shows the run while it goes on.
            if let (0, Some(arrived)) = (office, arrived) {
                folded.release(arrived.0.saturating_sub(SHOWN_AFTER).min(self.world.end) / self.world.window);
            }
        }
    }
}
