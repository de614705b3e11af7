//! Usable capacity of a node at the objective, of nodes, of tiers.
//!
//! The document says [`Question`]s, of which directories of campaigns are resolved by the shell; [`resolve`] makes
//! [`Tier`]s of them. What the data do not support is a sentence in [`Assumptions`], and then there is no supply.
//!
//! # Layout
//! - [`law`]: how much n nodes do beside one
//! - [`measured`]: capacity and demand over nodes without a law
//! - [`tested`]: usable capacity from tests
//! - [`utilization`]: limits from the utilization law
//! - [`queue`]: queues with closed forms

use nmax_text::number::plain;
use nmax_usl::{Dimension, Observation};

use crate::origin::{Assumptions, Basis, Figure};
use law::NodeLaw;
use tested::{Objective, Tested, TestedLevel};
use utilization::{Demands, Sighting};

pub mod law;
pub mod measured;
pub mod queue;
pub mod tested;
pub mod utilization;

#[cfg(test)]
mod tests;

/// What the document says of a tier.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Its name; `nodes` where there is one tier.
    pub name: String,
    /// Usable capacity of one of its nodes.
    pub usable: UsableQuestion,
    /// How capacity grows with nodes.
    pub nodes: NodesQuestion,
    /// Throughput of a node at saturation, per second, where it is stated.
    pub saturation_per_s: Option<f64>,
    /// Zones that its nodes are spread over.
    pub zones: u32,
    /// Most groups of nodes that can share nothing.
    pub groups: u32,
    /// Installed nodes.
    pub now: u32,
    /// Requests at this tier per request of a user.
    pub visits: f64,
    /// Price of a node, per hour.
    pub price_per_h: Option<f64>,
    /// What can be bought, in order.
    pub upgrades: Vec<Upgrade>,
}

/// Where the usable capacity of a node comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum UsableQuestion {
    /// Stated, per second.
    Stated(Figure),
    /// Tested levels.
    Levels(Vec<TestedLevel>),
    /// A directory of `nmax scale`, which the shell turns into levels.
    Campaign(String),
    /// Time of the busiest resource per request, s, and the share of it that may be used.
    Demand(Figure, f64),
    /// Utilizations of named resources over throughput, and the share of the busiest that may be used.
    Utilizations {
        /// Names of resources.
        names: Vec<String>,
        /// What was seen.
        sightings: Vec<Sighting>,
        /// Share of the busiest resource that may be used.
        target: f64,
        /// Think time of a user, s.
        think_s: f64,
    },
    /// A vendor's rating of the node per second, and what of it a request takes.
    Rating(f64, f64),
}

/// Where the law of nodes comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum NodesQuestion {
    /// Nothing is known.
    Unknown,
    /// Coefficients α and β, and the largest number of nodes that they were measured at.
    Stated(Figure, Figure, Option<f64>),
    /// Throughput over nodes, and what N counts.
    Table(Vec<Observation>, Dimension),
    /// A directory of `nmax scale`, which the shell turns into a table.
    Campaign(String),
}

/// Something that can be bought.
#[derive(Clone, Debug, PartialEq)]
pub struct Upgrade {
    /// What it is called.
    pub name: String,
    /// What it does.
    pub gain: Gain,
    /// How long it takes from the order to service, days.
    pub lead_days: f64,
    /// What it costs, once.
    pub price: Option<f64>,
}

/// What an upgrade does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gain {
    /// Capacity becomes this many times the one before.
    Times(f64),
    /// Nodes with this rating of a vendor in place of the present ones.
    Rating(f64),
    /// This many nodes are then there.
    Nodes(u32),
}

/// What the usable capacity of a node rests on.
#[derive(Clone, Debug, PartialEq)]
pub enum Evidence {
    /// It was stated.
    Stated,
    /// Tests.
    Tested(Tested),
    /// Demands, and the share of the busiest resource that may be used.
    Demands(Demands, f64),
    /// A vendor's rating per second, and what of it a request takes.
    Rating(f64, f64),
}

/// Nodes of one kind, behind one law.
#[derive(Clone, Debug, PartialEq)]
pub struct Tier {
    /// Its name; `nodes` where there is one tier.
    pub name: String,
    /// Usable capacity of one node at the objective, per second, in requests at this tier.
    pub usable: Figure,
    /// What it rests on.
    pub evidence: Evidence,
    /// Throughput of a node at saturation, per second, where it is known.
    pub saturation_per_s: Option<f64>,
    /// How much n nodes do beside one.
    pub law: NodeLaw,
    /// Zones that its nodes are spread over.
    pub zones: u32,
    /// Most groups of nodes that can share nothing.
    pub groups: u32,
    /// Installed nodes.
    pub now: u32,
    /// Requests at this tier per request of a user.
    pub visits: f64,
    /// Price of a node, per hour.
    pub price_per_h: Option<f64>,
    /// What can be bought, in order.
    pub upgrades: Vec<Upgrade>,
}

