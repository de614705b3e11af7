//! Tests of the whole answer.
