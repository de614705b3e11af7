//! Trials: what each value of a scenario is worth.

use std::collections::{BTreeMap, BTreeSet};

use nmax_plan::plan::Plan;

use super::evidence::Evidence;
use super::replay::{Cookie, Failure, Replay};
use super::sites::{Site, name_of, pinned};
use crate::structure::{Expected, Structure};

/// Statuses by which servers refuse a request because of what is in it. A conflict (409) or too many requests (429) say
/// something else.
const REFUSALS: [u16; 7] = [400, 401, 403, 404, 410, 419, 422];

/// How often a replay that failed before the old value could do anything is tried again.
const ATTEMPTS_MAX: usize = 3;

/// What became of a scenario.
#[derive(Clone, Debug)]
pub struct ScenarioResult {
    /// Its name.
    pub scenario: String,
    /// Names of its requests, by number.
    pub requests: Vec<String>,
    /// Why its replays do not go as the plan says; none when they do.
    pub failures: Vec<String>,
    /// What became of its values.
    pub tried: Vec<Tried>,
    /// Cookies that its first replay set or sent.
    pub jar: BTreeMap<String, Cookie>,
    /// What a person should know.
    pub notes: Vec<String>,
}

/// What became of a value.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Where it comes from and goes to.
    pub site: Site,
    /// The verdict; `None` when there is none.
    pub state: Option<State>,
    /// Why, in words.
    pub proof: String,
}

nmax_text::named! {
    /// Verdicts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum State {
        /// Without a fresh value the server answers otherwise.
        Proved = "proved",
        /// A value of another time does as well.
        Harmless = "harmless",
        /// The plan does not do what was recorded, with a fresh value either.
        Wrong = "wrong",
    }
    /// Its word.
    name
}

impl ScenarioResult {
    /// Whether the scenario goes as the plan says, and each of its values has a verdict and is not wrong.
    pub fn is_ok(&self) -> bool {
        self.failures.is_empty()
            && self.tried.iter().all(|tried| matches!(tried.state, Some(State::Proved | State::Harmless)))
    }
}

/// What is known of a scenario while its values are tried.
struct Trial<'a> {
    plan: &'a Plan,
    scenario: usize,
    sites: &'a [Site],
    requests: Vec<String>,
    evidence: &'a Evidence,
    /// What replies look like when all values are fresh, or were recorded.
    expected: BTreeMap<(usize, usize), Expected>,
    /// Requests that every replay with fresh values sent; `None` before the first one.
    always: Option<BTreeSet<(usize, usize)>>,
    /// Resources that were not ok with fresh values either.
    lost: BTreeSet<String>,
    recorded: BTreeMap<usize, Structure>,
}

/// What a proof asks of others.
pub trait Replayer {
    /// Why nothing could be sent.
    type Error;

    /// Replays a scenario of a plan, which may be pinned somewhere, as a new user.
    fn replay(&mut self, plan: &Plan, scenario: usize, sites: &[Site]) -> Result<Replay, Self::Error>;

    /// The next value to try: its number from 1, and how many its scenario has.
    fn next(&mut self, number: usize, of: usize, site: &Site);
}

/// Tries every value of a scenario. The error is that nothing could be sent.
pub fn scenario<R: Replayer>(
    plan: &Plan,
    scenario: usize,
    sites: &[Site],
    evidence: &Evidence,
    replayer: &mut R,
) -> Result<ScenarioResult, R::Error> {
    let flow = &plan.scenarios[scenario];
    let mut trial = Trial {
        plan,
        scenario,
        sites,
        requests: flow.calls().map(|request| name_of(plan, flow, request)).collect(),
        evidence,
        expected: BTreeMap::new(),
        always: None,
        lost: BTreeSet::new(),
        recorded: evidence.replies(plan, scenario),
    };
    let mut baselines = Vec::new();
    for _ in 0..2 {
        let replay = replayer.replay(plan, scenario, sites)?;
        if !replay.is_ok() {
            return Ok(trial.failed(&replay));
        }
        baselines.push(replay);
    }
    baselines.iter().for_each(|replay| trial.learn(replay));
    let notes = trial.compare_with_recording(&baselines);
    let own: Vec<usize> = (0..sites.len()).filter(|number| sites[*number].scenario == scenario).collect();
    let mut tried = Vec::new();
    for (done, number) in own.iter().enumerate() {
        replayer.next(done + 1, own.len(), &sites[*number]);
        tried.push(trial.try_one(*number, &baselines, replayer)?);
    }
    Ok(ScenarioResult {
        scenario: flow.name.clone(),
        failures: Vec::new(),
        tried,
        jar: baselines.swap_remove(0).jar,
        notes,
        requests: trial.requests,
    })
}

