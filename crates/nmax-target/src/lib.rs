//! The calibrated target: a real HTTP server whose true behaviour is known.
