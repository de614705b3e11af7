//! The streams of a fleet: what each keeps, for how long, and on how many servers.

use std::time::Duration;

use async_nats::jetstream::context::{CreateStreamErrorKind, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, PersistenceMode, StorageType};
use async_nats::jetstream::{Context, ErrorCode};

use crate::broker::{Broker, Link};
use crate::error::NatsError;

/// Records, leases and stamps.
pub(crate) const CONTROL: &str = "NMAX_CTL";
/// Batches of results.
pub(crate) const RESULTS: &str = "NMAX_RES";
/// The bucket of what injectors say of themselves.
pub(crate) const WORKERS: &str = "nmax_workers";
/// The bucket of plans and their files.
pub(crate) const FILES: &str = "nmax_files";
/// How long an injector that says nothing more is known.
pub(crate) const WORKER_AGE_MAX: Duration = Duration::from_secs(15);
/// How long runs are kept.
const RUN_AGE_MAX: Duration = Duration::from_secs(7 * 24 * 3600);
/// In this time a batch that is sent twice is kept once; later it is the receiver that counts it once.
const DUPLICATES: Duration = Duration::from_secs(600);
/// How long the mark of an expired message stays: the server delays shorter lives of messages to that of their mark.
const MARK: Duration = Duration::from_secs(1);
/// Copies in a cluster.
const REPLICAS: usize = 3;

/// How much the streams may hold, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Records.
    pub control_bytes: i64,
    /// Batches of results.
    pub results_bytes: i64,
    /// Plans and their files.
    pub files_bytes: i64,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { control_bytes: 64 << 20, results_bytes: 2 << 30, files_bytes: 512 << 20 }
    }
}

/// The streams as they should be, on so many servers.
fn wanted(sizes: Sizes, replicas: usize) -> [Config; 4] {
    let common = |name: &str, subjects: &[&str], max_bytes| Config {
        name: name.into(),
        subjects: subjects.iter().map(|&subject| subject.into()).collect(),
        max_bytes,
        max_messages: -1,
        max_messages_per_subject: -1,
        max_message_size: -1,
        max_consumers: -1,
        max_age: RUN_AGE_MAX,
        discard: DiscardPolicy::New,
        storage: StorageType::File,
        num_replicas: replicas,
        duplicate_window: DUPLICATES,
        allow_direct: true,
        ..Config::default()
    };
    let (chunks, files) = (format!("$O.{FILES}.C.>"), format!("$O.{FILES}.M.>"));
    [
        Config {
            max_messages_per_subject: 1,
            allow_message_ttl: true,
            subject_delete_marker_ttl: Some(MARK),
            ..common(CONTROL, &["nmax.ctl.>", "nmax.lease.>", "nmax.stamp.>"], sizes.control_bytes)
        },
        common(RESULTS, &["nmax.res.>"], sizes.results_bytes),
        Config {
            max_messages_per_subject: 1,
            allow_message_ttl: true,
            subject_delete_marker_ttl: Some(MARK),
            max_age: WORKER_AGE_MAX,
            duplicate_window: WORKER_AGE_MAX,
            allow_rollup: true,
            deny_delete: true,
            ..common(&format!("KV_{WORKERS}"), &[&format!("$KV.{WORKERS}.>")], 16 << 20)
        },
        Config { allow_rollup: true, ..common(&format!("OBJ_{FILES}"), &[&chunks, &files], sizes.files_bytes) },
    ]
}

/// Makes the streams that are missing, and looks at those that are there.
///
/// # Errors
/// Why a fleet cannot use one.
pub fn prepare(broker: &Broker, sizes: Sizes) -> Result<(), NatsError> {
    broker.wait_for(async {
        for config in wanted(sizes, REPLICAS) {
            make(&broker.link, config).await?;
        }
        Ok(())
    })
}

/// Looks at the streams, as injectors do: they make none.
///
/// # Errors
/// What is missing, or why a fleet cannot use it.
pub fn look(broker: &Broker) -> Result<(), NatsError> {
    broker.wait_for(async {
        for config in wanted(Sizes::default(), REPLICAS) {
            found(&broker.link, &config).await?.ok_or_else(|| NatsError::missing(&config.name))?;
        }
        Ok(())
    })
}

/// The stream of this name, where it is there and a fleet can use it.
pub(crate) async fn found(link: &Link, wanted: &Config) -> Result<Option<Config>, NatsError> {
    let found = match link.context.get_stream(&wanted.name).await {
        Ok(stream) => stream.cached_info().config.clone(),
        Err(error) => match error.kind() {
            GetStreamErrorKind::JetStream(error) if error.error_code() == ErrorCode::STREAM_NOT_FOUND => {
                return Ok(None);
            }
            GetStreamErrorKind::JetStream(error) => {
                return Err(NatsError::of_operation(&wanted.name, &error));
            }
            _ => return Err(link.lost(&format!("STREAM.INFO.{}", wanted.name), &error.to_string())),
        },
    };
    match difference(&found, wanted) {
        None => Ok(Some(found)),
        Some(help) => {
            let reason = "has settings that a fleet cannot use".into();
            Err(NatsError::Stream { stream: found.name, reason, help })
        }
    }
}

