// Until the OpenAPI document is there: the same names and shapes.
export interface Session { version: string; may_change: boolean; may_start: boolean; may_exec: boolean; may_record: boolean; plans: string | null; key: string | null }
export type State = "running" | "pass" | "fail" | "invalid" | "cut_off" | "done";
export type Mark = "pass" | "fail" | "invalid" | "none";
export interface RunRow { id: string; name: string; kind: "run" | "scale"; started_at: string; target: string; note: string; tags: string[]; state: State; is_interrupted: boolean; is_steered: boolean; duration_s: number | null; rate: number | null; p95_ms: number | null; failure_rate: number | null; sparkline: number[] }
export interface RunList { runs: RunRow[]; more: boolean; tags: string[]; names: string[] }
export interface Stage { kind: "warm_up" | "ramp_up" | "hold" | "ramp_down"; from_s: number; until_s: number | null; from_level: number; to_level: number }
export interface ReportSection { id: string; title: string; aside: string; is_appendix: boolean; html: string }
export interface Report { title: string; word: string; mark: Mark; meaning: string; banner_html: string; head_html: string; sections: ReportSection[]; footer: string }
export interface RunPage { row: RunRow; is_running: boolean; duration_s: number; planned_end_s: number | null; hold: { from_s: number; until_s: number | null }; workload: "open" | "closed"; level_unit: string; level_now: number | null; revision: number; stages: Stage[]; facets: Record<"request" | "status" | "tag" | "location", string[]>; command: string; plan: string }
export interface Line { id: string; panel: string; panel_title: string; title: string; unit: string; values: (number | null)[] }
export interface Heat { edges_ms: number[]; columns: number[][] }
export interface Event { at_s: number; code: string; text: string }
export interface Course { from_s: number; until_s: number; width_s: number; starts_s: number[]; lines: Line[]; heat: Heat; events: Event[]; stages: Stage[] }
export interface Frame { start_s: number; width_s: number; values: Record<string, number | null>; heat: number[]; heat_edges_ms: number[]; level_now: number; planned_end_s: number | null; next: string }
export interface Standing { mark: Mark; word: string; reasons: { code: string; text: string; decides: boolean }[]; thresholds: { text: string; value: string; holds: boolean }[]; errors: { kind: string; count: number | null; remedy: string; example: { at_s: number; request: string; status: string; text: string } | null }[]; rate: number | null; p95_ms: number | null; failure_rate: number | null; revision: number }
export interface Comparison { rows: RunRow[]; report: Report; courses: { id: string; course: Course }[] }
export interface CurvePoint { n: number; x: number; low: number | null; high: number | null }
export interface Law { alpha: number; beta: number; gamma: number; peak_n: number | null; peak_x: number | null }
export interface ScalePage { row: RunRow; report: Report; unit: string; dimension: string; points: { n: number; x: number; is_used: boolean; run: string }[]; curve: CurvePoint[]; law: Law | null }
export interface WhatIf { law: Law; curve: CurvePoint[]; text: string; x_at: number | null }
export interface Trend { points: { id: string; started_at: string; value: number | null; is_change: boolean }[]; report: Report }
export interface PlanList { plans: { name: string; changed_at: string }[] }
export interface PlanFile { name: string; text: string; etag: string }
export interface Problem { line: number; column: number; text: string; help: string; is_warning: boolean }
export interface Checked { problems: Problem[]; summary: { target: string; workload: string; duration_s: number | null; requests: string[] } | null }
export interface Recording { id: string; state: "recording" | "ended" | "saved" | "failed"; url: string; proxy: string; steps: { id: number; name: string; method: string; url: string; status: number; at_s: number; requests: number }[]; trouble: string }
