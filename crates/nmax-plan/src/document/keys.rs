//! The keys of the document: one table per map, used by the decoder and by the schema.

use nmax_data::Generator;
use nmax_text::nearest;

use crate::plan::{Arrivals, AtEnd, MatchPick, Method, Per};

/// Tables of keys: what the map is in messages; of each key its shape and a line for editors; keys of `later` versions, with
/// what to write instead.
#[macro_export]
macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident $what:literal {
        $($make:ident $key:literal: $shape:expr, $about:expr;)*
    } $(later $later:expr)?;)*) => { $(
        $(#[$doc])*
        pub(crate) static $table: $crate::document::reading::Table = $crate::document::reading::Table {
            what: $what,
            keys: &[$($crate::document::reading::$make($key, $shape, $about)),*],
            later: $crate::tables!(@later $($later)?),
        };
    )* };
    (@later) => { &[] };
    (@later $later:expr) => { &$later };
}

/// The words of an enum whose variants have names.
macro_rules! words_of {
    ($Enum:ident $name:ident) => {
        &{
            let mut words = [("", $Enum::ALL[0]); $Enum::ALL.len()];
            let mut at = 0;
            while at < words.len() {
                words[at] = ($Enum::ALL[at].$name(), $Enum::ALL[at]);
                at += 1;
            }
            words
        }
    };
}

mod http;
mod observe;
mod run;
mod scenario;
pub(crate) use http::*;
pub(crate) use observe::*;
pub(crate) use run::*;
pub(crate) use scenario::*;

use Shape::*;

/// A map with fixed keys.
pub struct Table {
    /// What the map is, in messages.
    pub what: &'static str,
    /// Its keys.
    pub keys: &'static [Key],
    /// Keys of later versions, and what to write instead.
    pub later: &'static [(&'static str, &'static str)],
}

impl Table {
    /// The key that was meant by a name that is neither known nor of a later version.
    pub(crate) fn suggestion(&self, name: &str) -> Option<&'static str> {
        let is_listed =
            self.keys.iter().any(|key| key.name == name) || self.later.iter().any(|(later, _)| *later == name);
        if is_listed {
            return None;
        }
        nearest(name, self.keys.iter().map(|key| key.name))
    }
}

/// A key of a table.
#[derive(Clone, Copy)]
pub struct Key {
    /// The key.
    pub name: &'static str,
    /// What its value looks like.
    pub shape: Shape,
    /// Whether it must be there.
    pub required: bool,
    /// One line for editors.
    pub about: &'static str,
}

/// What a value looks like.
#[derive(Clone, Copy)]
pub enum Shape {
    /// A text, or another single value taken as text.
    Text,
    /// A duration.
    Duration,
    /// A rate per time.
    Rate,
    /// Bits per second.
    BitRate,
    /// Bytes.
    Size,
    /// A percentage.
    Share,
    /// A percentage, a rate or a number of VUs.
    Level,
    /// A condition on the result.
    Threshold,
    /// `true` or `false`.
    Bool,
    /// No value.
    Null,
    /// A whole number in this range.
    Whole(u64, u64),
    /// A number from 0 to 10^12.
    Number,
    /// Any value.
    Any,
    /// One of these words.
    OneOf(fn() -> Vec<&'static str>),
    /// Status codes: `200`, `2xx`, `200-299`.
    Status,
    /// Steps, which may hold steps themselves.
    Steps,
    /// A comparison as a text, or a map of [`DECISION`].
    Condition,
    /// Items of one shape.
    List(&'static Shape),
    /// Names of the user's choice.
    Map(&'static Shape),
    /// A map with fixed keys.
    Object(&'static Table),
    /// One of these.
    Either(&'static [Shape]),
}

/// Words of a choice and what they mean.
pub type Words<T> = &'static [(&'static str, T)];

/// The words alone.
pub fn keywords<T>(table: Words<T>) -> Vec<&'static str> {
    table.iter().map(|(word, _)| *word).collect()
}

pub(crate) const AT_END: Words<AtEnd> = &[("wrap", AtEnd::Wrap), ("stop", AtEnd::Stop), ("error", AtEnd::Error)];
pub(crate) const PER: Words<Per> = &[("iteration", Per::Iteration), ("request", Per::Request)];
pub(crate) const ARRIVALS: Words<Arrivals> =
    &[("even", Arrivals::Even), ("poisson", Arrivals::Poisson), ("listed", Arrivals::Listed)];
pub(crate) const PICK_NAMES: [&str; 4] = ["sequential", "unique", "random", "zipf"];
pub(crate) const MATCH_PICK: Words<MatchPick> =
    &[("first", MatchPick::First), ("last", MatchPick::Last), ("random", MatchPick::Random)];
/// Keys that make a step a request.
pub(crate) const METHODS: Words<Method> = &[
    ("get", Method::Get),
    ("head", Method::Head),
    ("post", Method::Post),
    ("put", Method::Put),
    ("patch", Method::Patch),
    ("delete", Method::Delete),
    ("options", Method::Options),
];

/// A key that may be absent.
pub const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, shape, required: false, about }
}

/// A key that must be there.
pub const fn required(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key { name, shape, required: true, about }
}

