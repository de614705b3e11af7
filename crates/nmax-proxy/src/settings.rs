//! What a recorder is told.

use std::io;
use std::net::SocketAddr;

use crate::hosts::Hosts;

/// Bytes of a request's or reply's body that are kept; the rest is only counted.
pub const BODY_BYTES_MAX: usize = 8 << 20;

/// What a recorder is told.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where clients find it; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Hosts that are recorded; others pass through.
    pub hosts: Hosts,
    /// PEM files with issuers that servers' certificates may have, beside those that the machine trusts, or with such
    /// certificates themselves.
    pub upstream_ca: Vec<Vec<u8>>,
    /// Take any certificate of a server.
    pub insecure: bool,
    /// Refuse, without asking anybody, what a browser asks its maker by itself: for one that was opened for the recording.
    /// A host that is recorded is never refused.
    pub is_browser_silenced: bool,
    /// Bytes of each body that are kept; [`BODY_BYTES_MAX`] unless told otherwise.
    pub body_bytes_max: usize,
}

/// Why a recorder cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {source}\n  help: choose a free port, or 0 for any")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// A file of issuers that is of no use.
    #[error("certificate file {number} is of no use: {reason}\n  help: give a PEM file with `BEGIN CERTIFICATE`")]
    Issuers {
        /// Which one, from 1, in the order given.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The authority cannot be made.
    #[error("cannot make the recording's certificates: {0}")]
    Certificates(String),
    /// No thread or runtime.
    #[error("the recorder's thread cannot start: {0}\n  help: check the limits on threads and open files")]
    Thread(io::Error),
}
