//! What is said of fits, campaigns, comparisons, predictions and assumptions: the answer first, then the law, then what
//! it rests on.

use nmax_usl::{Analysis, Effect, Estimate, Finding, Prediction, Question};

use crate::doc::table::{Cell, Table};
use crate::doc::{Banner, Body, Document, Figure, Item, Mark, Media, Plot, Section};
use crate::number::{self, UNKNOWN};
use crate::scalability::{
    CompareView, FitView, Overlay, PER_S, PredictView, ScaleView, Version, Week, WhatIfView, wording,
};
use crate::svg::{self, Panel, PanelChart};

mod tables;

const FOOTER: &str = "X(N) = γN / (1 + α(N−1) + βN(N−1)). Intervals are 95 %. Nothing is drawn or said beyond twice the \
                      largest N measured.";
/// Most rows of a table.
const ROWS_MAX: usize = 500;
/// Where the others are.
const REST: &str = "rows in the CSV and the JSON";
/// Most findings and notes listed in a row.
const LIST_MAX: usize = 12;

/// Sizes of the drawings of a chart: for wide and for narrow screens.
pub(crate) type Sizes = [(f64, f64); 2];
const HALF: Sizes = [(520.0, 350.0), (380.0, 310.0)];
pub(crate) const WIDE: Sizes = [(1040.0, 460.0), (380.0, 310.0)];

/// A fit.
pub fn fit(view: &FitView) -> Document {
    Document {
        title: view.title.clone(),
        banner: banner(view, None),
        head: head([("data", view.subtitle.clone())]),
        sections: of_fit(view, ""),
        footer: FOOTER,
        nmax_version: view.nmax_version.clone(),
        ..Document::default()
    }
}

/// A campaign.
pub fn scale(view: &ScaleView) -> Document {
    let info = &view.info;
    let started = number::instant(&info.started_at);
    let run = if info.id.is_empty() { String::new() } else { format!("{}, {started}", info.id) };
    let head = head([
        ("campaign", view.fit.subtitle.clone()),
        ("run", run),
        ("target", info.target.clone()),
        ("stopped", view.stopped.clone()),
    ]);
    let mut sections = Vec::new();
    sections.extend(campaign(view));
    if view.versions.is_empty() {
        let mut of_fit = of_fit(&view.fit, "");
        let rest = of_fit.split_off(of_fit.len().min(1));
        sections.extend(of_fit);
        sections.extend(knobs(view));
        sections.extend(rest);
    } else {
        sections.extend(knobs(view));
        sections.extend(view.sides.as_ref().map(|sides| self::sides(sides, view.fit.x_unit())));
        sections.push(versions(&view.versions, view.fit.x_unit()));
        view.laws().iter().for_each(|(name, fit)| sections.extend(self::of_fit(fit, name)));
    }
    sections.extend(levels(view));
    sections.push(origin(view));
    let banner = match (
        wording::sides(view).or_else(|| wording::all_settings(view)),
        view.versions.is_empty() && view.knobs.is_empty(),
    ) {
        (_, true) => banner(&view.fit, wording::full(view)),
        (Some(sentence), _) => Banner { mark: Mark::Answer, word: sentence, ..Banner::default() },
        (None, false) => banner(&view.fit, None),
    };
    Document {
        title: view.fit.title.clone(),
        banner,
        head,
        sections,
        footer: FOOTER,
        nmax_version: view.fit.nmax_version.clone(),
        ..Document::default()
    }
}

/// Versions side by side.
pub fn compare(view: &CompareView) -> Document {
    let mut sections = Vec::new();
    sections.extend(Section::new("curves", "Curves").with(|body| overlay(body, view, PER_S)).said());
    let notes = view.caveats.iter().map(|caveat| Item::new(Mark::Warning, caveat));
    sections.extend(Section::new("caveats", "To be kept in mind").with(|body| _ = body.items(notes)).said());
    sections.push(versions(&view.versions, PER_S));
    for version in &view.versions {
        sections.extend(findings(&version.analysis, &version.name));
        sections.extend(points(&version.analysis, PER_S, &version.name).map(Section::appendix));
    }
    let differences = view.differences.iter().map(|difference| Item::new(Mark::Answer, &difference.text));
    Document {
        title: view.title.clone(),
        banner: Banner { word: "What changed".into(), reasons: differences.collect(), ..Banner::default() },
        sections,
        footer: FOOTER,
        nmax_version: view.nmax_version.clone(),
        ..Document::default()
    }
}

