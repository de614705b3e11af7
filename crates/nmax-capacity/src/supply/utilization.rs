//! Limits from the utilization law: U = X·D, so no throughput is above 1/D of the busiest resource.
//!
//! Demands are seconds of a resource per request, utilizations shares averaged over the servers of a resource.

#[cfg(test)]
mod tests;

/// Change of a demand over levels, from the smallest to the largest, above which it is called drifting.
const DRIFT_MAX: f64 = 0.10;

/// Utilizations that were seen at a throughput.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// Throughput X, per second.
    pub throughput_per_s: f64,
    /// U of each resource, in the order of their names.
    pub utilizations: Vec<f64>,
}

/// A resource and what a request asks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Its name.
    pub name: String,
    /// D = U/X, the mean over levels weighted by X, seconds.
    pub demand_s: f64,
    /// Smallest and largest D over levels, seconds.
    pub range_s: (f64, f64),
}

impl Resource {
    /// Whether D changes with load: contention, a cache or a frequency, and not a queue alone.
    pub fn drifts(&self) -> bool {
        self.range_s.1 / self.range_s.0 - 1.0 > DRIFT_MAX
    }
}

/// Demands of a system, and the bounds that follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Demands {
    /// Resources, the largest demand first; never empty.
    pub resources: Vec<Resource>,
    /// Think time Z of a user, seconds.
    pub think_s: f64,
}

impl Demands {
    /// From what was seen: D = ΣU/ΣX. `None` without a resource or a throughput above 0.
    pub fn from_sightings(names: &[String], sightings: &[Sighting], think_s: f64) -> Option<Self> {
        let total: f64 = sightings.iter().map(|one| one.throughput_per_s).sum();
        let of = |(index, name): (usize, &String)| {
            let each = sightings.iter().map(|one| one.utilizations[index] / one.throughput_per_s);
            let range_s =
                each.fold((f64::INFINITY, 0.0), |(low, high), demand: f64| (demand.min(low), demand.max(high)));
            let busy: f64 = sightings.iter().map(|one| one.utilizations[index]).sum();
            Resource { name: name.clone(), demand_s: busy / total, range_s }
        };
        let mut resources: Vec<Resource> = names.iter().enumerate().map(of).collect();
        resources.sort_by(|a, b| b.demand_s.total_cmp(&a.demand_s));
        let is_usable = total > 0.0 && resources.first().is_some_and(|first| first.demand_s > 0.0);
        is_usable.then_some(Self { resources, think_s })
    }

    /// The resource with the largest demand: the next bottleneck.
    pub fn bottleneck(&self) -> &Resource {
        &self.resources[0]
    }

    /// ΣD, seconds.
    pub fn total_s(&self) -> f64 {
        self.resources.iter().map(|one| one.demand_s).sum()
    }

    /// 1/D_max: no throughput is above it, per second.
    pub fn ceiling_per_s(&self) -> f64 {
        1.0 / self.bottleneck().demand_s
    }

    /// N* = (ΣD + Z)/D_max: the number of users where the two bounds of throughput cross.
    pub fn crossing_users(&self) -> f64 {
        (self.total_s() + self.think_s) / self.bottleneck().demand_s
    }

    /// X ≤ min(N/(ΣD + Z), 1/D_max), per second.
    pub fn throughput_max(&self, users: f64) -> f64 {
        (users / (self.total_s() + self.think_s)).min(self.ceiling_per_s())
    }

    /// R ≥ max(ΣD, N·D_max − Z), seconds.
    pub fn response_min_s(&self, users: f64) -> f64 {
        (users * self.bottleneck().demand_s - self.think_s).max(self.total_s())
    }
}
