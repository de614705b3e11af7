//! The report of a run against the log of its target.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::bench::{Job, count, exchanges, lines};
use crate::fleet::{Fleet, RATE};

/// Parts of a run.
const PARTS: u64 = 4;

/// What came of a run.
pub(crate) struct Outcome {
    /// Iterations that the plan asks for.
    planned: u64,
    /// Requests in the report, and those of them that got no reply.
    counted: u64,
    errors: u64,
    /// Iterations in the report that were due and never started.
    dropped: u64,
    /// How often each iteration arrived.
    arrived: BTreeMap<u64, u64>,
    /// Windows that the report names as lost, by part.
    lost: Vec<Range<u64>>,
    /// Code and text of its events.
    events: Vec<(String, String)>,
    /// The report as JSON.
    pub(crate) summary: Value,
}

/// Reads what came of a run of so many seconds, whose report ended like this.
pub(crate) fn found(fleet: &Fleet, seconds: u64, report: Job) -> Outcome {
    let ended = report.wait();
    assert_eq!(ended.code, 0, "{}\n{}", ended.stderr, fleet.said());
    let summary = ended.json();
    let run = fleet.bench.run_of(summary["run"]["id"].as_str().unwrap());
    let windows = lines(&run.join("windows.jsonl"));
    let errors = |window: &Value| {
        let sections = ["hold", "outside"].map(|section| window[section]["requests"].as_array().unwrap().clone());
        sections.iter().flatten().map(|request| count(&request["errors"])).sum::<u64>()
    };
    let dropped = |window: &Value| {
        let load = |section: &str, key: &str| count(&window[section]["load"][key]);
        ["hold", "outside"]
            .iter()
            .map(|of| load(of, "dropped_injector") + load(of, "dropped_in_flight_limit"))
            .sum::<u64>()
    };
    let records = (0..PARTS).map(|part| run.join(format!("injectors/{part}/injector.json")));
    let records = records.map(|file| serde_json::from_slice::<Value>(&std::fs::read(file).unwrap()).unwrap());
    let gaps = records.flat_map(|record| record["gaps"].as_array().unwrap().clone());
    let text = |event: &Value, key: &str| event[key].as_str().unwrap_or_default().to_owned();
    Outcome {
        planned: seconds * RATE,
        counted: windows.iter().map(exchanges).sum(),
        errors: windows.iter().map(errors).sum(),
        dropped: windows.iter().map(dropped).sum(),
        arrived: fleet.arrived(),
        lost: gaps.map(|gap| count(&gap["from"])..count(&gap["to"])).collect(),
        events: lines(&run.join("events.jsonl"))
            .iter()
            .map(|event| (text(event, "code"), text(event, "text")))
            .collect(),
        summary,
    }
}

impl Outcome {
    /// Requests that arrived.
    fn total(&self) -> u64 {
        self.arrived.values().sum()
    }

    /// Requests that arrived beyond the first of their iteration, or that the plan does not have.
    fn doubled(&self) -> u64 {
        let beyond = |(iteration, times): (&u64, &u64)| if *iteration < self.planned { times - 1 } else { *times };
        self.arrived.iter().map(beyond).sum()
    }

    /// Seconds of parts that are named as lost.
    pub(crate) fn lost_s(&self) -> u64 {
        self.lost.iter().map(|windows| windows.end - windows.start).sum()
    }

    /// Iterations of the plan that never arrived and are due outside the windows that are lost, and those beside them: a lease
    /// or a process ends within a window.
    fn unexplained(&self) -> Vec<u64> {
        let is_lost = |iteration: &u64| {
            let second = iteration / RATE;
            self.lost.iter().any(|lost| (lost.start.saturating_sub(1)..lost.end + 1).contains(&second))
        };
        let missing = (0..self.planned).filter(|iteration| !self.arrived.contains_key(iteration));
        missing.filter(|iteration| !is_lost(iteration)).collect()
    }

    /// Notes it for the bench, and holds the laws of every fault: nothing was loaded twice; what is counted arrived, but for
    /// errors; what arrived is counted, or of windows that are named as lost.
    ///
    /// - `fault`: what happened
    #[track_caller]
    pub(crate) fn holds(&self, fault: &str, fleet: &Fleet) {
        let (total, doubled, unexplained) = (self.total(), self.doubled(), self.unexplained());
        // A part has its share of each window, and one iteration more at most.
        let named = self.lost.iter().map(|lost| (lost.end - lost.start + 1) * (RATE / PARTS + 1)).sum::<u64>();
        let laws = [
            ("nothing is loaded twice", doubled == 0),
            ("what is counted arrived", self.counted - self.errors <= total),
            ("what arrived is counted, or named as lost", total <= self.counted + named),
            (
                "what did not arrive is an error, dropped, or named as lost",
                unexplained.len() as u64 <= self.errors + self.dropped,
            ),
        ];
        let broken: Vec<&str> = laws.iter().filter(|(_, holds)| !holds).map(|(law, _)| *law).collect();
        let line = json!({
            "fault": fault, "planned": self.planned, "counted": self.counted, "errors": self.errors, "dropped": self.dropped, "arrived": total,
            "doubled": doubled, "lost_part_seconds": self.lost_s(), "named_at_most": named, "unexplained": unexplained.len(),
            "events": self.events.iter().map(|(code, _)| code).collect::<Vec<_>>(), "verdict": self.summary["verdict"],
            "passed": broken.is_empty(),
        });
        eprintln!("{line}");
        for (code, text) in &self.events {
            eprintln!("  {code}: {text}");
        }
        if let Some(file) = std::env::var_os("NMAX_FAULTS") {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file).unwrap();
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        assert!(broken.is_empty(), "{broken:?}: {line:#}\nunexplained: {unexplained:?}\n{}", fleet.said());
    }

    /// Nothing is lost: report, log and plan have the same number.
    #[track_caller]
    pub(crate) fn is_whole(&self) {
        let all = (self.counted, self.total(), self.errors, self.lost_s());
        assert_eq!(all, (self.planned, self.planned, 0, 0), "{:#}", self.summary);
    }

    /// An event says this.
    #[track_caller]
    pub(crate) fn says(&self, code: &str, words: &str) {
        let is_said = self.events.iter().any(|(found, text)| found == code && text.contains(words));
        assert!(is_said, "no {code} with `{words}`: {:#?}", self.events);
    }
}

/// Kills the manager of a run; the id of the run.
pub(crate) fn kill_manager(manager: Job) -> String {
    manager.signal(Signal::KILL);
    let said = manager.stderr_so_far();
    manager.wait();
    let (_, after) = said.split_once("run ").unwrap();
    after.split(' ').next().unwrap().to_owned()
}
