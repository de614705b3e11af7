//! A run's directory: one append-only place per run, in standard formats.
