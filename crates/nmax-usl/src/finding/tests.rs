//! Tests of findings.
