// A program that the reader may change, and what it does: editor, steps, outcomes, what if, models. The page of the
// lab has one, and the page of a lesson one for each program. All answers, drawings included, come from the
// functions of package lab.
import { ask } from "./transport.js";

export const el = (tag, props = {}, ...children) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
};
export const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
export const button = (text, f) => {
  const b = el("button", { type: "button", textContent: text });
  b.addEventListener("click", f);
  return b;
};

// What may be wider than the page can be scrolled by keyboard.
export const scrolled = (label, ...children) => el("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: label }, ...children);
export const drawn = (label, svg) => el("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: label, innerHTML: svg });
export const inWords = (title, text) => el("details", {}, el("summary", { textContent: title }), el("pre", { tabIndex: 0, textContent: text }));
const under = (text) => el("p", { className: "under", textContent: text });
const bad = (text) => el("p", { className: "bad", textContent: text });
const header = (...names) => el("tr", {}, ...names.map((h) => el("th", { scope: "col", textContent: h })));

// latest returns a function that asks, and for which only the newest question counts: it ends the work on the one
// before, whose answer becomes null.
export function latest() {
  let newest;
  return async (q) => {
    newest?.abort();
    const mine = newest = new AbortController();
    const answer = await ask(q, mine.signal);
    return mine === newest ? answer : null;
  };
}

// held returns what an address has after # for some values, and holds what it has.
export const held = (values) => btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(values)))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
export const holds = (hash) => JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(hash.slice(1).replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))));

// tints is the number of colours of ranks, see picture.Tints.
const tints = 9;
const tint = (rank) => "r" + rank % tints;

// columns is the width of a text with tabs.
const columns = (text) => [...text].reduce((n, c) => (c === "\t" ? n - n % 8 + 8 : n + 1), 0);

const row = 20; // pixels of a line in the editor
const pause = 150; // milliseconds after the last letter, before the page answers by itself
const mostRaces = 30;

const modelNames = {
  weakest: "weakest: only what the standard promises", session: "session: at once, but read only at the next open or sync",
  commit: "commit: at sync, and every read looks", posix: "posix: at once, what a laptop does by luck", chaos: "chaos: bytes of racing writes may mix",
};

export const fresh = { script: "", replay: "", model: "weakest", step: 0, compare: false };

export class Pane {
  // box is the textarea of the script; places has the elements to fill: editor (after the box), run, outcomes and
  // models. The page names them by ids if it has one pane. fixes says whether to offer changes of the program. level
  // is that of the headings. changed is called after each change of the state, show to bring a place to the front,
  // again to show the program anew, after the reader changed it.
  constructor(box, places, { state = { ...fresh }, ids = false, fixes = true, level = 2, changed = () => {}, show = () => {}, again = () => this.fresh() } = {}) {
    Object.assign(this, { box, places, state, ids, fixes, level, changed, show, again, parts: {} });
    this.last = { run: null, shown: "", wrong: null, token: null, typing: false, undo: [] };
    for (const name of ["run", "step", "explore", "whatif", "token", "models", "traffic"]) this["ask_" + name] = latest();
    state.script ||= box.value;
    this.makeEditor();
    this.makeControls();
    if (places.run) this.makeRun(places.run);
    if (places.outcomes) this.makeOutcomes(places.outcomes);
    this.mark();
  }

  // part registers an element by its name.
  part(name, e) {
    e.classList.add(name);
    if (this.ids) e.id = name;
    return (this.parts[name] = e);
  }

  $(name) { return this.parts[name]; }
  h(text, down = 0) { return el("h" + (this.level + down), { textContent: text }); }
  program() { return { script: this.state.script, replay: this.state.replay, model: this.state.model }; }
  status(text) { this.$("status").textContent = text; }

  // leads makes a link lead to another page of the lab with the present program.
  leads(link) {
    link.addEventListener("click", () => { link.href = link.href.split("#")[0] + "#" + held({ lesson: "", script: this.box.value, model: this.state.model }); });
  }

