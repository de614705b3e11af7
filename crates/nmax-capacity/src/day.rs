//! A day, second by second, under a policy.