/// The laws of versions over each other.
fn overlay(body: &mut Body, view: &CompareView, unit: &str) {
    let Some(overlay) = Overlay::of_versions(&view.versions) else { return };
    body.on(Media::TERMINAL).plot(Plot::Laws(overlay, view.n_label().into(), unit.into()));
    if let Some(chart) = svg::compare_chart(view, unit) {
        body.on(Media::PICTURES).figure(figure(&chart, &WIDE));
    }
}

/// Two ways to grow: the laws over each other, and what differs.
fn sides(view: &CompareView, unit: &str) -> Section {
    let notes = view.caveats.iter().map(|caveat| Item::new(Mark::Warning, caveat));
    let differences = view.differences.iter().map(|difference| Item::new(Mark::Answer, &difference.text));
    Section::new("curves", "Horizontal against vertical").with(|body| {
        overlay(body, view, unit);
        body.everywhere().items(differences.chain(notes));
    })
}

/// Assumptions beside what is known.
pub fn what_if(view: &WhatIfView) -> Document {
    let (laws, overlay) = (view.laws(), Overlay::of_assumptions(view));
    let coefficients = Table::from_rows(&laws)
        .word("law", |(name, _)| name)
        .short("law", 0)
        .number("α", |(_, law)| wording::plain(law.contention))
        .short("α", 14)
        .number("β", |(_, law)| wording::plain(law.coherency))
        .short("β", 14)
        .number(format!("γ, {PER_S}"), |(_, law)| wording::plain(law.unit_throughput))
        .short("γ, 1/s", 14);
    let all: Vec<_> = view.curves().into_iter().map(|(n, x)| (wording::plain(n), x)).collect();
    let last = all.len().saturating_sub(1);
    let some: Vec<_> = all
        .iter()
        .enumerate()
        .filter(|(index, _)| index % 5 == 0 || *index == last)
        .map(|(_, row)| row.clone())
        .collect();
    let weeks: Vec<_> = view.weeks.iter().map(|week: &Week| (week.load(), week.x.clone())).collect();
    let notes = view.notes.iter().map(|note| Item::new(Mark::Point, note));
    let sections = [
        Section::new("curves", "Curves").with(|body| {
            body.on(Media::TERMINAL).plot(Plot::Laws(overlay, view.n_label().into(), PER_S.into()));
            body.on(Media::PICTURES).figure(figure(&svg::what_if_chart(view), &WIDE));
        }),
        Section::new("coefficients", "Coefficients").with(|body| _ = body.table(coefficients)),
        Section::new("throughput", "Throughput").aside(PER_S).with(|body| {
            body.on(Media::PAGE).table(by_law("N", &laws, &all));
            body.on(Media::ALL.without(Media::PAGE)).table(by_law("N", &laws, &some));
        }),
        Section::new("growth", "Growth")
            .aside("throughput at the load of each week")
            .with(|body| _ = body.table(by_law("load N", &laws, &weeks))),
        Section::new("notes", "To be kept in mind").with(|body| _ = body.items(notes)),
    ];
    Document {
        title: view.title.clone(),
        banner: Banner {
            mark: Mark::Answer,
            word: "What if".into(),
            notes: vec!["curves marked `assumed` use coefficients that were not measured".into()],
            ..Banner::default()
        },
        sections: sections.into_iter().filter_map(Section::said).collect(),
        footer: FOOTER,
        nmax_version: view.nmax_version.clone(),
        ..Document::default()
    }
}

/// A column for the load, then one for each law.
fn by_law<'a>(
    first: &str,
    laws: &[(String, nmax_usl::Usl)],
    rows: &'a [(String, Vec<Option<f64>>)],
) -> Table<&'a (String, Vec<Option<f64>>)> {
    const NAMES: [&str; 4] = ["known", "assumed", "optimistic", "realistic"];
    let mut table = Table::from_rows(rows).at_most(ROWS_MAX, REST).word(first, |(load, _)| load).short("", 0);
    for (law, (name, _)) in laws.iter().enumerate() {
        let short = NAMES.iter().find(|short| name.starts_with(**short)).unwrap_or(&NAMES[0]);
        let (name, group) = name.strip_suffix(" (assumed)").map_or((name.as_str(), ""), |name| (name, "assumed"));
        table = table.group(group).number(name, |(_, x)| wording::plain_or_unknown(x[law])).short(short, 14);
    }
    table
}

