//! Why a plan cannot be made ready, or a run does not start.

use std::io;

/// A plan that cannot be made ready. The document decoder finds these earlier, with their place.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// The target is no URL.
    #[error("`{url}` is not a URL: {reason}")]
    Url {
        /// As written.
        url: String,
        /// What is wrong.
        reason: String,
    },
    /// An extractor does not compile.
    #[error("request `{request}`: {reason}")]
    Source {
        /// Request name.
        request: String,
        /// What is wrong.
        reason: String,
    },
    /// A body is made of a file that was not opened.
    #[error("request `{request}`: the file `{file}` was not opened")]
    File {
        /// Request name.
        request: String,
        /// As the plan names it.
        file: String,
    },
    /// A scenario is a script that the run was not given.
    #[error("scenario `{0}` is a script, and the run was given none of that name")]
    Script(String),
    /// No scenario can be picked.
    #[error("the mix of scenarios cannot be used: {0}")]
    Mix(String),
    /// The stages are no schedule.
    #[error("the stages cannot be used: {0}")]
    Stages(String),
}

/// Why a run did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The plan cannot be made ready.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A thread, reactor or timer could not be made.
    #[error("worker {worker} did not start: {error}\n  help: see the limits of threads and open files (`ulimit -a`)")]
    Worker {
        /// Number of the worker.
        worker: u32,
        /// What failed.
        error: io::Error,
    },
    /// TLS settings.
    #[error("{0}")]
    Tls(String),
    /// The process has iterations to start, and none of them may be in flight.
    #[error(
        "this part of the run has none of the {most} iterations that may be in flight\n  \
         help: raise `max_in_flight` of the plan, or take at most {most} injectors of equal weights"
    )]
    Share {
        /// Iterations of a workload that may be in flight, in the whole run.
        most: u32,
    },
    /// The plan's setup failed.
    #[error("{0}\n  help: repair it under `setup` of the plan; no load was sent")]
    Setup(String),
}
