//! The matrix of faults: which world a seed stands for.

use nmax_fleet::records::{Command, Policy};

use super::broker::Broken;
use super::chance::Chance;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;

/// What happens to the world at an instant.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// Nothing passes between this machine and the broker, for so long, ns.
    Cut(usize, u64),
    /// The processes of a machine stand still, for so long, ns.
    Pause(usize, u64),
    /// The process of an injector ends; another begins after this time, ns, if any does.
    Kill(usize, Option<u64>),
    /// The same with its machine: what was under way to the disk is torn.
    PowerLoss(usize, Option<u64>),
    /// The disk of an injector is full, for so long, ns.
    FullDisk(usize, u64),
    /// The broker ends, and is back after this time, ns.
    BrokerDown(u64),
    /// The broker's calendar is set, by so much, ns.
    BrokerSet(i64),
    /// A manager dies; it is back after this time, ns, if at all.
    ManagerDown(usize, Option<u64>),
    /// A person asks something of the run.
    Asked(Command),
    /// Something sends batches that are not what they say.
    Liar,
}

/// The line between a machine and the broker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// Least delay of each way, ns.
    pub ways: [u64; 2],
    /// What delays differ by, ns: messages overtake each other.
    pub jitter: u64,
    /// Probability that a message gets lost.
    pub loss: f64,
    /// Probability that it comes twice.
    pub twice: f64,
}

/// A world.
#[derive(Clone, Debug)]
pub struct World {
    /// Everything else follows from it.
    pub seed: u64,
    /// Injectors asked for; as many as there are shards.
    pub injectors: usize,
    /// Injectors beyond those.
    pub standbys: usize,
    /// Managers.
    pub managers: usize,
    /// What happens to the part of an injector that is lost.
    pub policy: Policy,
    /// Iterations per second.
    pub rate: f64,
    /// Request names.
    pub names: u32,
    /// Whether iterations are measured one by one.
    pub is_each: bool,
    /// When the load ends as planned, ns.
    pub end: u64,
    /// From there to the hard stop, ns.
    pub grace: u64,
    /// Width of windows, ns.
    pub window: u64,
    /// The lines of all machines.
    pub lines: Vec<Line>,
    /// How much each machine's clock is too fast, ppm, the broker's last.
    pub drifts: Vec<i64>,
    /// What happens, and when, ns.
    pub faults: Vec<(u64, Fault)>,
    /// Which rule the broker breaks.
    pub broken: Broken,
    /// When the world ends, ns.
    pub horizon: u64,
    /// How often machines look, ns.
    pub beat: u64,
}

impl World {
    /// One in which nothing goes wrong.
    pub fn calm(seed: u64, injectors: usize) -> Self {
        let machines = injectors + 2;
        Self {
            seed,
            injectors,
            standbys: 0,
            managers: 1,
            policy: Policy::Continue,
            rate: 200.0,
            names: 4,
            is_each: true,
            end: 20 * S,
            grace: 10 * S,
            window: S,
            lines: vec![Line { ways: [2 * MS, 2 * MS], jitter: MS, ..Line::default() }; machines],
            drifts: vec![0; machines + 1],
            faults: Vec::new(),
            broken: Broken::Nothing,
            horizon: 600 * S,
            beat: 200 * MS,
        }
    }

    /// The world of a seed.
    pub fn of(seed: u64, injectors: usize) -> Self {
        let mut chance = Chance::new(seed, 1);
        let standbys = chance.below(4) as usize;
        let managers = 1 + chance.below(2) as usize;
        let machines = injectors + standbys + managers;
        let bad = chance.is(0.7);
        let mut line = || {
            let way = chance.within(MS / 5, 20 * MS);
            Line {
                ways: [way, if chance.is(0.3) { chance.within(MS, 40 * MS) } else { way }],
                jitter: if bad { chance.below(80 * MS) } else { MS },
                loss: if bad && chance.is(0.5) { [0.02, 0.1, 0.3][chance.below(3) as usize] } else { 0.0 },
                twice: if bad && chance.is(0.5) { 0.2 } else { 0.0 },
            }
        };
        let mut lines: Vec<Line> = (0..machines).map(|_| line()).collect();
        if chance.is(0.06) {
            let slow = chance.below((injectors + standbys) as u64) as usize;
            lines[slow].ways = [chance.within(150 * MS, 900 * MS), 5 * MS];
        }
        let drifts = (0..=machines).map(|_| chance.below(1_001) as i64 - 500).collect();
        let policy = match chance.is(0.5) {
            true => Policy::Continue,
            false => Policy::Takeover { ttl_ns: chance.within(6, 16) * S },
        };
        let end = chance.within(14, 30) * S;
        let world = Self { standbys, managers, policy, end, lines, drifts, ..Self::calm(seed, injectors) };
        Self { faults: faults(&mut chance, &world), rate: chance.within(30, 110) as f64, ..world }
    }

