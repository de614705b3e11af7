//! One day.

use nmax_usl::random::Random;

use super::clients::{Attempts, Mix};
use super::nodes::{Around, Nodes};
use super::outcome::{Outcome, POINTS_MAX, Point};
use super::policy::{Answer, Policy};
use super::queue::{Line, Patience, Served};
use super::world::{Failure, Loss, World};

/// Share of the demand below which a pool alone does not put a second out of the objective.
const NOTICED: f64 = 0.01;

/// A day of a world under a policy. The same seed gives the same luck to every policy. O(seconds + cohorts that wait).
pub fn simulate(world: &World, policy: &Policy, seed: u64) -> Outcome {
    run(world, &world.course.rates(), policy, seed, f64::INFINITY)
}

/// The same for rates that are computed already; it ends early once more than `minutes` are out of the objective.
pub(super) fn run(world: &World, rates: &[f64], policy: &Policy, seed: u64, minutes: f64) -> Outcome {
    let luck = Luck::draw(world, seed);
    let around = Around { world, policy, outages: &luck.outages };
    let mut day = Day::new(&around, rates, &luck, seed);
    for (second, rate) in rates.iter().enumerate() {
        day.second(second, rate * luck.level);
        if day.outcome.minutes_out > minutes {
            break;
        }
    }
    day.end()
}

/// What chance decides before the day begins.
struct Luck {
    level: f64,
    failures: Vec<Failure>,
    outages: Vec<(f64, f64)>,
    provisioning: u64,
}

impl Luck {
    fn draw(world: &World, seed: u64) -> Self {
        // Days have seeds in a row: mixed, their draws are as far apart as any.
        let mut random = Random::new(Random::new(seed).next_u64());
        let level = random.lognormal(world.uncertainty);
        let provisioning = random.next_u64();
        let failures: Vec<Failure> =
            world.failures.iter().filter(|failure| random.uniform() < failure.chance).copied().collect();
        let down = failures.iter().filter(|failure| failure.loss == Loss::Management);
        let outages = down.map(|failure| (failure.at_s, failure.at_s + failure.lasts_s)).collect();
        Self { level, failures, outages, provisioning }
    }
}

/// Nodes and the line before them.
struct Pool {
    nodes: Nodes,
    line: Line,
    share: f64,
    is_up: bool,
}

/// What a second gave.
#[derive(Default)]
struct Tally {
    answered: f64,
    slow: f64,
    guessed: f64,
    refused: f64,
    timed_out: f64,
    capacity: f64,
    is_loaded: bool,
}

struct Day<'a> {
    around: &'a Around<'a>,
    pools: Vec<Pool>,
    attempts: Attempts<'a>,
    /// Failures that have not begun, and those that have, with the nodes that a zone took along.
    ahead: Vec<Failure>,
    on: Vec<(Failure, usize)>,
    cache_back_s: f64,
    outcome: Outcome,
    bucket: usize,
    length: usize,
    session: (f64, f64),
    waited: f64,
    cache_hours: f64,
}

impl<'a> Day<'a> {
    fn new(around: &'a Around<'a>, rates: &[f64], luck: &Luck, seed: u64) -> Self {
        let world = around.world;
        let first = rates.first().copied().unwrap_or(0.0) * luck.level * (1.0 - around.policy.hit());
        let pools = world.regions.iter().enumerate().map(|(index, region)| Pool {
            nodes: Nodes::new(around, index, first * region.share, luck.provisioning ^ seed),
            line: Line::default(),
            share: region.share,
            is_up: true,
        });
        Self {
            around,
            pools: pools.collect(),
            attempts: Attempts::new(&world.clients),
            ahead: luck.failures.clone(),
            on: Vec::new(),
            cache_back_s: f64::NEG_INFINITY,
            outcome: Outcome::default(),
            bucket: rates.len().div_ceil(POINTS_MAX).max(1),
            length: rates.len(),
            session: (0.0, 0.0),
            waited: 0.0,
            cache_hours: around.policy.cache.map_or(0.0, |cache| cache.price_hour) * rates.len() as f64 / 3600.0,
        }
    }

