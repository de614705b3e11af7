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

use nmax_run::Exit;
use nmax_text::shown;

use super::run::complain;
use crate::args::{DataArgs, DataVerb};

/// Why a command ended, and how.
#[derive(Debug)]
struct Trouble {
    text: String,
    exit: Exit,
}

impl Trouble {
    /// What was asked for, or read, is wrong.
    fn usage(text: impl Display, help: impl Display) -> Self {
        Self { text: format!("{text}\n  help: {help}"), exit: Exit::Usage }
    }
}

/// Makes, masks or checks data.
pub fn data(args: &DataArgs) -> Exit {
    let ended = match &args.what {
        DataVerb::Generate(args) => generate::generate(args),
        DataVerb::Mask(args) => mask::mask(args),
        DataVerb::Check(args) => skew::check(args),
    };
    ended.unwrap_or_else(|trouble| complain(&trouble.text, trouble.exit))
}

/// A column that is not there.
fn no_column(name: &str, columns: &[&str], of: impl Display) -> Trouble {
    let help = match nmax_text::nearest(name, columns.iter().copied()) {
        Some(meant) => format!("did you mean `{}`?", shown(meant)),
        None => format!("there are: {}", shown(&columns.join(", "))),
    };
    Trouble::usage(format_args!("{of} has no column `{name}`"), help)
}
