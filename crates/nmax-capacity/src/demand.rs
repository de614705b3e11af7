//! Demand: the series of peaks, its forecast, how good that forecast was on weeks that it had not seen.
