//! Whole answers: the parts of a document held against each other.

use nmax_usl::Usl;

use crate::cost::sensitivity::{self, Influence};
use crate::cost::vertical::{self, Comparison};
use crate::cost::{self, Bill};
use crate::day::study::Study;
use crate::day::{self, Given};
use crate::demand::forecast::{Ahead, Change, Forecast, forecast};
use crate::document::Document;
use crate::origin::{Assumptions, Basis, Figure};
use crate::plan::date::{self, Dates};
use crate::plan::headroom::{self, Headroom, Target};
use crate::plan::nodes::{self, Needed, Survive, needed};
use crate::plan::path::{self, Path};
use crate::supply::law::End;
use crate::supply::{self, Supply};

/// What `nmax capacity plan` answers; a part that the document says nothing about is absent.
#[derive(Debug)]
pub struct Planned<'a> {
    /// What was asked.
    pub document: &'a Document,
    /// What the nodes do.
    pub supply: Option<Supply>,
    /// How much will be asked for.
    pub forecast: Option<Forecast>,
    /// What the installed nodes do for users at the objective after the loss that is survived, per second.
    pub capacity: Option<Figure>,
    /// Index of the tier that limits it.
    pub binds: usize,
    /// When demand with its margin meets it.
    pub dates: Option<Dates>,
    /// Largest load that nodes are planned for, before the margin, per second.
    pub load_per_s: Option<f64>,
    /// Nodes for it, by what is survived: nothing, a zone, two nodes; a row for each tier.
    pub needed: Vec<(Survive, Vec<Needed>)>,
    /// What the installed nodes have above the demand of today.
    pub headroom: Option<Headroom>,
    /// The largest safe target of an autoscaler.
    pub target: Option<Target>,
    /// Upgrades in the weeks that need them.
    pub path: Option<Path>,
    /// What an hour costs: the nodes that are there, and those that are chosen, at the load of the peak.
    pub bills: Option<(Bill, Option<Bill>)>,
    /// Which input moves the number of nodes, or their price, most.
    pub influences: Vec<Influence>,
    /// More nodes against larger ones.
    pub vertical: Option<Comparison>,
    /// What all of it rests on.
    pub about: Assumptions,
}

impl Planned<'_> {
    /// Nodes of each tier for the loss that the plan survives.
    pub fn chosen(&self) -> &[Needed] {
        let survive = self.document.plan.survive;
        self.needed.iter().find(|(of, _)| *of == survive).map_or(&[], |(_, needed)| needed)
    }

    /// Whether the data bear an answer at all.
    pub fn is_supported(&self) -> bool {
        self.supply.is_some()
            && self.forecast.is_some()
            && self.chosen().iter().all(|one| one.pessimistic.nodes().is_some())
    }
}

