//! The same day request by request: Poisson arrivals, exponential service, servers, clients with clocks of their own.
//!
//! It shares nothing with the fluid but the description of the world, so that agreement means something. One region, no cache.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use nmax_usl::random::Random;

use super::*;

/// What happens at an instant, in nanoseconds, in order of its number.
type Entry = Reverse<(u64, u64, Happening)>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    /// A request or an attempt of it arrives: attempts before.
    Arrives(usize),
    /// A server is done with an attempt.
    Done(usize),
    /// The client of an attempt leaves.
    Leaves(usize),
    /// A second begins.
    Second(usize),
    /// A node serves.
    NodeServes,
}

struct Attempt {
    before: usize,
    at_ns: u64,
    is_over: bool,
    is_served: bool,
}

/// Totals, and per second: answers in time, other ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Counted {
    pub requests: f64,
    pub answered: f64,
    pub lost: f64,
    pub attempts: f64,
    pub waiting_mean: f64,
    pub seconds: Vec<(f64, f64)>,
}

struct Simulation<'a> {
    world: &'a World,
    policy: &'a Policy,
    random: Random,
    heap: BinaryHeap<Entry>,
    number: u64,
    now_ns: u64,
    attempts: Vec<Attempt>,
    line: VecDeque<usize>,
    nodes: usize,
    asked: usize,
    busy: usize,
    busy_ns: f64,
    utilization: Vec<f64>,
    enough: Vec<(usize, usize)>,
    decided: Option<usize>,
    tokens: f64,
    waited: f64,
    counted: Counted,
}

pub(super) fn simulate_events(world: &World, policy: &Policy, seed: u64) -> Counted {
    let mut simulation = Simulation {
        world,
        policy,
        random: Random::new(seed),
        heap: BinaryHeap::new(),
        number: 0,
        now_ns: 0,
        attempts: Vec::new(),
        line: VecDeque::new(),
        nodes: policy.nodes,
        asked: 0,
        busy: 0,
        busy_ns: 0.0,
        utilization: Vec::new(),
        enough: Vec::new(),
        decided: None,
        tokens: 0.0,
        waited: 0.0,
        counted: Counted::default(),
    };
    simulation.run();
    simulation.counted
}

fn ns(seconds: f64) -> u64 {
    (seconds * 1e9) as u64
}

