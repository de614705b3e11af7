//! Tests of nmax-usl from outside.

mod campaign;
mod counting;
mod coverage;
mod fits;
mod laws;
mod peers;
mod prison;
mod published;
mod published_rungs;
mod published_values;
mod sets;
mod simulation;
mod verdicts;
