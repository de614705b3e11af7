//! Exit codes of the contract.

use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0
    Pass,
    /// 1: a defect of nmax, or of what it stands on.
    Internal,
    /// 2: arguments, plan, or a target that may not be loaded.
    Usage,
    /// 3: a threshold failed.
    Failed,
    /// 4: the numbers judge nothing.
    Invalid,
    /// 5: the target was not reachable, a limit cut the run off, or a result could not be written.
    Unreachable,
    /// 130: interrupted.
    Interrupted,
}

impl Exit {
    /// The number.
    pub const fn code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Internal => 1,
            Self::Usage => 2,
            Self::Failed => 3,
            Self::Invalid => 4,
            Self::Unreachable => 5,
            Self::Interrupted => 130,
        }
    }

    /// With `--exit-zero`.
    pub fn forgiven(self, is_forgiving: bool) -> Self {
        match self {
            Self::Failed | Self::Invalid | Self::Unreachable if is_forgiving => Self::Pass,
            other => other,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
