//! An agent as a source of a run.

use nmax_metrics::{Clock, Nanos};
use nmax_plan::plan::ObservedAddress;
use nmax_sources::figures;
use nmax_text::percent;

use super::calendar::Calendar;
use super::clock_alignment::{Answered, ClockAlignment};
use super::link::{Answer, Link};
use super::stamp::HostClock;
use super::token::Token;
use super::wire::{Head, Shot};
use crate::source::{Reading, Source, Trouble};
use nmax_metrics::clock::{Offset, OtherClock, Stamps};

/// Notes of an agent that are remembered.
const TOLD_MAX: usize = 64;
/// Between two words on readings that were left out.
const MENTION_AFTER: Nanos = Nanos::from_secs(60);
/// Most seconds that are taken from one answer.
const SHOTS_MAX: usize = 1_000;

/// The agent of a host.
pub(crate) fn source(
    name: &str,
    reach: &ObservedAddress,
    token: Option<&str>,
    processes: &[String],
) -> Box<dyn Source> {
    Box::new(RemoteAgent::new(name, reach, token, processes))
}

/// An agent, and how far its readings were taken.
#[derive(Debug)]
pub(super) struct RemoteAgent {
    name: String,
    processes: Vec<String>,
    link: Link,
    /// Version of the nmax that answered last, where it says it.
    version: Option<String>,
    /// The process that answered last, and the number of its next line.
    cursor: Option<(String, u64)>,
    clock: OtherClock,
    calendar: Calendar,
    alignment: ClockAlignment,
    /// Readings that were left out so far.
    left_out: usize,
    /// When they were mentioned, and how many there were.
    mentioned: Option<(Nanos, usize)>,
    notes: Vec<String>,
    /// What the agent has told already.
    told: Vec<String>,
    events: Vec<(&'static str, String)>,
}

impl RemoteAgent {
    pub(super) fn new(name: &str, reach: &ObservedAddress, token: Option<&str>, processes: &[String]) -> Self {
        Self {
            name: name.to_owned(),
            processes: processes.to_vec(),
            link: Link::new(reach, name, token.and_then(Token::new)),
            version: None,
            cursor: None,
            clock: OtherClock::default(),
            calendar: Calendar::default(),
            alignment: ClockAlignment::default(),
            left_out: 0,
            mentioned: None,
            notes: Vec::new(),
            told: Vec::new(),
            events: Vec::new(),
        }
    }

    fn path(&self) -> String {
        let mut pairs: Vec<String> = Vec::new();
        if let Some((instance, next)) = &self.cursor {
            pairs.push(format!("since={next}&instance={}", percent::encode(instance)));
        }
        let processes = self.processes.iter();
        pairs.extend(processes.map(|name| format!("process={}", percent::encode(name))));
        format!("/v1/readings?{}", pairs.join("&"))
    }

    /// The first line of an answer; why there is none.
    fn head(&self, answer: &Answer) -> Result<Head, Trouble> {
        let place = self.link.place();
        if answer.status == 401 {
            let text = format!("{place} wants another token; give both sides the same");
            return Err(Trouble::lasting(text));
        }
        if answer.status == 503 {
            return Err(Trouble::passing(format!("{place} is asked by as many runs as it can answer")));
        }
        if !answer.status.is_success() {
            let text = format!("{place} answers {} and is perhaps no `nmax agent`", answer.status.as_u16());
            return Err(Trouble::passing(text));
        }
        let line = answer.text.lines().next().unwrap_or_default();
        Head::parse(line).map_err(|why| Trouble::passing(format!("{place}: {why}")))
    }

    /// A note of the agent: it tells those from before the run to whoever asks first, and again with their second.
    fn take_note(&mut self, note: &str) {
        if self.told.iter().any(|told| told == note) {
            return;
        }
        if self.told.len() >= TOLD_MAX {
            self.told.remove(0);
        }
        self.told.push(note.to_owned());
        self.notes.push(note.to_owned());
    }

    /// Takes note of which process answers, and where to go on; whether it is one that was not met before.
    fn meet(&mut self, head: &Head, now: Nanos) -> bool {
        head.notes.iter().for_each(|note| self.take_note(note));
        let known = self.cursor.as_ref().map(|(instance, _)| *instance == head.instance);
        if known == Some(false) {
            let text = "it was started again; what happened until then and was not asked for is not known";
            self.notes.push(text.to_owned());
            self.clock.forget();
            self.alignment.forget();
        }
        let next = match known {
            Some(true) => head.next,
            // What it has of this run so far: a line for each second.
            _ => head.next.saturating_sub(now.0 / 1_000_000_000 + 1),
        };
        self.cursor = Some((head.instance.clone(), next));
        self.version.clone_from(&head.version);
        known != Some(true)
    }