/// What to change about a stream.
fn difference(found: &Config, wanted: &Config) -> Option<String> {
    let has_subjects = wanted.subjects.iter().all(|subject| found.subjects.contains(subject));
    let holds = [
        (has_subjects, format!("give it the subjects {}", wanted.subjects.join(", "))),
        (found.storage == wanted.storage, "store it in files".into()),
        (found.discard == DiscardPolicy::New, "set discard to new: what is acknowledged must stay".into()),
        (found.allow_direct, "set allow_direct".into()),
        (found.max_messages_per_subject == wanted.max_messages_per_subject, {
            format!("set max_msgs_per_subject to {}", wanted.max_messages_per_subject)
        }),
        (found.allow_message_ttl || !wanted.allow_message_ttl, "set allow_msg_ttl".into()),
        (found.subject_delete_marker_ttl == wanted.subject_delete_marker_ttl, {
            "set subject_delete_marker_ttl to 1s: shorter leases would last as long as it".into()
        }),
        (found.duplicate_window >= wanted.duplicate_window, {
            format!("set duplicate_window to {} s or more", wanted.duplicate_window.as_secs())
        }),
        (found.persist_mode.as_ref() != Some(&PersistenceMode::Async), {
            "set persist_mode to default: with async, what is acknowledged may be lost".into()
        }),
        (!found.no_ack && !found.sealed, "make it again: it is sealed, or does not acknowledge".into()),
    ];
    holds.into_iter().find(|(holds, _)| !holds).map(|(_, help)| help)
}

/// Makes a stream, on three servers where there are as many.
async fn make(link: &Link, config: Config) -> Result<(), NatsError> {
    if found(link, &config).await?.is_some() {
        return Ok(());
    }
    let name = config.name.clone();
    match create(&link.context, config.clone()).await {
        // Not a cluster.
        Err(CreateStreamErrorKind::JetStream(error))
            if error.error_code() == ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED =>
        {
            let one = Config { num_replicas: 1, ..config };
            create(&link.context, one).await.map_err(|kind| not_created(link, &name, kind))
        }
        created => created.map_err(|kind| not_created(link, &name, kind)),
    }
}

async fn create(context: &Context, config: Config) -> Result<(), CreateStreamErrorKind> {
    context.create_stream(config).await.map(drop).map_err(|error| error.kind())
}

fn not_created(link: &Link, name: &str, kind: CreateStreamErrorKind) -> NatsError {
    let stream = |reason: String, help: &str| NatsError::Stream { stream: name.into(), reason, help: help.into() };
    match kind {
        CreateStreamErrorKind::JetStream(error) => match error.error_code() {
            ErrorCode::CLUSTER_NO_PEERS | ErrorCode::CLUSTER_NOT_AVAILABLE | ErrorCode::INSUFFICIENT_RESOURCES => {
                stream(
                    format!("cannot be made: {error}"),
                    "start all servers of the cluster, three or more, and give JetStream more storage",
                )
            }
            ErrorCode::STORAGE_RESOURCES_EXCEEDED | ErrorCode::ACCOUNT_RESOURCES_EXCEEDED => stream(
                format!("cannot be made: {error}"),
                "give JetStream or the account more storage, or ask for smaller streams",
            ),
            ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => {
                NatsError::NoJetStream { reason: error.to_string() }
            }
            _ => NatsError::of_operation(name, &error),
        },
        kind => link.lost(&format!("STREAM.CREATE.{name}"), &kind.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each setting that a lease or a result depends on is looked at.
    #[test]
    fn settings_that_lose_something_are_found() {
        let [control, results, ..] = wanted(Sizes::default(), 1);
        assert_eq!((difference(&control, &control), difference(&results, &results)), (None, None));
        let change = |change: fn(&mut Config)| {
            let mut found = control.clone();
            change(&mut found);
            difference(&found, &control).unwrap()
        };
        assert!(change(|found| found.discard = DiscardPolicy::Old).contains("discard"));
        assert!(change(|found| found.subject_delete_marker_ttl = Some(Duration::from_secs(5))).contains("marker"));
        assert!(change(|found| found.persist_mode = Some(PersistenceMode::Async)).contains("persist_mode"));
        assert!(change(|found| found.allow_message_ttl = false).contains("allow_msg_ttl"));
        assert!(change(|found| found.storage = StorageType::Memory).contains("files"));
        assert!(change(|found| drop(found.subjects.pop())).contains("nmax.stamp"));
        let larger = Config { max_bytes: 1 << 40, num_replicas: 5, ..results.clone() };
        assert_eq!(difference(&larger, &results), None, "sizes and copies are for the owner to choose");
    }
}
