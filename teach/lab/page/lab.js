// The page of the lab: controls, and what they ask. All answers, drawings included, come
// from the functions of package lab.
import { ask, isStatic } from "./transport.js";

const $ = (id) => document.getElementById(id);
const el = (tag, props = {}, ...children) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
};

// What may be wider than the page can be scrolled by keyboard.
const drawn = (label, svg) => el("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: label, innerHTML: svg });
const inWords = (title, text) => el("details", {}, el("summary", { textContent: title }), el("pre", { tabIndex: 0, textContent: text }));

// state is all that a link holds.
const state = {
  lesson: "01-stale", script: "", replay: "", model: "weakest", step: 0, compare: false, tab: "run",
  view: { ranks: 3, disp: "r*4", etype: "int", filetype: "resized(int, 0, n*4)", rep: "native", width: 0, bytes: 40 },
  memory: { text: "int", width: 0, rank: 0 },
  plan: { count: 8, nodes: 2, buffer: 64 },
};
const unset = structuredClone(state);
let given = ""; // the script of the chosen lesson
let last = { run: null, shown: "", wrong: null, explored: null, token: null, typing: false, undo: [] };

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
  const held = { lesson: state.lesson, ...changed(state, unset) };
  if (state.script === given) delete held.script;
  const bytes = new TextEncoder().encode(JSON.stringify(held));
  const text = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  const now = JSON.stringify([state.lesson, state.script, state.replay, state.model]);
  if (known !== "" && now !== known && !last.typing) history.pushState(null, "", "#" + text);
  else history.replaceState(null, "", "#" + text);
  known = now;
}

function unlink() {
  if (location.hash.length < 2) return false;
  try {
    const text = atob(location.hash.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
    const old = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0))));
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

const status = (text) => { $("status").textContent = text; };

// latest returns a function that asks, and for which only the newest question counts: it ends
// the work on the one before, whose answer becomes null.
function latest() {
  let newest;
  return async (q) => {
    newest?.abort();
    const mine = newest = new AbortController();
    const answer = await ask(q, mine.signal);
    return mine === newest ? answer : null;
  };
}

const problem = (id, p) => { $(id).textContent = p ? p.text : ""; }; // the text begins with the place

// The editor.

// tints is the number of colours of ranks, see picture.Tints.
const tints = 9;
const tint = (rank) => "r" + rank % tints;

// mark numbers the lines of the script and marks, in the colour of each rank, the line that it
// runs in the step that is shown, or ran last; and the place of an error.
function mark() {
  const text = $("script").value.split("\n"), where = new Map(), now = new Map();
  const steps = last.run && last.shown === state.script ? last.run.steps.slice(0, state.step) : [];
  steps.forEach((s, i) => s.calls.forEach((c) => {
    where.set(c.rank, c.line);
    if (i === steps.length - 1) now.set(c.rank, c.line);
  }));
  const ranks = [...where.keys()].sort((a, b) => a - b), all = last.run?.ranks ?? 0;
  const at = (line) => ranks.filter((r) => where.get(r) === line);
  const chip = (r, line) => el("i", { className: tint(r) + (now.get(r) === line ? " runs" : where.get(r) === line ? " at" : ""), textContent: now.get(r) === line ? r : "" });
  $("lines").classList.toggle("many", all > 4);
  $("lines").replaceChildren(...text.map((_, i) => {
    const line = el("div", { className: "line" + (i + 1 === last.wrong?.line ? " wrong" : "") }, el("b", { textContent: i + 1 }));
    if (ranks.length) for (let r = 0; r < all; r++) line.append(chip(r, i + 1));
    return line;
  }));
  const bands = [...now].map(([r, line]) => {
    const band = el("div", { className: "band " + tint(r) });
    band.style.top = `calc(.5rem + ${line - 1} * var(--row))`;
    return band;
  });
  if (last.wrong?.line) {
    const of = text[last.wrong.line - 1] ?? "", from = Math.max(0, (last.wrong.column || 1) - 1);
    const long = of.slice(from).match(/^[\w.]+|^\S/)?.[0].length ?? 1, place = el("div", { className: "wavy" });
    place.style.top = `calc(.5rem + ${last.wrong.line - 1} * var(--row))`;
    place.style.left = `calc(.5rem + ${columns(of.slice(0, from))}ch)`;
    place.style.width = long + "ch";
    bands.push(place);
  }
  $("bands").replaceChildren(el("div", {}, ...bands));
  $("here").replaceChildren(...[...new Set(now.values())].sort((a, b) => a - b).map((line) =>
    el("div", {}, el("b", { textContent: line }), ...at(line).map((r) => el("i", { className: tint(r), textContent: r })), el("span", { textContent: " " + (text[line - 1] ?? "").trim() }))));
  const rows = [...now.values()];
  if (rows.length && document.activeElement !== $("script")) uncover(Math.min(...rows), Math.max(...rows));
  follow();
}