    /// The same with a line for each machine.
    #[must_use]
    pub fn with_lines(mut self) -> Self {
        let line = self.lines[0];
        self.lines.resize(self.all() + self.managers, line);
        self.drifts.resize(self.lines.len() + 1, 0);
        self
    }

    /// Whether the broker's calendar is set back or forth.
    pub fn sets_calendar(&self) -> bool {
        self.faults.iter().any(|(_, fault)| matches!(fault, Fault::BrokerSet(_)))
    }

    /// Injectors and those beyond.
    pub fn all(&self) -> usize {
        self.injectors + self.standbys
    }
}

/// Faults of a world, in order.
fn faults(chance: &mut Chance, world: &World) -> Vec<(u64, Fault)> {
    let mut faults = Vec::new();
    let all = world.all() as u64;
    // Most runs begin within twelve seconds.
    let last = world.end + 30 * S;
    let at = |chance: &mut Chance| {
        let from = if chance.is(0.15) { 0 } else { 12 * S };
        chance.within(from, last)
    };
    let many = |chance: &mut Chance| {
        let most = if chance.is(0.2) { all } else { 3 };
        1 + chance.below(most)
    };
    if chance.is(0.4) {
        let (from, length) = (at(chance), chance.within(S, 60 * S));
        let region = chance.below(4);
        let everybody = (0..all as usize).filter(|machine| region == 3 || *machine as u64 % 3 == region);
        everybody.for_each(|machine| faults.push((from, Fault::Cut(machine, length))));
    }
    if chance.is(0.3) {
        for _ in 0..many(chance) {
            faults.push((at(chance), Fault::Cut(chance.below(all) as usize, chance.within(S, 90 * S))));
        }
    }
    if chance.is(0.4) {
        for _ in 0..many(chance) {
            faults.push((at(chance), Fault::Pause(chance.below(all) as usize, chance.within(S / 2, 60 * S))));
        }
    }
    if chance.is(0.45) {
        for _ in 0..many(chance) {
            let (machine, back) = (chance.below(all) as usize, chance.is(0.7).then(|| chance.within(S, 40 * S)));
            let fault = if chance.is(0.5) { Fault::Kill(machine, back) } else { Fault::PowerLoss(machine, back) };
            faults.push((at(chance), fault));
        }
    }
    if chance.is(0.2) {
        for _ in 0..many(chance) {
            faults.push((at(chance), Fault::FullDisk(chance.below(all) as usize, chance.within(S, 60 * S))));
        }
    }
    if chance.is(0.3) {
        for _ in 0..many(chance) {
            faults.push((at(chance), Fault::BrokerDown(chance.within(S / 2, 60 * S))));
        }
    }
    if chance.is(0.1) {
        let by = [chance.within(0, 10 * S), chance.within(0, 100_000_000 * S)][chance.below(2) as usize] as i64;
        faults.push((at(chance), Fault::BrokerSet(if chance.is(0.5) { by } else { -by })));
    }
    if chance.is(0.4) {
        let back = chance.is(0.5).then(|| chance.within(S, 60 * S));
        faults.push((at(chance), Fault::ManagerDown(chance.below(world.managers as u64) as usize, back)));
    }
    if chance.is(0.15) {
        let command = if chance.is(0.5) { Command::Stop } else { Command::Cut };
        faults.push((at(chance), Fault::Asked(command)));
    }
    if chance.is(0.1) {
        // Manager and broker are dead from here to beyond the end of the run.
        let from = chance.within(12 * S, 12 * S + world.end);
        faults.push((from, Fault::BrokerDown(world.end + 60 * S)));
        (0..world.managers).for_each(|manager| faults.push((from, Fault::ManagerDown(manager, None))));
    }
    if chance.is(0.2) {
        (0..3).for_each(|_| faults.push((at(chance), Fault::Liar)));
    }
    faults.sort_by_key(|(at, _)| *at);
    faults
}
