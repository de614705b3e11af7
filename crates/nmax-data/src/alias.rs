//! Draws with given weights in constant time.

#[cfg(test)]
mod tests;

/// The alias method: index k with probability weight(k) / sum, by one multiplication and one comparison.
///
/// Exact in integers up to 2⁻³² per slot. O(n) to build, O(1) to draw.
///
/// Source: M. D. Vose, *A linear algorithm for generating random numbers with a given distribution*,
/// IEEE TSE 17 (1991).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alias {
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Slot {
    /// The slot keeps a draw whose low half is below this, in units of 2⁻³².
    keep_below: u32,
    /// Where the others go.
    other: u32,
}

impl Alias {
    /// A table of these weights; at least one must be above 0.
    pub(crate) fn new(weights: &[u64]) -> Self {
        let n = weights.len() as u128;
        let total: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
        // In units of 1 / (n · total): a slot is full at `total`.
        let mut left: Vec<u128> = weights.iter().map(|weight| u128::from(*weight) * n).collect();
        let mut slots: Vec<Slot> =
            (0..weights.len() as u32).map(|own| Slot { keep_below: u32::MAX, other: own }).collect();
        let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(|i| left[*i] < total);
        while let (Some(&poor), Some(&rich)) = (small.last(), large.last()) {
            small.pop();
            slots[poor] = Slot { keep_below: ((left[poor] << 32) / total.max(1)) as u32, other: rich as u32 };
            left[rich] -= total - left[poor];
            if left[rich] < total {
                large.pop();
                small.push(rich);
            }
        }
        Self { slots }
    }

    /// The index that a uniform word picks.
    pub(crate) fn pick(&self, word: u64) -> usize {
        let at = (((word >> 32) * self.slots.len() as u64) >> 32) as usize;
        let slot = self.slots[at];
        if (word as u32) < slot.keep_below { at } else { slot.other as usize }
    }
}
