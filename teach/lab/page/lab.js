// The page of the lab: a program, see pane.js, with a menu, links, the view designer and plans of requests.
import { ask, isStatic } from "./transport.js";
import { Pane, button, drawn, el, fresh as start, held, holds, inWords, latest } from "./pane.js";

const $ = (id) => document.getElementById(id);

// state is all that a link holds.
const state = {
  ...start, lesson: "01-stale", tab: "run",
  view: { ranks: 3, disp: "r*4", etype: "int", filetype: "resized(int, 0, n*4)", rep: "native", width: 0, bytes: 40 },
  memory: { text: "int", width: 0, rank: 0 },
  plan: { count: 8, nodes: 2, buffer: 64 },
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
    for (const part of ["view", "memory", "plan"]) {
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

// The view designer and the plans of requests.

const viewFields = { ranks: Number, disp: String, etype: String, filetype: String, rep: String, width: Number, bytes: Number };
const memoryFields = { text: String, width: Number, rank: Number };
const planFields = { count: Number, nodes: Number, buffer: Number };
const askView = latest(), askType = latest(), askPlan = latest();

async function memory() {
  const a = await askType({ do: "type", type: { ...state.memory, ranks: state.view.ranks, copies: 1 }, view: state.view });
  if (!a) return;
  problem("m-problem", a.problem);
  for (const k of Object.keys(memoryFields)) $("m-" + k).setAttribute("aria-invalid", a.problem?.field === k);
  $("m-note").textContent = a.text ?? "";
  $("m-array").innerHTML = a.array ?? "";
  $("m-drawing").innerHTML = a.drawing ?? "";
  $("m-rows").textContent = a.rows ?? "";
  $("m-rows").parentElement.hidden = !a.rows;
  $("m-words").textContent = a.words ?? "";
  link();
}

async function view() {
  memory();
  const a = await askView({ do: "view", view: state.view });
  if (!a) return;
  problem("v-problem", a.problem);
  $("v-place").textContent = a.problem?.picture ?? "";
  for (const k of Object.keys(viewFields)) $("v-" + k).setAttribute("aria-invalid", a.problem?.field === k);
  $("v-drawing").innerHTML = a.drawing ?? a.problem?.drawing ?? "";
  $("v-words").textContent = a.words ?? "";
  $("v-copy").replaceChildren(...Object.entries(a.code ?? {}).map(([name, text]) =>
    el("details", {}, el("summary", { textContent: `as ${name}` }), el("pre", { tabIndex: 0, textContent: text }), button("copy", () => navigator.clipboard?.writeText(text)))));
  link();
}

// accesses offers the accesses of the run, then the form.
const askAccesses = latest();

async function accesses() {
  pane.traffic($("traffic"));
  const a = await askAccesses({ do: "accesses", ...program() });
  if (!a) return;
  const box = $("p-access"), before = box.value;
  box.replaceChildren(...(a.accesses ?? []).map((x) => el("option", { value: x.step, textContent: `step ${x.step}: ${x.text}` })),
    el("option", { value: "form", textContent: "another: a write through the views of the view designer" }));
  if ([...box.options].some((o) => o.value === before)) box.value = before;
  await plan();
}

async function plan() {
  const form = $("p-access").value === "form";
  $("p-count").hidden = $("p-count-label").hidden = !form;
  const a = await askPlan(form ? { do: "plan", view: state.view, plan: state.plan } : { do: "access", ...program(), step: Number($("p-access").value), plan: state.plan });
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
  fill(memoryFields, "m-", "memory");
  fill(planFields, "p-", "plan");
  $("compare").checked = state.compare;
}

// The page.

const panes = { run: null, outcomes: null, models: () => pane.models(), view, requests: accesses };

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
  if (state.tab !== "view") await panes[state.tab]?.();
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
  for (const p of (await ask({ do: "presets" })).presets ?? []) {
    $("v-preset").append(el("option", { value: JSON.stringify(p), textContent: p.name }));
  }
}

// restore shows the state of the address.
async function restore() {
  const { step, replay, tab } = state;
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
  select(tab);
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
  bind(memoryFields, "m-", "memory", memory);
  bind(planFields, "p-", "plan", plan);
  $("p-access").addEventListener("change", plan);
  $("v-preset").addEventListener("change", () => {
    const p = JSON.parse($("v-preset").value);
    Object.assign(state.view, p.view);
    Object.assign(state.memory, { text: p.memory.text, width: p.memory.width, rank: 0 });
    fillForms();
    view();
  });
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
