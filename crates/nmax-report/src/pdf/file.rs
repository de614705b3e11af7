//! Pages as a PDF file: streams of what is drawn, fonts, bookmarks and the tree of tagged parts.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, LineCapStyle, LineJoinStyle, StructRole, SystemInfo, UnicodeCmap};
use pdf_writer::writers::ExtGraphicsState;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::flow::{PAGE, Page, Part};
use super::shape::{Ink, Segment, Shape};
use super::style::Style;
use super::text::{Face, Fonts, Run};
use crate::doc::Document;

/// How glyphs are numbered: by themselves.
const SYSTEM: SystemInfo = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The file as it is written, and what its pages use.
struct File<'a> {
    pdf: Pdf,
    fonts: &'a Fonts,
    /// The last reference.
    last: i32,
    /// Glyphs by face, each with its character and advance.
    glyphs: [BTreeMap<u16, (char, u16)>; 3],
    /// Opacities of areas and of lines, in thousandths.
    opacities: BTreeSet<[u16; 2]>,
    /// For each part, its pages and which of their marked contents are of it.
    marked: BTreeMap<usize, Vec<(Ref, i32)>>,
}

/// The file of these pages.
pub(super) fn write(document: &Document, pages: &[Page], parts: &[Part], fonts: &Fonts) -> Vec<u8> {
    let mut file = File {
        pdf: Pdf::new(),
        fonts,
        last: 0,
        glyphs: Default::default(),
        opacities: BTreeSet::new(),
        marked: BTreeMap::new(),
    };
    let [catalog, tree, info, root] = [(); 4].map(|()| file.next());
    let part_refs: Vec<Ref> = parts.iter().map(|_| file.next()).collect();
    let page_refs: Vec<Ref> = pages.iter().map(|_| file.next()).collect();
    let face_refs = Face::ALL.map(|face| (face, file.next()));
    let drawn: Vec<_> = pages.iter().zip(&page_refs).map(|(page, id)| file.draw(page, *id)).collect();
    let mut owners = Vec::new();
    for (index, (content, of_page)) in drawn.into_iter().enumerate() {
        let stream = file.next();
        file.pdf.stream(stream, &packed(&content)).filter(Filter::FlateDecode);
        file.page(page_refs[index], (tree, stream), index as i32, &face_refs);
        let list = file.next();
        file.pdf.indirect(list).array().items(of_page.into_iter().map(|part| part_refs[part]));
        owners.push(list);
    }
    file.pdf.pages(tree).kids(page_refs.iter().copied()).count(pages.len() as i32);
    face_refs.into_iter().for_each(|(face, id)| file.font(face, id));
    let outline = file.bookmarks(pages, &page_refs);
    let mut whole = file.pdf.struct_element(root);
    whole.kind(StructRole::Document).parent(catalog);
    let tops = parts.iter().zip(&part_refs).filter(|(part, _)| part.parent.is_none());
    whole.children().items(tops.map(|(_, id)| *id));
    whole.finish();
    file.parts(parts, &part_refs, root);
    let title = fonts.showable(Face::Sans, &document.title);
    let program = format!("nmax {}", document.nmax_version);
    file.pdf.document_info(info).title(TextStr(&title)).producer(TextStr(&program));
    let mut all = file.pdf.catalog(catalog);
    all.pages(tree).lang(TextStr("en"));
    if let Some(outline) = outline {
        all.outlines(outline);
    }
    all.mark_info().marked(true);
    all.viewer_preferences().display_doc_title(true);
    let mut tagged = all.struct_tree_root();
    tagged.child(root);
    let mut parents = tagged.parent_tree();
    let mut numbers = parents.nums();
    for (index, list) in owners.into_iter().enumerate() {
        numbers.insert(index as i32, list);
    }
    numbers.finish();
    parents.finish();
    tagged.finish();
    all.finish();
    file.pdf.finish()
}

