//! How like its source the traffic of a run was: mix, arrivals, sessions, pauses, popularity, sizes, latency.