/// Answers what to buy, when, and with what headroom.
pub fn plan(document: &Document) -> Planned<'_> {
    let mut about = Assumptions::default();
    let plan = &document.plan;
    let supply = supply::resolve(&document.supply, document.limits.as_ref(), &mut about);
    if document.supply.is_empty() {
        about.unsupported.push("What the nodes do is not known, because the document has no `supply`.".into());
    }
    let single = supply.iter().flat_map(|supply| &supply.tiers).find(|tier| tier.zones < 2);
    if let Some(tier) = single.filter(|_| plan.survive == Survive::Zone) {
        about.unsupported.push(format!(
            "The loss of a zone is not supported by these data, because {} has a single zone, which does not survive it; write \
             `survive: none` or more `zones`.",
            tier.name
        ));
    }
    let forecast = demand(document, &mut about);
    let load_per_s = forecast.as_ref().map(Forecast::peak);
    let capacity = supply.as_ref().map(|supply| {
        let installed = supply.installed();
        let figure = nodes::capacity_figure(supply, &installed, plan.survive);
        (figure, nodes::capacity(supply, &installed, plan.survive, End::Estimate).binds)
    });
    let dates = forecast.as_ref().zip(capacity).map(|(forecast, (capacity, _))| {
        let less = |value: f64| value / (1.0 + plan.margin);
        let usable = Figure {
            value: less(capacity.value),
            interval: capacity.interval.map(|(low, high)| (less(low), less(high))),
            basis: capacity.basis,
        };
        date::dates(forecast, &date::Supply::Figure(usable), plan.lead_days)
    });
    let needed: Vec<(Survive, Vec<Needed>)> =
        supply.as_ref().zip(load_per_s).map_or_else(Vec::new, |(supply, load)| {
            Survive::ALL.into_iter().map(|survive| (survive, needed(supply, load, plan.margin, survive))).collect()
        });
    let chosen = needed.iter().find(|(survive, _)| *survive == plan.survive);
    chosen.into_iter().flat_map(|(_, needed)| needed).for_each(|one| one.judge(&mut about));
    let headroom = headroom_now(document, forecast.as_ref(), capacity.map(|(capacity, _)| capacity.value));
    if let Some(actuation) = &plan.actuation {
        headroom::judge(actuation, &mut about);
    }
    let target = headroom.zip(supply.as_ref()).zip(plan.surges.doubling_s).map(|((headroom, supply), doubling_s)| {
        let tier = &supply.tiers[capacity.map_or(0, |(_, binds)| binds)];
        Target {
            usable: tier.saturation_per_s.map_or(1.0, |saturation| tier.usable.value / saturation),
            survivors: headroom::survivors(plan.survive, tier.zones, tier.now),
            flash: headroom.doubling(doubling_s).needed.recip(),
        }
    });
    let path = forecast.as_ref().zip(supply.as_ref());
    let path = path.and_then(|(forecast, supply)| path::path(forecast, supply, plan.survive, plan.margin));
    let prices = document.prices.unwrap_or_default();
    if let Some(supply) = &supply {
        cost::study::judge(supply, &prices, &document.currency, &mut about);
    }
    let bills = supply.as_ref().zip(load_per_s).and_then(|(supply, load)| {
        let chosen = chosen.and_then(|(_, needed)| needed.iter().map(|one| one.pessimistic.nodes()).collect());
        let of = |nodes: &[u32]| cost::bill(supply, &prices, nodes, load);
        Some((of(&supply.installed())?, chosen.and_then(|nodes: Vec<u32>| of(&nodes))))
    });
    let influences = supply.as_ref().zip(forecast.as_ref()).map_or_else(Vec::new, |(supply, forecast)| {
        let basis = forecast.series.as_ref().map_or(Basis::Assumed, |series| series.basis);
        let load = Figure { value: forecast.peak(), interval: Some(forecast.peak_range()), basis };
        sensitivity::of_nodes(supply, document.prices.as_ref(), load, plan.margin, plan.survive)
    });
    let vertical = vertical(document, supply.as_ref(), capacity.map_or(0, |(_, binds)| binds), &mut about);
    stated(document, &mut about);
    Planned {
        document,
        supply,
        forecast,
        capacity: capacity.map(|(capacity, _)| capacity),
        binds: capacity.map_or(0, |(_, binds)| binds),
        dates,
        load_per_s,
        needed,
        headroom,
        target,
        path,
        bills,
        influences,
        vertical,
        about,
    }
}

/// More nodes of the tier that binds against larger ones.
fn vertical(document: &Document, supply: Option<&Supply>, binds: usize, about: &mut Assumptions) -> Option<Comparison> {
    let larger = document.vertical.as_ref()?;
    let tier = supply?.tiers.get(binds)?;
    let price = document.prices.unwrap_or_default().node(tier);
    let compared = price
        .ok_or_else(|| format!("`{}` has no price", tier.name))
        .and_then(|price| vertical::compare(tier, price, document.plan.survive, larger, document.seed));
    compared
        .map_err(|why| about.unsupported.push(format!("Larger nodes are not supported by these data, because {why}.")))
        .ok()
}

/// What `nmax capacity day` answers.
#[derive(Debug)]
pub struct Simulated<'a> {
    /// What was asked.
    pub document: &'a Document,
    /// The day, or what is missing, as a sentence.
    pub study: Result<Study, String>,
    /// What it rests on.
    pub about: Assumptions,
}