impl Trial<'_> {
    /// Takes the replies of a replay with fresh values for what is to be expected.
    fn learn(&mut self, replay: &Replay) {
        for (place, structures) in &replay.replies {
            let expected = self.expected.entry(*place).or_default();
            structures.iter().for_each(|structure| expected.add(structure.clone()));
        }
        let always = self.always.get_or_insert_with(|| replay.replies.keys().copied().collect());
        always.retain(|place| replay.replies.contains_key(place));
        self.lost.extend(replay.lost.iter().cloned());
    }

    /// Takes recorded replies for as good as those of the baselines, and says which ones are other pages.
    fn compare_with_recording(&mut self, baselines: &[Replay]) -> Vec<String> {
        let mut notes = Vec::new();
        for (request, recorded) in &self.recorded {
            let Some(place) = last_hop(baselines, *request) else {
                continue;
            };
            let Some(expected) = self.expected.get_mut(&place) else {
                continue;
            };
            if expected.seen().iter().all(|seen| seen.is_another_than(recorded)) {
                let mut of_recording = Expected::default();
                of_recording.add(recorded.clone());
                let differs = expected.seen().first().and_then(|seen| of_recording.difference(seen));
                notes.push(format!(
                    "{}: the replay shows another page than the recording: {}",
                    self.requests[*request],
                    differs.unwrap_or_default()
                ));
            }
            expected.add(recorded.clone());
        }
        notes
    }

    /// Tries one value: with an old one, with a fresh one when that made a difference, and with the old one again. What
    /// happens to this and that row of the data would otherwise be taken for an effect of the value.
    fn try_one<R: Replayer>(
        &mut self,
        number: usize,
        baselines: &[Replay],
        replayer: &mut R,
    ) -> Result<Tried, R::Error> {
        let site = &self.sites[number];
        let settled = |state, proof: String| Tried { site: site.clone(), state, proof };
        let Some((stale, origin)) = self.stale(number, baselines) else {
            let proof = "the server gave the same value every time".to_owned();
            return Ok(settled(Some(State::Harmless), proof));
        };
        let pinned = pinned(self.plan, site, &stale);
        let harmless = || format!("with the value of {origin} every later reply was the same");
        let old = match self.with_old(site, &pinned, replayer)? {
            Ok(old) => old,
            Err(why) => return Ok(settled(None, why)),
        };
        if self.difference(site, &old).is_none() {
            return Ok(match self.strangers(site, &old, baselines) {
                Some(words) => settled(Some(State::Wrong), words),
                None => settled(Some(State::Harmless), harmless()),
            });
        }
        let control = replayer.replay(self.plan, self.scenario, self.sites)?;
        if let Some(failure) = control.failures.first() {
            return Ok(settled(None, self.undecided(failure)));
        }
        self.learn(&control);
        let again = match self.with_old(site, &pinned, replayer)? {
            Ok(again) => again,
            Err(why) => return Ok(settled(None, why)),
        };
        let (first, second) = (self.difference(site, &old), self.difference(site, &again));
        Ok(match (first, second) {
            (Some((request, words)), Some((other, _))) if request == other => {
                settled(Some(State::Proved), format!("with the value of {origin}: {words}"))
            }
            _ => settled(Some(State::Harmless), harmless()),
        })
    }

    /// A replay with an old value, which goes as the plan says up to there. The error says why there is none.
    fn with_old<R: Replayer>(
        &self,
        site: &Site,
        pinned: &Plan,
        replayer: &mut R,
    ) -> Result<Result<Replay, String>, R::Error> {
        let mut why = String::new();
        for _ in 0..ATTEMPTS_MAX {
            let replay = replayer.replay(pinned, self.scenario, self.sites)?;
            let before = |failure: &&Failure| failure.request.is_some_and(|request| request <= site.request);
            match replay.failures.iter().find(before) {
                Some(failure) => why = self.undecided(failure),
                None => return Ok(Ok(replay)),
            }
        }
        Ok(Err(why))
    }

    /// Why a value is neither proved nor harmless.
    fn undecided(&self, failure: &Failure) -> String {
        format!("not tried: now and then a replay with fresh values fails too: {}", self.failure_words(failure))
    }

    /// A value of another time, and of which; `None` when the server gives the same one every time.
    fn stale(&self, number: usize, baselines: &[Replay]) -> Option<(String, &'static str)> {
        let [first, second] = baselines else { return None };
        let found = |replay: &Replay| replay.found.get(&number).cloned().unwrap_or_default();
        let (first, second) = (found(first), found(second));
        let recorded = self.evidence.recorded(self.plan, &self.sites[number]);
        let is_stale = |value: &String| !second.contains(value);
        let recorded = recorded.filter(|value| is_stale(value) && !first.contains(value));
        let earlier = || first.iter().find(|value| is_stale(value)).cloned();
        recorded.map(|value| (value, "the recording")).or_else(|| earlier().map(|value| (value, "another replay")))
    }

    /// The first request after a site whose reply differs from what is to be expected, and how, in words. What is no
    /// request comes last.
    fn difference(&self, site: &Site, replay: &Replay) -> Option<(usize, String)> {
        let mut found: Vec<(usize, String)> = Vec::new();
        let mut note = |request: usize, words: String| {
            found.push((request, format!("{}: {words}", self.requests[request])));
        };
        for failure in &replay.failures {
            if let Some(request) = failure.request {
                let words = self.by_structure(request, replay);
                note(request, words.unwrap_or_else(|| failure.text.clone()));
            }
        }
        for request in site.request + 1..self.requests.len() {
            if let Some(words) = self.by_structure(request, replay) {
                note(request, words);
            }
        }
        for (request, hop) in self.always.iter().flatten() {
            if *request > site.request && !replay.replies.contains_key(&(*request, *hop)) {
                let words = if *hop == 0 { "it is not reached" } else { "it leads no further" };
                note(*request, words.to_owned());
            }
        }
        let first = found.into_iter().min_by_key(|(request, _)| *request);
        let lost = || {
            let mut lost = replay.lost.difference(&self.lost);
            lost.next().map(|name| (usize::MAX, format!("{name}: it does not load")))
        };
        let rest = || replay.failures.first().map(|failure| (usize::MAX, failure.text.clone()));
        first.or_else(lost).or_else(rest)
    }

    /// How the replies to a request differ in structure.
    fn by_structure(&self, request: usize, replay: &Replay) -> Option<String> {
        let replies = replay.replies.range((request, 0)..(request + 1, 0));
        replies
            .flat_map(|(place, found)| found.iter().map(move |structure| (place, structure)))
            .find_map(|(place, structure)| self.expected.get(place)?.difference(structure))
    }

    /// Where the value is sent, replays with fresh and old values alike show another page than the one recorded: the
    /// plan does not do what was recorded, so that nothing is proved by replies that are all the same.
    fn strangers(&self, site: &Site, old: &Replay, baselines: &[Replay]) -> Option<String> {
        site.to.iter().find_map(|to| {
            let recorded = self.recorded.get(&to.request)?;
            let place = last_hop(baselines, to.request)?;
            let mut all = baselines.iter().chain([old]).filter_map(|replay| replay.replies.get(&place)).flatten();
            all.all(|structure| structure.is_another_than(recorded)).then(|| {
                format!(
                    "{}: another page than in the recording, with a fresh value too: what is taken by {} may be the wrong \
                     value",
                    to.name,
                    site.extract.source.describe()
                )
            })
        })
    }

    /// A baseline did not go as the plan says: whose fault that is.
    fn failed(self, replay: &Replay) -> ScenarioResult {
        let flow = &self.plan.scenarios[self.scenario];
        let own = self.sites.iter().filter(|site| site.scenario == self.scenario);
        let tried = own
            .map(|site| {
                let blamed = replay.failures.iter().find_map(|failure| self.blame(site, failure, replay));
                Tried {
                    site: site.clone(),
                    state: blamed.as_ref().map(|_| State::Wrong),
                    proof: blamed.unwrap_or_else(|| "not tried: the replay does not go as the plan says".to_owned()),
                }
            })
            .collect();
        ScenarioResult {
            scenario: flow.name.clone(),
            failures: replay.failures.iter().map(|failure| self.failure_words(failure)).collect(),
            tried,
            jar: replay.jar.clone(),
            notes: Vec::new(),
            requests: self.requests,
        }
    }

    /// Why a site is to blame for a failure; `None` when it is not.
    fn blame(&self, site: &Site, failure: &Failure, replay: &Replay) -> Option<String> {
        let request = failure.request?;
        let came = || {
            let mut replies = replay.replies.range((request, 0)..(request + 1, 0));
            let last = replies.next_back().and_then(|(_, structures)| structures.last());
            last.map_or_else(|| "no reply".to_owned(), Structure::describe)
        };
        if site.request == request && failure.kind == format!("extract `{}`", site.name) {
            return Some(format!(
                "{}: {} finds nothing in the reply ({}); look at it with `nmax check PLAN --once` and correct the \
                 extractor",
                site.from,
                site.extract.source.describe(),
                came()
            ));
        }
        let status = failure.kind.strip_prefix("status ")?.parse::<u16>().ok()?;
        let to = site.to.iter().find(|to| to.request == request)?;
        REFUSALS.contains(&status).then(|| {
            format!(
                "{}: {} with a fresh value in its {}: what is taken by {} may be the wrong value",
                to.name,
                failure.text,
                to.place,
                site.extract.source.describe()
            )
        })
    }

    fn failure_words(&self, failure: &Failure) -> String {
        match failure.request.and_then(|request| self.requests.get(request)) {
            Some(name) => format!("{name}: {}", failure.text),
            None => failure.text.clone(),
        }
    }
}

/// The place of the last reply to a request: after the redirects that were followed.
fn last_hop(replays: &[Replay], request: usize) -> Option<(usize, usize)> {
    let places = replays.iter().flat_map(|replay| replay.replies.keys());
    places.copied().filter(|(of, _)| *of == request).max()
}