// columns is the width of a text with tabs.
const columns = (text) => [...text].reduce((n, c) => (c === "\t" ? n - n % 8 + 8 : n + 1), 0);

// uncover scrolls the editor until lines are seen.
function uncover(first, last) {
  const box = $("script"), row = 20, above = (first - 2) * row, below = (last + 2) * row - box.clientHeight;
  if (box.scrollTop > above) box.scrollTop = Math.max(0, above);
  else if (box.scrollTop < below) box.scrollTop = below;
}

// follow scrolls what is drawn beside and behind the text with it.
function follow() {
  $("lines").scrollTop = $("script").scrollTop;
  const inner = $("bands").firstElementChild;
  if (inner) inner.style.transform = `translate(${-$("script").scrollLeft}px, ${-$("script").scrollTop}px)`;
}

// hint explains the word at the cursor, and offers what may stand there.
const askToken = latest();

async function hint() {
  const box = $("script"), at = box.selectionStart, text = box.value;
  if (box.selectionEnd !== at) return null;
  const before = text.slice(0, at).split("\n");
  const bytes = new TextEncoder().encode(before[before.length - 1]).length;
  const a = await askToken({ do: "token", script: text, line: before.length, column: bytes });
  if (!a || a.problem) return null;
  last.token = { text, at, options: a.options, typed: a.typed };
  const sentence = [a.form, a.about].filter((t) => t).map((t) => el("span", { textContent: t }));
  $("hint").replaceChildren(...sentence);
  $("options").replaceChildren(...(a.typed || a.form ? a.options : []).map((o, i) => {
    const b = button(o, () => { insert(o, a.typed); box.focus(); });
    b.tabIndex = -1;
    if (i === 0 && a.typed) b.append(el("kbd", { textContent: "Tab" }));
    return b;
  }));
  return last.token;
}

