//! The search: replies are harvested for what requests send, then each request's values get their sources.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use nmax_extract::GaveUp;
use nmax_extract::values::{FoundValue, Kind, harvest};

use super::again::SecondRecording;
use super::choose::{Choice, ParsedReplies, Reply, choose};
use super::coding::{self, Coding};
use super::index::{Index, Need, name_of};
use super::timeline::Timeline;
use super::weight::{Weight, weight};
use super::{Denied, State, denied, names};
use crate::parts::{Use, ValueLocation, split};
use crate::recording::{Kind as Fetched, header};

mod follow;
mod rank;
mod take;

use rank::Classes;

/// Most places of a value that are tried before it is left alone.
const TRIES_MAX: usize = 12;
/// Most things that are told of as left alone.
const DENIED_MAX: usize = 200;

/// A correlation on its way.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// Entry whose reply gives it.
    pub from: usize,
    /// What the extractor finds.
    pub text: String,
    pub kind: Kind,
    /// It is requested as a URL.
    pub is_link: bool,
    pub choice: Choice,
    pub state: State,
    /// Names for it, the best first.
    pub names: Vec<String>,
    /// Where it is sent: the template has a NUL in the place of the name.
    pub uses: Vec<(Use, String)>,
    /// What is done with it on the way, in words.
    pub coding: String,
    /// The value, decoded.
    pub value: String,
}

/// What is known of a value of a request.
enum Known {
    /// Another value of a plan stands there.
    Written,
    /// It stays as recorded, or somebody else decides about it as a whole.
    Constant,
    /// It was sent before any reply had it, so its words are not the server's either.
    OfTheUser,
    /// Nothing before it has it.
    Unknown,
}

/// A place in a reply that gives a value: number of what was found, and what must be done with it.
type Origin = (usize, Coding);

/// The second recording with its replies.
pub(super) struct Second<'a> {
    pub again: &'a SecondRecording<'a>,
    pub replies: &'a [Reply<'a>],
}

