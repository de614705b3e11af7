//! Exit codes of the contract, and troubles that end with one.

use std::fmt::Display;
use std::process::ExitCode;

use nmax_engine::StartError;
use nmax_store::StoreError;

use crate::load::LoadError;
use crate::logs::LogError;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0
    Pass = 0,
    /// 1: a defect of nmax, or of what it stands on.
    Internal = 1,
    /// 2: arguments, plan, or a target that may not be loaded.
    Usage = 2,
    /// 3: a threshold failed.
    Failed = 3,
    /// 4: the numbers judge nothing.
    Invalid = 4,
    /// 5: the target was not reachable, a limit cut the run off, or a result could not be written.
    Unreachable = 5,
    /// 130: interrupted.
    Interrupted = 130,
}

impl Exit {
    /// The number.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// With `--exit-zero`.
    pub fn forgiven(self, is_forgiving: bool) -> Self {
        match self {
            Self::Failed | Self::Invalid | Self::Unreachable if is_forgiving => Self::Pass,
            other => other,
        }
    }
}

/// Why there is no result, and how the program ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What is wrong, where, and what to do.
    pub text: String,
    /// How the program ends.
    pub exit: Exit,
}

impl Trouble {
    /// What was asked for, or read, is wrong.
    pub fn usage(text: impl Display, help: impl Display) -> Self {
        format!("{text}\n  help: {help}").into()
    }

    /// Something was not there, or could not be written.
    pub fn unreachable(error: impl Display) -> Self {
        Self { text: error.to_string(), exit: Exit::Unreachable }
    }

    /// A defect of nmax, or of what it stands on.
    pub fn internal(error: impl Display) -> Self {
        Self { text: error.to_string(), exit: Exit::Internal }
    }

    /// With `--exit-zero`.
    pub fn forgiven(self, is_forgiving: bool) -> Self {
        Self { exit: self.exit.forgiven(is_forgiving), ..self }
    }
}

macro_rules! usage {
    ($($error:ty)*) => { $(
        impl From<$error> for Trouble {
            fn from(error: $error) -> Self {
                Self { text: error.to_string(), exit: Exit::Usage }
            }
        }
    )* };
}
usage! { String LoadError LogError StartError StoreError }

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