// insert completes the word before the cursor.
function insert(word, typed) {
  const box = $("script");
  box.setRangeText(word.slice(typed), box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input"));
}

// complete takes the first option for the word before the cursor. Elsewhere Tab leaves the editor.
async function complete(e) {
  if (e.key !== "Tab" || e.shiftKey || e.ctrlKey || e.altKey) return;
  const box = $("script");
  if (box.selectionStart !== box.selectionEnd || !/\w/.test(box.value[box.selectionStart - 1] ?? "")) return;
  let t = last.token;
  if (t?.text === box.value && t.at === box.selectionStart) {
    if (!t.typed || t.options.length === 0) return;
    e.preventDefault();
  } else {
    e.preventDefault(); // the answer decides
    t = await hint();
  }
  if (t?.typed && t.options.length) insert(t.options[0], t.typed);
}

function setScript(text) {
  last.typing = false;
  state.script = $("script").value = text;
  last.wrong = null;
  mark();
}

// The run.

const askRun = latest(), askStep = latest(), askExplore = latest();
const program = () => ({ script: state.script, replay: state.replay, model: state.model });

async function run() {
  const a = await askRun({ do: "run", ...program() });
  if (!a) return;
  problem("problem", a.problem);
  last.wrong = a.problem?.line ? a.problem : null;
  const old = last.wrong && last.run; // the pictures stay while a line is being typed
  $("old").hidden = !old;
  if (old) return mark();
  last.run = a.problem ? null : a;
  last.shown = state.script;
  mark();
  $("spacetime").innerHTML = a.space_time ?? "";
  $("words").textContent = a.words ?? "";
  $("ended").textContent = a.text ?? "";
  for (const cell of $("spacetime").querySelectorAll(".cell")) {
    cell.addEventListener("click", () => goTo(Number(cell.dataset.step)));
  }
  const n = a.steps?.length ?? 0;
  $("step").max = n;
  await goTo(Math.min(state.step, n));
}

// goTo shows the moment after so many steps.
async function goTo(n) {
  if (!last.run) {
    for (const id of ["sees", "board", "exchange"]) $(id).replaceChildren();
    for (const id of ["now", "board-words"]) $(id).textContent = "";
    return;
  }
  state.step = Math.max(0, Math.min(n, last.run.steps.length));
  $("step").value = state.step;
  const s = last.run.steps[state.step - 1];
  const text = s ? [s.text, ...s.calls.filter((c) => c.error).map((c) => `rank ${c.rank}: ${c.error}`)].join("; ") : "before the first statement";
  $("now").textContent = `step ${state.step} of ${last.run.steps.length}: ${text}`;
  $("step").setAttribute("aria-valuetext", text);
  light(state.step);
  mark();
  link();
  const a = await askStep({ do: "step", ...program(), script: last.shown, step: state.step, compare: state.compare });
  if (!a) return;
  if (a.problem) {
    $("sees").textContent = a.problem.text;
    return;
  }
  board(a.board);
  $("exchange").replaceChildren(...(a.exchange ? [drawn("Aggregators, their file domains and what is sent", a.exchange), inWords("The exchange in words", a.exchange_words)] : []));
  if (state.compare) $("rows").open = true;
  $("sees").replaceChildren(...a.files.flatMap((f) => {
    const shown = (d, title) => [drawn(title, d.drawing), inWords(title + " in words", d.words)];
    return [...shown(f, `file ${f.name}`), ...(f.compared ? shown(f.compared, `file ${f.name} under each model`) : [])];
  }));
  if (a.files.length === 0) $("sees").textContent = "There is no file yet.";
}

// board shows the files, and beside them the ranks, which can be scrolled.
function board(panels) {
  const files = el("div", { className: "files", innerHTML: panels.filter((p) => p.rank < 0).map((p) => p.drawing).join("") });
  const ranks = el("div", { className: "ranks", tabIndex: 0, role: "group", ariaLabel: "Memory of the ranks, and what they may read", innerHTML: panels.filter((p) => p.rank >= 0).map((p) => p.drawing).join("") });
  const scrolled = $("board").querySelector(".ranks")?.scrollLeft ?? 0;
  $("board").replaceChildren(files, ranks);
  ranks.scrollLeft = scrolled;
  $("board-words").textContent = panels.map((p) => p.words).join("");
}

// light marks a step and all that happened before it.
function light(step) {
  const cells = [...$("spacetime").querySelectorAll(".cell")];
  const nows = cells.filter((c) => Number(c.dataset.step) === step);
  const clocks = nows.filter((c) => c.dataset.clock).map((c) => c.dataset.clock.split(",").map(Number));
  $("spacetime").querySelector("svg")?.classList.toggle("lit", clocks.length > 0);
  for (const c of cells) {
    const lane = Number(c.dataset.lane), own = c.dataset.clock ? Number(c.dataset.clock.split(",")[lane]) : Infinity;
    c.classList.toggle("now", nows.includes(c));
    c.classList.toggle("past", !nows.includes(c) && clocks.some((clock) => own <= clock[lane]));
  }
}

// Outcomes and races.

async function explore() {
  $("verdict").textContent = "exploring ...";
  const a = await askExplore({ do: "explore", ...program(), replay: "" });
  if (!a) return;
  last.explored = a;
  $("outcomes").replaceChildren();
  $("races").replaceChildren();
  $("fix").disabled = true;
  if (a.problem) {
    $("verdict").textContent = a.problem.line ? "The script is not understood." : a.problem.text;
    return;
  }
  $("fix").disabled = a.races.length === 0;
  const n = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
  $("verdict").textContent = `${n(a.schedules, "schedule")}, ${n(a.outcomes.length, "outcome")}; ${a.complete ? "complete" : "incomplete: " + a.why}. ${a.verdict}.`;
  $("verdict").className = a.races.length || !a.ok ? "bad" : "ok";
  $("outcomes").replaceChildren(outcomeTable(a.outcomes, a.complete), ...deadlock(a), ...a.errors.map((e) =>
    el("p", { className: "bad", textContent: `line ${e.line}, rank ${e.rank}: ${e.text}` })));
  const most = 30;
  $("races").replaceChildren(...a.races.slice(0, most).map((r, i) => card(r, i, a)));
  if (a.races.length > most) $("races").append(el("p", { textContent: `and ${n(a.races.length - most, "more race")}` }));
}

function show(witness) {
  state.replay = witness;
  state.step = 1e9;
  select("run");
  run();
}

const button = (text, f) => {
  const b = el("button", { type: "button", textContent: text });
  b.addEventListener("click", f);
  return b;
};

function outcomeTable(outcomes, complete) {
  if (!outcomes.length) return el("p", { textContent: "No schedule comes to an end." });
  const t = el("table", {}, el("caption", { textContent: complete ? "Every possible result" : "Results found so far, not all" }),
    el("tr", {}, ...["result", "schedules", "by the standard", "see it"].map((h) => el("th", { scope: "col", textContent: h }))));
  for (const o of outcomes) {
    t.append(el("tr", {}, el("td", { className: "v" }, resultText(o), ...(o.reason ? [el("p", { className: "hint", textContent: `${o.always ? "when" : "one way:"} ${o.reason}` })] : [])), el("td", { textContent: o.schedules }),
      el("td", { className: o.allowed ? "ok" : "bad", textContent: o.allowed ? "allowed" : "NOT ALLOWED" }),
      el("td", {}, button("load", () => show(o.witness)))));
  }
  return t;
}

// What if: the outcomes of the program beside those of the program with one change.

const askWhatIf = latest();

async function changes() {
  $("whatif").replaceChildren();
  const a = await askWhatIf({ do: "changes", ...program(), replay: "" });
  if (a) $("changes").replaceChildren(...(a.changes ?? []).map((c) => button(c.text, () => whatIf(c))));
}

async function whatIf(c) {
  $("whatif").replaceChildren(el("p", { textContent: `exploring ${c.text} ...` }));
  const a = await askWhatIf({ do: "whatif", ...program(), replay: "", whatif: c.whatif });
  if (!a) return;
  if (a.problem) return $("whatif").replaceChildren(el("p", { className: "bad", textContent: a.problem.text }));
  const names = ["before", c.text], sides = a.sides;
  const t = el("table", {}, el("caption", { textContent: `Outcomes before, and ${c.text}` }),
    el("tr", {}, ...["result", ...names].map((h) => el("th", { scope: "col", textContent: h }))));
  for (const row of a.rows) {
    t.append(el("tr", {}, el("td", { className: "v", textContent: row.text.join(",  ") }), ...row.sides.map((s, i) => {
      if (!s) return el("td", { className: "gone", textContent: sides[i].complete ? "cannot occur" : "not found" });
      const other = !row.sides[1 - i];
      return el("td", { className: other ? "only" : "" }, el("span", { textContent: other ? (i ? "new" : "only here") : "occurs" }),
        ...(s.reason ? [el("p", { className: "hint", textContent: `${s.always ? "when" : "one way:"} ${s.reason}` })] : []));
    })));
  }
  const more = (name, f) => { if (sides.some((s) => f(s))) t.append(el("tr", {}, el("th", { scope: "row", textContent: name }), ...sides.map((s) => el("td", { textContent: f(s) || "none" })))); };
  more("race: what is missing", (s) => s.races.join("; "));
  more("deadlock", (s) => (s.deadlock ? "yes" : ""));
  more("errors", (s) => s.errors.join("; "));
  more("incomplete", (s) => (s.complete ? "" : s.why));
  const use = button("make the change in the program", () => {
    last.undo.push(state.script);
    $("undo").disabled = false;
    setScript(a.script);
    fresh();
  });
  $("whatif").replaceChildren(el("p", { textContent: a.text }), t, ...(a.script === state.script ? [] : [use]));
}

const resultText = (o) => o.text.join(",  ");

function deadlock(a) {
  if (!a.deadlock) return [];
  const list = a.deadlock.ranks.map((r) => `rank ${r.rank}, line ${r.line}: waits in ${r.waits}`).join("\n");
  return [el("div", { className: "card" }, el("h2", { textContent: "Deadlock: no rank can continue" }), el("pre", { textContent: list }),
    button("see it", () => show(a.deadlock.replay)))];
}

function card(r, i, a) {
  const call = (c) => `line ${c.line}, rank ${c.rank}: ${c.op}`;
  const rows = [["file", `${r.file}, bytes ${r.bytes[0]} to ${r.bytes[1] - 1}`], ["one call", call(r.a)], ["the other", call(r.b)],
    [r.views ? "views" : "missing", a.cards[i] + (r.late ? ": " + r.late : "") + ` (${r.rule})`],
    ["you have", r.have.join(", ")], ["fix", r.fix], ...r.or.map((o) => ["or", o]), ["draw", r.view_command]];
  const list = el("dl");
  for (const [k, v] of rows) if (v) list.append(el("dt", { textContent: k }), el("dd", { textContent: v }));
  return el("section", { className: "card" }, el("h2", { textContent: `race ${i + 1}` }), list,
    el("div", { className: "row" }, button("see it", () => show(r.replay)), button("apply the fix and run again", fix)));
}

async function fix() {
  status("looking for a fix ...");
  const a = await ask({ do: "fix", ...program(), replay: "" });
  if (a.problem) return status(a.problem.text);
  last.undo.push(state.script);
  $("undo").disabled = false;
  setScript(a.script);
  await fresh();
  status("Applied: " + a.fixes.join("; "));
}

// Models.

async function models() {
  const a = await ask({ do: "models", script: state.script });
  if (a.problem) return ($("models").textContent = a.problem.text);
  const t = el("table", {}, el("tr", {}, el("th", { scope: "col", textContent: "result" }), ...a.models.map((m) => el("th", { scope: "col", textContent: m }))));
  a.rows.forEach((row, i) => {
    t.append(el("tr", {}, el("td", { className: "v", textContent: row.text }), ...a.verdicts[i].map((v) => el("td", { textContent: v }))));
  });
  t.append(el("tr", {}, el("th", { scope: "row", textContent: "race: what is missing" }), ...a.races.map((r) => el("td", { textContent: r.join(", ") }))));
  const note = "yes: a run shows the result; -: no run can, all schedules were tried. " + a.note;
  $("models").replaceChildren(t, el("p", { textContent: note }));
}

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

const panes = { run: null, outcomes: null, models, view, requests: accesses };

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

// typed answers by itself a moment after the last letter. What is typed in one go is one step
// that the browser goes back by.
const pause = 150; // milliseconds
let typing;

function typed() {
  state.script = $("script").value;
  last.wrong = null;
  mark();
  clearTimeout(typing);
  typing = setTimeout(async () => {
    const settled = fresh();
    last.typing = true;
    await settled;
  }, pause);
}

// fresh runs the program anew, under its first schedule.
async function fresh() {
  clearTimeout(typing);
  state.replay = "";
  state.step = Math.min(state.step, last.typing ? 1e9 : 0);
  link();
  await Promise.all([run(), explore(), changes()]);
  if (state.tab !== "view") await panes[state.tab]?.();
}

async function load(name) {
  const a = await ask({ do: "lesson", name });
  if (a.problem) return status(a.problem.text);
  state.lesson = name;
  $("lesson").value = name;
  $("story").textContent = a.text;
  given = a.script;
  setScript(a.script);
  last.undo = [];
  $("undo").disabled = true;
  status("");
  await fresh();
}

let timer;
function play() {
  clearInterval(timer);
  const on = $("play").getAttribute("aria-pressed") !== "true";
  $("play").setAttribute("aria-pressed", on);
  $("play").textContent = on ? "pause" : "play";
  if (!on) return;
  if (last.run && state.step >= last.run.steps.length) state.step = -1;
  timer = setInterval(() => {
    if (!last.run || state.step >= last.run.steps.length) return play();
    goTo(state.step + 1);
  }, 900);
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

const chaos = () => state.model.startsWith("chaos:");

function showModel() {
  $("model").value = chaos() ? "chaos" : state.model;
  if (chaos()) $("seed").value = state.model.slice("chaos:".length);
  $("seed").hidden = $("seed-label").hidden = !chaos();
}

function setModel() {
  const seed = Math.max(0, Math.floor(Number($("seed").value)) || 0);
  state.model = $("model").value === "chaos" ? "chaos:" + seed : $("model").value;
  showModel();
  return fresh();
}

// restore shows the state of the address.
async function restore() {
  const { step, replay, tab } = state;
  const a = await ask({ do: "lesson", name: state.lesson });
  $("lesson").value = state.lesson;
  $("story").textContent = a.text ?? "";
  given = a.script ?? "";
  showModel();
  fillForms();
  setScript(state.script || given);
  Object.assign(state, { step, replay });
  known = "";
  await Promise.all([run(), explore(), changes()]);
  select(tab);
}

function listen() {
  window.addEventListener("popstate", () => { if (unlink()) restore(); });
  $("lesson").addEventListener("change", () => load($("lesson").value));
  for (const id of ["model", "seed"]) $(id).addEventListener("change", setModel);
  $("script").addEventListener("input", () => { typed(); hint(); });
  $("script").addEventListener("keyup", (e) => { if (/^(Arrow|Home|End|Page)/.test(e.key)) hint(); });
  $("script").addEventListener("scroll", follow);
  $("script").addEventListener("click", hint);
  $("script").addEventListener("keydown", complete);
  $("script").addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); fresh(); } });
  $("go").addEventListener("click", fresh);
  $("fix").addEventListener("click", fix);
  $("undo").addEventListener("click", async () => {
    setScript(last.undo.pop() ?? state.script);
    $("undo").disabled = last.undo.length === 0;
    await fresh();
    status("");
  });
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
    const [page, held] = location.href.split("#");
    const frame = `<iframe src="${page.split("?")[0]}?frame#${held}" title="commworld lab" width="720" height="480"></iframe>`;
    try {
      await navigator.clipboard.writeText(frame);
      status("Copied: a frame that shows this pane, for a page of yours.");
    } catch {
      status(frame);
    }
  });
  $("step").addEventListener("input", () => goTo(Number($("step").value)));
  $("first").addEventListener("click", () => goTo(0));
  $("back").addEventListener("click", () => goTo(state.step - 1));
  $("next").addEventListener("click", () => goTo(state.step + 1));
  $("play").addEventListener("click", play);
  $("compare").addEventListener("change", () => { state.compare = $("compare").checked; goTo(state.step); });
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
  const linked = unlink();
  fillForms();
  showModel();
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
