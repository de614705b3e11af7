//! The traffic behind the lines, in memory bounded by the sessions that are open.
