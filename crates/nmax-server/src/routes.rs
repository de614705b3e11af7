//! Every way to ask: a table, from which follow who answers, who may ask, and the OpenAPI document.

use std::sync::Arc;

use hyper::Method;
use nmax_json::schemars::generate::SchemaSettings;
use nmax_json::schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::api::{self, In, Out, schema};
use crate::capacity::Of;
use crate::course::By;
use crate::page::{self, RunPath, SpanS};
use crate::refusal::Refusal;
use crate::runs::Filter;
use crate::server::Shared;
use crate::{analyses, fleet, steer};

/// A question, taken apart.
pub(crate) struct Asked<'a> {
    pub(crate) shared: &'a Arc<Shared>,
    /// What stands in the holes of the path.
    pub(crate) parts: Vec<String>,
    query: Vec<(String, String)>,
}

impl<'a> Asked<'a> {
    pub(crate) fn new(shared: &'a Arc<Shared>, parts: Vec<String>, query: &str) -> Self {
        let pairs = query.split('&').filter(|pair| !pair.is_empty());
        let decoded = |text: &str| nmax_text::percent::decode_form(text).unwrap_or_default();
        let query = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name), decoded(value))
        });
        Self { shared, parts, query: query.collect() }
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let value = self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        value.filter(|value| !value.is_empty())
    }

    fn number(&self, name: &str) -> Result<Option<f64>, Refusal> {
        let parse = |text: &str| {
            let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| Refusal::bad(format!("{name}: `{}` is not a number", nmax_text::shown(text)), ""))
        };
        self.text(name).map(parse).transpose()
    }

    fn span(&self) -> Result<SpanS, Refusal> {
        Ok((self.number("from")?, self.number("until")?))
    }

    fn run(&self) -> Result<RunPath, Refusal> {
        let (row, path) = self.shared.runs.find(&self.parts[0])?;
        Ok(RunPath { row, path })
    }
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Anybody on this machine.
    Read,
    /// Who came by the printed address: what is answered may hold secrets, such as the text of a plan.
    Known,
    /// Who came by the printed address.
    Change,
}

