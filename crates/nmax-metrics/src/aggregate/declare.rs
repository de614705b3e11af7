//! The declaration of a statistic: name, unit, meaning and accessor, once. Files, schemas, documents and columns read it.

use crate::{Histogram, Nanos, Section, TransactionStats};

/// What a counter counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Things.
    Count,
    /// Bytes.
    Bytes,
    /// Nanoseconds.
    Ns,
}

/// One counter of the statistics `T`.
pub struct Counter<T> {
    /// Its name in files and documents.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// What it counts, one sentence.
    pub about: &'static str,
    /// Its value.
    pub get: fn(&T) -> u128,
    /// Replaces its value; beyond what it can hold, the largest.
    pub set: fn(&mut T, u128),
    /// The value of the union of two.
    pub(super) join: fn(u128, u128) -> u128,
    /// Whether it is a sum over what is counted, and no largest or smallest of it.
    pub is_sum: bool,
    /// What it is of phase `whole`, and of the hold in files of before it was counted, where that follows from others.
    pub whole: Option<fn(&T) -> u128>,
}

/// One distribution of the statistics `T`.
pub struct Time<T> {
    /// Its word in tags and documents.
    pub word: &'static str,
    /// What it is of, one sentence.
    pub about: &'static str,
    /// To read.
    pub get: fn(&T) -> &Histogram,
    /// To add to.
    pub get_mut: fn(&mut T) -> &mut Histogram,
}

/// One of several things that the statistics `T` count and time.
pub struct Part<T> {
    /// Its name in files; empty where its counters stand beside those of `T`.
    pub name: &'static str,
    /// The word of its time in tags.
    pub word: &'static str,
    /// What it is of, one sentence.
    pub about: &'static str,
    /// To read.
    pub get: fn(&T) -> &TransactionStats,
    /// To add to.
    pub get_mut: fn(&mut T) -> &mut TransactionStats,
}

/// The figures that statistics are made of.
pub trait Declared: Default + 'static {
    /// Things that are counted and timed, each by itself.
    const PARTS: &'static [Part<Self>];
    /// Counters, in the order of files.
    const COUNTERS: &'static [Counter<Self>];
    /// Distributions, in the order of files.
    const TIMES: &'static [Time<Self>];
}

/// What can be summed: associative and commutative, with the default as neutral element.
pub trait Statistic: Declared {
    /// Adds all of `other`.
    fn merge(&mut self, other: &Self) {
        self.merge_declared(other);
    }

    /// Empties it and keeps its memory.
    fn reset(&mut self) {
        self.reset_declared();
    }

    /// Whether no counter counted anything.
    fn is_blank(&self) -> bool {
        Self::PARTS.iter().all(|part| (part.get)(self).is_blank())
            && Self::COUNTERS.iter().all(|counter| (counter.get)(self) == 0)
    }

    /// Of phase `whole`, everything ended within it.
    fn all_ended_within(&mut self) {
        Self::PARTS.iter().for_each(|part| (part.get_mut)(self).all_ended_within());
        for counter in Self::COUNTERS {
            if let Some(whole) = counter.whole {
                (counter.set)(self, whole(self));
            }
        }
    }

    /// [`Self::merge`] of what is declared.
    fn merge_declared(&mut self, other: &Self) {
        for Part { get, get_mut, .. } in Self::PARTS {
            get_mut(self).merge(get(other));
        }
        for Counter { get, set, join, .. } in Self::COUNTERS {
            set(self, join(get(self), get(other)));
        }
        for Time { get, get_mut, .. } in Self::TIMES {
            get_mut(self).merge(get(other));
        }
    }

    /// [`Self::reset`] of what is declared.
    fn reset_declared(&mut self) {
        Self::PARTS.iter().for_each(|part| (part.get_mut)(self).reset());
        Self::COUNTERS.iter().for_each(|counter| (counter.set)(self, 0));
        Self::TIMES.iter().for_each(|time| (time.get_mut)(self).reset());
    }
}

/// What a counter is kept in.
pub(super) trait Figure: Copy {
    fn to(self) -> u128;
    fn saturating_from(value: u128) -> Self;
}

impl Figure for u64 {
    fn to(self) -> u128 {
        self.into()
    }

    fn saturating_from(value: u128) -> Self {
        Self::try_from(value).unwrap_or(Self::MAX)
    }
}

impl Figure for u128 {
    fn to(self) -> u128 {
        self
    }

    fn saturating_from(value: u128) -> Self {
        value
    }
}

impl Figure for Nanos {
    fn to(self) -> u128 {
        self.0.into()
    }

    fn saturating_from(value: u128) -> Self {
        Self(Figure::saturating_from(value))
    }
}

/// One counter, whatever its statistics are.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// The part that it belongs to; empty for none.
    pub part: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// What it counts, one sentence.
    pub about: &'static str,
}

/// What the counters of `T` are, in the order of files.
pub fn declared<T: Declared>(part: &'static str) -> impl Iterator<Item = Declaration> {
    let row = move |of: &Counter<T>| Declaration { part, name: of.name, unit: of.unit, about: of.about };
    T::COUNTERS.iter().map(row)
}

/// Their values.
pub fn counts<T: Declared>(stats: &T) -> impl Iterator<Item = u128> {
    T::COUNTERS.iter().map(move |counter| (counter.get)(stats))
}

