//! Pages of metrics in the formats of Prometheus and OpenMetrics.
//!
//! Metrics of well-known exporters and libraries, and those that a plan names, become resources of the vocabulary
//! (`disk sda`, `pool orders`). All others are kept under their own names: counters as rates, histograms and summaries as
//! rate and mean. Rates begin with the second page.
//!
//! # Layout
//! - [`text`]: the formats
//! - [`page`]: samples with what they grew by, and figures made of them
//! - [`conventions`]: which metrics are which figures
//! - [`room`]: how many resources of a page are kept

mod conventions;
mod page;
mod room;
mod text;

use std::collections::{BTreeMap, HashMap, HashSet};

use nmax_metrics::Nanos;
use nmax_plan::plan::{MappedKind, MappedResource};
use nmax_sources::{Figure, Kind, Unit};

use crate::fetch::{Fetched, Fetcher};
use crate::rates::Rates;
use crate::{Reading, Source, Trouble};

use conventions::{About, CONVENTIONS, EXPORTERS, HOST_EXPORTERS, Name};
use page::{Formula, Samples, Selector};
use room::Room;
use text::{Format, Role, Sample, parse};

/// Most series of a page that are kept under their own names.
const SERIES_MAX: usize = 500;
/// Kinds of resources that are parts of programs, of which a host has many.
const KINDS_OF_PROGRAMS: [&str; 3] = ["pool", "lock", "dependency"];
/// Longest name of a series with its labels.
const ID_BYTES_MAX: usize = 300;
/// Both formats, the stricter one first.
const ACCEPT: &str = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";

/// What else is read of the host of a page. No figure is made of two sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    /// The host is read itself, by this program or by an agent: what a page says of it is left out.
    pub(crate) is_host_read: bool,
    /// It has another page: pools, locks and dependencies, which are called alike in many programs, are called after the
    /// source too.
    pub(crate) has_other_page: bool,
}

/// A page of metrics at `url`, called `name` in results. `resources` are those of the plan.
pub(crate) fn source(
    url: &str,
    token: Option<&str>,
    name: &str,
    resources: &[MappedResource],
    neighbours: Neighbours,
) -> Box<dyn Source> {
    Box::new(Exporter { fetcher: Fetcher::new(url, ACCEPT, token), digest: Digest::new(name, resources, neighbours) })
}

struct Exporter {
    fetcher: Fetcher,
    digest: Digest,
}

impl Source for Exporter {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        if let Some(wrong) = self.digest.wrong.first() {
            return Err(Trouble::lasting(wrong));
        }
        let page = self.fetcher.fetch()?;
        self.digest.read(now, self.fetcher.shown(), &page)
    }

    fn is_of_a_moment(&self) -> bool {
        true
    }

    fn about(&self) -> Option<String> {
        let series = self.digest.series;
        (series > 0).then(|| format!("a page of {series} series"))
    }

    fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.digest.notes)
    }
}

/// What pages become that one server gives one after the other, a second apart: a source without its server, for whoever
/// makes pages up.
#[doc(hidden)]
pub fn readings_of_pages(content_type: &str, pages: &[&str]) -> Vec<Result<Vec<Reading>, Trouble>> {
    let mut digest = Digest::new("app", &[], Neighbours::default());
    let read = |(second, text): (u64, &&str)| {
        let page = Fetched { content_type: content_type.to_ascii_lowercase(), server: None, text: (*text).to_owned() };
        digest.read(Nanos::from_secs(second), "the page", &page)
    };
    (1..).zip(pages).map(read).collect()
}

/// A resource and how its figures are made.
struct Recipe {
    name: RecipeName,
    about: About,
    /// It is a part of a host that an exporter reads.
    is_of_host: bool,
    figures: Vec<(Figure, Formula<Vec<Selector>>)>,
}

enum RecipeName {
    Known(Name),
    /// Of the plan: kind and name.
    Mapped(MappedKind, String),
}

