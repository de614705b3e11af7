//! Formats of access logs, each compiled to a reader of bytes.
