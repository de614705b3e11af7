//! The load generator: workers, virtual users, pacing, and the meter that records them.
