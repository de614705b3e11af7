//! Keys of what is observed.

use nmax_sources::kind::{Form, ValueForm};
use nmax_sources::{Figure, figures, kinds};

use super::Shape::*;
use super::{Key, PROCESS_REF, Shape, Table, Words, key, keywords};
use crate::plan::MappedKind;

/// What a resource is that is made of metrics.
pub(crate) const MAPPED_KIND: Words<MappedKind> = words_of!(MappedKind word);
/// Which keys a resource of a kind has, and the metric of readings that each becomes.
pub(crate) const MAPPED_FIGURES: [(MappedKind, &str, Figure); 15] = [
    (MappedKind::Pool, "in_use", figures::IN_USE_COUNT),
    (MappedKind::Pool, "waiting", figures::WAITING_COUNT),
    (MappedKind::Pool, "limit", figures::LIMIT_COUNT),
    (MappedKind::Pool, "timeouts", figures::TIMEOUTS_PER_S),
    (MappedKind::Lock, "waiting", figures::WAITING_COUNT),
    (MappedKind::Lock, "holding", figures::HOLDING_COUNT),
    (MappedKind::Dependency, "in_flight", figures::IN_FLIGHT_COUNT),
    (MappedKind::Dependency, "calls", figures::CALLS_PER_S),
    (MappedKind::Dependency, "errors", figures::ERRORS_PER_S),
    (MappedKind::Database, "active", figures::ACTIVE_COUNT),
    (MappedKind::Database, "running", figures::RUNNING_COUNT),
    (MappedKind::Database, "connections", figures::CONNECTIONS_COUNT),
    (MappedKind::Database, "limit", figures::CONNECTIONS_LIMIT_COUNT),
    (MappedKind::Gc, "pause", figures::PAUSE_RATIO),
    (MappedKind::Gc, "pauses", figures::PAUSES_PER_S),
];
/// Keys of a resource that name a metric.
pub(crate) const MAPPED_KEYS: [&str; 13] = [
    "in_use", "waiting", "limit", "timeouts", "holding", "in_flight", "calls", "errors", "active", "running",
    "connections", "pause", "pauses",
];

/// Keys of every source besides those of its kind.
const COMMON: [Key; 3] = [
    key(
        "name",
        Shape::Text,
        "Its name in the results; by default the process, the database, the file, or where it is.",
    ),
    key("host", Shape::Text, "Whose figures they are; by default the host of the URL, and `injector` for this one."),
    key("every", Shape::Duration, "From one reading to the next, 100ms to 1m; 1s by default."),
];
/// How many keys an item has.
const KEYS: usize = kinds::ALL.len() + COMMON.len() + kinds::KEYS.len();
static OBSERVED_KEYS: [Key; KEYS] = observed_keys();

pub(crate) static OBSERVED: Table = Table { what: "an item of `observe`", keys: &OBSERVED_KEYS, later: &[] };

/// The kinds of sources, what all of them have, and what some of them have.
const fn observed_keys() -> [Key; KEYS] {
    let mut keys = [COMMON[0]; KEYS];
    let mut at = 0;
    while at < KEYS {
        keys[at] = if at < kinds::ALL.len() {
            let kind = kinds::ALL[at];
            key(kind.word, of_place(&kind.form), kind.about)
        } else if at < kinds::ALL.len() + COMMON.len() {
            COMMON[at - kinds::ALL.len()]
        } else {
            let own = &kinds::KEYS[at - kinds::ALL.len() - COMMON.len()];
            key(own.name, of_value(&own.form), own.about)
        };
        at += 1;
    }
    keys
}

const fn of_place(form: &Form) -> Shape {
    match form {
        Form::Process => PROCESS_REF,
        Form::Agent => const { Shape::Either(&[Shape::Text, Shape::Object(&AGENT)]) },
        Form::Url(_) | Form::Address(_) | Form::File(_) => Shape::Text,
    }
}

const fn of_value(form: &ValueForm) -> Shape {
    match form {
        ValueForm::Token | ValueForm::Text | ValueForm::Label => Shape::Text,
        ValueForm::OneOf(words) => Shape::OneOf(*words),
        ValueForm::Processes => Shape::List(&Shape::Text),
        ValueForm::Resources => const { Shape::Map(&Shape::Object(&MAPPED)) },
    }
}

tables! {
    AGENT "`agent`" {
        required "listen": Text, "Address of this host at which the agent calls, such as `0.0.0.0:9798`.";
    };
    MAPPED "a resource" {
        required "kind": OneOf(|| keywords(MAPPED_KIND)), "What it is.";
        key "in_use": Text, "Pool: how many are lent.";
        key "waiting": Text, "Pool, lock: how many wait for it.";
        key "limit": Text, "Pool: how many there are; database: most connections.";
        key "timeouts": Text, "Pool: counter of those who gave up waiting.";
        key "holding": Text, "Lock: how many hold it.";
        key "in_flight": Text, "Dependency: calls under way.";
        key "calls": Text, "Dependency: counter of calls.";
        key "errors": Text, "Dependency: counter of calls that failed.";
        key "active": Text, "Database: sessions that have a statement.";
        key "running": Text, "Database: those of them that do not wait.";
        key "connections": Text, "Database: sessions.";
        key "pause": Text, "Collector: counter of the seconds that it stopped the program.";
        key "pauses": Text, "Collector: counter of its pauses.";
    };
}