  // The editor.

  makeEditor() {
    const { box } = this, place = el("div", { className: "editor" });
    box.replaceWith(place);
    place.append(this.part("lines", el("div", { ariaHidden: "true" })), el("div", { className: "code" }, this.part("bands", el("div", { ariaHidden: "true" })), box));
    place.after(this.part("problem", el("p", { role: "alert" })), this.part("hint", el("p", { ariaLive: "polite" })),
      this.part("options", el("div", { role: "group", ariaLabel: "Words that may stand here" })));
    box.wrap = "off";
    box.addEventListener("input", () => { this.typed(); this.hint(); });
    box.addEventListener("keyup", (e) => { if (/^(Arrow|Home|End|Page)/.test(e.key)) this.hint(); });
    box.addEventListener("scroll", () => this.follow());
    box.addEventListener("click", () => this.hint());
    box.addEventListener("keydown", (e) => this.complete(e));
  }

  set(text) {
    this.last.typing = false;
    this.state.script = this.box.value = text;
    this.last.wrong = null;
    this.mark();
  }

  // typed answers by itself a moment after the last letter. What is typed in one go is one change.
  typed() {
    this.state.script = this.box.value;
    this.last.wrong = null;
    this.mark();
    clearTimeout(this.timer);
    this.timer = setTimeout(async () => {
      const settled = this.again();
      this.last.typing = true;
      await settled;
    }, pause);
  }

  // problem shows why there is no answer, and marks its place. The text begins with the place.
  problem(p) {
    this.$("problem").textContent = p ? p.text : "";
    this.last.wrong = p?.line ? p : null;
    this.mark();
  }