impl RecipeName {
    /// Pools, locks and the like: requests are in them, so one that is told twice counts twice.
    fn mapped_kind(&self) -> Option<MappedKind> {
        let word = match self {
            Self::Mapped(kind, _) => return Some(*kind),
            Self::Known(Name::Own(kind, _) | Name::Label(kind, _)) => kind,
            Self::Known(Name::Fixed(_)) => return None,
        };
        MappedKind::ALL.into_iter().find(|kind| kind.word() == *word)
    }

    /// The label whose values tell its resources apart.
    fn label(&self) -> Option<&'static str> {
        match self {
            Self::Known(Name::Label(_, label)) => Some(label),
            _ => None,
        }
    }
}

/// From samples to readings.
struct Digest {
    /// What the source is called.
    name: String,
    neighbours: Neighbours,
    recipes: Vec<Recipe>,
    rates: Rates,
    /// Series that are kept under their own names.
    kept: HashSet<String>,
    room: Room,
    /// Series of the last page.
    series: usize,
    is_first: bool,
    has_said_limit: bool,
    has_said_host: bool,
    notes: Vec<String>,
    /// What is wrong with the plan's resources.
    wrong: Vec<String>,
}

impl Digest {
    fn new(name: &str, resources: &[MappedResource], neighbours: Neighbours) -> Self {
        let mut wrong = Vec::new();
        // Resources of the plan come first: where both make the same figure, the plan is right.
        let mut recipes: Vec<Recipe> = resources.iter().map(|resource| mapped(resource, &mut wrong)).collect();
        let conventions = CONVENTIONS.iter().flat_map(|(group, conventions)| {
            let is_of_host = HOST_EXPORTERS.contains(group);
            conventions.iter().map(move |convention| (convention, is_of_host))
        });
        recipes.extend(conventions.map(|(convention, is_of_host)| {
            Recipe {
                name: RecipeName::Known(convention.name),
                about: convention.about,
                is_of_host,
                figures: convention
                    .figures
                    .iter()
                    .map(|(metric, figure)| (*metric, figure.map(|names| selectors(names))))
                    .collect(),
            }
        }));
        Self {
            name: name.to_owned(),
            neighbours,
            recipes,
            rates: Rates::default(),
            kept: HashSet::new(),
            room: Room::default(),
            series: 0,
            is_first: true,
            has_said_limit: false,
            has_said_host: false,
            notes: Vec::new(),
            wrong,
        }
    }

    /// Reads a page, or says why it is none.
    fn read(&mut self, now: Nanos, url: &str, page: &Fetched) -> Result<Vec<Reading>, Trouble> {
        if page.content_type.starts_with("text/html") {
            return Err(Trouble::passing(format!(
                "{url} is a web page and has no metrics; they are often at `/metrics`"
            )));
        }
        let samples = parse(&page.text, Format::from_content_type(&page.content_type))
            .map_err(|error| Trouble::passing(format!("{url} is not a page of metrics: {error}")))?;
        if samples.is_empty() {
            return Err(Trouble::passing(format!("{url} has no metrics in it")));
        }
        self.series = samples.len();
        Ok(self.readings(now, &samples))
    }

    fn readings(&mut self, now: Nanos, samples: &[Sample]) -> Vec<Reading> {
        self.rates.begin(now);
        let mut page = Samples::new(samples, &mut self.rates);
        if self.is_first {
            self.say_what_is_missing(&page);
        }
        self.is_first = false;
        let mut readings = self.resources(&mut page);
        self.others(&page, &mut readings);
        readings
    }

