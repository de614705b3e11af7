//! Simulated clock and driver, servers that misbehave, and an allocation counter: for tests only.
