//! Whose time it is, where resources contain each other.
//!
//! Little's law gives each resource the mean number of requests in it. These numbers overlap: who waits for a pool waits
//! for its holders, and they are at a disk. So that the budget adds up, time is charged to the innermost resource that is
//! watched, and never more than there are requests in the system:
//! 1. The waiters of a pool or lock are nowhere else.
//! 2. Leaves (processors, disks, the way, collections) have what is in them for sure: that of observed processes.
//! 3. Outer ones (replies on their way, databases, dependencies) get at most what is then left.
//! 4. Leaves of hosts of which no process is observed come then: what is in them may be another's.
//! 5. The waiters of a pool or lock wait for what its holders do: they are charged to that, where it is short itself, and
//!    else to the pool or lock.
//!
//! Processors that others than the observed processes use are charged to nobody.

use std::collections::BTreeMap;

use super::measured::{Measured, Role};
use super::system::System;
use super::{Kind, Resource};

/// What is lent must mostly be in a resource for the holders to be there.
const INSIDE_SHARE_MIN: f64 = 0.8;
/// As many times what can be lent may be in a resource whose users come through the lender.
const INSIDE_MAX: f64 = 1.2;

/// What a resource is charged, requests.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Charge {
    pub(super) service: f64,
    pub(super) waiting: f64,
    /// What was measured in it and is charged to others.
    pub(super) moved: f64,
    /// To whom most of it went.
    pub(super) moved_to: Option<Resource>,
    /// Waiters of a lender that nobody can be charged for: what its holders do is not watched.
    pub(super) open: f64,
    /// Share of what it lends with which nothing is done that is watched, where something may be that is not.
    pub(super) unknown: f64,
}

impl Charge {
    pub(super) fn number(&self) -> f64 {
        self.service + self.waiting
    }
}

/// What may be behind the holders of a lender although nobody watches it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unwatched {
    /// Processors, memory or disks of the system.
    pub(super) host: bool,
    /// Neither a dependency nor a database.
    pub(super) services: bool,
    /// One of these two, or the host.
    pub(super) any: bool,
}

/// Charges all resources, in their order. O(resources²).
pub(super) fn charge(all: &[Measured], system: &System, unwatched: Unwatched) -> Vec<Charge> {
    let waiters = all.iter().filter(|one| held(one).is_some()).map(|one| one.waiting);
    let mut rest = (system.in_flight() - waiters.sum::<f64>()).max(0.0);
    let mut charges = vec![Charge::default(); all.len()];
    leaves(all, &mut charges, true, &mut rest);
    for kind in [Kind::Network, Kind::Database, Kind::Dependency] {
        for (one, charge) in all.iter().zip(&mut charges).filter(|(one, _)| one.resource.kind == kind) {
            outer(one, all, charge, &mut rest);
        }
    }
    leaves(all, &mut charges, false, &mut rest);
    let mut lenders: Vec<usize> = (0..all.len()).filter(|place| held(&all[*place]).is_some()).collect();
    let size = |place: usize| all[place].waiting + held(&all[place]).unwrap_or(0.0);
    lenders.sort_by(|a, b| size(*a).total_cmp(&size(*b)));
    let mut known: BTreeMap<usize, Holders> = BTreeMap::new();
    let own = charges.clone();
    for place in lenders {
        let found = holders(all, &own, place, &known, unwatched);
        lend(all, &mut charges, place, &found, &mut rest);
        known.insert(place, found);
    }
    charges
}

/// Mean number that is lent; `None` of what is no lender.
fn held(one: &Measured) -> Option<f64> {
    match one.role {
        Role::Lender { held } if one.is_counted && !one.is_blind() => Some(held),
        _ => None,
    }
}

fn is_leaf(one: &Measured) -> bool {
    one.role == Role::Leaf && one.is_counted && !one.is_blind()
}

/// What the leaves have in them that are sure, or those that are not, as far as requests are left. Of the way only what
/// nobody else can be busy with: not the replies that come in.
fn leaves(all: &[Measured], charges: &mut [Charge], is_sure: bool, rest: &mut f64) {
    let waiting = |one: &Measured| {
        if one.resource.kind == Kind::Network { 0.0 } else { one.waiting }
    };
    let is_meant = |one: &Measured| is_leaf(one) && one.is_sure == is_sure;
    let meant = all.iter().filter(|one| is_meant(one));
    let sum: f64 = meant.map(|one| one.service + waiting(one)).sum();
    let part = (*rest / sum.max(f64::MIN_POSITIVE)).min(1.0);
    for (one, charge) in all.iter().zip(charges).filter(|(one, _)| is_meant(one)) {
        charge.service = part * one.service;
        charge.waiting = part * waiting(one);
        charge.moved = one.contained;
    }
    *rest -= part * sum;
}

/// What an outer resource has in it, of the requests that are nowhere else.
fn outer(one: &Measured, all: &[Measured], charge: &mut Charge, rest: &mut f64) {
    if !one.is_counted || one.is_blind() {
        return;
    }
    let is_way = one.resource.kind == Kind::Network;
    let waiting = one.waiting.min(*rest);
    let service = if is_way { 0.0 } else { one.service.min(*rest - waiting) };
    charge.waiting += waiting;
    charge.service += service;
    charge.moved = one.contained + one.waiting - waiting + if is_way { 0.0 } else { one.service - service };
    *rest = (*rest - waiting - service).max(0.0);
    charge.moved_to = largest(all, one);
}