/// Answers of a curve between the measurements, and a little beyond them.
pub fn predict(view: &PredictView) -> Document {
    let coefficients = view.basis.coefficients();
    let law: Vec<String> =
        coefficients.iter().map(|(name, value)| format!("{} = {}", with_letter(*name), wording::both(value))).collect();
    let measured = view.basis.measured.map_or_else(String::new, |measured| {
        format!(
            "measured up to N = {} and X = {}/s; nothing is predicted beyond twice that",
            wording::plain(measured.n_hi),
            wording::plain(measured.x_max)
        )
    });
    let notes = view.notes.iter().map(|note| Item::new(Mark::Warning, note));
    let sections = [
        Section::new("predictions", "Predictions").with(|body| {
            let kinds: [fn(&Question) -> bool; 3] = [
                |asked| matches!(asked, Question::Concurrency(_)),
                |asked| matches!(asked, Question::Throughput(_)),
                |asked| matches!(asked, Question::ResponseTime(_)),
            ];
            for is_of_kind in kinds {
                body.table(predictions(view.predictions.iter().filter(|row| is_of_kind(&row.asked))));
            }
        }),
        Section::new("notes", "To be kept in mind").with(|body| _ = body.items(notes)),
    ];
    Document {
        title: view.name.clone(),
        banner: Banner { word: format!("predicted by {}", view.by()), ..Banner::default() },
        head: head([("law", law.join(", ")), ("range", measured)]),
        sections: sections.into_iter().filter_map(Section::said).collect(),
        footer: FOOTER,
        nmax_version: view.nmax_version.clone(),
        ..Document::default()
    }
}

const fn with_letter(name: nmax_usl::Coefficient) -> &'static str {
    match name {
        nmax_usl::Coefficient::Alpha => "contention α",
        nmax_usl::Coefficient::Beta => "coherency β",
        nmax_usl::Coefficient::Gamma => "unit throughput γ",
        nmax_usl::Coefficient::Cap => "throughput cap",
    }
}

/// A row for each question; a refused one says why.
fn predictions<'a>(rows: impl Iterator<Item = &'a Prediction>) -> Table<&'a Prediction> {
    let given = |row: &Prediction| match row.asked {
        Question::Concurrency(n) => format!("N = {}", wording::plain(n)),
        Question::Throughput(x) => format!("X = {}/s", wording::plain(x)),
        Question::ResponseTime(r_s) => format!("R = {} ms", wording::plain(r_s * 1e3)),
    };
    let figure =
        |of: Option<Estimate>, factor: f64| of.map_or_else(|| UNKNOWN.to_owned(), |of| estimate(&scaled(of, factor)));
    Table::from_rows(rows)
        .word("asked", given)
        .short("asked", 14)
        .number("N", |row| figure(row.n, 1.0))
        .short("N", 17)
        .number("X, 1/s", |row| figure(row.x, 1.0))
        .short("X, 1/s", 17)
        .number("R, ms", |row| figure(row.r_s, 1e3))
        .short("R, ms", 17)
        .number("of γN, %", |row| figure(row.efficiency, 100.0))
        .short("of γN, %", 15)
        .number("also at N", |row| row.also_at.map_or_else(|| UNKNOWN.into(), wording::plain))
        .sentence("note", |row| {
            let refused = row.refused.as_ref().map(|why| format!("not predicted: {why}"));
            let also = row.also_at.map(|n| format!("also at N = {}", wording::plain(n)));
            refused.or(also).unwrap_or_default()
        })
        .below()
        .known()
}

fn estimate(of: &Estimate) -> String {
    match (of.low, of.high) {
        (None, None) => wording::plain(of.estimate),
        (Some(_), Some(_)) => wording::both(of),
        (Some(low), None) => format!("{} (from {})", wording::plain(of.estimate), wording::plain(low)),
        (None, Some(high)) => format!("{} (to {})", wording::plain(of.estimate), wording::plain(high)),
    }
}

fn scaled(of: Estimate, factor: f64) -> Estimate {
    Estimate {
        estimate: of.estimate * factor,
        low: of.low.map(|low| low * factor),
        high: of.high.map(|high| high * factor),
        at_bound: of.at_bound,
    }
}

fn head<const N: usize>(facts: [(&str, String); N]) -> Vec<crate::doc::Block> {
    let mut head = Body::default();
    head.facts(facts);
    head.blocks
}

