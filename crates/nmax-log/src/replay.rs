//! The log itself as an exact schedule.