    fn second(&mut self, second: usize, fresh: f64) {
        let now_s = second as f64;
        let mut tally = Tally::default();
        let mut mix = self.attempts.arrive(fresh);
        let total: f64 = mix.iter().sum();
        self.failures(now_s, &mut tally);
        let hit = self.hit(now_s + 0.5);
        let up: f64 = self.pools.iter().filter(|pool| pool.is_up).map(|pool| pool.share).sum();
        // What comes again was no hit the first time, and was not answered since: it misses again.
        let hits = if up > 0.0 { fresh * hit } else { 0.0 };
        mix[0] -= hits;
        let load: f64 = mix.iter().sum();
        let shares: Mix = if load > 0.0 { mix.map(|amount| amount / load) } else { Mix::default() };
        tally.answered += hits;
        if up <= 0.0 {
            self.attempts.fail(&shares, load, now_s);
            tally.refused += load;
        }
        for at in 0..self.pools.len() {
            let is_up = self.pools[at].is_up;
            self.pools[at].nodes.turn(now_s, self.around, is_up);
            let part = if is_up { self.pools[at].share / up } else { 0.0 };
            self.pool(at, now_s, (load * part, &shares), total, &mut tally);
        }
        tally.capacity /= 1.0 - hit;
        self.note(second, fresh, total, &tally);
    }

    /// A second of a pool, to which `load` requests come past the cache.
    fn pool(&mut self, at: usize, now_s: f64, (load, mix): (f64, &Mix), total: f64, tally: &mut Tally) {
        let (world, policy) = (self.around.world, self.around.policy);
        let pool = &mut self.pools[at];
        let n = if pool.is_up { pool.nodes.serving } else { 0 };
        let scale = world.node.scale(n);
        let (usable, saturation) = (world.node.usable_per_s * scale, world.node.saturation_per_s * scale);
        let mut admitted = load;
        let mut guesses = 0.0;
        match policy.answer {
            Answer::Shed => admitted = load.min(usable),
            Answer::Guess { cost, .. } if load > usable => {
                admitted = ((usable - cost * load) / (1.0 - cost)).max(0.0);
                guesses = (load - admitted).min(if cost > 0.0 { (usable - admitted) / cost } else { f64::INFINITY });
                tally.guessed += guesses;
            }
            _ => {}
        }
        if let Some(bound) = policy.queue {
            let room = bound * n as f64 + saturation - pool.line.length;
            admitted = admitted.min(room.max(0.0));
        }
        let refused = load - admitted - guesses;
        self.attempts.fail(mix, refused, now_s);
        tally.refused += refused;
        tally.capacity += usable;
        tally.is_loaded |= admitted > usable * (1.0 + 1e-9) && load > NOTICED * total;
        let patience = Patience {
            leaves_s: (world.clients.timeout_s - world.node.service_s).max(0.0),
            slow_s: (world.objective.limit_s - world.node.service_s).max(0.0),
            expires: policy.answer == Answer::Expire,
        };
        let before = pool.line.length;
        pool.line.join(now_s, admitted, mix);
        let guess_work = match policy.answer {
            Answer::Guess { cost, .. } => cost * guesses,
            _ => 0.0,
        };
        let served: Served = if pool.is_up {
            pool.line.serve(now_s, saturation - guess_work, patience, &mut self.attempts)
        } else {
            Served::default()
        };
        let left = pool.line.leave(now_s, patience, &mut self.attempts);
        let outcome = &mut self.outcome;
        tally.answered += served.answered;
        tally.slow += served.slow;
        tally.timed_out += served.timed_out + left;
        outcome.wasted += served.wasted;
        outcome.longest_wait_s = outcome.longest_wait_s.max(served.longest_s);
        self.waited += 0.5 * (before + pool.line.length);
        let busy = if saturation > 0.0 { (served.done + guess_work) / saturation } else { 1.0 };
        pool.nodes.note(busy);
    }

    fn failures(&mut self, now_s: f64, tally: &mut Tally) {
        if self.ahead.is_empty() && self.on.is_empty() {
            return;
        }
        let (pools, attempts) = (&mut self.pools, &mut self.attempts);
        self.on.retain(|(failure, nodes)| {
            let is_over = failure.at_s + failure.lasts_s <= now_s;
            match failure.loss {
                Loss::Zone(region) if is_over => pools[region].nodes.regain(*nodes),
                Loss::Region(region) if is_over => pools[region].is_up = true,
                _ => {}
            }
            !is_over
        });
        for failure in self.ahead.extract_if(.., |failure| failure.at_s <= now_s) {
            let nodes = match failure.loss {
                Loss::Zone(region) => pools[region].nodes.lose_zone(self.around.world.zones),
                Loss::Region(region) => {
                    pools[region].is_up = false;
                    tally.refused += pools[region].line.fail(now_s, attempts);
                    0
                }
                Loss::Cache => {
                    self.cache_back_s = self.cache_back_s.max(failure.at_s + failure.lasts_s);
                    0
                }
                Loss::Management => 0,
            };
            self.on.push((failure, nodes));
        }
    }