    /// One question: its answer, the head of it, and where the clocks stood.
    fn ask(&mut self, now: Nanos, begun: Nanos) -> Result<(Answer, Head, Stamps), Trouble> {
        let path = self.path();
        let answer = self.link.ask(&path)?;
        // Others may have called before the right one did.
        self.link.refused().iter().for_each(|why| self.take_note(why));
        let head = self.head(&answer)?;
        let run = |host: Nanos| now + host.since(begun);
        let stamps = Stamps {
            sent: run(answer.sent),
            arrived: head.arrived,
            answered: head.answered,
            received: run(answer.received),
        };
        Ok((answer, head, stamps))
    }

    /// How far its calendar is ahead of this host's, s.
    fn calendar_off_s(head: &Head, answer: &Answer, stamps: &Stamps, offset: Offset) -> f64 {
        // Both calendars, when the answer was here.
        let passed_s = (stamps.received.0 as f64 - stamps.answered.0 as f64) / 1e9 + offset.offset_s;
        let there_s = head.calendar.0 as f64 / 1e9 + passed_s;
        there_s - answer.calendar.0 as f64 / 1e9
    }

    /// Mentions readings that were left out, with their number, once in a while.
    fn mention(&mut self, now: Nanos) {
        let (count, is_due) = self.mentioned.map_or((0, true), |(at, count)| (count, now.since(at) >= MENTION_AFTER));
        if self.left_out == count || !is_due {
            return;
        }
        self.mentioned = Some((now, self.left_out));
        self.notes.push(format!(
            "readings are left out, {} so far: by their stamps they are from after now, or from long before the last question, \
             so its host's clock jumps",
            self.left_out
        ));
    }
}

/// A sentence on a clock that `stands` somewhere else; readings are placed to within `error_s`.
fn clock_offset(stands: &str, error_s: f64) -> String {
    let within = if error_s < 1.0 { format!("{:.1} ms", error_s * 1e3) } else { format!("{error_s:.0} s") };
    format!("its clock {stands}; its readings are placed where they belong, to within {within}")
}

impl Source for RemoteAgent {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        let begun = HostClock.now();
        let (mut answer, mut head, mut stamps) = self.ask(now, begun)?;
        if self.meet(&head, stamps.received) {
            self.clock.exchanged(&stamps);
            (answer, head, stamps) = self.ask(now, begun)?;
            self.meet(&head, stamps.received);
        }
        self.clock.exchanged(&stamps);
        let Some(offset) = self.clock.offset(stamps.received) else {
            return Err(Trouble::passing(format!("{}: its clock goes back", self.link.place())));
        };
        let source = format!("agent {}", self.name);
        let answered = Answered { asked: stamps.sent, received: stamps.received, offset };
        let off_s = Self::calendar_off_s(&head, &answer, &stamps, offset);
        let error_s = self.alignment.error_s(&self.clock, &answered);
        if let Some(stands) = self.calendar.check(stamps.received, off_s, offset.error_s) {
            self.events.push(("CLOCK_OFFSET", clock_offset(&stands, error_s)));
        }
        let shots = answer.text.lines().skip(1).take(SHOTS_MAX).filter_map(Shot::parse);
        let shots: Vec<Shot> = shots.collect();
        let notes = shots.iter().flat_map(|shot| &shot.notes);
        notes.for_each(|note| self.take_note(note));
        let placed = self.alignment.place(shots, &self.clock, &answered);
        let mut readings = vec![
            Reading::new(&source, figures::CLOCK_OFFSET_S, off_s),
            Reading::new(&source, figures::CLOCK_ERROR_S, error_s),
        ];
        if placed.left_out > 0 {
            let count = placed.left_out as f64;
            readings.push(Reading::new(&source, figures::LEFT_OUT_COUNT, count));
            self.left_out += placed.left_out;
        }
        self.mention(stamps.received);
        readings.extend(placed.readings.into_iter().map(|mut reading| {
            if reading.source == "agent" {
                reading.source.clone_from(&source);
            }
            reading
        }));
        Ok(readings)
    }

    fn about(&self) -> Option<String> {
        let version = self.version.as_deref().map(|version| format!(" of nmax {version}"));
        self.cursor.as_ref().map(|_| format!("an agent{}", version.unwrap_or_default()))
    }

    fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn events(&mut self) -> Vec<(&'static str, String)> {
        std::mem::take(&mut self.events)
    }
}