/// The headline, the resource that was full, the load to run at, and what that means.
fn banner(view: &FitView, full: Option<String>) -> Banner {
    let analysis = &view.analysis;
    let blocked = analysis.findings.iter().any(|finding| finding.effect == Effect::Block);
    let advice = Some(analysis.headline.advice.clone()).filter(|advice| !advice.is_empty());
    let reasons = full.into_iter().chain(advice).chain(wording::meaning(analysis, ""));
    Banner {
        mark: if blocked || analysis.fit.is_none() { Mark::Invalid } else { Mark::Pass },
        word: analysis.headline.text.clone(),
        reasons: reasons.map(|sentence| Item::new(Mark::Answer, sentence)).collect(),
        ..Banner::default()
    }
}

/// The objective, and notes.
fn campaign(view: &ScaleView) -> Option<Section> {
    let found =
        view.find.iter().map(|found| Item::new(Mark::Answer, &found.text).title(format!("{}:", found.objective)));
    let notes = view.notes.iter().map(|note| Item::new(Mark::Warning, note));
    Section::new("campaign", "").with(|body| _ = body.some_items(found.chain(notes), LIST_MAX, "notes")).said()
}

/// Curves, coefficients, findings and what they rest on; `of` is the setting that they are about, or empty.
fn of_fit(view: &FitView, of: &str) -> Vec<Section> {
    let analysis = &view.analysis;
    let mut sections = vec![curves(view, of), law(view, of)];
    sections.extend(findings(analysis, of));
    // Without a fit there is nothing that a condition or a model could be held against.
    if analysis.fit.is_some() {
        sections.extend(gate(analysis, of));
    }
    sections.extend(ladder(analysis, of));
    sections.extend(points(analysis, view.x_unit(), of));
    sections
}

/// A section of a law, which has a name of its own where there are several.
fn section(id: &str, title: &str, of: &str) -> Section {
    let id = if of.is_empty() { id.to_owned() } else { format!("{id}-{of}") };
    Section::new(&id, &wording::heading(title, of))
}

fn curves(view: &FitView, of: &str) -> Section {
    section("curves", "Curves", of).with(|body| {
        body.on(Media::TERMINAL).plot(Plot::Law(Box::new(view.clone())));
        if !of.is_empty() {
            let sentences = wording::meaning(&view.analysis, of);
            body.everywhere().items(sentences.into_iter().map(|sentence| Item::new(Mark::Answer, sentence)));
        }
        body.on(Media::PAPER).keys(keys(view));
        let mut charts = svg::fit_panels(view);
        if !of.is_empty() {
            // Several laws on a page have several charts of a kind.
            charts.iter_mut().for_each(|(_, chart)| chart.id.push_str(&format!("-{of}")));
        }
        if charts.is_empty() {
            body.text("No usable points: nothing to draw.");
        }
        // The law and its zones answer; the same points without it are for those who doubt.
        let (first, rest): (Vec<_>, Vec<_>) =
            charts.iter().rev().partition(|(panel, _)| matches!(panel, Panel::Band | Panel::Zones));
        body.on(Media::PICTURES);
        for (_, chart) in first {
            body.figure(figure(chart, &HALF));
        }
        body.on(Media::PAGE).fold("The same points without the law", |body| {
            for (_, chart) in rest {
                body.figure(figure(chart, &HALF));
            }
        });
    })
}

/// A picture that has the whole width when its sizes are [`WIDE`].
pub(crate) fn figure(chart: &PanelChart, sizes: &Sizes) -> Figure {
    Figure {
        id: chart.id.clone(),
        legend: chart.legend.iter().map(|entry| (entry.key, entry.text.clone())).collect(),
        drawings: sizes.iter().map(|(width, height)| chart.render(*width, *height)).collect(),
        is_wide: *sizes == WIDE,
        ..Figure::default()
    }
}

