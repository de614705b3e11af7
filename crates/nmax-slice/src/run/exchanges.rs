//! Exchanges kept one by one, as columns.

use std::sync::Arc;

use super::{COLUMNS, Names, classes, phases, tags};
use crate::column::{NO_TEXT, UNKNOWN};
use crate::{Chunk, Values};

/// Texts of rows: an id of each, and what ids stand for.
pub type Texts = (Vec<u32>, Vec<Arc<str>>);

/// A group of rows as it is stored.
pub trait Stored {
    /// Why a column cannot be read.
    type Error;

    /// How many rows.
    fn rows(&self) -> usize;

    /// A column of whole numbers; it may be asked for several times.
    fn integers(&mut self, column: &str) -> Result<Arc<Vec<i64>>, Self::Error>;

    /// A column of texts.
    fn texts(&mut self, column: &str) -> Result<Texts, Self::Error>;
}

/// The columns of these places, of a group of rows. `is_hold` tells whether an exchange that was due then belongs to phase
/// hold.
pub fn chunk<S: Stored>(
    mut stored: S,
    needs: &[usize],
    names: &Names,
    is_hold: &dyn Fn(i64) -> bool,
) -> Result<Chunk, S::Error> {
    let mut columns = vec![None; COLUMNS.len()];
    for place in needs {
        columns[*place] = Some(column(&mut stored, COLUMNS[*place].name, names, is_hold)?);
    }
    Ok(Chunk { rows: stored.rows(), columns, sums: None })
}

fn column<S: Stored>(
    stored: &mut S,
    name: &str,
    names: &Names,
    is_hold: &dyn Fn(i64) -> bool,
) -> Result<Values, S::Error> {
    let numbers = |numbers: Arc<Vec<i64>>| Values::Numbers(Arc::unwrap_or_clone(numbers));
    let of_request = |stored: &mut S, names: &Arc<[Arc<str>]>| {
        let id = |id: &i64| u32::try_from(*id).unwrap_or(NO_TEXT);
        Ok::<_, S::Error>(Values::Texts {
            ids: stored.integers("request_id")?.iter().map(id).collect(),
            names: Arc::clone(names),
        })
    };
    Ok(match name {
        "name" => of_request(stored, &names.request)?,
        "method" => of_request(stored, &names.method)?,
        "template" => of_request(stored, &names.template)?,
        "tag" => tags(of_request(stored, &names.tag)?),
        "scenario" | "outcome" | "error_kind" | "why" | "code" => {
            let (ids, names) = stored.texts(name)?;
            Values::Texts { ids, names: names.into() }
        }
        "failed" => {
            let (ids, names) = stored.texts("outcome")?;
            let failed: Vec<i64> = names.iter().map(|outcome| i64::from(&**outcome != "ok")).collect();
            let of = |id: &u32| failed.get(*id as usize).copied().unwrap_or(UNKNOWN);
            Values::Numbers(ids.iter().map(of).collect())
        }
        "class" => classes(&stored.integers("status")?),
        "phase" => phases(stored.integers("intended_ns")?.iter().map(|at| !is_hold(*at))),
        "time" => numbers(stored.integers("intended_ns")?),
        "response" => between(stored, "intended_ns", "done_ns")?,
        "service" => between(stored, "sent_ns", "done_ns")?,
        "lag" => between(stored, "intended_ns", "sent_ns")?,
        "ttfb" => between(stored, "sent_ns", "first_byte_ns")?,
        "dns" => numbers(stored.integers("dns_ns")?),
        "connect" => numbers(stored.integers("connect_ns")?),
        "tls" => numbers(stored.integers("tls_ns")?),
        "send" => numbers(stored.integers("send_ns")?),
        "slot_wait" => numbers(stored.integers("slot_wait_ns")?),
        same => numbers(stored.integers(same)?),
    })
}

/// The time from one instant to another, never negative; unknown where one of them is.
fn between<S: Stored>(stored: &mut S, from: &str, to: &str) -> Result<Values, S::Error> {
    let (from, to) = (stored.integers(from)?, stored.integers(to)?);
    let span = |(from, to): (&i64, &i64)| match (*from, *to) {
        (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
        (from, to) => to.saturating_sub(from).max(0),
    };
    Ok(Values::Numbers(from.iter().zip(to.iter()).map(span).collect()))
}
