//! A page as real ones are: style sheets that import, a font, pictures in several sizes, a frame, and every kind of
//! rule about keeping them.
//!
//! | path | kept |
//! |---|---|
//! | `/gallery`, `/gallery/frame` | no |
//! | `/gallery/gallery.css`, `/gallery/N.jpg`, `/gallery/9.webp`, `/gallery/hero.jpg`, `/gallery/map.jpg` | asked about each time (`etag`, `no-cache`) |
//! | `/gallery/base.css` | for an hour |
//! | `/gallery/text.woff2` | for a year |
//!
//! A new visitor needs 18 resources besides the page; one who comes back within the hour has 5 of them in the cache, is
//! told of 12 that they did not change, and fetches the frame. The font is none that can be drawn with.

use hyper::Response;
use hyper::StatusCode;
use hyper::header::{CACHE_CONTROL, ETAG, HeaderMap, IF_NONE_MATCH};

use super::pages;
use super::photo::photo_of;
use crate::body::{Body, pattern};
use crate::replies::{file, html, set, typed, with_status};

/// Pictures in the list.
const PICTURES: usize = 8;
/// Size of a picture, in bytes.
const PICTURE_BYTES: usize = 20_000;
/// Size of the font, in bytes.
const FONT_BYTES: u64 = 30_000;

const STYLE: &str = "@import \"/gallery/base.css\";\n\
    @font-face { font-family: Text; src: url(/gallery/text.woff2) format(\"woff2\"), url(/gallery/text.woff) format(\"woff\") }\n\
    .gallery { font-family: Text, sans-serif }\n\
    .hero { background: url(\"hero.jpg\") center; height: 10em }\n\
    .hero:hover { background: url(hover.jpg) }\n\
    @media print { .hero { background: url(print.jpg) } }\n";
const BASE: &str = ".gallery li { display: inline-block; margin: 1em }\n";
const FRAME: &str = "<!doctype html>\n<html lang=\"en\">\n<head><title>Map</title><link rel=\"stylesheet\" href=\"/app.css\"></head>\n\
    <body><img src=\"map.jpg\" alt=\"Map\"></body>\n</html>\n";

/// The page and its resources; `None` for other paths.
pub(super) fn reply(headers: &HeaderMap, path: &str) -> Option<Response<Body>> {
    let name = match path.strip_prefix("/gallery")? {
        "" => return Some(html(page())),
        rest => rest.strip_prefix('/')?,
    };
    Some(match name {
        "frame" => html(FRAME.to_owned()),
        "gallery.css" => checked(headers, "text/css", STYLE),
        "base.css" => file("text/css", BASE),
        "text.woff2" => {
            let mut reply = file("font/woff2", pattern(0, FONT_BYTES));
            set(&mut reply, CACHE_CONTROL, "public, max-age=31536000, immutable");
            reply
        }
        _ => {
            let (picture, kind) = name.rsplit_once('.')?;
            let number = picture.trim_end_matches("-large").parse::<usize>();
            let is_listed = number.is_ok_and(|number| (1..=PICTURES + 1).contains(&number));
            let content_type = match kind {
                "jpg" => "image/jpeg",
                "webp" => "image/webp",
                _ => return None,
            };
            if !is_listed && !matches!(picture, "hero" | "hover" | "print" | "map" | "unseen") {
                return None;
            }
            checked(headers, content_type, photo_of(name, PICTURE_BYTES))
        }
    })
}

fn page() -> String {
    let mut content = String::from(
        "<link rel=\"stylesheet\" href=\"/gallery/gallery.css\">\n<div class=\"hero\"></div>\n<ul class=\"gallery\">\n",
    );
    for number in 1..=PICTURES {
        content.push_str(&format!(
            "<li><img src=\"/gallery/{number}.jpg\" srcset=\"/gallery/{number}.jpg 1x, /gallery/{number}-large.jpg 2x\" \
             alt=\"Picture {number}\" loading=\"lazy\"></li>\n"
        ));
    }
    content.push_str(
        "</ul>\n<picture><source type=\"image/webp\" srcset=\"/gallery/9.webp\"><img src=\"/gallery/9.jpg\" alt=\"Picture 9\">\
         </picture>\n<iframe src=\"/gallery/frame\" title=\"Map\"></iframe>\n\
         <noscript><img src=\"/gallery/unseen.jpg\" alt=\"\"></noscript>\n",
    );
    pages::page("Gallery", &content)
}

/// A file that a browser keeps and asks about each time: 304 when it has it.
fn checked(headers: &HeaderMap, content_type: &str, bytes: impl Into<hyper::body::Bytes>) -> Response<Body> {
    let bytes = bytes.into();
    let sum = bytes.iter().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let tag = format!("\"{sum:016x}\"");
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
    let mut reply = if known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag)) {
        with_status(StatusCode::NOT_MODIFIED, Response::new(Body::empty()))
    } else {
        typed(content_type, Body::text(bytes))
    };
    set(&mut reply, ETAG, &tag);
    set(&mut reply, CACHE_CONTROL, "no-cache");
    reply
}
