//! How two values are compared, as numbers or as texts.

use std::cmp::Ordering;

mod decimal;

use decimal::Decimal;

nmax_text::named! {
    /// How two values are compared.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Comparison {
        /// The same number or text.
        Equal = "==",
        /// Another one.
        NotEqual = "!=",
        /// False unless both are numbers.
        Below = "<",
        /// False unless both are numbers.
        AtMost = "<=",
        /// False unless both are numbers.
        Above = ">",
        /// False unless both are numbers.
        AtLeast = ">=",
        /// The right text is a part of the left one.
        Contains = "contains",
    }
    /// How it is written.
    sign
}

impl Comparison {
    /// Whether it holds between two values.
    ///
    /// Plain numbers, such as `10`, `-0.5` and `+7`, are compared as numbers, exactly at any length. What only looks like
    /// one, such as `1e3`, `0x10` or `inf`, is a text.
    pub fn holds(self, left: &str, right: &str) -> bool {
        let order = match (Decimal::parse(left), Decimal::parse(right)) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            _ => None,
        };
        match self {
            Self::Equal => order.map_or(left == right, Ordering::is_eq),
            Self::NotEqual => !Self::Equal.holds(left, right),
            Self::Below => order.is_some_and(Ordering::is_lt),
            Self::AtMost => order.is_some_and(Ordering::is_le),
            Self::Above => order.is_some_and(Ordering::is_gt),
            Self::AtLeast => order.is_some_and(Ordering::is_ge),
            Self::Contains => left.contains(right),
        }
    }
}
