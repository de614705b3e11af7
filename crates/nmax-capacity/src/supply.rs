//! Usable capacity of a node at the objective, of nodes, of tiers.
