// What the API answers, by the OpenAPI document: `npm run types` writes api.d.ts.
import type { components } from "./api";

type All = components["schemas"];
export type CapacityPage = All["CapacityPage"];
export type Checked = All["Checked"];
export type Comparison = All["Comparison"];
export type Course = All["Course"];
export type CurvePoint = All["CurvePoint"];
export type Event = All["Event"];
export type Frame = All["Frame"];
export type Line = All["Line"];
export type PlanFile = All["PlanFile"];
export type PlanList = All["PlanList"];
export type Problem = All["Problem"];
export type Recording = All["Recording"];
export type Report = All["Report"];
export type RunList = All["RunList"];
export type RunPage = All["RunPage"];
export type RunRow = All["RunRow"];
export type ScalePage = All["ScalePage"];
export type Session = All["Session"];
export type Stage = All["Stage"];
export type Standing = All["Standing"];
export type Slider = All["Slider"];
export type State = All["State"];
export type Trend = All["Trend"];
export type WhatIf = All["WhatIf"];
