//! Nodes of a pool over time: those that serve, that are lost, and that are asked for.

use std::collections::VecDeque;

use nmax_usl::random::Random;

use super::policy::{Autoscale, Policy};
use super::world::{Provisioning, World};

/// Difference from the target that is no reason to act, as in Kubernetes.
const TOLERANCE: f64 = 0.1;
/// Most nodes of a pool.
pub(crate) const NODES_MAX: usize = 100_000;

/// A node that was asked for.
struct Asked {
    /// When it serves; when it is given up, if it never comes.
    until_s: f64,
    comes: bool,
}

/// What a pool has to know of its surroundings.
pub(super) struct Around<'a> {
    pub world: &'a World,
    pub policy: &'a Policy,
    /// Seconds from and to which the management plane is down.
    pub outages: &'a [(f64, f64)],
}

/// Nodes of a region.
pub(super) struct Nodes {
    region: usize,
    pub serving: usize,
    pub lost: usize,
    asked: Vec<Asked>,
    next_s: f64,
    /// Sum of the utilization up to each second.
    busy: Vec<f64>,
    /// Times and numbers of nodes that would have been enough.
    enough: VecDeque<(f64, usize)>,
    decided_s: f64,
    random: Random,
    pub launched: usize,
    pub never_came: usize,
    /// Seconds of all nodes that are paid.
    pub paid_s: f64,
    pub most: usize,
}