pub(super) struct Search<'a> {
    timeline: &'a Timeline<'a>,
    index: &'a Index,
    again: Option<&'a SecondRecording<'a>>,
    pages: ParsedReplies<'a>,
    pages_again: ParsedReplies<'a>,
    /// What was found, with its entry.
    found: Vec<(usize, FoundValue)>,
    /// What of it is judged alike.
    classes: Classes,
    by_value: HashMap<String, Vec<Origin>>,
    by_link: HashMap<String, Vec<usize>>,
    /// Values that a script, style sheet or the like holds: constants of the site.
    constants: HashSet<String>,
    /// What changes in links that were followed, with the words of its names.
    followed: Vec<(String, Vec<String>)>,
    pub drafts: Vec<Draft>,
    /// Drafts by the entry whose reply gives them.
    by_reply: HashMap<usize, Vec<usize>>,
    /// Where the first page or call whose body the recording lacks stands in the sequence.
    first_without_body: OnceCell<Option<usize>>,
    pub denied: Vec<Denied>,
    /// Entries whose replies were not read to their ends.
    pub unread: Vec<(usize, GaveUp)>,
    /// Bytes of parts, by entry and number of the part, that a draft writes or that are known to stay as they are.
    settled: HashMap<(usize, usize), Vec<Range<usize>>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        timeline: &'a Timeline<'a>,
        index: &'a Index,
        replies: &'a [Reply<'a>],
        second: Option<Second<'a>>,
    ) -> Self {
        Self {
            timeline,
            index,
            again: second.as_ref().map(|second| second.again),
            pages: ParsedReplies::new(replies),
            pages_again: ParsedReplies::new(second.map_or(&[], |second| second.replies)),
            found: Vec::new(),
            classes: Classes::default(),
            by_value: HashMap::new(),
            by_link: HashMap::new(),
            constants: HashSet::new(),
            followed: Vec::new(),
            drafts: Vec::new(),
            by_reply: HashMap::new(),
            first_without_body: OnceCell::new(),
            denied: Vec::new(),
            unread: Vec::new(),
            settled: HashMap::new(),
        }
    }

    /// Goes through the journey twice: for what replies say, and for what requests send.
    pub(super) fn run(&mut self, replies: &[Reply<'_>]) {
        for &entry in &self.timeline.sequence {
            self.harvest(entry, &replies[entry]);
        }
        for &entry in &self.timeline.sequence {
            let is_followed = !self.timeline.is_resource(entry) && follow::follow(self, entry);
            self.values(entry, is_followed);
        }
    }

    /// Whether these bytes of a part have nothing to do with the client: written by a draft, or given by the server.
    pub(super) fn is_settled(&self, entry: usize, part: usize, span: &Range<usize>) -> bool {
        let known = self.settled.get(&(entry, part));
        known.is_some_and(|known| known.iter().any(|known| known.start < span.end && span.start < known.end))
    }

    /// Whether a script, style sheet or another file of the site holds it.
    pub(super) fn is_constant(&self, value: &str) -> bool {
        self.constants.contains(value)
    }

    fn mark_settled(&mut self, entry: usize, part: usize, span: Range<usize>) {
        self.settled.entry((entry, part)).or_default().push(span);
    }

    fn harvest(&mut self, entry: usize, reply: &Reply<'_>) {
        let url = &self.timeline.entry(entry).request.url;
        let (found, gave_up) = harvest(&reply.page(), &self.index.wanted(url));
        self.unread.extend(gave_up.map(|why| (entry, why)));
        let is_constant = self.is_static(entry);
        for found in found {
            let number = self.found.len();
            for (coding, value) in coding::meanings(&found.text) {
                if self.index.needs_with(&value).next().is_none() {
                    continue;
                }
                if is_constant && !matches!(found.kind, Kind::Header | Kind::Cookie | Kind::Location) {
                    self.constants.insert(value);
                } else {
                    self.by_value.entry(value).or_default().push((number, coding));
                }
            }
            if let Some(url) = &found.link {
                self.by_link.entry(url.clone()).or_default().push(number);
            }
            self.classes.add(&found, &self.timeline.entry(entry).request);
            self.found.push((entry, found));
        }
    }

    /// Whether the reply is a file of the site, the same for everybody.
    fn is_static(&self, entry: usize) -> bool {
        if !self.timeline.is_resource(entry) {
            return false;
        }
        let entry = self.timeline.entry(entry);
        let is_file = |kind: &str| {
            let kinds = ["javascript", "ecmascript", "css", "image/", "font/", "audio/", "video/", "wasm"];
            kinds.iter().any(|known| kind.contains(known))
        };
        match entry.kind {
            Fetched::Style | Fetched::Script | Fetched::Image | Fetched::Font | Fetched::Media => true,
            Fetched::Call | Fetched::Document => false,
            _ => {
                let headers = entry.response.as_ref().map_or(&[][..], |response| &response.headers);
                header(headers, "content-type").is_some_and(is_file)
            }
        }
    }

    /// Whether the request is for something that a page shows, and no call of a script.
    fn is_asset(&self, entry: usize) -> bool {
        let is_call = self.timeline.entry(entry).kind == Fetched::Call;
        self.timeline.is_resource(entry) && !is_call && (self.is_static(entry) || !self.has_data(entry))
    }

    fn has_data(&self, entry: usize) -> bool {
        let response = self.timeline.entry(entry).response.as_ref();
        let kind = response.and_then(|response| header(&response.headers, "content-type"));
        kind.is_some_and(|kind| kind.contains("json") || kind.contains("xml") && !kind.contains("svg"))
    }

    fn is_before(&self, number: usize, entry: usize) -> bool {
        self.timeline.is_before(self.found[number].0, entry)
    }

    /// The draft that takes this text from that reply.
    fn draft_of(&mut self, from: usize, text: &str, is_link: bool) -> Option<&mut Draft> {
        let known = self.by_reply.get(&from)?;
        let is_it = |draft: &Draft| draft.text == text && draft.is_link == is_link;
        let number = known.iter().copied().find(|number| is_it(&self.drafts[*number]))?;
        self.drafts.get_mut(number)
    }

    fn add(&mut self, draft: Draft) {
        self.by_reply.entry(draft.from).or_default().push(self.drafts.len());
        self.drafts.push(draft);
    }

    /// The best extractor for what was found in one reply and is sent by `entry`.
    fn choose(&self, from: usize, found: &FoundValue, entry: usize, sends: &dyn Fn(&str) -> bool) -> Option<Choice> {
        let page = self.pages.reply(from);
        let both = self.again.filter(|again| again.entry(entry).is_some());
        let again = both.and_then(|again| again.position(from)).map(|from| self.pages_again.reply(from));
        choose(found, &page, again.as_deref(), sends)
    }

    /// The values of a request, the longest first.
    fn values(&mut self, entry: usize, is_followed: bool) {
        let index = self.index;
        let mut needs: Vec<&Need> = index.needs_of(entry).iter().collect();
        needs.sort_by(|a, b| {
            let key = |need: &Need| (need.part, std::cmp::Reverse(need.span.len()), need.span.start);
            key(a).cmp(&key(b)).then_with(|| a.coding.cmp(&b.coding))
        });
        // Values that the user sent first, of this request.
        let mut of_the_user: Vec<&Need> = Vec::new();
        let mut unknown: Vec<&Need> = Vec::new();
        for need in needs {
            let holds = |whole: &&Need| {
                whole.part == need.part && whole.span.start <= need.span.start && need.span.end <= whole.span.end
            };
            if of_the_user.iter().any(holds) {
                continue;
            }
            let place = &index.parts[&entry][need.part].place;
            if matches!(place, ValueLocation::Header(name) if denied::is_trace(name)) {
                self.deny_trace(place);
                continue;
            }
            let is_written = is_followed && matches!(place, ValueLocation::Segment(_) | ValueLocation::Query(..));
            if !is_written && self.is_settled(entry, need.part, &need.span) {
                continue;
            }
            if is_written {
                self.mark_settled(entry, need.part, need.span.clone());
                continue;
            }
            match self.value(need) {
                Known::Written | Known::Constant => self.mark_settled(entry, need.part, need.span.clone()),
                Known::OfTheUser => of_the_user.push(need),
                Known::Unknown => unknown.push(need),
            }
        }
        for need in unknown {
            self.explain(need);
        }
    }

    /// Says why a value that looks like one of the server's is not found, when the recording does not have all it said.
    fn explain(&mut self, need: &Need) {
        let part = &self.index.parts[&need.entry][need.part];
        let is_whole = need.coding == Coding::Same && need.span == (0..part.value.len());
        let is_known = !is_whole || self.is_settled(need.entry, need.part, &need.span);
        if is_known || weight(&need.value) < Weight::Medium {
            return;
        }
        let name = name_of(&self.timeline.entry(need.entry).request, &part.place);
        if names::identifies(&name) && self.lacks_bodies_before(need.entry) {
            self.deny(need, "no reply has it, but some before it are recorded without their bodies");
        }
    }

    fn value(&mut self, need: &Need) -> Known {
        let index = self.index;
        let part = &index.parts[&need.entry][need.part];
        let name = name_of(&self.timeline.entry(need.entry).request, &part.place);
        let mut origins = self.origins(need);
        if origins.is_empty() {
            if !self.constants.contains(&need.value) || weight(&need.value) < Weight::Medium {
                return Known::Unknown;
            }
            self.deny(need, "a script or another file of the site holds it: a constant");
            return Known::Constant;
        }
        if self.is_of_the_user(need, &name) {
            return Known::OfTheUser;
        }
        let mut refusal = None;
        let mut judge = self.judge(need, part, &name);
        origins.retain(|(number, _)| match judge.verdict(*number) {
            Ok(()) => true,
            Err(why) => {
                refusal.get_or_insert(why);
                false
            }
        });
        if origins.is_empty() {
            if let Some(why) = refusal.filter(|_| weight(&need.value) > Weight::Trivial) {
                self.deny(need, why);
            }
            return Known::Constant;
        }
        let page = self.timeline.page_before(need.entry);
        let mut ranked: Vec<_> =
            origins.into_iter().map(|origin| (self.rank(&origin, &mut judge, page), origin)).collect();
        ranked.sort();
        let origins: Vec<Origin> = ranked.into_iter().map(|(_, origin)| origin).collect();
        self.take(need, part, &name, &origins)
    }

    /// Whether the value was sent before any reply had it: typed by the user, or made by the client.
    fn is_of_the_user(&self, need: &Need, name: &str) -> bool {
        let is_telling = weight(&need.value) > Weight::Weak;
        let is_same = |other: &&Need| {
            let place = &self.index.parts[&other.entry][other.part].place;
            is_telling || name_of(&self.timeline.entry(other.entry).request, place) == name
        };
        let Some(first) = self.index.needs_with(&need.value).find(is_same) else {
            return false;
        };
        !self
            .known_to(&self.by_value[&need.value], first.entry, |(number, _)| *number)
            .iter()
            .any(|(number, _)| self.is_before(*number, first.entry))
    }

    /// Whether a page or call before it has a reply whose body the recording lacks.
    fn lacks_bodies_before(&self, entry: usize) -> bool {
        let lacks_body = |known: &usize| {
            self.timeline.entry(*known).response.as_ref().is_some_and(|response| {
                let is_empty = response.body.as_ref().is_none_or(|body| body.bytes.is_empty());
                let kind = header(&response.headers, "content-type").unwrap_or_default();
                is_empty && response.status == 200 && (kind.contains("html") || kind.contains("json"))
            })
        };
        let first = self.first_without_body.get_or_init(|| {
            let mut all = self.timeline.sequence.iter();
            all.position(|known| !self.is_asset(*known) && lacks_body(known))
        });
        first.is_some_and(|first| first < self.timeline.spot(entry).order)
    }

    fn deny(&mut self, need: &Need, reason: &str) {
        let request = &self.timeline.entry(need.entry).request;
        let part = &self.index.parts[&need.entry][need.part];
        let target = split(&request.url);
        let what = format!("{} of {} {}", super::told(&part.place), request.method, target.path);
        self.note(what, reason);
    }

    fn deny_trace(&mut self, place: &ValueLocation) {
        self.note(super::told(place), "it names an exchange for those who read logs");
    }

    fn note(&mut self, what: String, reason: &str) {
        let denied = Denied { what, reason: reason.to_owned() };
        if self.denied.len() < DENIED_MAX && !self.denied.contains(&denied) {
            self.denied.push(denied);
        }
    }
}
