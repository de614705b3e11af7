//! What one line says, borrowed from the line.

/// A request as an access log has it. Empty texts are unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Record<'a> {
    /// When the request arrived, in µs since 1970 (UTC). Stamps of completion are corrected by the duration where the line
    /// has one; `is_arrival` says whether that was possible.
    pub arrival_us: i64,
    /// The stamp is an arrival, or was corrected to one; else it is the end of the exchange.
    pub is_arrival: bool,
    /// Resolution of the stamp in µs: 1,000,000 for whole seconds.
    pub resolution_us: u32,
    /// How long the server took, in µs.
    pub duration_us: Option<u64>,
    /// Time to the first byte, or of the server behind, in µs.
    pub upstream_us: Option<u64>,
    /// Method, as written.
    pub method: &'a [u8],
    /// Path with query, or absolute URL, as written and unescaped as far as the format escapes.
    pub target: &'a [u8],
    /// Status code; 0 = unknown.
    pub status: u16,
    /// Bytes of the reply: the body where the format tells, else all.
    pub bytes: Option<u64>,
    /// Address of the client.
    pub client: &'a [u8],
    /// Authenticated user.
    pub user: &'a [u8],
    /// User agent.
    pub agent: &'a [u8],
    /// Referer.
    pub referer: &'a [u8],
    /// Host that was asked for.
    pub host: &'a [u8],
    /// A cookie or id that tells sessions apart, where the format has one.
    pub session: &'a [u8],
}

/// Why a line is no record, in words that a person can act upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// What is wrong: `no status where field 6 should be`.
    pub reason: String,
    /// Byte in the line, from 0, where reading stopped.
    pub at: usize,
}

/// What a line is.
#[derive(Clone, Debug, PartialEq)]
pub enum Line<'a> {
    /// A request.
    Record(Record<'a>),
    /// A comment or directive of the format, such as `#Fields`.
    Comment,
    /// Nothing but white space.
    Blank,
    /// Anything else.
    Rejected(Rejection),
}
