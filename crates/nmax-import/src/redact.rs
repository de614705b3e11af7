//! Secrets leave everything that is stored, and stay replayable.
