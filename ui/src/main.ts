import "uplot/dist/uPlot.min.css";
import "../../crates/nmax-report/src/html/style.css";
import "../../crates/nmax-report/src/svg/panels.css";
import "./app.css";
import { mount } from "svelte";
import App from "./App.svelte";

mount(App, { target: document.body });