impl File<'_> {
    fn next(&mut self) -> Ref {
        self.last += 1;
        Ref::new(self.last)
    }

    /// What is drawn on a page, and of which part each of its marked contents is.
    fn draw(&mut self, page: &Page, id: Ref) -> (Vec<u8>, Vec<usize>) {
        let (mut content, mut owners) = (Content::new(), Vec::new());
        // From the upper left corner down, as shapes are placed.
        content.transform([1.0, 0.0, 0.0, -1.0, 0.0, PAGE.1]);
        for run in page.shapes.chunk_by(|a, b| a.part == b.part) {
            match run[0].part {
                Some(part) => {
                    let number = owners.len() as i32;
                    owners.push(part);
                    self.marked.entry(part).or_default().push((id, number));
                    content.begin_marked_content_with_properties(Name(b"Span")).properties().identify(number);
                }
                None => drop(content.begin_marked_content(Name(b"Artifact"))),
            }
            run.iter().for_each(|shape| self.shape(&mut content, shape));
            content.end_marked_content();
        }
        (content.finish().to_vec(), owners)
    }

    fn shape(&mut self, content: &mut Content, shape: &Shape) {
        match &shape.ink {
            Ink::Text(run) => self.text(content, run, shape.at),
            Ink::Path(segments, unit, style) => self.path(content, segments, style, (shape.at, *unit)),
        }
    }

    fn text(&mut self, content: &mut Content, run: &Run, (x, y): (f32, f32)) {
        let mut codes = Vec::new();
        for c in run.text.chars() {
            if let Some((glyph, advance)) = self.fonts.glyph(run.look.face, c) {
                self.glyphs[run.look.face as usize].entry(glyph).or_insert((c, advance));
                codes.extend(glyph.to_be_bytes());
            }
        }
        let [r, g, b] = run.look.color.map(|part| f32::from(part) / 255.0);
        content.begin_text().set_fill_rgb(r, g, b).set_font(face_name(run.look.face), run.look.size);
        content.set_text_matrix([1.0, 0.0, 0.0, -1.0, x, y]).show(Str(&codes)).end_text();
    }

    fn path(
        &mut self,
        content: &mut Content,
        segments: &[Segment],
        style: &Style,
        ((x, y), (wide, high)): ((f32, f32), (f32, f32)),
    ) {
        content.save_state();
        content.transform([wide, 0.0, 0.0, high, x, y]);
        let opacity = [style.fill_opacity, style.stroke_opacity].map(|share| (share.clamp(0.0, 1.0) * 1000.0) as u16);
        if opacity != [1000; 2] {
            self.opacities.insert(opacity);
            content.set_parameters(Name(state_name(opacity).as_bytes()));
        }
        let parts = |color: [u8; 3]| color.map(|part| f32::from(part) / 255.0);
        if let Some([r, g, b]) = style.fill.map(parts) {
            content.set_fill_rgb(r, g, b);
        }
        if let Some([r, g, b]) = style.stroke.map(parts) {
            content.set_stroke_rgb(r, g, b).set_line_width(style.width);
            if style.is_round {
                content.set_line_cap(LineCapStyle::RoundCap).set_line_join(LineJoinStyle::RoundJoin);
            }
            if !style.dashes.is_empty() {
                content.set_dash_pattern(style.dashes.iter().copied(), 0.0);
            }
        }
        for segment in segments {
            match *segment {
                Segment::Move(x, y) => content.move_to(x, y),
                Segment::Line(x, y) => content.line_to(x, y),
                Segment::Curve([a, b, c, d, e, f]) => content.cubic_to(a, b, c, d, e, f),
                Segment::Close => content.close_path(),
            };
        }
        match (style.fill, style.stroke) {
            (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
            (Some(_), None) => content.fill_nonzero(),
            (None, Some(_)) => content.stroke(),
            (None, None) => content.end_path(),
        };
        content.restore_state();
    }

    fn page(&mut self, id: Ref, (tree, stream): (Ref, Ref), number: i32, faces: &[(Face, Ref)]) {
        let mut page = self.pdf.page(id);
        page.parent(tree).media_box(Rect::new(0.0, 0.0, PAGE.0, PAGE.1)).contents(stream).struct_parents(number);
        let mut resources = page.resources();
        let mut fonts = resources.fonts();
        for (face, font) in faces {
            fonts.pair(face_name(*face), *font);
        }
        fonts.finish();
        let mut states = resources.ext_g_states();
        for opacity in &self.opacities {
            let mut state = states.insert(Name(state_name(*opacity).as_bytes())).start::<ExtGraphicsState>();
            let [fill, stroke] = opacity.map(|thousandths| f32::from(thousandths) / 1000.0);
            state.non_stroking_alpha(fill).stroking_alpha(stroke);
        }
    }

    /// A font with the widths of the glyphs that are used, and what they stand for, so that text can be copied.
    fn font(&mut self, face: Face, id: Ref) {
        let [cid, descriptor, map, program] = [(); 4].map(|()| self.next());
        let (name, [left, bottom, right, top], stem) = face.facts();
        let name = Name(name.as_bytes());
        let mut font = self.pdf.type0_font(id);
        font.base_font(name).encoding_predefined(Name(b"Identity-H")).descendant_font(cid).to_unicode(map);
        font.finish();
        let mut font = self.pdf.cid_font(cid);
        font.subtype(CidFontType::Type2).base_font(name).system_info(SYSTEM).font_descriptor(descriptor);
        font.default_width(0.0).cid_to_gid_map_predefined(Name(b"Identity"));
        let (mut widths, mut unicode) = (font.widths(), UnicodeCmap::new(Name(b"Unicode"), SYSTEM));
        for (glyph, (c, advance)) in &self.glyphs[face as usize] {
            widths.consecutive(*glyph, [f32::from(*advance)]);
            unicode.pair(*glyph, *c);
        }
        widths.finish();
        font.finish();
        self.pdf.cmap(map, &packed(&unicode.finish())).filter(Filter::FlateDecode);
        let mut about = self.pdf.font_descriptor(descriptor);
        about.name(name).flags(FontFlags::SYMBOLIC).bbox(Rect::new(left, bottom, right, top)).italic_angle(0.0);
        about.ascent(928.0).descent(-236.0).cap_height(729.0).stem_v(stem).font_file2(program);
        about.finish();
        let (bytes, size) = face.program();
        self.pdf.stream(program, bytes).filter(Filter::FlateDecode).pair(Name(b"Length1"), size);
    }

    /// A bookmark for each section; `None` when there are none.
    fn bookmarks(&mut self, pages: &[Page], page_refs: &[Ref]) -> Option<Ref> {
        let of_page =
            |(page, id): (&Page, &Ref)| page.bookmarks.iter().map(|mark| (mark.clone(), *id)).collect::<Vec<_>>();
        let marks: Vec<_> = pages.iter().zip(page_refs).flat_map(of_page).collect();
        let outline = self.next();
        let refs: Vec<Ref> = marks.iter().map(|_| self.next()).collect();
        let (first, last) = (refs.first()?, refs.last()?);
        self.pdf.outline(outline).first(*first).last(*last).count(refs.len() as i32);
        for (index, ((title, y), page)) in marks.into_iter().enumerate() {
            let mut item = self.pdf.outline_item(refs[index]);
            item.title(TextStr(&self.fonts.showable(Face::Sans, &title))).parent(outline);
            item.dest().page(page).xyz(0.0, PAGE.1 - y + 12.0, None);
            if index > 0 {
                item.prev(refs[index - 1]);
            }
            if let Some(next) = refs.get(index + 1) {
                item.next(*next);
            }
        }
        Some(outline)
    }

    /// The tree of parts below `root`.
    fn parts(&mut self, parts: &[Part], refs: &[Ref], root: Ref) {
        let mut inner: BTreeMap<usize, Vec<Ref>> = BTreeMap::new();
        for (index, part) in parts.iter().enumerate() {
            part.parent.into_iter().for_each(|parent| inner.entry(parent).or_default().push(refs[index]));
        }
        for (index, part) in parts.iter().enumerate() {
            let mut element = self.pdf.struct_element(refs[index]);
            element.kind(part.role).parent(part.parent.map_or(root, |parent| refs[parent]));
            if part.role == StructRole::Figure {
                element.alt(TextStr(&part.about));
            }
            let mut children = element.children();
            for (page, number) in self.marked.get(&index).into_iter().flatten() {
                children.marked_content_ref().page(*page).marked_content_id(*number);
            }
            children.items(inner.get(&index).into_iter().flatten().copied());
        }
    }
}

fn face_name(face: Face) -> Name<'static> {
    match face {
        Face::Sans => Name(b"S"),
        Face::Bold => Name(b"B"),
        Face::Mono => Name(b"M"),
    }
}

fn state_name([fill, stroke]: [u16; 2]) -> String {
    format!("O{fill}-{stroke}")
}

/// Compressed by zlib.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).and_then(|()| packer.finish()).expect("a vector takes all bytes")
}