impl Nodes {
    /// Those of a region at midnight: enough for the first second.
    pub(super) fn new(around: &Around, region: usize, first_per_s: f64, seed: u64) -> Self {
        let mut nodes = Self {
            region,
            serving: 0,
            lost: 0,
            asked: Vec::new(),
            next_s: f64::INFINITY,
            busy: vec![0.0],
            enough: VecDeque::new(),
            decided_s: f64::NEG_INFINITY,
            random: Random::new(seed ^ (region as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
            launched: 0,
            never_came: 0,
            paid_s: 0.0,
            most: 0,
        };
        let least = nodes.share(around, around.policy.scheduled(0.0));
        let wanted = around.policy.autoscale.map_or(0, |scale| {
            let node = &around.world.node;
            let usable_load = first_per_s / scale.target * node.usable_per_s / node.saturation_per_s;
            let most = nodes.share(around, scale.most);
            node.nodes_for(usable_load, most).unwrap_or(most)
        });
        nodes.serving = least.max(wanted);
        nodes
    }

    /// Its part of nodes that all regions have together: the same as everywhere, by largest remainder.
    fn share(&self, around: &Around, total: usize) -> usize {
        let regions = &around.world.regions;
        let exact = |region: usize| total as f64 * regions[region].share;
        let floor: usize = (0..regions.len()).map(|region| exact(region) as usize).sum();
        let before = |a: usize, b: usize| (exact(a).fract(), b) > (exact(b).fract(), a);
        let rank = (0..regions.len()).filter(|other| before(*other, self.region)).count();
        exact(self.region) as usize + usize::from(rank < total.saturating_sub(floor))
    }

    /// Begins a second: nodes come and, where the region is up, are asked for and end.
    pub(super) fn turn(&mut self, now_s: f64, around: &Around, is_up: bool) {
        if now_s >= self.next_s {
            self.arrive(now_s);
        }
        let is_managed = !around.outages.iter().any(|(from, to)| (*from..*to).contains(&now_s));
        if is_up && is_managed {
            let least = self.share(around, around.policy.scheduled(now_s));
            match around.policy.autoscale {
                Some(scale) if now_s % scale.metric_s < 1.0 && now_s >= 1.0 => self.follow(now_s, around, scale, least),
                Some(_) => {}
                None => {
                    self.ask(now_s, around, least.saturating_sub(self.all()), 0.0);
                    self.end(self.serving.saturating_sub(least));
                }
            }
        }
        self.most = self.most.max(self.serving);
        let coming = self.asked.iter().filter(|asked| asked.comes).count();
        self.paid_s += (self.serving + self.lost + coming) as f64;
    }

    /// Ends a second: how busy it was.
    pub(super) fn note(&mut self, utilization: f64) {
        let before = self.busy.last().copied().unwrap_or_default();
        self.busy.push(before + utilization);
    }

    /// The largest of `zones` zones is lost; the number of its nodes.
    pub(super) fn lose_zone(&mut self, zones: usize) -> usize {
        let gone = self.serving.div_ceil(zones.max(1));
        self.serving -= gone;
        self.lost += gone;
        gone
    }

    /// They are back.
    pub(super) fn regain(&mut self, nodes: usize) {
        self.lost -= nodes;
        self.serving += nodes;
    }

    fn all(&self) -> usize {
        self.serving + self.lost + self.asked.len()
    }

    fn arrive(&mut self, now_s: f64) {
        let (mut serving, mut never) = (0, 0);
        self.asked.retain(|asked| {
            let is_over = asked.until_s <= now_s;
            if is_over && asked.comes {
                serving += 1;
            } else if is_over {
                never += 1;
            }
            !is_over
        });
        self.serving += serving;
        self.never_came += never;
        self.next_s = self.asked.iter().map(|asked| asked.until_s).fold(f64::INFINITY, f64::min);
    }

    /// Target tracking.
    ///
    /// ```text
    /// wanted = ⌈n·U/U*⌉, or n where |U/U* − 1| ≤ .1
    /// ```
    ///
    /// - n: nodes that serve; U: mean utilization over the window; U*: `target`
    ///
    /// More nodes are asked for at once, and not again within a cooldown; fewer are kept when the most that was wanted
    /// during the other cooldown is fewer. Source: the Kubernetes documentation, *Horizontal Pod Autoscaling*.
    fn follow(&mut self, now_s: f64, around: &Around, scale: Autoscale, least: usize) {
        let end = self.busy.len() - 1;
        let window = (scale.window_s.max(1.0) as usize).min(end);
        let utilization = (self.busy[end] - self.busy[end - window]) / window as f64;
        let ratio = if self.serving == 0 { 1.0 / scale.target } else { utilization / scale.target };
        let close = (ratio - 1.0).abs() <= TOLERANCE;
        let wanted = if close { self.serving } else { (self.serving as f64 * ratio - 1e-9).ceil() as usize };
        let most = self.share(around, scale.most).max(least);
        let wanted = wanted.clamp(least, most);
        self.enough.retain(|(at_s, _)| *at_s > now_s - scale.cooldown_in_s);
        self.enough.push_back((now_s, wanted));
        let (here, peak) = (self.serving + self.asked.len(), self.enough.iter().map(|(_, n)| *n).max().unwrap_or(0));
        if wanted > here && now_s >= self.decided_s + scale.cooldown_out_s {
            self.decided_s = now_s;
            self.ask(now_s, around, wanted - here, scale.decision_s);
        } else if peak < self.serving && now_s >= scale.cooldown_in_s {
            self.end(self.serving - peak);
        }
    }

    fn end(&mut self, nodes: usize) {
        self.serving -= nodes;
    }

    fn ask(&mut self, now_s: f64, around: &Around, nodes: usize, decision_s: f64) {
        let provisioning: &Provisioning = &around.world.provisioning;
        let crowd = if nodes > 0 && around.world.course.is_crowded(now_s) { provisioning.crowded } else { 1.0 };
        for _ in 0..nodes.min(NODES_MAX) {
            let drawn = provisioning.draw(&mut self.random);
            let from_s = now_s + decision_s;
            let until_s = match drawn {
                // What is under way when the management plane goes down goes on when it is back.
                Some(takes_s) => {
                    let mut ready_s = from_s + takes_s * crowd;
                    for (down_s, up_s) in around.outages.iter().filter(|(down_s, _)| *down_s >= now_s) {
                        ready_s += if *down_s < ready_s { up_s - down_s } else { 0.0 };
                    }
                    ready_s + provisioning.after_s
                }
                None => from_s + provisioning.gives_up_s,
            };
            self.asked.push(Asked { until_s, comes: drawn.is_some() });
            self.next_s = self.next_s.min(until_s);
        }
        self.launched += nodes.min(NODES_MAX);
    }
}