    /// Figures of the vocabulary.
    fn resources(&mut self, page: &mut Samples<'_>) -> Vec<Reading> {
        let mut room = std::mem::take(&mut self.room);
        let is_exporter = EXPORTERS.iter().any(|part| page.has_name_with(part));
        let mut readings = Vec::new();
        let mut made = HashSet::new();
        let mut is_of_read_host = false;
        self.claim(page);
        for recipe in &self.recipes {
            let is_of_interest = recipe.about == About::Subject || !is_exporter;
            let (kind, by) = (recipe.name.mapped_kind(), recipe.name.label());
            let owners = self.owners(page, recipe);
            for (figure, formula) in &recipe.figures {
                let claims = kind.map(|_| page.claims(formula, by)).unwrap_or_default();
                let mut of_plan: BTreeMap<&str, f64> = BTreeMap::new();
                for (label, value) in page.figure(formula, by) {
                    if recipe.is_of_host && self.neighbours.is_host_read {
                        is_of_read_host = true;
                        continue;
                    }
                    if let Some(owner) = owners.get(&label) {
                        *of_plan.entry(owner).or_default() += value;
                        continue;
                    }
                    // It is in a resource of another kind.
                    if claims.contains_key(&label) {
                        continue;
                    }
                    let source = self.source(&recipe.name, &label);
                    let has_place = match recipe.name {
                        RecipeName::Known(Name::Label(kind, _)) => is_of_interest && room.takes(kind, &source),
                        _ => is_of_interest,
                    };
                    if has_place && made.insert((source.clone(), figure.name)) {
                        readings.push(Reading::new(&source, *figure, value));
                    }
                }
                for (source, value) in of_plan {
                    if made.insert((source.to_owned(), figure.name)) {
                        readings.push(Reading::new(source, *figure, value));
                    }
                }
            }
        }
        self.notes.extend(room.notes());
        self.room = room;
        if is_of_read_host && !self.has_said_host {
            self.has_said_host = true;
            self.notes.push(
                "what its page says of the host is left out, for the host is read itself; write another `host` if it is \
                 about another one"
                    .into(),
            );
        }
        readings
    }

    /// Marks what resources of the plan are made of.
    fn claim(&self, page: &mut Samples<'_>) {
        for (number, recipe) in self.recipes.iter().enumerate() {
            if matches!(recipe.name, RecipeName::Mapped(..)) {
                recipe.figures.iter().for_each(|(_, figure)| page.claim(figure, number));
            }
        }
    }

    /// The resources of the plan that those of a recipe are, by the value of its label: of the same kind, and made of a
    /// sample of theirs. What the plan does not say of such a one is what the convention knows, added up where it has several.
    fn owners<'a>(&'a self, page: &Samples<'_>, recipe: &'a Recipe) -> BTreeMap<String, &'a str> {
        let mut owners = BTreeMap::new();
        let Some(kind) = recipe.name.mapped_kind() else {
            return owners;
        };
        if let RecipeName::Mapped(_, name) = &recipe.name {
            owners.insert(String::new(), name.as_str());
            return owners;
        }
        for (_, figure) in &recipe.figures {
            for (label, number) in page.claims(figure, recipe.name.label()) {
                match &self.recipes[number].name {
                    RecipeName::Mapped(of, name) if *of == kind => owners.entry(label).or_insert(name.as_str()),
                    _ => continue,
                };
            }
        }
        owners
    }

    fn source(&self, name: &RecipeName, label: &str) -> String {
        let own = |kind: &str, rest: &str| match rest {
            "" => format!("{kind} {}", self.name),
            rest => format!("{kind} {} {rest}", self.name),
        };
        match name {
            RecipeName::Known(Name::Fixed(name)) => (*name).to_owned(),
            RecipeName::Known(Name::Own(kind, rest)) => own(kind, rest),
            RecipeName::Known(Name::Label(kind, _)) if label.is_empty() => own(kind, ""),
            RecipeName::Known(Name::Label(kind, _))
                if self.neighbours.has_other_page && KINDS_OF_PROGRAMS.contains(kind) =>
            {
                own(kind, label)
            }
            RecipeName::Known(Name::Label(kind, _)) => format!("{kind} {label}"),
            RecipeName::Mapped(_, name) => name.clone(),
        }
    }

    /// Everything else, under its own name.
    fn others(&mut self, page: &Samples<'_>, readings: &mut Vec<Reading>) {
        let sums: HashMap<String, f64> = page
            .unused()
            .filter(|(sample, _)| sample.role == Role::Sum)
            .filter_map(|(sample, growth)| Some((sample.id(), growth?.by)))
            .collect();
        let source = format!("prometheus {}", self.name);
        let (mut seen, mut left_out) = (0_usize, 0_usize);
        for (sample, growth) in page.unused().filter(|(sample, _)| !matches!(sample.role, Role::Sum | Role::Constant)) {
            seen += 1;
            let id = sample.id();
            let has_place = self.kept.contains(&id) || self.kept.len() < SERIES_MAX && id.len() <= ID_BYTES_MAX;
            if !has_place {
                left_out += 1;
                continue;
            }
            let mut put = |metric: &str, value: Option<f64>, unit| {
                if let Some(value) = value.filter(|value| value.is_finite()) {
                    readings.push(Reading::named(&source, metric, value, unit));
                }
            };
            match sample.role {
                Role::Gauge | Role::Unknown => put(&id, Some(sample.value), unit_of_value(&sample.name)),
                Role::Counter | Role::Count => {
                    put(&id, growth.map(|growth| growth.per_s()), unit_of_rate(&sample.name))
                }
                Role::Sum | Role::Constant => {}
            }
            if let Some(family) = sample.name.strip_suffix("_count").filter(|_| sample.role == Role::Count) {
                let named = |suffix: &str| Sample { name: format!("{family}{suffix}"), ..sample.clone() };
                let sum = sums.get(&named("_sum").id());
                let count = growth.map(|growth| growth.by).filter(|&count| count > 0.0);
                let mean = sum.zip(count).map(|(sum, count)| sum / count);
                put(&named("_mean").id(), mean, unit_of_value(family));
            }
            self.kept.insert(id);
        }
        if left_out > 0 && !self.has_said_limit {
            self.has_said_limit = true;
            self.notes.push(format!(
                "{left_out} of its {seen} other series are left out: at most {SERIES_MAX} are kept, each of at most \
                 {ID_BYTES_MAX} bytes; what is known by convention or named under `resources` is not counted"
            ));
        }
    }

    fn say_what_is_missing(&mut self, page: &Samples<'_>) {
        for recipe in &self.recipes {
            let RecipeName::Mapped(_, name) = &recipe.name else {
                continue;
            };
            for (figure, formula) in &recipe.figures {
                let (Formula::ByType(selectors) | Formula::Growing(selectors)) = formula else {
                    continue;
                };
                for selector in selectors.iter().filter(|selector| !page.has(selector)) {
                    self.notes
                        .push(format!("`{selector}` is not on its page, so {} of `{name}` is not known", figure.name));
                }
            }
        }
    }
}