impl Simulation<'_> {
    fn run(&mut self) {
        let rates = self.world.course.rates();
        self.put(0, Happening::Second(0));
        self.counted.seconds = vec![(0.0, 0.0); rates.len()];
        let end_ns = ns(rates.len() as f64);
        while let Some(Reverse((at_ns, _, happening))) = self.heap.pop() {
            if at_ns >= end_ns {
                break;
            }
            self.turn(at_ns);
            match happening {
                Happening::Arrives(before) => self.arrive(before),
                Happening::Done(attempt) => self.done(attempt),
                Happening::Leaves(attempt) => self.leave(attempt),
                Happening::NodeServes => {
                    (self.nodes, self.asked) = (self.nodes + 1, self.asked - 1);
                    self.serve();
                }
                Happening::Second(second) => {
                    let mut at_s = -self.random.uniform().ln() / rates[second];
                    while at_s < 1.0 {
                        self.put(ns(second as f64 + at_s), Happening::Arrives(0));
                        self.counted.requests += 1.0;
                        at_s -= self.random.uniform().ln() / rates[second];
                    }
                    self.put(ns(second as f64 + 1.0), Happening::Second(second + 1));
                    self.second(second);
                }
            }
        }
        self.counted.waiting_mean = self.waited / end_ns as f64;
    }

    fn put(&mut self, at_ns: u64, happening: Happening) {
        self.number += 1;
        self.heap.push(Reverse((at_ns, self.number, happening)));
    }

    /// Time goes on.
    fn turn(&mut self, at_ns: u64) {
        let passed = (at_ns - self.now_ns) as f64;
        self.waited += passed * self.line.len() as f64;
        let servers = self.servers() as f64;
        self.busy_ns += passed * (self.busy as f64 / servers.max(1.0)).min(1.0);
        let usable = self.world.node.usable_per_s * self.world.node.scale(self.nodes);
        self.tokens = (self.tokens + passed / 1e9 * usable).min(usable);
        self.now_ns = at_ns;
    }

    fn servers(&self) -> usize {
        let node = &self.world.node;
        (node.saturation_per_s * node.scale(self.nodes) * node.service_s).round() as usize
    }

    fn arrive(&mut self, before: usize) {
        self.counted.attempts += 1.0;
        let number = self.attempts.len();
        self.attempts.push(Attempt { before, at_ns: self.now_ns, is_over: false, is_served: false });
        let is_full = self.policy.queue.is_some_and(|bound| self.line.len() as f64 >= bound * self.nodes as f64);
        let is_shed = self.policy.answer == Answer::Shed && self.tokens < 1.0;
        if is_full || is_shed {
            return self.fail(number);
        }
        self.tokens -= 1.0;
        self.line.push_back(number);
        if self.world.clients.timeout_s.is_finite() {
            self.put(self.now_ns + ns(self.world.clients.timeout_s), Happening::Leaves(number));
        }
        self.serve();
    }

    fn serve(&mut self) {
        while self.busy < self.servers() {
            let Some(number) = self.line.pop_front() else { return };
            if self.attempts[number].is_over && self.policy.answer == Answer::Expire {
                continue;
            }
            self.attempts[number].is_served = true;
            self.busy += 1;
            let takes_s = -self.random.uniform().ln() * self.world.node.service_s;
            self.put(self.now_ns + ns(takes_s), Happening::Done(number));
        }
    }

    fn done(&mut self, number: usize) {
        if self.attempts[number].is_over && self.policy.answer == Answer::Expire {
            return; // its work ended when its client left
        }
        self.busy -= 1;
        let attempt = &mut self.attempts[number];
        if !attempt.is_over {
            attempt.is_over = true;
            let took_ns = self.now_ns - attempt.at_ns;
            self.counted.answered += 1.0;
            let is_slow = took_ns > ns(self.world.objective.limit_s);
            self.end(if is_slow { (0.0, 1.0) } else { (1.0, 0.0) });
        }
        self.serve();
    }

    fn leave(&mut self, number: usize) {
        if !self.attempts[number].is_over {
            self.fail(number);
            if self.policy.answer == Answer::Expire {
                while self.line.front().is_some_and(|first| self.attempts[*first].is_over) {
                    self.line.pop_front();
                }
                self.busy -= usize::from(self.attempts[number].is_served);
                self.serve();
            }
        }
    }

    fn fail(&mut self, number: usize) {
        self.attempts[number].is_over = true;
        self.end((0.0, 1.0));
        let (clients, before) = (&self.world.clients, self.attempts[number].before);
        if before < clients.retries {
            // Without jitter, what is refused together comes back together, which no fluid knows.
            let pause_s = clients.backoff_s * f64::from(1 << before) * (0.5 + self.random.uniform());
            self.put(self.now_ns + ns(pause_s), Happening::Arrives(before + 1));
        } else if self.random.uniform() < clients.by_hand {
            self.put(self.now_ns + ns(clients.pause_s), Happening::Arrives(0));
        } else {
            self.counted.lost += 1.0;
        }
    }

    fn end(&mut self, (good, bad): (f64, f64)) {
        let second = &mut self.counted.seconds[(self.now_ns / 1_000_000_000) as usize];
        *second = (second.0 + good, second.1 + bad);
    }

    /// The scaler looks at whole seconds.
    fn second(&mut self, second: usize) {
        if second > 0 {
            self.utilization.push(std::mem::take(&mut self.busy_ns) / 1e9);
        }
        let Some(scale) = self.policy.autoscale else { return };
        if second == 0 || !second.is_multiple_of(scale.metric_s as usize) {
            return;
        }
        let recent = &self.utilization[second.saturating_sub(scale.window_s as usize)..];
        let ratio = recent.iter().sum::<f64>() / recent.len() as f64 / scale.target;
        let wanted =
            if (0.9..=1.1).contains(&ratio) { self.nodes } else { (self.nodes as f64 * ratio).ceil() as usize };
        let wanted = wanted.clamp(scale.least, scale.most);
        self.enough.push((second, wanted));
        let recently = self.enough.iter().filter(|(at, _)| *at as f64 > second as f64 - scale.cooldown_in_s);
        let most = recently.map(|(_, nodes)| *nodes).max().unwrap_or(wanted);
        let may = self.decided.is_none_or(|at| (second - at) as f64 >= scale.cooldown_out_s);
        if wanted > self.nodes + self.asked && may {
            self.decided = Some(second);
            for _ in self.nodes + self.asked..wanted {
                let takes_s = self.world.provisioning.quantile(0.5) + self.world.provisioning.after_s;
                self.put(self.now_ns + ns(scale.decision_s + takes_s), Happening::NodeServes);
                self.asked += 1;
            }
        } else if most < self.nodes && second as f64 >= scale.cooldown_in_s {
            self.nodes = most;
        }
    }
}

const RUNS: u64 = 12;

