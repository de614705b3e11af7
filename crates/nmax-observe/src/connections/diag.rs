//! Messages of `sock_diag`: a question about open TCP connections, and the answer (sock_diag(7), netlink(7)). Numbers are in
//! the byte order of the machine.

/// `SOCK_DIAG_BY_FAMILY`.
const BY_FAMILY: u16 = 20;
/// `NLMSG_ERROR`.
const ERROR: u16 = 2;
/// `NLMSG_DONE`.
const DONE: u16 = 3;
/// `NLM_F_REQUEST | NLM_F_DUMP`.
const ALL: u16 = 0x301;
/// `IPPROTO_TCP`.
const TCP: u8 = 6;
/// `INET_DIAG_INFO`: the attribute that holds a `tcp_info`.
const INFO: u16 = 2;
/// Bit of the state `TCP_ESTABLISHED`.
const ESTABLISHED: u32 = 1 << 1;
/// Length of `nlmsghdr`.
const HEAD: usize = 16;
/// Length of `inet_diag_req_v2`.
const QUESTION: usize = 56;
/// Length of `inet_diag_msg`, and where its inode is.
const ROW: usize = 72;
const INODE: usize = 68;
/// Places in `tcp_info` (linux/tcp.h): `tcpi_rtt`, `tcpi_total_retrans`, `tcpi_min_rtt`.
const RTT: usize = 68;
const SENT_AGAIN: usize = 100;
const RTT_MIN: usize = 148;

/// One connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Number of its socket.
    pub(super) inode: u64,
    /// Smoothed round trip, µs; 0 before the first.
    pub(super) rtt_us: u32,
    /// Shortest round trip of the last minutes, µs; `None` where the kernel does not tell or there was none.
    pub(super) rtt_min_us: Option<u32>,
    /// Segments sent again since it began.
    pub(super) sent_again: u32,
}

/// What came at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Batch {
    pub(super) rows: Vec<Row>,
    pub(super) is_last: bool,
    /// Number of the system's error.
    pub(super) error: Option<i32>,
}

/// Asks for all open connections of a family, with their `tcp_info`.
pub(super) fn request(family: u8) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD + QUESTION);
    bytes.extend(((HEAD + QUESTION) as u32).to_ne_bytes());
    bytes.extend(BY_FAMILY.to_ne_bytes());
    bytes.extend(ALL.to_ne_bytes());
    bytes.extend([0; 8]);
    bytes.extend([family, TCP, 1 << (INFO - 1), 0]);
    bytes.extend(ESTABLISHED.to_ne_bytes());
    bytes.resize(HEAD + QUESTION, 0);
    bytes
}

/// Takes apart what came. What is cut off or makes no sense is left out.
pub(super) fn parse(mut bytes: &[u8]) -> Batch {
    let mut batch = Batch::default();
    while let (Some(length), Some(kind)) = (u32_at(bytes, 0), u16_at(bytes, 4)) {
        let length = length as usize;
        if length < HEAD || length > bytes.len() {
            break;
        }
        let body = &bytes[HEAD..length];
        match kind {
            DONE => batch.is_last = true,
            ERROR => {
                // 0 is an acknowledgement.
                batch.error = u32_at(body, 0).map(|code| (code as i32).wrapping_neg()).filter(|code| *code != 0);
                batch.is_last = true;
            }
            BY_FAMILY => batch.rows.extend(row(body)),
            _ => {}
        }
        bytes = bytes.get(aligned(length)..).unwrap_or_default();
    }
    batch
}

fn row(body: &[u8]) -> Option<Row> {
    let inode = u64::from(u32_at(body, INODE)?);
    let mut attributes = body.get(ROW..)?;
    while let (Some(length), Some(kind)) = (u16_at(attributes, 0), u16_at(attributes, 2)) {
        let length = usize::from(length);
        if length < 4 || length > attributes.len() {
            return None;
        }
        if kind == INFO {
            let info = &attributes[4..length];
            return Some(Row {
                inode,
                rtt_us: u32_at(info, RTT)?,
                rtt_min_us: u32_at(info, RTT_MIN).filter(|us| *us > 0 && *us < u32::MAX),
                sent_again: u32_at(info, SENT_AGAIN)?,
            });
        }
        attributes = attributes.get(aligned(length)..).unwrap_or_default();
    }
    None
}

/// Messages and attributes begin at multiples of four.
const fn aligned(length: usize) -> usize {
    (length + 3) & !3
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}