fn keys(view: &FitView) -> [(&'static str, String, String); 8] {
    let (analysis, unit) = (&view.analysis, view.x_unit());
    let or = |of: Option<Estimate>, why: &str| match of {
        Some(of) => (wording::value(&of), wording::interval(&of)),
        None => (UNKNOWN.to_owned(), why.to_owned()),
    };
    let fit = analysis.fit.as_ref();
    let of = |of: Option<Estimate>| or(of, "no fit");
    let peak = |of: Option<Estimate>| or(of, "refused, see conditions");
    let best = analysis.best.map_or_else(
        || (UNKNOWN.to_owned(), "no fit".to_owned()),
        |(n, x)| (wording::plain(x), format!("{unit} at N = {}", wording::plain(n))),
    );
    let r_squared = fit.map_or_else(
        || (UNKNOWN.to_owned(), "no fit".to_owned()),
        |fit| (wording::plain(fit.r_squared), "shown, decides nothing".to_owned()),
    );
    let class = (wording::class(analysis.class).to_owned(), "A to D, by the intervals of α and β".to_owned());
    [
        ("Largest throughput measured", best),
        ("Peak of the law, N", peak(analysis.peak.as_ref().map(|peak| peak.concurrency))),
        ("Peak of the law, X", peak(analysis.peak.as_ref().map(|peak| peak.throughput))),
        ("Class", class),
        ("Contention α", of(fit.map(|fit| fit.contention))),
        ("Coherency β", of(fit.map(|fit| fit.coherency))),
        ("Unit throughput γ", of(fit.map(|fit| fit.unit_throughput))),
        ("R²", r_squared),
    ]
    .map(|(name, (value, below))| (name, value, below))
}

/// Coefficients, peaks and limits.
fn law(view: &FitView, of: &str) -> Section {
    let (analysis, unit) = (&view.analysis, view.x_unit());
    let mut facts: Vec<(&str, String)> = Vec::new();
    if let Some(fit) = &analysis.fit {
        let coefficients = [
            ("contention α", &fit.contention, wording::sign(analysis.contention_sign)),
            ("coherency β", &fit.coherency, wording::sign(analysis.coherency_sign)),
            ("throughput γ", &fit.unit_throughput, unit),
        ];
        facts.extend(coefficients.map(|(name, of, reading)| (name, format!("{}, {reading}", wording::both(of)))));
        facts.push(("fitted by", format!("{}, {} points", wording::method(fit), number::count(fit.n as u64))));
        facts.push(("R²", format!("{} (shown, decides nothing)", wording::plain(fit.r_squared))));
    }
    facts.push(("observed peak", wording::observed(analysis, unit)));
    let refusals = if analysis.fit.is_some() { wording::refusals(analysis) } else { Vec::new() };
    facts.push(match &analysis.peak {
        Some(peak) => ("peak of the law", wording::peak(peak, unit)),
        None if analysis.fit.is_none() => ("peak of the law", "refused, since there is no fit".into()),
        None if refusals.len() == 1 => ("peak of the law", format!("refused: {}", refusals[0])),
        None => ("peak of the law", "refused, as the conditions say".into()),
    });
    if let Some(roof) = &analysis.roof {
        let roof = wording::with_unit(&wording::both(roof), unit);
        facts.push(("roof", format!("{roof}: γ/α, the most without coherency")));
    }
    if let Some(optimum) = &analysis.optimum {
        let both = wording::both(optimum);
        facts.push(("optimum", format!("N = {both}: 1/α, where the straight line meets the roof")));
    }
    facts.extend(analysis.ceiling.as_ref().map(|ceiling| ("ceiling", ceiling.text.clone())));
    facts.push(("class", wording::class_text(analysis)));
    section("law", "Law", of).aside("X(N) = γN / (1 + α(N−1) + βN(N−1)); intervals 95 %").with(|body| {
        if analysis.fit.is_none() {
            body.items([Item::new(Mark::Fail, "no fit: the findings say why")]);
        }
        body.facts(facts);
        if refusals.len() > 1 {
            body.on(Media::TERMINAL).items(refusals.iter().map(|reason| Item::new(Mark::Warning, reason)));
        }
    })
}

fn findings(analysis: &Analysis, of: &str) -> Option<Section> {
    let line = |finding: &Finding| {
        let mark = match finding.effect {
            Effect::Block => Mark::Fail,
            Effect::Warn => Mark::Warning,
            Effect::Note => Mark::Point,
        };
        let rows = wording::rows(&finding.rows);
        let at = if rows.is_empty() { rows } else { format!(" ({rows})") };
        Item::new(mark, &finding.text).title(format!("{}{at}:", finding.code.name()))
    };
    let findings: Vec<Item> = analysis.findings_of_winner().map(line).collect();
    let has_any = !findings.is_empty();
    section("findings", "Findings", of)
        .with(|body| {
            body.some_items(findings, LIST_MAX, "findings");
            if has_any {
                body.note("`nmax explain CODE` says what a code means");
            }
        })
        .said()
}

fn gate(analysis: &Analysis, of: &str) -> Option<Section> {
    let table = Table::from_rows(&analysis.gate)
        .word("condition", |hold| hold.name)
        .word("", |hold| Cell::mark(Mark::condition(hold.holds), if hold.holds { "holds" } else { "fails" }))
        .sentence("meaning", |hold| &hold.text);
    section("conditions", "Conditions for a peak of the law", of)
        .with(|body| _ = body.on(Media::PAPER).table(table))
        .said()
}

fn ladder(analysis: &Analysis, of: &str) -> Option<Section> {
    let table = tables::ladder(analysis)?;
    let is_open = wording::winner(analysis.winner) == "not_distinguishable";
    let section = section("models", "Models by AICc", of).aside("a lead of more than 4 decides");
    Some(section.with(|body| {
        body.table(table);
        if is_open {
            body.note("not distinguishable: no model leads");
        }
    }))
}

fn points(analysis: &Analysis, unit: &str, of: &str) -> Option<Section> {
    let table = tables::points(analysis, unit).at_most(ROWS_MAX, REST);
    let section = section("points", "Points", of).aside(format!("X in {unit}; zones by the Amdahl bound"));
    let section = section.with(|body| _ = body.table(table)).said()?;
    Some(section.with(|body| {
        body.note("zones: A above the bound, B on it, C below it");
        if let Some(text) = wording::response_times(analysis) {
            body.note(text);
        }
    }))
}

/// Coefficients of versions: all in a table, and in the terminal a table for each.
fn versions(versions: &[Version], unit: &str) -> Section {
    let title = |coefficient: &wording::Coefficient, name: &str| {
        let unit = if coefficient.per_s { format!(", {unit}") } else { String::new() };
        format!("{name}{unit}")
    };
    let mut table = Table::from_rows(versions).at_most(ROWS_MAX, REST).word("version", |version| &version.name);
    for coefficient in &wording::COEFFICIENTS {
        table = table.number(title(coefficient, coefficient.short), |version| {
            let (value, beside) = coefficient.told(&version.analysis);
            Cell::from(value).small(beside)
        });
    }
    Section::new("versions", "Coefficients").with(|body| {
        body.on(Media::PAPER).table(table).on(Media::TERMINAL);
        for coefficient in &wording::COEFFICIENTS {
            let table = Table::from_rows(versions)
                .at_most(ROWS_MAX, REST)
                .word("version", |version| &version.name)
                .short("  version", 0)
                .number("estimate", |version| coefficient.told(&version.analysis).0)
                .short("estimate", 14)
                .number("95 % interval", |version| coefficient.told(&version.analysis).1)
                .short("95 % interval", 24);
            body.heading(title(coefficient, coefficient.name)).table(table);
        }
    })
}

fn knobs(view: &ScaleView) -> Option<Section> {
    let table = tables::knobs(view).at_most(ROWS_MAX, REST);
    Section::new("settings", "Settings, each at its best load").with(|body| _ = body.table(table)).said()
}

/// Levels as they were run; those that were not used say why.
fn levels(view: &ScaleView) -> Option<Section> {
    let used = view.levels.iter().filter(|level| level.used).count();
    let table = tables::levels(view).at_most(ROWS_MAX, REST);
    let section = Section::new("levels", "Levels in the order of their runs");
    section.aside(format!("{used} of {} fitted", view.levels.len())).with(|body| _ = body.table(table)).said()
}

fn origin(view: &ScaleView) -> Section {
    let info = &view.info;
    let span = |seconds: Option<f64>| seconds.map_or_else(String::new, number::span);
    let facts = [
        ("Plan", info.name.clone()),
        ("SHA-256 of the plan", info.plan_sha256.clone()),
        ("Axes", info.axes.join(", ")),
        ("X counts", info.count.clone()),
        ("Seed", info.seed.to_string()),
        ("Measured part of a level", span(info.level_s)),
        ("Time given", span(info.budget_s)),
        ("Time taken", span(info.elapsed_s)),
        ("Ended by a person", if info.interrupted { "yes".to_owned() } else { "no".to_owned() }),
    ];
    let machine = info.machine.iter().map(|(name, value)| (name.as_str(), value.clone()));
    Section::new("origin", "Origin").with(|body| _ = body.on(Media::PAPER).facts(facts.into_iter().chain(machine)))
}