  // mark numbers the lines of the script and marks, in the colour of each rank, the line that it runs in the step that
  // is shown, or ran last; and the place of an error.
  mark() {
    const { last, state } = this, text = this.box.value.split("\n"), where = new Map(), now = new Map();
    const steps = last.run && last.shown === state.script ? last.run.steps.slice(0, state.step) : [];
    steps.forEach((s, i) => s.calls.forEach((c) => {
      where.set(c.rank, c.line);
      if (i === steps.length - 1) now.set(c.rank, c.line);
    }));
    const ranks = [...where.keys()].sort((a, b) => a - b), all = last.run?.ranks ?? 0;
    const at = (line) => ranks.filter((r) => where.get(r) === line);
    const chip = (r, line) => el("i", { className: tint(r) + (now.get(r) === line ? " runs" : where.get(r) === line ? " at" : ""), textContent: now.get(r) === line ? r : "" });
    this.$("lines").classList.toggle("many", all > 4);
    this.$("lines").replaceChildren(...text.map((_, i) => {
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
    this.$("bands").replaceChildren(el("div", {}, ...bands));
    this.$("here")?.replaceChildren(...[...new Set(now.values())].sort((a, b) => a - b).map((line) =>
      el("div", {}, el("b", { textContent: line }), ...at(line).map((r) => el("i", { className: tint(r), textContent: r })), el("span", { textContent: " " + (text[line - 1] ?? "").trim() }))));
    const rows = [...now.values()];
    if (rows.length && document.activeElement !== this.box) this.uncover(Math.min(...rows), Math.max(...rows));
    this.follow();
  }

  // uncover scrolls the editor until lines are seen.
  uncover(first, last) {
    const { box } = this, above = (first - 2) * row, below = (last + 2) * row - box.clientHeight;
    if (box.scrollTop > above) box.scrollTop = Math.max(0, above);
    else if (box.scrollTop < below) box.scrollTop = below;
  }

  // follow scrolls what is drawn beside and behind the text with it.
  follow() {
    this.$("lines").scrollTop = this.box.scrollTop;
    const inner = this.$("bands").firstElementChild;
    if (inner) inner.style.transform = `translate(${-this.box.scrollLeft}px, ${-this.box.scrollTop}px)`;
  }

  // hint explains the word at the cursor, and offers what may stand there.
  async hint() {
    const { box } = this, at = box.selectionStart, text = box.value;
    if (box.selectionEnd !== at) return null;
    const before = text.slice(0, at).split("\n");
    const bytes = new TextEncoder().encode(before[before.length - 1]).length;
    const a = await this.ask_token({ do: "token", script: text, line: before.length, column: bytes });
    if (!a || a.problem) return null;
    this.last.token = { text, at, options: a.options, typed: a.typed };
    this.$("hint").replaceChildren(...[a.form, a.about].filter((t) => t).map((t) => el("span", { textContent: t })));
    this.$("options").replaceChildren(...(a.typed || a.form ? a.options : []).map((o, i) => {
      const b = button(o, () => { this.insert(o, a.typed); box.focus(); });
      b.tabIndex = -1;
      if (i === 0 && a.typed) b.append(el("kbd", { textContent: "Tab" }));
      return b;
    }));
    return this.last.token;
  }

  // insert completes the word before the cursor.
  insert(word, typed) {
    this.box.setRangeText(word.slice(typed), this.box.selectionStart, this.box.selectionEnd, "end");
    this.box.dispatchEvent(new Event("input"));
  }

  // complete takes the first option for the word before the cursor. Elsewhere Tab leaves the editor.
  async complete(e) {
    if (e.key !== "Tab" || e.shiftKey || e.ctrlKey || e.altKey) return;
    const { box } = this;
    if (box.selectionStart !== box.selectionEnd || !/\w/.test(box.value[box.selectionStart - 1] ?? "")) return;
    let t = this.last.token;
    if (t?.text === box.value && t.at === box.selectionStart) {
      if (!t.typed || t.options.length === 0) return;
      e.preventDefault();
    } else {
      e.preventDefault(); // the answer decides
      t = await this.hint();
    }
    if (t?.typed && t.options.length) this.insert(t.options[0], t.typed);
  }

  // The model, the fix, and undoing it.

  makeControls() {
    this.part("fix", button("Apply the fix", () => this.fix()));
    this.part("undo", button("Undo", () => this.undo())).disabled = true;
    this.part("status", el("p", { role: "status" }));
    const model = this.part("model", el("select", {}, ...Object.entries(modelNames).map(([value, textContent]) => el("option", { value, textContent }))));
    const seed = this.part("seed", el("input", { type: "number", min: 0, value: "1" }));
    this.modelRow = el("div", { className: "row" }, el("label", {}, "When others see a write ", model), this.part("seed-label", el("label", {}, "Seed ", seed)));
    for (const e of [model, seed]) e.addEventListener("change", () => this.setModel());
    this.showModel();
  }

  showModel() {
    const chaos = this.state.model.startsWith("chaos:");
    this.$("model").value = chaos ? "chaos" : this.state.model;
    if (chaos) this.$("seed").value = this.state.model.slice("chaos:".length);
    this.$("seed").hidden = this.$("seed-label").hidden = !chaos;
  }

  setModel() {
    const seed = Math.max(0, Math.floor(Number(this.$("seed").value)) || 0);
    this.state.model = this.$("model").value === "chaos" ? "chaos:" + seed : this.$("model").value;
    this.showModel();
    return this.again();
  }

  async fix() {
    this.status("looking for a fix ...");
    const a = await ask({ do: "fix", ...this.program(), replay: "" });
    if (a.problem) return this.status(a.problem.text);
    await this.replace(a.script);
    this.status("Applied: " + a.fixes.join("; "));
  }

  // replace puts another program in the place of this one, which can be undone.
  async replace(script) {
    this.last.undo.push(this.state.script);
    this.$("undo").disabled = false;
    this.set(script);
    await this.again();
  }

  async undo() {
    this.set(this.last.undo.pop() ?? this.state.script);
    this.$("undo").disabled = this.last.undo.length === 0;
    await this.again();
    this.status("");
  }

  // renew shows another program, from which nothing can be undone.
  renew(script) {
    this.set(script);
    this.last.undo = [];
    this.$("undo").disabled = true;
    this.status("");
  }

  // fresh runs the program anew, under its first schedule.
  async fresh() {
    this.restart();
    await Promise.all([this.run(), this.explore(), this.changes()]);
  }

  restart() {
    clearTimeout(this.timer);
    this.state.replay = "";
    this.state.step = Math.min(this.state.step, this.last.typing ? 1e9 : 0);
    this.changed();
  }

  // The run.

  makeRun(place) {
    const go = (name, text, label, f) => {
      const b = this.part(name, button(text, f));
      if (label) b.ariaLabel = label;
      return b;
    };
    const step = this.part("step", el("input", { type: "range", min: 0, max: 0, value: 0, ariaLabel: "Step of the run" }));
    step.addEventListener("input", () => this.goTo(Number(step.value)));
    const compare = this.part("compare", el("input", { type: "checkbox", checked: this.state.compare }));
    compare.addEventListener("change", () => { this.state.compare = compare.checked; this.goTo(this.state.step); });
    const words = (title, name) => {
      const d = inWords(title, "");
      this.part(name, d.lastChild);
      return d;
    };
    const rows = this.part("rows", el("details", {}, el("summary", { textContent: "What each rank may read, as rows of bytes" }), this.part("sees", el("div"))));
    place.append(
      this.part("old", bad("The pictures are those of the program before: a line is not understood.")),
      el("div", { className: "row stepper" }, go("first", "|◀", "first step", () => this.goTo(0)), go("back", "◀", "one step back", () => this.goTo(this.state.step - 1)), step,
        go("next", "▶", "one step on", () => this.goTo(this.state.step + 1)), go("play", "play", "", () => this.play())),
      this.part("now", el("p", { ariaLive: "polite" })), this.part("here", el("div", { ariaHidden: "true" })), this.part("board", el("div")), this.part("exchange", el("div")),
      under("Fill: the rank that wrote the bytes. Frame, and stripes of a file: the ranks whose views contain them. Bands: a read here may return any of them; if the accesses race, the standard leaves the result undefined. Dashed: written, not yet published. ?: no rank wrote them."),
      words("The picture in words", "board-words"),
      el("p", {}, el("label", {}, compare, " Compare models side by side: what file systems do in this run")), rows,
      this.h("Who does what after whom"), under("Click a call: bright calls happened before it; no order is promised between it and pale ones."),
      this.part("spacetime", scrolled("The space-time diagram")), words("The diagram in words", "words"), this.part("ended", el("p")));
    this.$("old").hidden = true;
    this.$("play").setAttribute("aria-pressed", "false");
  }

  async run() {
    const { last, state } = this, a = await this.ask_run({ do: "run", ...this.program() });
    if (!a) return;
    this.problem(a.problem);
    const old = last.wrong && last.run; // the pictures stay while a line is being typed
    this.$("old").hidden = !old;
    if (old) return;
    last.run = a.problem ? null : a;
    last.shown = state.script;
    this.mark();
    this.$("spacetime").innerHTML = a.space_time ?? "";
    this.$("words").textContent = a.words ?? "";
    this.$("ended").textContent = a.text ?? "";
    for (const cell of this.$("spacetime").querySelectorAll(".cell")) cell.addEventListener("click", () => this.goTo(Number(cell.dataset.step)));
    const n = a.steps?.length ?? 0;
    this.$("step").max = n;
    await this.goTo(Math.min(state.step, n));
  }

  // goTo shows the moment after so many steps.
  async goTo(n) {
    const { last, state } = this;
    if (!last.run) {
      for (const name of ["sees", "board", "exchange"]) this.$(name).replaceChildren();
      for (const name of ["now", "board-words"]) this.$(name).textContent = "";
      return;
    }
    state.step = Math.max(0, Math.min(n, last.run.steps.length));
    this.$("step").value = state.step;
    const s = last.run.steps[state.step - 1];
    const text = s ? [s.text, ...s.calls.filter((c) => c.error).map((c) => `rank ${c.rank}: ${c.error}`)].join("; ") : "before the first statement";
    this.$("now").textContent = `step ${state.step} of ${last.run.steps.length}: ${text}`;
    this.$("step").setAttribute("aria-valuetext", text);
    this.light(state.step);
    this.mark();
    this.changed();
    const a = await this.ask_step({ do: "step", ...this.program(), script: last.shown, step: state.step, compare: state.compare });
    if (!a) return;
    if (a.problem) {
      this.$("sees").textContent = a.problem.text;
      return;
    }
    this.board(a.board);
    this.$("exchange").replaceChildren(...(a.exchange ? [drawn("Aggregators, their file domains and what is sent", a.exchange), inWords("The exchange in words", a.exchange_words)] : []));
    if (state.compare) this.$("rows").open = true;
    this.$("sees").replaceChildren(...a.files.flatMap((f) => {
      const shown = (d, title) => [drawn(title, d.drawing), inWords(title + " in words", d.words)];
      return [...shown(f, `file ${f.name}`), ...(f.compared ? shown(f.compared, `file ${f.name} under each model`) : [])];
    }));
    if (a.files.length === 0) this.$("sees").textContent = "There is no file yet.";
  }

  // board shows the files, and beside them the ranks, which can be scrolled.
  board(panels) {
    const files = el("div", { className: "files", innerHTML: panels.filter((p) => p.rank < 0).map((p) => p.drawing).join("") });
    const ranks = el("div", { className: "ranks", tabIndex: 0, role: "group", ariaLabel: "Memory of the ranks, and what they may read", innerHTML: panels.filter((p) => p.rank >= 0).map((p) => p.drawing).join("") });
    const at = this.$("board").querySelector(".ranks")?.scrollLeft ?? 0;
    this.$("board").replaceChildren(files, ranks);
    ranks.scrollLeft = at;
    this.$("board-words").textContent = panels.map((p) => p.words).join("");
  }

  // light marks a step and all that happened before it.
  light(step) {
    const cells = [...this.$("spacetime").querySelectorAll(".cell")];
    const nows = cells.filter((c) => Number(c.dataset.step) === step);
    const clocks = nows.filter((c) => c.dataset.clock).map((c) => c.dataset.clock.split(",").map(Number));
    this.$("spacetime").querySelector("svg")?.classList.toggle("lit", clocks.length > 0);
    for (const c of cells) {
      const lane = Number(c.dataset.lane), own = c.dataset.clock ? Number(c.dataset.clock.split(",")[lane]) : Infinity;
      c.classList.toggle("now", nows.includes(c));
      c.classList.toggle("past", !nows.includes(c) && clocks.some((clock) => own <= clock[lane]));
    }
  }

  play() {
    const play = this.$("play"), { last, state } = this;
    clearInterval(this.player);
    const on = play.getAttribute("aria-pressed") !== "true";
    play.setAttribute("aria-pressed", on);
    play.textContent = on ? "pause" : "play";
    if (!on) return;
    if (last.run && state.step >= last.run.steps.length) state.step = -1;
    this.player = setInterval(() => {
      if (!last.run || state.step >= last.run.steps.length) return this.play();
      this.goTo(state.step + 1);
    }, 900);
  }

  // Outcomes and races.

  makeOutcomes(place) {
    place.append(this.part("verdict", el("p")), this.part("outcomes", scrolled("Outcomes")));
    this.part("changes", el("div", { className: "row" }));
    this.part("whatif", el("div", { ariaLive: "polite" }));
    if (this.fixes) place.append(this.h("What if"), under("Try one change, and see the outcomes before and after it."), this.$("changes"), this.$("whatif"));
    place.append(this.part("races", el("div")));
  }

  async explore() {
    this.$("verdict").textContent = "exploring ...";
    const a = await this.ask_explore({ do: "explore", ...this.program(), replay: "" });
    if (!a) return;
    this.$("outcomes").replaceChildren();
    this.$("races").replaceChildren();
    this.$("fix").disabled = true;
    if (a.problem?.line || this.last.wrong) this.problem(a.problem);
    if (a.problem) {
      this.$("verdict").textContent = a.problem.line ? "The script is not understood." : a.problem.text;
      return;
    }
    this.$("fix").disabled = a.races.length === 0;
    this.$("verdict").textContent = `${count(a.schedules, "schedule")}, ${count(a.outcomes.length, "outcome")}; ${a.complete ? "complete" : "incomplete: " + a.why}. ${a.verdict}.`;
    this.$("verdict").classList.toggle("bad", a.races.length > 0 || !a.ok);
    this.$("verdict").classList.toggle("ok", a.races.length === 0 && a.ok);
    this.$("outcomes").replaceChildren(this.outcomeTable(a.outcomes, a.complete), ...this.deadlock(a), ...a.errors.map((e) => bad(`line ${e.line}, rank ${e.rank}: ${e.text}`)));
    this.$("races").replaceChildren(...a.races.slice(0, mostRaces).map((r, i) => this.card(r, i, a)));
    if (a.races.length > mostRaces) this.$("races").append(el("p", { textContent: `and ${count(a.races.length - mostRaces, "more race")}` }));
  }

  see(witness) {
    this.state.replay = witness;
    this.state.step = 1e9;
    this.show("run");
    return this.run();
  }

  outcomeTable(outcomes, complete) {
    if (!outcomes.length) return el("p", { textContent: "No schedule comes to an end." });
    const t = el("table", {}, el("caption", { textContent: complete ? "Every possible result" : "Results found so far, not all" }), header("result", "schedules", "by the standard", "see it"));
    for (const o of outcomes) {
      t.append(el("tr", {}, el("td", { className: "v" }, o.text.join(",  "), ...this.reason(o)), el("td", { textContent: o.schedules }),
        el("td", { className: o.allowed ? "ok" : "bad", textContent: o.allowed ? "allowed" : "NOT ALLOWED" }), el("td", {}, button("load", () => this.see(o.witness)))));
    }
    return t;
  }

  reason(o) { return o.reason ? [el("p", { className: "why", textContent: `${o.always ? "when" : "one way:"} ${o.reason}` })] : []; }

  deadlock(a) {
    if (!a.deadlock) return [];
    const list = a.deadlock.ranks.map((r) => `rank ${r.rank}, line ${r.line}: waits in ${r.waits}`).join("\n");
    return [el("div", { className: "card" }, this.h("Deadlock: no rank can continue"), el("pre", { tabIndex: 0, textContent: list }), button("see it", () => this.see(a.deadlock.replay)))];
  }

  card(r, i, a) {
    const call = (c) => `line ${c.line}, rank ${c.rank}: ${c.op}`;
    const rows = [["file", `${r.file}, bytes ${r.bytes[0]} to ${r.bytes[1] - 1}`], ["one call", call(r.a)], ["the other", call(r.b)],
      [r.views ? "views" : "missing", a.cards[i] + (r.late ? ": " + r.late : "") + ` (${r.rule})`],
      ["you have", r.have.join(", ")], ["fix", r.fix], ...r.or.map((o) => ["or", o]), ["draw", r.view_command]];
    const list = el("dl");
    for (const [k, v] of rows) if (v) list.append(el("dt", { textContent: k }), el("dd", { textContent: v }));
    return el("section", { className: "card" }, this.h(`race ${i + 1}`), list,
      el("div", { className: "row" }, button("see it", () => this.see(r.replay)), ...(this.fixes ? [button("apply the fix and run again", () => this.fix())] : [])));
  }

  // What if: the outcomes of the program beside those of the program with one change.

  async changes() {
    if (!this.fixes) return;
    this.$("whatif").replaceChildren();
    const a = await this.ask_whatif({ do: "changes", ...this.program(), replay: "" });
    if (a) this.$("changes").replaceChildren(...(a.changes ?? []).map((c) => button(c.text, () => this.whatIf(c))));
  }

  async whatIf(c) {
    this.$("whatif").replaceChildren(el("p", { textContent: `exploring ${c.text} ...` }));
    const a = await this.ask_whatif({ do: "whatif", ...this.program(), replay: "", whatif: c.whatif });
    if (!a) return;
    if (a.problem) return this.$("whatif").replaceChildren(bad(a.problem.text));
    const names = ["before", c.text], sides = a.sides;
    const t = el("table", {}, el("caption", { textContent: `Outcomes before, and ${c.text}` }), header("result", ...names));
    for (const row of a.rows) {
      t.append(el("tr", {}, el("td", { className: "v", textContent: row.text.join(",  ") }), ...row.sides.map((s, i) => {
        if (!s) return el("td", { className: "gone", textContent: sides[i].complete ? "cannot occur" : "not found" });
        const other = !row.sides[1 - i];
        return el("td", { className: other ? "only" : "" }, el("span", { textContent: other ? (i ? "new" : "only here") : "occurs" }), ...this.reason(s));
      })));
    }
    const more = (name, f) => { if (sides.some((s) => f(s))) t.append(el("tr", {}, el("th", { scope: "row", textContent: name }), ...sides.map((s) => el("td", { textContent: f(s) || "none" })))); };
    more("race: what is missing", (s) => s.races.join("; "));
    more("deadlock", (s) => (s.deadlock ? "yes" : ""));
    more("errors", (s) => s.errors.join("; "));
    more("incomplete", (s) => (s.complete ? "" : s.why));
    this.$("whatif").replaceChildren(el("p", { textContent: a.text }), scrolled("Outcomes before and after", t),
      ...(a.script === this.state.script ? [] : [button("make the change in the program", () => this.replace(a.script))]));
  }

  // Models.

  async models() {
    const a = await this.ask_models({ do: "models", script: this.state.script });
    if (!a) return;
    if (a.problem) return this.places.models.replaceChildren(bad(a.problem.text));
    const t = el("table", {}, header("result", ...a.models));
    a.rows.forEach((row, i) => {
      t.append(el("tr", {}, el("td", { className: "v", textContent: row.text }), ...a.verdicts[i].map((v) => el("td", { textContent: v }))));
    });
    t.append(el("tr", {}, el("th", { scope: "row", textContent: "race: what is missing" }), ...a.races.map((r) => el("td", { textContent: r.join(", ") }))));
    this.places.models.replaceChildren(el("p", { textContent: "The same program under four models. Only the first is what the standard promises; the others show which wrong programs a file system forgives." }),
      scrolled("Results by model", t), el("p", { textContent: "yes: a run shows the result; -: no run can, all schedules were tried. " + a.note }));
  }

  // Requests of the whole run.

  async traffic(place) {
    const a = await this.ask_traffic({ do: "traffic", ...this.program() });
    if (!a) return;
    if (a.problem) return place.replaceChildren(...(a.problem.line ? [] : [bad(a.problem.text)]));
    const t = el("table", {}, header("file", "strategy", "reads", "bytes", "writes", "bytes", "sent between ranks", "rounds"));
    for (const f of a.files) t.append(el("tr", {}, ...[f.name, f.strategy || "Direct", f.reads, f.read_bytes, f.writes, f.write_bytes, f.sent, f.rounds].map((v) => el("td", { textContent: v }))));
    place.replaceChildren(scrolled("Requests", t), under("What the ranks ask of the file system in one run, and how many bytes they send to each other for it."));
  }
}
