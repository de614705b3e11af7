//! A PostgreSQL server: what its sessions wait for, and what it does.
//!
//! Sessions are looked at several times within each reading, so that their mean is one over time: mean number ÷ throughput
//! is the time that a request spends there (Little's law). Everything comes from functions that read no table, and one
//! connection is used; its own session and transactions are left out.
//!
//! # Layout
//! - [`wire`]: the protocol; [`entry`]: over TLS or in clear text
//! - [`auth`]: how a password is proved

mod auth;
mod entry;
mod wire;

use std::time::Duration;

use nmax_metrics::Nanos;
use nmax_sources::tls::{POSTGRES_ISSUERS, TlsOptions};
use nmax_sources::{Figure, figures};

use crate::numbers::{Numbers, ServiceReading};
use crate::rates::Rates;
use crate::reach::{Link, PATIENCE, QueryError, Service, now as instant, pause, server_text};
use crate::service_address::ServiceAddress;
use crate::tls::Tls;
use crate::{Reading, Source, Trouble};

use entry::enter;
use wire::{Login, Rows, ask, log_in};

const PORT: u16 = 5_432;
/// Where servers of Debian and Red Hat have their sockets.
const SOCKET_FOLDER: &str = "/var/run/postgresql";
/// Looks at the sessions in one reading.
const SAMPLES: u32 = 5;
/// Longest time between two of them.
const GAP_MAX: Duration = Duration::from_millis(200);

/// Limits of the session. A statement that hangs ends before its reader's patience does.
const LIMITS: &str = "SET statement_timeout = '1500ms'; SET lock_timeout = '1000ms'";

/// Sessions of clients by what they do. Others' sessions are hidden from a role that is no member of pg_monitor: their type
/// is NULL then, and their query says so. Background workers have no database or no user.
const SESSIONS: &str = "\
    SELECT CASE \
        WHEN state IN ('active', 'fastpath function call') THEN coalesce(wait_event_type, 'running') \
        WHEN state LIKE 'idle in transaction%' THEN 'idle in transaction' \
        WHEN query = '<insufficient privilege>' THEN 'hidden' \
        WHEN state = 'disabled' THEN 'disabled' \
        ELSE 'idle' END, \
        count(*) \
    FROM pg_stat_get_activity(NULL) \
    WHERE pid <> pg_backend_pid() \
        AND (backend_type = 'client backend' \
            OR backend_type IS NULL AND datid IS NOT NULL AND usesysid IS NOT NULL) \
    GROUP BY 1";

/// Counters of all databases, locks that are waited for, and settings: one row each.
const COUNTERS: &str = "\
    SELECT sum(xact_commit), sum(xact_rollback), sum(blks_read), sum(blks_hit), sum(tup_returned), \
        sum(tup_inserted + tup_updated + tup_deleted), sum(temp_bytes), sum(deadlocks), sum(blk_read_time) \
    FROM pg_stat_database; \
    SELECT count(*) FROM pg_locks WHERE NOT granted; \
    SELECT current_setting('max_connections'), current_setting('track_io_timing'), \
        extract(epoch FROM max(clock_timestamp() - xact_start)), current_setting('server_version') \
    FROM pg_stat_get_activity(NULL) WHERE pid <> pg_backend_pid()";

/// Names of the counters, in their order.
const COUNTER_NAMES: [&str; 9] = [
    "commits", "rollbacks", "blocks_read", "blocks_hit", "rows_read", "rows_written", "temp_bytes", "deadlocks",
    "read_ms",
];

/// A server at `url`, `postgres://user:password@host:port/database`, called `name` in results.
pub(crate) fn source(url: &str, name: &str, every: Duration) -> Box<dyn Source> {
    let mut service = Service::new(place(url));
    Box::new(Postgres {
        tls: Tls::for_service(&mut service, POSTGRES_ISSUERS, TlsOptions::of_postgres),
        service,
        name: name.to_owned(),
        gap: (every / (SAMPLES + 1)).min(GAP_MAX),
        rates: Rates::default(),
        version: None,
        notes: Notes::default(),
    })
}

/// Where the server is; a socket in a file is named by its folder, as `host=` or in the place of the host.
pub(crate) fn place(url: &str) -> Result<ServiceAddress, Trouble> {
    ServiceAddress::parse(url, PORT).map(|mut place| {
        if let Some(host) = place.option("host").map(str::to_owned) {
            place.host = host;
        } else if place.host.is_empty() {
            place.host = SOCKET_FOLDER.into();
        }
        if place.host.starts_with('/') {
            place.host = format!("{}/.s.PGSQL.{}", place.host, place.port);
        }
        place
    })
}

