//! Tests of what-ifs.
