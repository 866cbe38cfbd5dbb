// The page of the lab: a program, see pane.js, with a menu, links, its views and its requests.
import { ask, isStatic } from "./transport.js";
import { Pane, drawn, el, fresh as start, held, holds, inWords, latest } from "./pane.js";

const $ = (id) => document.getElementById(id);

// state is all that a link holds.
const state = {
  ...start, lesson: "01-stale", tab: "run",
  view: { width: 0, bytes: 0 },
  plan: { nodes: 2, buffer: 64 },
};
const unset = structuredClone(state);
let given = ""; // the script of the chosen lesson
const pane = new Pane($("script"), { run: $("pane-run"), outcomes: $("pane-outcomes"), models: $("models") }, { state, ids: true, changed: link, show: select, again: fresh });

// changed returns what of a is not as in b.
function changed(a, b) {
  const some = {};
  for (const k of Object.keys(a)) {
    const part = typeof a[k] === "object" ? changed(a[k], b[k]) : a[k];
    if (typeof part === "object" ? Object.keys(part).length > 0 : part !== b[k]) some[k] = part;
  }
  return some;
}

// link puts the state into the address, so that the address shows the same again: what differs from
// the beginning, and the script if it is not that of its lesson. Another program, schedule or model is
// a step that the browser goes back by.
let known = "";
function link() {
  const values = { lesson: state.lesson, ...changed(state, unset) };
  if (state.script === given) delete values.script;
  const text = held(values);
  const now = JSON.stringify([state.lesson, state.script, state.replay, state.model]);
  if (known !== "" && now !== known && !pane.last.typing) history.pushState(null, "", "#" + text);
  else history.replaceState(null, "", "#" + text);
  known = now;
}

function unlink() {
  if (location.hash.length < 2) return false;
  try {
    const old = holds(location.hash);
    Object.assign(state, structuredClone(unset));
    for (const k of ["lesson", "script", "replay", "model", "tab"]) if (typeof old[k] === "string") state[k] = old[k];
    if (Number.isInteger(old.step)) state.step = old.step;
    state.compare = old.compare === true;
    for (const part of ["view", "plan"]) {
      for (const k of Object.keys(state[part])) if (typeof old[part]?.[k] === typeof state[part][k]) state[part][k] = old[part][k];
    }
    return state.script !== "" || typeof old.lesson === "string";
  } catch {
    return false;
  }
}

const problem = (id, p) => { $(id).textContent = p ? p.text : ""; }; // the text begins with the place
const program = () => pane.program();
const status = (text) => pane.status(text);

// The views of the program, and the requests of its accesses.

const viewFields = { width: Number, bytes: Number };
const planFields = { nodes: Number, buffer: Number };
const askViews = latest(), askView = latest(), askAccesses = latest(), askPlan = latest();

// offer fills a menu with steps of the run, and keeps the chosen one if it is still there.
function offer(id, steps) {
  const box = $(id), before = box.value;
  box.replaceChildren(...steps.map((x) => el("option", { value: x.step, textContent: `step ${x.step}: ${x.text}` })));
  if ([...box.options].some((o) => o.value === before)) box.value = before;
  return steps.length > 0;
}

async function views() {
  const a = await askViews({ do: "views", ...program() });
  if (!a) return;
  const some = offer("v-step", a.views ?? []);
  $("viewform").hidden = !some;
  $("v-note").textContent = some || a.problem ? "What each rank sees of the file, by the views that the program sets."
    : "The program sets no view: each rank sees all bytes of the file, one after the other, and offsets count bytes. The statement is: view HANDLE DISP ETYPE FILETYPE";
  await view(a.problem);
}

async function view(before) {
  const step = Number($("v-step").value);
  const a = step > 0 && !before?.text ? await askView({ do: "view", ...program(), step, view: state.view }) : { problem: before?.text ? before : undefined };
  if (!a) return;
  problem("v-problem", a.problem);
  $("v-place").textContent = a.problem?.picture ?? "";
  for (const k of Object.keys(viewFields)) $("v-" + k).setAttribute("aria-invalid", a.problem?.field === k);
  const head = el("tr", {}, ...["rank", "line", "displacement", "etype", "filetype", "representation"].map((t) => el("th", { scope: "col", textContent: t })));
  const row = (v) => el("tr", {}, ...[v.rank, v.line || "open", v.disp, v.etype, v.filetype, v.rep].map((t) => el("td", { textContent: t })));
  $("v-ranks").replaceChildren(...(a.ranks ? [el("table", {}, el("thead", {}, head), el("tbody", {}, ...a.ranks.map(row)))] : []));
  $("v-drawing").innerHTML = a.drawing ?? a.problem?.drawing ?? "";
  $("v-words").textContent = a.words ?? "";
  $("v-words").parentElement.hidden = !a.words;
  link();
}

async function accesses() {
  pane.traffic($("traffic"));
  const a = await askAccesses({ do: "accesses", ...program() });
  if (!a) return;
  offer("p-access", a.accesses ?? []);
  await plan();
}