tables! {
    ROOT "the plan" {
        required "nmax": Whole(1, 1), "Version of the document; 1.";
        key "name": Text, "Short name, for directories and headings; the file's name by default.";
        key "target": Text, "Base URL, such as `https://shop.test`; `--target` overrides it.";
        key "defaults": Object(&DEFAULTS), "What holds for every request unless a step says otherwise.";
        key "data": Map(&Object(&DATA)), "Data sources by name; `${name.column}` reads them.";
        required "scenarios": Map(&Object(&SCENARIO)), "Behaviours by name.";
        required "workload": Object(&WORKLOAD), "How iterations start.";
        key "stages": List(&Object(&STAGE)), "The run's shape, stage after stage.";
        key "profile": Either(&[OneOf(profile_names), Object(&PROFILE)]),
            "A named shape of the run, and the question that it answers; a map changes its lengths and levels.";
        key "duration": Duration, "Length of the run without `stages`; 30s by default.";
        key "warm_up": Duration, "Time before the first hold, at its level, left out of the statistics.";
        key "graceful_stop": Duration, "How long exchanges may go on after the last start; 30s by default.";
        key "seed": Whole(0, u64::MAX), "Initial value of every choice; 1 by default.";
        key "thresholds": List(&Either(&[Threshold, Object(&CONDITION)])), "Conditions on the result.";
        key "window": Duration, "Width of a window of measurements, 10ms to 60s; 1s by default.";
        key "steered": List(&Object(&CHANGE)),
            "Changes of the load, as recorded of a run that was steered: each holds until the end of the stages.";
        key "pacing_slack": Duration,
            "One wake-up serves all starts that are due within this time, up to 1ms, which costs less CPU and adds to lag; by \
             default 100us for rates above 5000/s per worker, 0s below.";
        key "hosts": Map(&TEXTS), "Addresses of hosts by name or `NAME:PORT`, in place of what the resolver says.";
        key "setup": Object(&RUN_SETUP), "Done once before the run; `${setup.NAME}` reads its values everywhere.";
        key "teardown": Object(&RUN_TEARDOWN), "Done once after the run, also after an abort.";
        key "locations": Map(&Object(&LOCATION)), "Where users are, by name: what their line to the network does.";
        key "timeline": List(&Object(&INTERVENTION)), "What is done to the system under test during the run.";
        key "observe": List(&Object(&OBSERVED)), "What is watched beside the injector.";
        key "tags": Map(&Text),
            "Tags by regular expression on method and path, or name: `images: '\\.(png|jpg)$'`; the rest is `not images`.";
        key "availability": Share,
            "Share of time that the system is to be available, such as `99.99%`; decides how much testing it deserves.";
        key "source": Text,
            "Traffic profile that the plan was made from, a file of `nmax import log`; the run is compared with it.";
        key "compressed": Number,
            "Written by nmax: how many times shorter than meant the lengths in this document are; 1 by default.";
    } later [
        ("transactions", "write `- transaction: NAME` with `steps` into the scenarios"),
        ("scripts", "write the behaviour as `scenarios`"),
    ];
    DATA "a data source" {
        key "csv": Text, "CSV file with a header row, relative to the plan; separated by `,`, else `;`, else tab.";
        key "generate": OneOf(|| Generator::KINDS.to_vec()), "What is made up instead, row by row, from the seed.";
        key "locale": OneOf(|| Generator::LOCALES.to_vec()), "Language and country of what is generated.";
        key "rows": Whole(1, 1 << 53), "Number of generated rows; 1000000 by default.";
        key "unique": Text, "Column of generated rows whose values never repeat.";
        key "pick": OneOf(|| PICK_NAMES.to_vec()), "Which row an iteration reads; sequential by default.";
        key "per": OneOf(|| keywords(PER)),
            "How long a row picked at random stays: the iteration (the default), or one request, and the next picks anew.";
        key "exponent": Number, "Skew of `pick: zipf`, above 0; 1 by default.";
        key "at_end": OneOf(|| keywords(AT_END)), "What happens after the last row; wrap, or stop for `pick: unique`.";
    } later [
        ("json", "write the rows into a file and read it with `csv: FILE`"),
        ("delimiter", "remove it; the header row shows the delimiter"),
    ];
    WORKLOAD "`workload`" {
        key "mix": Map(&Number), "Weights of the scenarios; absent ones never run.";
        key "open": Object(&OPEN), "Iterations start by schedule, replies or not.";
        key "closed": Object(&CLOSED), "VUs start their next iteration when the last is done.";
        key "background": Map(&Object(&BACKGROUND)),
            "Scenarios that run beside the mix, each with a workload of its own.";
        key "iterations": Whole(1, 1 << 53), "Stop after that many iterations.";
    } later [("sessions", "write `open` with `rate`"), ("trace", "write `stages` that follow the trace")];
    OPEN "`open`" {
        required "rate": Rate, "Iterations per time at 100 %, such as `200/s`.";
        key "arrivals": OneOf(|| keywords(ARRIVALS)),
            "Law of the arrivals; even by default. `listed` is written by nmax, for the instants of a log.";
        key "max_in_flight": Whole(1, 1_000_000), "Iterations at once; due ones wait beyond it. 10000 by default.";
    };
    CLOSED "`closed`" {
        required "vus": Whole(1, 1_000_000), "VUs at 100 %.";
    } later [("think", "write `think` steps into the scenarios"), ("pacing", "write `pacing` into the scenarios")];
    STAGE "a stage" {
        key "ramp": Duration, "Length of a linear change, from the level before (0 at first) to `to`.";
        key "hold": Duration, "Length of a steady level: that before (100% at first), or `to` at once.";
        key "to": Level, "Level at its end: a share (`100%`), a rate (`200/s`) or a number of VUs.";
    } later [
        ("burst", "write `{ ramp: 1ms, to: ... }`"),
        ("sine", "write several ramps"),
        ("repeat", "write the stages out"),
    ];
}
