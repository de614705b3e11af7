//! The page, embedded as it was built. `ui/dist` is committed, so no build of this crate calls npm.

/// A file of the page.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) bytes: &'static [u8],
}

/// The files.
#[cfg(feature = "ui")]
pub(crate) const ASSETS: &[Asset] = &[
    Asset { path: "/", kind: "text/html; charset=utf-8", bytes: include_bytes!("../../../ui/dist/index.html") },
    Asset { path: "/app.js", kind: "text/javascript; charset=utf-8", bytes: include_bytes!("../../../ui/dist/app.js") },
    Asset { path: "/app.css", kind: "text/css; charset=utf-8", bytes: include_bytes!("../../../ui/dist/app.css") },
];

/// There is the API alone.
#[cfg(not(feature = "ui"))]
pub(crate) const ASSETS: &[Asset] = &[];