    /// Share of requests that the cache answers.
    ///
    /// ```text
    /// h(t) = h·(1 − e^(−(t − t0)/w))
    /// ```
    ///
    /// - h: `hit`; t0: when the cache is back, empty; w: `warms_s`
    fn hit(&self, now_s: f64) -> f64 {
        let Some(cache) = self.around.policy.cache else { return 0.0 };
        let since = now_s - self.cache_back_s;
        if since < 0.0 { 0.0 } else { cache.hit * (1.0 - (-since / cache.warms_s.max(1e-9)).exp()) }
    }

    fn note(&mut self, second: usize, fresh: f64, total: f64, tally: &Tally) {
        let lost = self.attempts.lost;
        let bad = tally.slow + tally.timed_out + tally.refused;
        let all = tally.answered + tally.guessed + tally.timed_out + tally.refused;
        let is_out = tally.is_loaded || bad > (1.0 - self.around.world.objective.share) * all * (1.0 + 1e-9) + 1e-9;
        let outcome = &mut self.outcome;
        outcome.requests += fresh;
        outcome.answered += tally.answered;
        outcome.slow += tally.slow;
        outcome.guessed += tally.guessed;
        outcome.lost += lost;
        outcome.attempts += total;
        outcome.refused += tally.refused;
        outcome.timed_out += tally.timed_out;
        outcome.minutes_out += if is_out { 1.0 / 60.0 } else { 0.0 };
        self.session.0 += fresh;
        self.session.1 += lost;
        if second % 60 == 59 || second + 1 == self.length {
            outcome.sessions_lost += sessions_lost(self.session, self.around.world.clients.session_requests);
            self.session = (0.0, 0.0);
        }
        if second.is_multiple_of(self.bucket) {
            outcome.series.push(Point { at_s: second as f64, ..Point::default() });
        }
        let width = self.bucket.min(self.length - (second - second % self.bucket)) as f64;
        if let Some(point) = outcome.series.last_mut() {
            let serving: usize = self.pools.iter().filter(|pool| pool.is_up).map(|pool| pool.nodes.serving).sum();
            point.demand += fresh / width;
            point.offered += total / width;
            point.capacity += tally.capacity / width;
            point.answered += tally.answered / width;
            point.good += (tally.answered - tally.slow) / width;
            point.guessed += tally.guessed / width;
            point.lost += lost / width;
            point.nodes += serving as f64 / width;
            point.out += if is_out { 1.0 / width } else { 0.0 };
            point.waiting = self.pools.iter().map(|pool| pool.line.length).sum();
        }
    }

    fn end(mut self) -> Outcome {
        let mut outcome = self.outcome;
        let nodes = || self.pools.iter().map(|pool| &pool.nodes);
        outcome.waiting = self.attempts.pending() + self.pools.iter().map(|pool| pool.line.waiting()).sum::<f64>();
        outcome.waiting_mean = self.waited / self.length.max(1) as f64;
        outcome.node_hours = nodes().map(|nodes| nodes.paid_s).sum::<f64>() / 3600.0;
        outcome.nodes_most = nodes().map(|nodes| nodes.most).sum();
        outcome.launched = nodes().map(|nodes| nodes.launched).sum();
        outcome.never_came = nodes().map(|nodes| nodes.never_came).sum();
        let guess_worth = match self.around.policy.answer {
            Answer::Guess { worth, .. } => worth,
            _ => 0.0,
        };
        outcome.price(&self.around.world.prices, std::mem::take(&mut self.cache_hours), guess_worth);
        outcome
    }
}

/// Sessions of a minute that end for a lost request.
///
/// ```text
/// (F/r)·(1 − (1−p)^r),  p = min(1, L/F)
/// ```
///
/// - F, L: requests and lost requests of the minute; r: requests of a session
fn sessions_lost((requests, lost): (f64, f64), session_requests: f64) -> f64 {
    if lost <= 0.0 {
        return 0.0;
    }
    let (requests, share) = (requests.max(lost), (lost / requests.max(lost)).min(1.0));
    requests / session_requests * (1.0 - (1.0 - share).powf(session_requests))
}