/// Sets them to what was stored of `section`; one that is `None` was not counted yet then.
pub fn set_counts<T: Declared>(stats: &mut T, section: Section, stored: &mut impl Iterator<Item = Option<u128>>) {
    for Counter { set, whole, .. } in T::COUNTERS {
        let stored = stored.next().flatten();
        let value = match whole {
            // What ended within the hold is counted there, whenever it was due.
            Some(_) if section == Section::Outside => 0,
            Some(whole) => stored.unwrap_or_else(|| whole(stats)),
            None => stored.unwrap_or(0),
        };
        set(stats, value);
    }
}

/// Declares statistics: the type, its tables, how they are merged and sent.
///
/// ```text
/// plain    { field: Type }                 kept beside the tables
/// parts    { field "name" "word" }         a `TransactionStats`
/// counters { field: Kind [whole] }         Count, Bytes: u64 · Most: u64, the largest · Heaviest, Lightest: u64, bytes of the largest and the smallest, 0 without any · Sum: u128 ns · Span: Nanos · Last: u128, merged by hand
/// times    { field "word" }                a `Histogram`
/// ```
///
/// The doc comment of a field is its meaning in schemas and documents.
macro_rules! statistics {
    (
        $(#[$attribute:meta])*
        pub struct $Name:ident {
            $(plain { $($(#[$plain_doc:meta])* $plain:ident: $Plain:ty,)* })?
            $(parts { $($(#[doc = $part_doc:literal])+ $part:ident $part_name:literal $part_word:literal,)* })?
            $(counters { $($(#[doc = $doc:literal])+ $field:ident: $Kind:ident $([$whole:expr])?,)* })?
            $(times { $($(#[doc = $time_doc:literal])+ $time:ident $word:literal,)* })?
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $Name {
            $($($(#[$plain_doc])* pub $plain: $Plain,)*)?
            $($($(#[doc = $part_doc])+ pub $part: $crate::TransactionStats,)*)?
            $($($(#[doc = $doc])+ pub $field: $crate::aggregate::declare::statistics!(@type $Kind),)*)?
            $($($(#[doc = $time_doc])+ pub $time: $crate::Histogram,)*)?
        }

        impl $crate::aggregate::declare::Declared for $Name {
            const PARTS: &'static [$crate::aggregate::declare::Part<Self>] = &[$($($crate::aggregate::declare::Part {
                name: $part_name,
                word: $part_word,
                about: concat!($($part_doc),+).trim_ascii_start(),
                get: |stats| &stats.$part,
                get_mut: |stats| &mut stats.$part,
            },)*)?];
            const COUNTERS: &'static [$crate::aggregate::declare::Counter<Self>] =
                &[$($($crate::aggregate::declare::Counter {
                    name: $crate::aggregate::declare::statistics!(@name $Kind $field),
                    unit: $crate::aggregate::declare::statistics!(@unit $Kind),
                    about: concat!($($doc),+).trim_ascii_start(),
                    get: |stats| $crate::aggregate::declare::Figure::to(stats.$field),
                    set: |stats, value| stats.$field = $crate::aggregate::declare::Figure::saturating_from(value),
                    join: $crate::aggregate::declare::statistics!(@join $Kind),
                    is_sum: $crate::aggregate::declare::statistics!(@is_sum $Kind),
                    whole: $crate::aggregate::declare::statistics!(@whole $($whole)?),
                },)*)?];
            const TIMES: &'static [$crate::aggregate::declare::Time<Self>] = &[$($($crate::aggregate::declare::Time {
                word: $word,
                about: concat!($($time_doc),+).trim_ascii_start(),
                get: |stats| &stats.$time,
                get_mut: |stats| &mut stats.$time,
            },)*)?];
        }

        $crate::wire::wire! {
            $Name { $($($plain,)*)? $($($part,)*)? $($($field,)*)? $($($time,)*)? }
        }

        impl $Name {
            /// Adds all of `other`.
            pub fn merge(&mut self, other: &Self) {
                $crate::aggregate::declare::Statistic::merge(self, other);
            }
        }
    };
    (@type Sum) => { u128 };
    (@type Last) => { u128 };
    (@type Span) => { $crate::Nanos };
    (@type $Kind:ident) => { u64 };
    (@name Span $field:ident) => { concat!(stringify!($field), "_ns") };
    (@name $Kind:ident $field:ident) => { stringify!($field) };
    (@unit Bytes) => { $crate::aggregate::declare::Unit::Bytes };
    (@unit Heaviest) => { $crate::aggregate::declare::Unit::Bytes };
    (@unit Lightest) => { $crate::aggregate::declare::Unit::Bytes };
    (@unit Sum) => { $crate::aggregate::declare::Unit::Ns };
    (@unit Span) => { $crate::aggregate::declare::Unit::Ns };
    (@unit $Kind:ident) => { $crate::aggregate::declare::Unit::Count };
    (@join Last) => { |mine, _| mine };
    (@join Most) => { |mine, theirs| mine.max(theirs) };
    (@join Heaviest) => { |mine, theirs| mine.max(theirs) };
    (@join Lightest) => { |mine, theirs| if mine == 0 || theirs == 0 { mine.max(theirs) } else { mine.min(theirs) } };
    (@join $Kind:ident) => { |mine, theirs| mine + theirs };
    (@is_sum Most) => { false };
    (@is_sum Heaviest) => { false };
    (@is_sum Lightest) => { false };
    (@is_sum $Kind:ident) => { true };
    (@whole) => { None };
    (@whole $whole:expr) => { Some($whole) };
}
pub(super) use statistics;