/// The fullest leaf beside it.
fn largest(all: &[Measured], one: &Measured) -> Option<Resource> {
    let leaves = all.iter().filter(|other| other.role == Role::Leaf && other.resource != one.resource);
    let fullest = leaves.max_by(|a, b| a.number().total_cmp(&b.number()));
    fullest.map(|other| other.resource.clone())
}

/// What the holders of a lender do.
struct Holders {
    /// Whose fault their time is, as shares of what is lent, together 1: another resource's, the lender's own (its place),
    /// or not known.
    whose: Vec<(Option<usize>, f64)>,
    /// Share in which they do nothing that is watched, and all that may be behind it is: the lender's own time.
    idle: f64,
    /// As [`Charge::unknown`].
    unknown: f64,
}

/// What the holders of the lender at `place` do; `known` has the lenders that may be inside it.
///
/// Readings do not say what is inside what. A resource is taken to be what the holders do when the number in it is most of
/// what is lent, and not more than can be lent; several that come to it together are chance more often than not.
fn holders(
    all: &[Measured],
    own: &[Charge],
    place: usize,
    known: &BTreeMap<usize, Holders>,
    unwatched: Unwatched,
) -> Holders {
    let lent = held(&all[place]).unwrap_or(0.0);
    let most = all[place].servers.map_or(lent, |(_, servers)| servers.max(lent));
    let groups = groups(all, own, place, known);
    let fits = |number: f64| number >= INSIDE_SHARE_MIN * lent && number <= INSIDE_MAX * most && lent > 0.0;
    let size = |group: &[(Option<usize>, f64)]| group.iter().map(|(_, number)| number).sum::<f64>();
    let explains = groups.iter().filter(|group| fits(size(group)));
    let watched: f64 = own.iter().map(Charge::number).sum();
    // A lender with room for all holds nobody up, whatever is done with what it lends.
    let is_short = all[place].is_pressed && lent > 0.0;
    let nothing = if lent > 0.0 { (1.0 - watched / lent).max(0.0) } else { 0.0 };
    let unknown = if unwatched.any { nothing } else { 0.0 };
    let left = if is_short && !unwatched.any { nothing } else { 0.0 };
    if let Some(group) = explains.max_by(|a, b| size(a).total_cmp(&size(b))) {
        let scale = 1.0 / size(group).max(lent);
        let mut whose: Vec<_> = group.iter().map(|(whose, number)| (*whose, number * scale)).collect();
        whose.push((Some(place), 1.0 - size(group) * scale));
        return Holders { whose, idle: left, unknown: 0.0 };
    }
    let is_pool = all[place].resource.kind == Kind::Pool;
    let is_open = unwatched.host || (is_pool && unwatched.services);
    Holders { whose: vec![((!is_open).then_some(place), 1.0)], idle: left, unknown }
}

/// What may be inside a lender: each resource that is more than idle, each database with its part of processors and disks,
/// each lender that is known. Of each whose time it is, and how many are there.
fn groups(
    all: &[Measured],
    own: &[Charge],
    place: usize,
    known: &BTreeMap<usize, Holders>,
) -> Vec<Vec<(Option<usize>, f64)>> {
    // What has room is not what its users wait for: there are too few that may use it.
    let whose = |other: usize| Some(if all[other].has_room { place } else { other });
    let mut groups = Vec::new();
    let is_meant = |one: &Measured| held(one).is_none() && (one.is_pressed || one.has_room);
    for (other, charge) in own.iter().enumerate().filter(|(other, _)| is_meant(&all[*other])) {
        let mut group = vec![(whose(other), charge.number())];
        let one = &all[other];
        if one.resource.kind == Kind::Database && one.contained > 0.0 {
            let of_host = (0..all.len()).filter(|leaf| {
                let leaf = &all[*leaf].resource;
                leaf.host == one.resource.host && matches!(leaf.kind, Kind::Cpu | Kind::Disk | Kind::Memory)
            });
            let leaves: Vec<(usize, f64)> = of_host.map(|leaf| (leaf, own[leaf].number())).collect();
            let sum: f64 = leaves.iter().map(|(_, number)| number).sum();
            let part = |(leaf, number): &(usize, f64)| (whose(*leaf), one.contained * number / sum);
            group.extend(leaves.iter().filter(|_| sum > 0.0).map(part));
        }
        groups.push(group);
    }
    for (other, inner) in known.iter().filter(|(other, _)| all[**other].is_pressed) {
        let size = all[*other].waiting + held(&all[*other]).unwrap_or(0.0);
        groups.push(inner.whose.iter().map(|(whose, share)| (*whose, share * size)).collect());
    }
    groups
}

/// Charges the waiters of a lender, and the time in which what it lends was held for nothing that is watched.
fn lend(all: &[Measured], charges: &mut [Charge], place: usize, found: &Holders, rest: &mut f64) {
    let waiting = all[place].waiting;
    let mut most: Option<(usize, f64)> = None;
    for (whose, share) in &found.whose {
        let number = share * waiting;
        match whose {
            Some(whose) => charges[*whose].waiting += number,
            None => charges[place].open += number,
        }
        let Some(whose) = whose.filter(|whose| *whose != place) else {
            continue;
        };
        charges[place].moved += number;
        if most.is_none_or(|(_, largest)| number > largest) {
            most = Some((whose, number));
        }
    }
    charges[place].moved_to = most.map(|(whose, _)| all[whose].resource.clone());
    let idle = (found.idle * held(&all[place]).unwrap_or(0.0)).min(rest.max(0.0));
    charges[place].service += idle;
    charges[place].unknown = found.unknown;
    *rest -= idle;
}
