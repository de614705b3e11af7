//! Prices, marginal cost, wide against tall.