/// Simulates the day of a document.
pub fn day(document: &Document) -> Simulated<'_> {
    let mut about = Assumptions::default();
    let given = given(document, &mut about);
    let setting = document.day.as_ref().ok_or("the document has no `day`; write `day: {}` for a plain one");
    let study = setting.map_err(str::to_owned).and_then(|setting| {
        let study = day::study::study(setting, &given, document.seed)?;
        study.assume(setting, &mut about);
        Ok(study)
    });
    if let Err(why) = &study {
        about.unsupported.push(format!("A day is not supported by these data, because {why}."));
    }
    stated(document, &mut about);
    Simulated { document, study, about }
}

/// The forecast of the document; why there is none is told.
fn demand(document: &Document, about: &mut Assumptions) -> Option<Forecast> {
    let Some(demand) = &document.demand else {
        about.unsupported.push("What will be asked for is not known, because the document has no `demand`.".into());
        let command = "demand: { log: [access.log] }";
        about.next.push(("Count the requests of each day in the access logs of the servers".into(), command.into()));
        return None;
    };
    let assume = &document.assume;
    let ahead = Ahead {
        weeks: document.plan.weeks,
        today: document.plan.today,
        seed: document.seed,
        change: Change { factor: assume.demand, growth_per_week: assume.growth_per_week },
    };
    match forecast(demand, &ahead, about) {
        Ok(forecast) => Some(forecast),
        Err(why) => {
            about.unsupported.push(format!("A forecast is not supported by these data, because {why}."));
            None
        }
    }
}

fn headroom_now(document: &Document, forecast: Option<&Forecast>, capacity_per_s: Option<f64>) -> Option<Headroom> {
    let actuation_s = document.plan.actuation.as_ref()?.total_s();
    Some(Headroom { actuation_s, capacity_per_s: capacity_per_s?, load_per_s: forecast?.now() })
}

/// What the person who asks states beside all of that.
fn stated(document: &Document, about: &mut Assumptions) {
    let assume = &document.assume;
    let mut of = |what: &str, value: String| about.rest_on(what, value, Basis::Assumed, "");
    if document.plan.margin > 0.0 {
        of("margin above the forecast peak", format!("{:.0} %", 100.0 * document.plan.margin));
    }
    of("what nodes survive", document.plan.survive.phrase().into());
    if assume.growth_per_week != 0.0 {
        of("growth on top of the forecast", format!("{:.2} % per week", 100.0 * assume.growth_per_week));
    }
    for (what, factor) in [("demand", assume.demand), ("delays and lead times", assume.lag), ("prices", assume.price)] {
        if factor != 1.0 {
            of(what, format!("{factor} times what is stated"));
        }
    }
}

/// What the other parts of a document know about a day.
fn given(document: &Document, about: &mut Assumptions) -> Given {
    let supply = supply::resolve(&document.supply, document.limits.as_ref(), about);
    let tier = supply.as_ref().map(|supply| {
        let binds = nodes::capacity(supply, &supply.installed(), Survive::None, End::Estimate).binds;
        &supply.tiers[binds]
    });
    let prices = document.prices.unwrap_or_default();
    Given {
        usable_per_s: tier.map(|tier| tier.usable.value / tier.visits),
        saturation_per_s: tier.and_then(|tier| tier.saturation_per_s).zip(tier).map(|(rate, tier)| rate / tier.visits),
        service_s: None,
        law: tier.map(|tier| Usl {
            contention: tier.law.contention.value,
            coherency: tier.law.coherency.value,
            unit_throughput: 1.0,
        }),
        zones: tier.map(|tier| tier.zones as usize),
        nodes: tier.map(|tier| tier.now as usize),
        peak_per_s: document.demand.as_ref().and_then(|_| demand(document, about)).map(|forecast| forecast.now()),
        objective: document
            .limits
            .map(|limits| day::Objective { limit_s: limits.limit_ms / 1e3, share: limits.quantile }),
        prices: day::Prices {
            node_hour: tier.and_then(|tier| tier.price_per_h).or(prices.node_per_h).unwrap_or_default(),
            request: prices.request,
            answer: prices.gigabyte * prices.response_bytes as f64 / 1e9,
            hour_out: prices.hour_out_of_slo.unwrap_or_default(),
        },
    }
}

#[cfg(test)]
mod tests;