impl Tier {
    /// Usable capacity of `n` nodes, in requests of users per second: X·C(n)/visits.
    pub fn capacity(&self, n: u32, end: law::End) -> f64 {
        end.value(&self.usable) * self.law.capacity(n, end) / self.visits
    }
}

/// Tiers, each of which serves every request of a user; never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Supply {
    /// In the order of the document.
    pub tiers: Vec<Tier>,
}

impl Supply {
    /// Nodes installed of each tier.
    pub fn installed(&self) -> Vec<u32> {
        self.tiers.iter().map(|tier| tier.now).collect()
    }
}

/// Makes tiers of what the document says. `None` when the usable capacity or the law of one is not supported; the
/// reasons, and everything that the answer rests on, are in `about`.
pub fn resolve(questions: &[Question], objective: Option<&Objective>, about: &mut Assumptions) -> Option<Supply> {
    let tiers: Vec<Option<Tier>> = questions.iter().map(|one| tier(one, objective, about)).collect();
    let tiers: Vec<Tier> = tiers.into_iter().collect::<Option<_>>()?;
    (!tiers.is_empty()).then_some(Supply { tiers })
}

fn tier(question: &Question, objective: Option<&Objective>, about: &mut Assumptions) -> Option<Tier> {
    let Question { name, zones, groups, now, visits, price_per_h, ref upgrades, .. } = question.clone();
    let usable = usable(question, objective, about);
    let law = law(question, about);
    let ((usable, evidence), law) = usable.zip(law)?;
    let demands = match &evidence {
        Evidence::Demands(demands, _) => Some(demands.ceiling_per_s()),
        _ => None,
    };
    about.rest_on(format!("usable capacity of a node ({name})"), rate(&usable), usable.basis, how(&evidence));
    let coefficients = format!("α {}, β {}", shown(&law.contention), shown(&law.coherency));
    let note = match law.tested {
        Some(tested) => format!("measured up to {} nodes", plain(tested)),
        None => "not measured".into(),
    };
    about.rest_on(format!("law of nodes ({name})"), coefficients, law.basis(), note);
    about.rest_on(format!("zones ({name})"), zones.to_string(), Basis::Assumed, "");
    if visits != 1.0 {
        about.rest_on(format!("requests at {name} per request of a user"), plain(visits), Basis::Assumed, "");
    }
    let saturation_per_s = question.saturation_per_s.or(demands);
    Some(Tier {
        name,
        usable,
        evidence,
        saturation_per_s,
        law,
        zones,
        groups,
        now,
        visits,
        price_per_h,
        upgrades: upgrades.clone(),
    })
}

fn shown(figure: &Figure) -> String {
    match figure.interval {
        Some((low, high)) => format!("{} ({} to {})", plain(figure.value), plain(low), plain(high)),
        None => plain(figure.value),
    }
}

fn rate(figure: &Figure) -> String {
    format!("{}/s", shown(figure))
}

fn how(evidence: &Evidence) -> String {
    match evidence {
        Evidence::Stated => String::new(),
        Evidence::Tested(_) => "largest load that met the objective, as all lower ones did".into(),
        Evidence::Demands(demands, target) => {
            let of = demands.bottleneck();
            format!("{} of {}, {} ms a request", percent(*target), of.name, plain(of.demand_s * 1e3))
        }
        Evidence::Rating(rating, per_request) => {
            format!("a rating of {}/s, {} of it a request", plain(*rating), plain(*per_request))
        }
    }
}

fn percent(share: f64) -> String {
    format!("{} %", plain(100.0 * share))
}

