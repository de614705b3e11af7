//! The plan that makes the traffic again: scenarios, mix, rate.
