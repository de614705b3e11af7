//! Tests of nmax-usl from outside.

mod published;
mod sets;
