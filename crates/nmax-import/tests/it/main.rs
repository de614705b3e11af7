//! Integration tests.

mod har;
mod made;
