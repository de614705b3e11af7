//! What is said about capacity.
