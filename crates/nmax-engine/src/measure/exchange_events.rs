//! Every exchange of a run as a server's log would have it, for whoever compares the traffic with another's.
//!
//! Only runs that ask for it ([`crate::Settings::reports_exchanges`]) pay for it.

use nmax_metrics::{Code, NameId, Nanos, Sample};

use crate::iteration::Assignment;

/// Most bytes of targets that a worker reports of a window.
const TARGETS_BYTES_MAX: usize = 64 << 20;

/// One exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeEvent {
    /// When it was sent.
    pub sent: Nanos,
    /// When its reply was complete, or given up.
    pub done: Nanos,
    /// Status of the reply.
    pub status: Option<u16>,
    /// Bytes of the reply's body: as received, without the head where that is known.
    pub bytes: u64,
    /// Iteration number of the run.
    pub iteration: u64,
    /// Source of the iteration and, in a closed workload, its user: what keeps iterations of the same number apart.
    pub user: u64,
    /// Scenario number.
    pub scenario: u16,
    /// Request name.
    pub name: NameId,
    /// Where its method and target are in [`ExchangeEvents::text`].
    method: (u32, u8),
    target: (u32, u32),
}

/// Exchanges of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExchangeEvents {
    all: Vec<ExchangeEvent>,
    /// Methods and targets, one after the other.
    text: Vec<u8>,
    /// How many there was no room for.
    pub left_out: u64,
}

impl ExchangeEvents {
    /// Adds an exchange with this request. One that was never sent is none.
    pub(crate) fn add(&mut self, sample: &Sample, assignment: &Assignment, (method, target): (&[u8], &[u8])) {
        let Some(sent) = sample.sent else { return };
        if self.text.len() + method.len() + target.len() > TARGETS_BYTES_MAX {
            self.left_out += 1;
            return;
        }
        let at = self.text.len() as u32;
        self.text.extend_from_slice(method);
        self.text.extend_from_slice(target);
        self.all.push(ExchangeEvent {
            sent,
            done: sample.done,
            status: sample.status.and_then(Code::number),
            bytes: sample.bytes_received.min(sample.bytes_decoded),
            iteration: assignment.number,
            user: assignment.choice.0,
            scenario: sample.scenario,
            name: sample.name,
            method: (at, method.len() as u8),
            target: (at + method.len() as u32, target.len() as u32),
        });
    }

    /// Adds those of another worker.
    pub(crate) fn append(&mut self, other: Self) {
        let Some(shift) =
            u32::try_from(self.text.len()).ok().filter(|shift| shift.checked_add(TARGETS_BYTES_MAX as u32).is_some())
        else {
            self.left_out += other.left_out + other.all.len() as u64;
            return;
        };
        self.text.extend(other.text);
        self.all.extend(other.all.into_iter().map(|event| ExchangeEvent {
            method: (event.method.0 + shift, event.method.1),
            target: (event.target.0 + shift, event.target.1),
            ..event
        }));
        self.left_out += other.left_out;
    }

    /// Every exchange with its method and target, in the order of their ends on each worker.
    pub fn iter(&self) -> impl Iterator<Item = (&ExchangeEvent, &[u8], &[u8])> {
        self.all.iter().map(|event| {
            let method = self.piece(event.method.0, u32::from(event.method.1));
            (event, method, self.piece(event.target.0, event.target.1))
        })
    }

    fn piece(&self, at: u32, length: u32) -> &[u8] {
        self.text.get(at as usize..(at + length) as usize).unwrap_or_default()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