struct Postgres {
    service: Service,
    tls: Tls,
    name: String,
    /// Between two looks at the sessions.
    gap: Duration,
    rates: Rates,
    version: Option<String>,
    notes: Notes,
}

/// What one reading found.
struct PostgresReading {
    counters: Vec<Rows>,
    sessions: Vec<Rows>,
    /// How long it took.
    took: Duration,
}

impl PostgresReading {
    fn cell(&self, statement: usize, column: usize) -> Option<&str> {
        let row = self.counters.get(statement).and_then(|rows| rows.first());
        row.and_then(|row| row.get(column)).and_then(|cell| cell.as_deref())
    }

    /// The server's version, without the words of its distribution.
    fn version(&self) -> Option<String> {
        let version = self.cell(2, 3)?.split_whitespace().next()?;
        Some(server_text(version.as_bytes(), None))
    }
}

impl Source for Postgres {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        let (gap, tls) = (self.gap, &self.tls);
        let greet = |link: &mut Link, place: &ServiceAddress| greet(link, place, tls);
        let found = self.service.ask(greet, |link| find(link, gap))?;
        let user = self.service.place.as_ref().map(|place| user(place).to_owned()).unwrap_or_default();
        let sessions = Sessions::mean(&found.sessions)
            .ok_or_else(|| Trouble::passing("its sessions are not told in rows of two"))?;
        self.notes.examine(&sessions, &found, &user);
        self.version = found.version();
        Ok(readings(now, &found, &sessions, &mut self.rates, &self.name))
    }

    fn about(&self) -> Option<String> {
        self.version.as_ref().map(|version| format!("PostgreSQL {version}"))
    }

    fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes.waiting)
    }
}

fn user(place: &ServiceAddress) -> &str {
    place.user.as_deref().unwrap_or("postgres")
}

fn greet(link: &mut Link, place: &ServiceAddress, tls: &Tls) -> Result<(), QueryError> {
    let database = Some(place.path.as_str()).filter(|path| !path.is_empty());
    let login =
        Login { user: user(place), password: place.password.as_deref(), database: database.unwrap_or(user(place)) };
    enter(link, place, tls, |link| log_in(link, &login))?;
    ask(link, LIMITS).map(drop)
}

fn find(link: &mut Link, gap: Duration) -> Result<PostgresReading, QueryError> {
    let begin = instant();
    link.begin(PATIENCE + gap * SAMPLES);
    let counters = ask(link, COUNTERS)?;
    let mut sessions = Vec::new();
    for sample in 0..SAMPLES {
        if sample > 0 {
            pause(gap);
        }
        sessions.extend(ask(link, SESSIONS)?);
    }
    Ok(PostgresReading { counters, sessions, took: begin.elapsed() })
}

/// Mean numbers of sessions over the looks of one reading.
struct Sessions {
    by_state: Numbers,
}

impl Sessions {
    fn mean(samples: &[Rows]) -> Option<Self> {
        let mut by_state = Numbers::new();
        for row in samples.iter().flatten() {
            let [Some(state), Some(count)] = row.as_slice() else {
                return None;
            };
            let count: f64 = count.parse().ok()?;
            *by_state.entry(state.clone()).or_default() += count / samples.len() as f64;
        }
        Some(Self { by_state })
    }

    fn in_state(&self, state: &str) -> f64 {
        self.by_state.get(state).copied().unwrap_or(0.0)
    }

    /// Sessions that have a statement under way.
    fn active(&self) -> f64 {
        let passive = ["idle", "idle in transaction", "hidden", "disabled"];
        let states = self.by_state.iter();
        states.filter(|(state, _)| !passive.contains(&state.as_str())).map(|(_, count)| count).sum()
    }
}

