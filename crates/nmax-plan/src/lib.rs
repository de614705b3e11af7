//! The plan: document, scenarios, workload, schedules and every random choice, as pure values.
