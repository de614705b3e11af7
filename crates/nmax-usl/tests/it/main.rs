//! Tests of nmax-usl from outside.

mod laws;
mod prison;
mod published;
mod published_rungs;
mod sets;
mod verdicts;