fn readings(now: Nanos, found: &PostgresReading, sessions: &Sessions, rates: &mut Rates, name: &str) -> Vec<Reading> {
    let number =
        |statement: usize, column: usize| found.cell(statement, column).and_then(|text| text.parse::<f64>().ok());
    let counters =
        COUNTER_NAMES.iter().enumerate().filter_map(|(column, name)| Some(((*name).to_owned(), number(0, column)?)));
    let counters: Numbers = counters.collect();
    // The sums also fall when a database is dropped; what the others did meanwhile is not known then.
    if rates.have_fallen(&counters) {
        *rates = Rates::default();
    }

    let mut look = ServiceReading::new(now, &counters, rates, format!("database {name}"));
    let of_sessions = session_figures(sessions);
    // They are the mean of looks from now on.
    let at = Nanos(now.0.saturating_add(found.took.as_nanos() as u64 / 2));
    let hit_ratio = look.share("blocks_hit", "blocks_read");
    // Each look is a transaction of its own, and so is the question for the counters.
    let commits = look.rate_without(f64::from(SAMPLES + 1), "commits");
    let rollbacks = look.rate(&["rollbacks"]);
    let (blocks_read, rows_read) = (look.rate(&["blocks_read"]), look.rate(&["rows_read"]));
    let is_timed = found.cell(2, 1) == Some("on");
    let of_counters = [
        (figures::CONNECTIONS_LIMIT_COUNT, number(2, 0)),
        (figures::LOCKS_WAITING_COUNT, number(1, 0)),
        (figures::OLDEST_TRANSACTION_S, number(2, 2)),
        (figures::COMMITS_PER_S, commits),
        (figures::ROLLBACKS_PER_S, rollbacks),
        (figures::BLOCKS_READ_PER_S, blocks_read),
        (figures::BLOCKS_HIT_PER_S, look.rate(&["blocks_hit"])),
        (figures::HIT_RATIO, hit_ratio),
        // Milliseconds of reading per second are thousandths of the mean number of sessions that read.
        (figures::READING_COUNT, look.rate(&["read_ms"]).filter(|_| is_timed).map(|ms| ms / 1e3)),
        (figures::ROWS_READ_PER_S, rows_read),
        (figures::ROWS_WRITTEN_PER_S, look.rate(&["rows_written"])),
        (figures::TEMP_BYTES_PER_S, look.rate(&["temp_bytes"])),
        (figures::DEADLOCKS_PER_S, look.rate(&["deadlocks"])),
    ];
    for (figure, value) in of_counters {
        look.put(figure, value);
    }
    let operations = [
        ("transactions", commits.zip(rollbacks).map(|(done, undone)| done + undone)),
        ("rows", rows_read),
        ("blocks", blocks_read),
    ];
    for (what, rate) in operations {
        look.set_source(format!("operations {name} {what}"));
        look.put(figures::OPERATIONS_PER_S, rate);
    }
    let mut readings = look.readings();
    readings.extend(
        of_sessions.into_iter().map(|(figure, value)| Reading {
            at: Some(at),
            ..Reading::new(&format!("database {name}"), figure, value)
        }),
    );
    readings
}

/// Numbers of sessions, under the names of the vocabulary.
fn session_figures(sessions: &Sessions) -> [(Figure, f64); 9] {
    let known = ["running", "Lock", "IO", "LWLock", "Client"];
    let other = sessions.active() - known.iter().map(|state| sessions.in_state(state)).sum::<f64>();
    [
        (figures::ACTIVE_COUNT, sessions.active()),
        (figures::RUNNING_COUNT, sessions.in_state("running")),
        (figures::WAIT_LOCK_COUNT, sessions.in_state("Lock")),
        (figures::WAIT_IO_COUNT, sessions.in_state("IO")),
        (figures::WAIT_LWLOCK_COUNT, sessions.in_state("LWLock")),
        (figures::WAIT_CLIENT_COUNT, sessions.in_state("Client")),
        (figures::WAIT_OTHER_COUNT, other.max(0.0)),
        (figures::IDLE_IN_TRANSACTION_COUNT, sessions.in_state("idle in transaction")),
        (figures::CONNECTIONS_COUNT, sessions.by_state.values().sum()),
    ]
}

/// What a person should know, each once.
#[derive(Default)]
struct Notes {
    waiting: Vec<String>,
    has_hidden: bool,
    has_disabled: bool,
    has_untimed: bool,
}

impl Notes {
    fn examine(&mut self, sessions: &Sessions, found: &PostgresReading, user: &str) {
        let hidden = sessions.in_state("hidden");
        if hidden > 0.0 && !std::mem::replace(&mut self.has_hidden, true) {
            self.waiting.push(format!(
                "sessions of other roles are hidden from `{user}`, so there is more waiting than it shows; \
                 `GRANT pg_monitor TO {user}` shows them"
            ));
        }
        if sessions.in_state("disabled") > 0.0 && !std::mem::replace(&mut self.has_disabled, true) {
            self.waiting.push("track_activities is off, so what sessions wait for is not known".into());
        }
        let is_untimed = found.cell(2, 1) == Some("off");
        if is_untimed && !std::mem::replace(&mut self.has_untimed, true) {
            self.waiting.push(
                "track_io_timing is off, so the time of reading blocks is not known; waits of kind IO show it roughly"
                    .into(),
            );
        }
    }
}

#[cfg(test)]
mod tests;
