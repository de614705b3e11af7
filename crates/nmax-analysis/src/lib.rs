//! Thresholds, validity gates, quantile intervals and the verdict: what the measurements may be believed for.