/// Both simulations of a world at 50 requests/s.
#[track_caller]
fn agree(name: &str, world: &World, policy: &Policy) {
    let fluid = simulate(world, policy, 1);
    let runs: Vec<Counted> = (0..RUNS).map(|seed| simulate_events(world, policy, seed)).collect();
    let mean = |of: fn(&Counted) -> f64| runs.iter().map(of).sum::<f64>() / RUNS as f64;
    let is_out = |(good, bad): &&(f64, f64)| *bad > (1.0 - world.objective.share) * (good + bad);
    let minutes: usize = runs.iter().map(|run| run.seconds.iter().filter(is_out).count()).sum();
    let minutes = minutes as f64 / 60.0 / RUNS as f64;
    let pairs = [
        ("requests", fluid.requests, mean(|run| run.requests)),
        ("answered", fluid.answered, mean(|run| run.answered)),
        ("lost", fluid.lost, mean(|run| run.lost)),
        ("attempts", fluid.attempts, mean(|run| run.attempts)),
        ("waiting", fluid.waiting_mean, mean(|run| run.waiting_mean)),
        ("minutes", fluid.minutes_out, minutes),
    ];
    let off = pairs.iter().filter(|(_, fluid, events)| (fluid - events).abs() > (0.02 * events).max(0.05));
    let off: Vec<_> = off.collect();
    assert!(off.is_empty(), "{name}: {off:?} of {pairs:?}");
}

/// Nodes of 25/s with ten servers each, usable as M/M/c says, and 50 requests/s that grow to `factor` times as many for ten minutes of an hour.
fn fifty(factor: f64) -> World {
    let mut world = tests::world(50.0, tests::node(25.0), 3600);
    world.objective.limit_s = 4.0;
    let usable_per_s = usable_of_queue(25.0, 0.4, 0.99, 4.0);
    world.node = Node { usable_per_s, service_s: 0.4, ..world.node };
    world.course.events.push(tests::step(factor, 600.0, 600.0));
    world.clients.timeout_s = 10.0;
    world
}

/// Refuses long before saturation, so that what is let in hardly waits.
fn careful(world: World) -> World {
    World { node: Node { usable_per_s: 20.0, ..world.node }, ..world }
}

#[test]
fn events_agree_in_overload() {
    let patient = World { clients: Clients { timeout_s: f64::INFINITY, ..fifty(3.0).clients }, ..fifty(3.0) };
    agree("patient", &patient, &Policy::standing("three", 3));
    agree("leaving", &fifty(3.0), &Policy::standing("three", 3));
    agree("expiring", &fifty(3.0), &Policy { answer: Answer::Expire, ..Policy::standing("three", 3) });
    agree("shedding", &careful(fifty(3.0)), &Policy { answer: Answer::Shed, ..Policy::standing("four", 4) });
}

#[test]
fn events_agree_with_retries() {
    let mut world = fifty(3.0);
    world.clients = Clients { retries: 2, by_hand: 0.3, ..world.clients };
    agree("bounded", &world, &Policy { queue: Some(40.0), ..Policy::standing("four", 4) });
    agree("metastable", &world, &Policy::standing("four", 4));
    agree("refused", &careful(world), &Policy { answer: Answer::Shed, ..Policy::standing("four", 4) });
}

#[test]
fn events_agree_while_nodes_come_and_go() {
    let mut world = fifty(4.0);
    // Away from where ⌈n·U/U*⌉ is on an edge: there a little noise is a node more.
    world.course.events = vec![tests::step(4.0, 620.0, 600.0)];
    world.clients = Clients { retries: 1, ..world.clients };
    world.provisioning.quantiles = vec![(0.5, 120.0)];
    let scale = Autoscale { least: 4, most: 30, ..setting::AUTOSCALE_DEFAULT };
    let policy = Policy { autoscale: Some(scale), queue: Some(60.0), ..Policy::standing("scaled", 4) };
    agree("scaled", &world, &policy);
}

/// Where the load is steady, the events are M/M/c.
#[test]
fn events_are_erlang_s() {
    let world = tests::world(140.0, tests::node(40.0), 3600);
    let world = World { node: Node { service_s: 0.05, ..world.node }, ..world };
    let queue = crate::supply::queue::Queue { servers: 8, service_s: 0.05, arrival_rate_per_s: 140.0 };
    let runs = (0..RUNS).map(|seed| simulate_events(&world, &Policy::standing("four", 4), seed).waiting_mean);
    let found = runs.sum::<f64>() / RUNS as f64;
    let want = queue.waiting().unwrap();
    assert!((found / want - 1.0).abs() < 0.02, "{found} {want}");
}