/// Usable capacity of a node and what it rests on.
fn usable(question: &Question, objective: Option<&Objective>, about: &mut Assumptions) -> Option<(Figure, Evidence)> {
    let name = &question.name;
    let of_demand = |demands: Demands, target: f64, basis| {
        let of = demands.bottleneck();
        let (least, most) = of.range_s;
        let interval = (least < most).then_some((target / most, target / least));
        (Figure { value: target / of.demand_s, interval, basis }, Evidence::Demands(demands, target))
    };
    let (what, command) = match &question.usable {
        UsableQuestion::Stated(figure) => {
            return Some((*figure, Evidence::Stated)).inspect(|_| measure_node(name, about));
        }
        UsableQuestion::Rating(rating, per_request) => {
            measure_node(name, about);
            let figure = Figure { value: rating / per_request, interval: None, basis: Basis::Vendor };
            return Some((figure, Evidence::Rating(*rating, *per_request)));
        }
        UsableQuestion::Demand(demand, target) => {
            measure_node(name, about);
            let range_s = (demand.low(), demand.high());
            let resource =
                utilization::Resource { name: "the busiest resource".into(), demand_s: demand.value, range_s };
            return Some(of_demand(Demands { resources: vec![resource], think_s: 0.0 }, *target, demand.basis));
        }
        UsableQuestion::Utilizations { names, sightings, target, think_s } => {
            match Demands::from_sightings(names, sightings, *think_s) {
                Some(demands) => {
                    for one in demands.resources.iter().filter(|one| one.drifts()) {
                        about.unsupported.push(format!(
                            "A constant demand of {} at {name}: not supported by these data, because it was {} to {} ms a \
                             request over the levels. Contention, a cache or a frequency changes it.",
                            one.name,
                            plain(one.range_s.0 * 1e3),
                            plain(one.range_s.1 * 1e3)
                        ));
                    }
                    return Some(of_demand(demands, *target, Basis::Measured));
                }
                None => (
                    "no resource was busy at any throughput above 0".to_owned(),
                    "nmax scale plan.yaml --axis rate --observe agent=HOST".to_owned(),
                ),
            }
        }
        UsableQuestion::Levels(levels) => {
            let Some(objective) = objective else {
                let why = format!(
                    "Usable capacity of {name}: not supported by these data, because the document has no objective."
                );
                about.unsupported.push(why);
                return None;
            };
            let tested = tested::judge(levels, objective);
            if let Some(next) = tested.next_per_s {
                let why = match (tested.pass_per_s, tested.fail_per_s) {
                    (Some(_), Some(_)) => format!("Narrow the usable capacity of {name} to 5 %"),
                    (Some(_), None) => format!("Find the load at which {name} misses its objective"),
                    _ => format!("Find a load at which {name} meets its objective"),
                };
                about
                    .next
                    .push((why, format!("nmax scale plan.yaml --axis rate={}", nmax_text::number::trimmed(next, 3))));
            }
            if let Some(pass) = tested.pass_per_s {
                let interval = Some((pass, tested.fail_per_s.unwrap_or(pass)));
                return Some((Figure { value: pass, interval, basis: Basis::Measured }, Evidence::Tested(tested)));
            }
            let why = tested.levels.first().map_or("no level was tested".to_owned(), |level| {
                format!(
                    "the lowest load, {}/s, does not show the objective as met: {}",
                    plain(level.load_per_s),
                    level.why
                )
            });
            about.unsupported.push(format!("Usable capacity of {name}: not supported by these data, because {why}."));
            return None;
        }
        UsableQuestion::Campaign(directory) => {
            (format!("the campaign {directory} was not read"), "nmax scale plan.yaml --axis rate".to_owned())
        }
    };
    about.unsupported.push(format!("Usable capacity of {name}: not supported by these data, because {what}."));
    about.next.push((format!("Measure a node of {name}"), command));
    None
}

/// Asks for a measurement of a node whose capacity was only stated.
fn measure_node(name: &str, about: &mut Assumptions) {
    let why = format!("Measure the usable capacity of a node ({name}) in place of a stated one");
    about.next.push((why, "nmax scale plan.yaml --axis rate".into()));
}

/// The law of nodes of a tier.
fn law(question: &Question, about: &mut Assumptions) -> Option<NodeLaw> {
    let name = &question.name;
    let command = "nmax scale plan.yaml --axis nodes=1,2,4,8 --axis rate --apply './nodes {nodes}' --allow-exec";
    let ask = |about: &mut Assumptions| {
        about.next.push((format!("Measure how {name} grows with nodes"), command.to_owned()));
    };
    let why = match &question.nodes {
        NodesQuestion::Stated(contention, coherency, tested) => {
            if tested.is_none() {
                ask(about);
            }
            return Some(NodeLaw::stated(*contention, *coherency, *tested));
        }
        NodesQuestion::Unknown => {
            ask(about);
            let vendor = matches!(question.usable, UsableQuestion::Rating(..));
            let mut law = NodeLaw::assumed();
            if vendor {
                law.contention.basis = Basis::Vendor;
            }
            return Some(law);
        }
        NodesQuestion::Table(observations, dimension) => match NodeLaw::fitted(observations, *dimension, name, about) {
            Ok(law) => return Some(law),
            Err(why) => {
                let rows = measured::capacities(observations);
                let rows: Vec<String> =
                    rows.iter().map(|(n, x)| format!("{} did {}/s", plain(*n), plain(*x))).collect();
                format!("{}. What was measured: {}", why.trim_end_matches('.'), rows.join(", "))
            }
        },
        NodesQuestion::Campaign(directory) => format!("the campaign {directory} was not read"),
    };
    ask(about);
    about.unsupported.push(format!(
        "A law of nodes for {name}: not supported by these data, because {}.",
        why.trim_end_matches('.')
    ));
    None
}