type Handler = Box<dyn Fn(&Asked<'_>, &[u8]) -> Result<String, Refusal> + Send + Sync>;
type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A row of the table.
pub(crate) struct Route {
    pub(crate) method: Method,
    /// With holes: `/api/runs/{id}`.
    pub(crate) path: &'static str,
    about: &'static str,
    /// Of the query: name and meaning.
    query: &'static [(&'static str, &'static str)],
    pub(crate) needs: Needs,
    /// Takes seconds.
    pub(crate) is_study: bool,
    asked: Option<SchemaOf>,
    answered: SchemaOf,
    pub(crate) handle: Handler,
}

impl Route {
    /// What stands in the holes, when a path is meant.
    pub(crate) fn matches(&self, path: &str) -> Option<Vec<String>> {
        let mut parts = Vec::new();
        let (mut want, mut have) = (self.path.split('/'), path.split('/'));
        loop {
            match (want.next(), have.next()) {
                (None, None) => return Some(parts),
                (Some(want), Some(have)) if want.starts_with('{') => {
                    parts.push(nmax_text::percent::decode_exact(have).filter(|part| !part.is_empty())?);
                }
                (Some(want), Some(have)) if want == have => {}
                _ => return None,
            }
        }
    }
}

fn get<T: Out>(
    path: &'static str,
    about: &'static str,
    query: &'static [(&'static str, &'static str)],
    handle: fn(&Asked<'_>) -> Result<T, Refusal>,
) -> Route {
    Route {
        method: Method::GET,
        path,
        about,
        query,
        needs: Needs::Read,
        is_study: false,
        asked: None,
        answered: schema::<T>,
        handle: Box::new(move |asked, _| Ok(handle(asked)?.json())),
    }
}

fn change<Q: In, T: Out>(
    method: Method,
    path: &'static str,
    about: &'static str,
    handle: fn(&Asked<'_>, Q) -> Result<T, Refusal>,
) -> Route {
    let read = move |asked: &Asked<'_>, body: &[u8]| {
        let describe = |error| Refusal::bad(format!("the body: {error}"), "/api/openapi.json describes it");
        let question = Q::read(body).map_err(describe)?;
        Ok(handle(asked, question)?.json())
    };
    Route {
        method,
        path,
        about,
        query: &[],
        needs: Needs::Change,
        is_study: false,
        asked: Some(schema::<Q>),
        answered: schema::<T>,
        handle: Box::new(read),
    }
}

const SPAN: [(&str, &str); 2] =
    [("from", "Beginning, seconds since the start of the run."), ("until", "End, seconds.")];

const MOVED: [(&str, &str); 5] = [
    ("growth", "Growth on top of the forecast, % per week."),
    ("demand", "Demand, times the forecast."),
    ("headroom", "Margin above the forecast peak, %."),
    ("lag", "Delays, times what the document states."),
    ("price", "Prices, times what the document states."),
];
const MOVED_DAY: [(&str, &str); 6] = [
    MOVED[0],
    MOVED[1],
    MOVED[2],
    MOVED[3],
    MOVED[4],
    ("quick", "Anything: few days are simulated, not as many as the document says."),
];

fn capacity(asked: &Asked<'_>, of: Of) -> Result<api::CapacityPage, Refusal> {
    let shared = asked.shared;
    crate::capacity::answer((&shared.plans, &shared.counted), &asked.parts[0], of, |name| asked.number(name))
}

/// The table. Streams, sessions and files of the page are answered elsewhere.
pub(crate) fn table() -> Vec<Route> {
    let (post, put, patch) = (Method::POST, Method::PUT, Method::PATCH);
    vec![
        get(
            "/api/runs",
            "Lists runs and campaigns, the newest first.",
            &[
                ("search", "Words, all of which occur in id, name, target, note, tags or time."),
                ("tag", "A tag."),
                ("verdict", "A state, as in rows."),
                ("name", "A name."),
                ("limit", "Most rows; 200."),
            ],
            |asked| {
                let text = |name| asked.text(name).map(str::to_owned);
                let filter = Filter {
                    search: text("search").unwrap_or_default(),
                    tag: text("tag"),
                    verdict: text("verdict"),
                    name: text("name"),
                    limit: asked.number("limit")?.map(|limit| limit.max(0.0) as usize),
                };
                Ok(asked.shared.runs.list(&filter))
            },
        ),
        get("/api/runs/{id}", "A run without its numbers.", &[], |asked| {
            let page = page::page(asked.run()?)?;
            Ok(api::RunPage {
                is_of_fleet: fleet::fleet_of(asked.shared.fleet.as_deref(), &page.row.id).is_some(),
                ..page
            })
        }),
        get("/api/runs/{id}/report", "The report of a run, or of a part of it.", &SPAN, |asked| {
            let report = asked.shared.reports.get(&asked.run()?.path, asked.span()?)?;
            Ok(api::Report::clone(&report))
        }),
        get(
            "/api/runs/{id}/course",
            "A run over time.",
            &[
                SPAN[0],
                SPAN[1],
                ("points", "Most points; 600."),
                ("by", "Tells exchanges apart: request, status, tag or location."),
                ("value", "With `by`: only these exchanges; without, each value has lines of its own."),
            ],
            |asked| {
                let by = asked
                    .text("by")
                    .map(|by| By::named(by).ok_or_else(|| Refusal::bad("by is request, status, tag or location", "")));
                let by = by.transpose()?.map(|by| (by, asked.text("value").map(str::to_owned)));
                let points = asked.number("points")?.map(|points| points.max(1.0) as usize);
                page::course(&asked.run()?.path, asked.span()?, points, by)
            },
        ),
        get("/api/compare", "Two to six runs beside each other.", &[("runs", "Ids with commas.")], |asked| {
            analyses::compare(&asked.shared.runs, asked.text("runs").unwrap_or_default())
        }),
        get(
            "/api/trend",
            "A figure of all runs of a name.",
            &[("name", "The name."), ("figure", "p95, rate or failure_rate.")],
            |asked| {
                let name = asked.text("name").unwrap_or_default();
                analyses::trend(&asked.shared.runs, name, asked.text("figure").unwrap_or_default())
            },
        ),
        get("/api/scales/{id}", "A campaign.", &[], |asked| analyses::scale(asked.run()?)),
        get(
            "/api/scales/{id}/what-if",
            "The law of a campaign with other coefficients.",
            &[
                ("alpha", "Contention, 0 to 1."),
                ("beta", "Coherency, 0 or more."),
                ("gamma", "Throughput of one, above 0."),
                ("n", "Where the throughput is wanted."),
            ],
            |asked| {
                let law = (asked.number("alpha")?, asked.number("beta")?, asked.number("gamma")?);
                analyses::what_if(asked.run()?, law, asked.number("n")?)
            },
        ),
        get("/api/fleet", "The fleet: its injectors and its runs.", &[], |asked| {
            Ok(fleet::page(asked.shared.fleet.as_deref(), &asked.shared.runs))
        }),
        get("/api/plans", "Lists the plans.", &[], |asked| asked.shared.plans.list()),
        Route {
            needs: Needs::Known,
            ..get("/api/plans/{name}", "A plan.", &[], |asked| asked.shared.plans.read(&asked.parts[0]))
        },
        Route {
            needs: Needs::Known,
            is_study: true,
            ..get("/api/capacity/{name}", "What to buy, and when.", &MOVED, |asked| capacity(asked, Of::Plan))
        },
        Route {
            needs: Needs::Known,
            is_study: true,
            ..get("/api/capacity/{name}/day", "A day, under each strategy.", &MOVED_DAY, |asked| {
                capacity(asked, Of::Day { is_quick: asked.text("quick").is_some() })
            })
        },
        change(
            put,
            "/api/plans/{name}",
            "Writes a plan, unless it was changed meanwhile.",
            |asked, new: api::PlanText| asked.shared.plans.write(&asked.parts[0], &new),
        ),
        // What it names is read, so it is not for everybody.
        change(post.clone(), "/api/check", "What is wrong with a plan.", |asked, plan: api::CheckText| {
            Ok(asked.shared.plans.check(&plan.text))
        }),
        change(post.clone(), "/api/runs", "Starts a run.", |asked, start: api::Start| {
            let shared = asked.shared;
            let what = match (&start.plan, &start.repeat) {
                (Some(plan), None) => shared.plans.path(plan)?,
                (None, Some(run)) => shared.runs.find(run)?.1,
                _ => return Err(Refusal::bad("give either a plan or a run to repeat", "")),
            };
            shared.processes.start(shared.runs.folder(), &what, &start)
        }),
        change(
            post.clone(),
            "/api/runs/{id}/steer",
            "Changes the load of a running run, or ends it.",
            |asked, wish: api::Wish| {
                let RunPath { row, path } = asked.run()?;
                match fleet::fleet_of(asked.shared.fleet.as_deref(), &row.id) {
                    Some(fleet) => fleet::steer(fleet, &row.id, &wish),
                    None => steer::steer(&path, &wish),
                }
            },
        ),
        change(post.clone(), "/api/fleet/runs/{id}/end", "Ends a run of the fleet.", |asked, end: api::Ending| {
            fleet::end(asked.shared.fleet.as_deref(), &asked.parts[0], end.how)
        }),
        change(post.clone(), "/api/recordings", "Records a visit.", |asked, visit: api::Visit| {
            asked.shared.recordings.begin(&asked.shared.processes, &asked.shared.plans, &visit)
        }),
        Route {
            needs: Needs::Known,
            ..get("/api/recordings/{id}", "A recording.", &[], |asked| asked.shared.recordings.get(&asked.parts[0]))
        },
        change(patch.clone(), "/api/recordings/{id}", "Names what was done.", |asked, names: api::Names| {
            let parse = |(step, name): (String, String)| Ok((step.parse().map_err(|_| Refusal::missing(step))?, name));
            let names: Result<Vec<(u64, String)>, Refusal> = names.names.into_iter().map(parse).collect();
            asked.shared.recordings.name(&asked.parts[0], &names?)
        }),
        change(post, "/api/recordings/{id}/stop", "Ends a recording and writes its plan.", |asked, _: api::Nothing| {
            asked.shared.recordings.stop(&asked.parts[0])
        }),
        change(patch, "/api/runs/{id}", "Gives a run another note or other tags.", |asked, label: api::Label| {
            let found = asked.run()?;
            let row = asked.shared.runs.label(&found.row.id, label.note, label.tags)?;
            asked.shared.hub.publish(crate::live::Message::new("runs", &row));
            Ok(row)
        }),
    ]
}

/// The OpenAPI 3.1 document of the table.
pub(crate) fn openapi(table: &[Route]) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings.for_serialize().into_generator();
    let mut paths: Map<String, Value> = Map::new();
    for route in table {
        let answer = (route.answered)(&mut generator);
        let mut operation = operation(route, json!(answer));
        if let Some(asked) = route.asked {
            let asked = asked(&mut generator);
            operation["requestBody"] = json!({"required": true, "content": {"application/json": {"schema": asked}}});
        }
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_lowercase()] = operation;
    }
    let session = json!(schema::<api::Session>(&mut generator));
    let login = json!(schema::<api::Login>(&mut generator));
    let answer = |about: &str, schema: &Value| json!({"description": about, "content": {"application/json": {"schema": schema}}});
    paths.insert(
        "/api/session".into(),
        json!({
            "get": {"summary": "What this viewer may do.", "responses": {"200": answer("The session.", &session)}},
            "post": {
                "summary": "Begins a session by the secret of the printed address, which works once.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": login}}},
                "responses": {"200": answer("The session; its cookie is set.", &session)},
            },
        }),
    );
    let events = [
        json!(schema::<api::RunRow>(&mut generator)),
        json!(schema::<api::Frame>(&mut generator)),
        json!(schema::<api::Standing>(&mut generator)),
        json!(schema::<api::Event>(&mut generator)),
    ];
    paths.insert("/api/stream".into(), json!({"get": {
        "summary": "Server-sent events: `runs` (a row that changed), and with `run`: `frame`, `gates`, `event`, `resync`, `end`, `gone`.",
        "parameters": [
            {"name": "run", "in": "query", "schema": {"type": "string"}, "description": "A run to follow."},
            {"name": "after", "in": "query", "schema": {"type": "number"}, "description": "Frames that end after these ms of the run."},
        ],
        "responses": {"200": {"description": "Events without end.", "content": {"text/event-stream": {"schema": {"anyOf": events}}}}},
    }}));
    let failure = json!(schema::<api::Failure>(&mut generator));
    for path in paths.values_mut() {
        for (_, operation) in path.as_object_mut().into_iter().flatten() {
            operation["responses"]["default"] = answer("Why not.", &failure);
        }
    }
    let mut schemas: Map<String, Value> = generator.take_definitions(true);
    schemas.sort_keys();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "nmax serve",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Everything that the page does. What changes something needs the session of the printed address, \
                            or the token of programs.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": crate::guard::COOKIE_NAME,
                    "description": "With the header `X-Nmax-Key`, whose value GET /api/session says."},
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
    })
}

fn operation(route: &Route, answer: Value) -> Value {
    let holes = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let holes = holes.map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
    let query = route
        .query
        .iter()
        .map(|(name, about)| json!({"name": name, "in": "query", "schema": {"type": "string"}, "description": about}));
    let parameters: Vec<Value> = holes.chain(query).collect();
    let mut operation = json!({
        "summary": route.about,
        "parameters": parameters,
        "responses": {"200": {"description": "Done.", "content": {"application/json": {"schema": answer}}}},
    });
    if route.needs != Needs::Read {
        operation["security"] = json!([{"session": []}, {"token": []}]);
    }
    operation
}
