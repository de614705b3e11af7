//! Tests of nmax-usl from outside.

mod fits;
mod laws;
mod prison;
mod published;
mod published_rungs;
mod published_values;
mod sets;
mod verdicts;
