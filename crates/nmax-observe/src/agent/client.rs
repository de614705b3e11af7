//! An agent as a source of a run.

use nmax_metrics::{Clock, Nanos};
use nmax_plan::plan::AgentReach;

use super::link::{Answer, Link, encoded};
use super::stamp::HostClock;
use super::token::Token;
use super::wire::{Head, Shot};
use crate::clock::{Offset, OtherClock, Stamps};
use crate::source::{Reading, Source, Trouble};

/// Calendars that differ by less are not worth a word, s.
const CALENDARS_MAX_S: f64 = 1.0;
/// Notes of an agent that are remembered.
const TOLD_MAX: usize = 64;
/// Most seconds that are taken from one answer.
const SHOTS_MAX: usize = 1_000;

/// The agent of a host.
pub(crate) fn source(name: &str, reach: &AgentReach, token: Option<&str>, processes: &[String]) -> Box<dyn Source> {
    Box::new(RemoteAgent::new(name, reach, token, processes))
}

/// An agent, and how far its readings were taken.
#[derive(Debug)]
pub(super) struct RemoteAgent {
    name: String,
    processes: Vec<String>,
    link: Link,
    /// The process that answered last, and the number of its next line.
    cursor: Option<(String, u64)>,
    clock: OtherClock,
    /// How far its calendar was off when a word was said, s.
    said_s: Option<f64>,
    notes: Vec<String>,
    /// What the agent has told already.
    told: Vec<String>,
    events: Vec<(&'static str, String)>,
}

impl RemoteAgent {
    pub(super) fn new(name: &str, reach: &AgentReach, token: Option<&str>, processes: &[String]) -> Self {
        Self {
            name: name.to_owned(),
            processes: processes.to_vec(),
            link: Link::new(reach, name, token.and_then(Token::new)),
            cursor: None,
            clock: OtherClock::default(),
            said_s: None,
            notes: Vec::new(),
            told: Vec::new(),
            events: Vec::new(),
        }
    }

    fn path(&self) -> String {
        let mut pairs: Vec<String> = Vec::new();
        if let Some((instance, next)) = &self.cursor {
            pairs.push(format!("since={next}&instance={}", encoded(instance)));
        }
        let processes = self.processes.iter();
        pairs.extend(processes.map(|name| format!("process={}", encoded(name))));
        format!("/v1/readings?{}", pairs.join("&"))
    }

    /// The first line of an answer; why there is none.
    fn head(&self, answer: &Answer) -> Result<Head, Trouble> {
        let place = self.link.place();
        if answer.status == 401 {
            let text = format!("{place} wants another token; give both sides the same");
            return Err(Trouble::lasting(text));
        }
        if !answer.status.is_success() {
            let text = format!(
                "{place} answers {} and is perhaps no `nmax agent`",
                answer.status.as_u16()
            );
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
        }
        let next = match known {
            Some(true) => head.next,
            // What it has of this run so far: a line for each second.
            _ => head.next.saturating_sub(now.0 / 1_000_000_000 + 1),
        };
        self.cursor = Some((head.instance.clone(), next));
        known != Some(true)
    }

    /// One question: its answer, the head of it, and where the clocks stood.
    fn ask(&mut self, now: Nanos, begun: Nanos) -> Result<(Answer, Head, Stamps), Trouble> {
        let path = self.path();
        let answer = self.link.ask(&path);
        self.notes.extend(self.link.refused());
        let answer = answer?;
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

    /// How far its calendar is from this host's, s; a word when that has changed.
    fn compare_calendars(&mut self, head: &Head, stamps: &Stamps, calendar: Nanos, offset: Offset) -> f64 {
        let Offset { offset_s, error_s } = offset;
        // Both calendars, when the answer was here.
        let passed_s = (stamps.received.0 as f64 - stamps.answered.0 as f64) / 1e9 + offset_s;
        let there_s = head.calendar.0 as f64 / 1e9 + passed_s;
        let off_s = there_s - calendar.0 as f64 / 1e9;
        let has_moved = (off_s - self.said_s.unwrap_or(0.0)).abs() > CALENDARS_MAX_S + error_s;
        if has_moved {
            self.said_s = Some(off_s);
            let way = if off_s > 0.0 { "ahead of" } else { "behind" };
            let text = format!(
                "its clock is {:.1} s {way} this host's; its readings are placed where they belong, to within {:.1} ms",
                off_s.abs(),
                error_s * 1e3
            );
            self.events.push(("CLOCK_OFFSET", text));
        }
        off_s
    }
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
        let off_s = self.compare_calendars(&head, &stamps, answer.calendar, offset);
        let mut readings = vec![
            Reading::new(&source, "clock_offset_s", off_s, "s"),
            Reading::new(&source, "clock_error_s", offset.error_s, "s"),
        ];
        for shot in answer.text.lines().skip(1).take(SHOTS_MAX).filter_map(Shot::parse) {
            shot.notes.iter().for_each(|note| self.take_note(note));
            // What was before the run is none of its readings.
            let Some(at) = self.clock.here(shot.at, stamps.received) else {
                continue;
            };
            readings.extend(shot.readings.into_iter().map(|reading| {
                let source = if reading.source == "agent" {
                    source.clone()
                } else {
                    reading.source
                };
                Reading {
                    at: Some(at),
                    source,
                    ..reading
                }
            }));
        }
        Ok(readings)
    }

    fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }

    fn events(&mut self) -> Vec<(&'static str, String)> {
        std::mem::take(&mut self.events)
    }
}
