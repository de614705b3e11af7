//! Rows that are asked for by their numbers.

use std::fmt;

/// Rows of a table, from 1: ranges with both ends in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows(Vec<(usize, usize)>);

impl Rows {
    /// `1..9`, `3`, `4..`, `..9`, and several with commas between.
    pub fn parse(text: &str) -> Result<Self, String> {
        let help = "write rows from 1, such as 1..9 or 1..4,6,8..";
        let row = |text: &str, open: usize| match text.trim().trim_start_matches('=') {
            "" => Ok(open),
            text => text.parse().ok().filter(|row| *row >= 1).ok_or(help),
        };
        let range = |part: &str| match part.split_once("..") {
            None if part.trim().is_empty() => Err(help),
            None => row(part, 1).map(|row| (row, row)),
            Some((from, to)) => Ok((row(from, 1)?, row(to, usize::MAX)?)),
        };
        let ranges = text.split(',').map(range).collect::<Result<Vec<_>, _>>()?;
        match ranges.iter().find(|(from, to)| from > to) {
            Some((from, to)) => Err(format!("{from}..{to} has no rows; {help}")),
            None => Ok(Self(ranges)),
        }
    }

    /// Whether a row is among them.
    pub fn contains(&self, row: usize) -> bool {
        self.0.iter().any(|(from, to)| (*from..=*to).contains(&row))
    }

    /// The last row that is wanted; with an open end, any row may be.
    pub fn last(&self) -> usize {
        self.0.iter().map(|(_, to)| *to).max().unwrap_or(0)
    }

    /// The largest row that was named.
    pub fn named_max(&self) -> usize {
        let largest = |(from, to): &(usize, usize)| if *to == usize::MAX { *from } else { *to };
        self.0.iter().map(largest).max().unwrap_or(0)
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (from, to)) in self.0.iter().enumerate() {
            f.write_str(if at > 0 { "," } else { "" })?;
            match *to {
                usize::MAX => write!(f, "{from}..")?,
                to if to == *from => write!(f, "{from}")?,
                to => write!(f, "{from}..{to}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