/// A resource of the plan.
fn mapped(resource: &MappedResource, wrong: &mut Vec<String>) -> Recipe {
    let name = format!("{} {}", resource.kind.word(), resource.name);
    let figures = resource.figures.iter().filter_map(|(figure, text)| {
        let selector =
            Selector::parse(text).map_err(|error| wrong.push(format!("{} of `{name}`: {error}", figure.name))).ok()?;
        let is_rate = matches!(figure.kind, Kind::Counter | Kind::Share);
        let formula = if is_rate { Formula::Growing } else { Formula::ByType };
        Some((*figure, formula(vec![selector])))
    });
    Recipe {
        figures: figures.collect(),
        about: About::Subject,
        is_of_host: false,
        name: RecipeName::Mapped(resource.kind, name),
    }
}

fn selectors(names: &[&str]) -> Vec<Selector> {
    let parsed = names.iter().map(|name| Selector::parse(name));
    parsed.collect::<Result<_, _>>().expect("the test of the table parses each name")
}

/// Unit of a gauge of a page, by the convention of its names.
fn unit_of_value(name: &str) -> Unit {
    let units = [("_bytes", Unit::Bytes), ("_seconds", Unit::S), ("_ratio", Unit::Ratio)];
    let found = units.into_iter().find(|(suffix, _)| name.ends_with(suffix));
    found.map_or(Unit::Count, |(_, unit)| unit)
}

/// Unit of the rate of a counter of a page.
fn unit_of_rate(name: &str) -> Unit {
    match unit_of_value(name.strip_suffix("_total").unwrap_or(name)) {
        Unit::Bytes => Unit::BytesPerS,
        Unit::S => Unit::SPerS,
        _ => Unit::PerS,
    }
}

#[cfg(test)]
mod tests;