async function plan() {
  const step = Number($("p-access").value);
  const a = step > 0 ? await askPlan({ do: "access", ...program(), step, plan: state.plan }) : { problem: { text: "This run moves no bytes of a file." } };
  if (!a) return;
  problem("p-problem", a.problem);
  const all = a.plans ? [drawn("Requests by strategy", a.requests), drawn("Bytes by strategy", a.bytes), inWords("In words", a.words)] : [];
  const one = (p) => [el("h2", { textContent: p.name }), el("p", { textContent: p.text }),
    ...(p.exchange ? [drawn(p.name + ", exchange", p.exchange), inWords(p.name + ", exchange in words", p.exchange_words)] : []),
    drawn(p.name, p.drawing), inWords(p.name + ", in words", p.words)];
  $("plans").replaceChildren(...(a.own ? one(a.own) : []), ...all, ...(a.plans ?? []).flatMap(one));
  link();
}

function bind(fields, prefix, part, then) {
  for (const [k, kind] of Object.entries(fields)) {
    $(prefix + k).addEventListener("input", () => { state[part][k] = kind($(prefix + k).value); then(); });
  }
}

const fill = (fields, prefix, part) => { for (const k of Object.keys(fields)) $(prefix + k).value = state[part][k]; };

function fillForms() {
  fill(viewFields, "v-", "view");
  fill(planFields, "p-", "plan");
  $("compare").checked = state.compare;
}

// The page.

const panes = { run: null, outcomes: null, models: () => pane.models(), view: views, requests: accesses };

function select(tab) {
  state.tab = tab in panes ? tab : "run";
  for (const name of Object.keys(panes)) {
    const on = name === state.tab;
    $("pane-" + name).hidden = !on;
    $("tab-" + name).setAttribute("aria-selected", on);
    $("tab-" + name).tabIndex = on ? 0 : -1;
  }
  link();
  panes[state.tab]?.();
}

function moveTab(e) {
  const names = Object.keys(panes), at = names.indexOf(state.tab);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  const name = names[(to + names.length) % names.length];
  select(name);
  $("tab-" + name).focus();
}

// fresh runs the program anew.
async function fresh() {
  await pane.fresh();
  await panes[state.tab]?.();
}

function story(a) {
  $("story").replaceChildren((a.text ?? "") + " ", ...(a.page ? [el("a", { href: `course/${a.page}.html`, textContent: `Lesson ${a.course} of the course` })] : []));
}

async function load(name) {
  const a = await ask({ do: "lesson", name });
  if (a.problem) return status(a.problem.text);
  state.lesson = name;
  $("lesson").value = name;
  story(a);
  given = a.script;
  pane.renew(a.script);
  await fresh();
}

async function menu() {
  const a = await ask({ do: "lessons" });
  if (a.problem) return status(a.problem.text);
  const names = { lesson: "Lessons, by their numbers in the course", litmus: "Litmus tests of the consistency rules", twin: "Mistakes, each with its fixed twin" };
  for (const [kind, label] of Object.entries(names)) {
    const group = el("optgroup", { label });
    for (const l of a.lessons.filter((l) => l.kind === kind)) {
      group.append(el("option", { value: l.name, textContent: kind === "lesson" ? (l.course ? `${l.course}. ${l.title}` : l.title) : `${l.name}: ${l.title}` }));
    }
    $("lesson").append(group);
  }
}

// restore shows the state of the address.
async function restore() {
  const { step, replay } = state;
  const a = await ask({ do: "lesson", name: state.lesson });
  $("lesson").value = state.lesson;
  story(a);
  given = a.script ?? "";
  pane.showModel();
  fillForms();
  pane.set(state.script || given);
  Object.assign(state, { step, replay });
  known = "";
  await Promise.all([pane.run(), pane.explore(), pane.changes()]);
  select(state.tab); // the reader may have chosen another since
}

function listen() {
  window.addEventListener("popstate", () => { if (unlink()) restore(); });
  $("lesson").addEventListener("change", () => load($("lesson").value));
  $("script").addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); fresh(); } });
  $("go").addEventListener("click", fresh);
  $("link").addEventListener("click", async () => {
    link();
    try {
      await navigator.clipboard.writeText(location.href);
      status("The link is copied; it shows what you see now.");
    } catch {
      status("The address of this page is the link; it shows what you see now.");
    }
  });
  $("frame").hidden = !isStatic;
  $("frame").addEventListener("click", async () => {
    link();
    const [page, values] = location.href.split("#");
    const frame = `<iframe src="${page.split("?")[0]}?frame#${values}" title="commworld lab" width="720" height="480"></iframe>`;
    try {
      await navigator.clipboard.writeText(frame);
      status("Copied: a frame that shows this pane, for a page of yours.");
    } catch {
      status(frame);
    }
  });
  for (const name of Object.keys(panes)) $("tab-" + name).addEventListener("click", () => select(name));
  document.querySelector(".tabs").addEventListener("keydown", moveTab);
  bind(viewFields, "v-", "view", view);
  bind(planFields, "p-", "plan", plan);
  $("p-access").addEventListener("change", plan);
  $("v-step").addEventListener("change", view);
  for (const id of ["viewform", "planform"]) $(id).addEventListener("submit", (e) => e.preventDefault());
}

async function begin() {
  document.body.classList.toggle("frame", location.search === "?frame");
  listen();
  $("go").after(pane.$("fix"), pane.$("undo"));
  $("buttons").after(pane.modelRow, pane.$("status"));
  pane.leads($("vote"));
  const linked = unlink();
  fillForms();
  pane.showModel();
  await menu();
  if (linked) {
    await restore();
  } else {
    await load(state.lesson);
    select("run");
  }
  document.body.dataset.ready = "yes";
}

begin();
