//! Campaigns that are in their directories.
