//! A window as bytes, for the way from an injector to whoever joins the windows of all.

use crate::names::NewNames;
use crate::wire::{FRAME_BYTES_MAX, Input, VERSION, Wire, WireError, wire};
use crate::{Nanos, Window};

/// What an injector measured in one window.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Number of the injector.
    pub injector: u32,
    /// Names that it did not send before.
    pub names: NewNames,
    /// Its window.
    pub window: Window,
}

impl Frame {
    /// The frame as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        self.put(&mut out);
        out
    }

    /// The frame that these bytes are.
    ///
    /// # Errors
    /// When they are none.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        if bytes.len() > FRAME_BYTES_MAX {
            return Err(WireError::TooLarge);
        }
        let mut input = Input::new(bytes);
        match input.byte()? {
            VERSION => {}
            version => return Err(WireError::Version(version)),
        }
        let frame = Self::take(&mut input)?;
        let Window { index, width, .. } = frame.window;
        if width == Nanos::ZERO || index.checked_add(1).and_then(|end| end.checked_mul(width.0)).is_none() {
            return Err(WireError::Damaged("its window is not a span of time"));
        }
        if input.is_empty() { Ok(frame) } else { Err(WireError::Length) }
    }
}

wire! {
    Frame { injector, names, window }
    Window { index, width, aggregate }
}

#[cfg(test)]
mod tests;
