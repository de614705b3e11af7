//! The sockets that a run may have open, so that its own files always find a place.

use std::sync::Arc;

use nmax_engine::measure::watch;
use nmax_engine::{Settings, worker_count};
use nmax_http::SocketBudget;

use super::SessionError;
use crate::host;

/// Sockets that a run may have open beside what so many sources of readings need, at least one for each worker: more
/// would take the files that it writes.
pub(super) fn sockets(settings: &Settings, sources: usize) -> Result<Option<Arc<SocketBudget>>, SessionError> {
    let workers = u64::from(worker_count(settings));
    let Some(sockets) = host::sockets(workers, sources as u64) else {
        return Ok(None);
    };
    if sockets < workers {
        let limit = watch::open_files_limit().unwrap_or_default();
        return Err(SessionError::Files { workers, limit });
    }
    Ok(Some(Arc::new(SocketBudget::new(sockets as usize))))
}
