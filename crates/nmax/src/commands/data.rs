//! `nmax data`: test data made, masked and looked at. All of it streams; memory is constant.
//!
//! # Layout
//! - `generate`, `mask`, `skew` (`nmax data check`): the three commands
//! - `table`: files read record by record; `json`: values of a line of JSON; `output`: where results go; `key`: secrets

mod generate;
mod json;
mod key;
mod mask;
mod output;
mod skew;
mod table;

pub(super) use skew::Checked;

use std::fmt::Display;

use nmax_text::shown;

use super::{Ended, Trouble};
use crate::args::{DataArgs, DataVerb};

/// Makes, masks or checks data.
pub fn data(args: &DataArgs) -> Ended {
    match &args.what {
        DataVerb::Generate(args) => generate::generate(args),
        DataVerb::Mask(args) => mask::mask(args),
        DataVerb::Check(args) => skew::check(args),
    }
}

/// A column that is not there.
fn no_column(name: &str, columns: &[&str], of: impl Display) -> Trouble {
    let help = match nmax_text::nearest(name, columns.iter().copied()) {
        Some(meant) => format!("did you mean `{}`?", shown(meant)),
        None => format!("there are: {}", shown(&columns.join(", "))),
    };
    Trouble::usage(format_args!("{of} has no column `{name}`"), help)
}
