// The page of a lesson: the question before the answer, programs to change and run, the exercise, and what this
// browser keeps. All answers, drawings and marks come from the functions of package lab.
import { ask } from "./transport.js";

const lesson = document.body.dataset.lesson;
const el = (tag, props = {}, ...children) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
};
const count = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;

// What may be wider than the page can be scrolled by keyboard.
const drawn = (label, svg) => el("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: label, innerHTML: svg });
const inWords = (title, text) => el("details", {}, el("summary", { textContent: title }), el("pre", { tabIndex: 0, textContent: text }));
const wide = (label, table) => el("div", { className: "scroll", tabIndex: 0, role: "group", ariaLabel: label }, table);
const bad = (text) => el("p", { className: "bad", textContent: text });

// Progress: what this browser keeps of each lesson: answer, script, and whether its exercise was marked right.

const key = "commworld.course";

function progress() {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}

function keep(change) {
  const all = progress();
  all[lesson] = { ...all[lesson], ...change };
  try {
    localStorage.setItem(key, JSON.stringify(all));
  } catch { /* the browser keeps nothing: the page works without */ }
  showProgress();
}

// showProgress marks the lessons whose exercise was right.
function showProgress() {
  const all = progress();
  let done = 0;
  for (const a of document.querySelectorAll("nav .sub a, main > ul a")) {
    const name = a.getAttribute("href").split("/").pop().replace(".html", "");
    a.querySelector(".done")?.remove();
    if (!all[name]?.done) continue;
    if (a.closest("nav")) done++;
    a.append(el("span", { className: "done", textContent: " ✓ done" }));
  }
  document.getElementById("progress")?.remove();
  const of = document.querySelectorAll("nav .sub a").length;
  document.querySelector("main h1").after(el("p", { id: "progress", textContent: `${done} of ${of} exercises done` }));
}

// The question.

function question(form) {
  const later = document.querySelector(".later"), answers = [...form.querySelectorAll("input")];
  const judge = async (n) => {
    const a = await ask({ do: "judge", name: lesson, step: n });
    if (a.problem) return (form.querySelector(".judged").textContent = a.problem.text);
    keep({ answer: n });
    later.hidden = false;
    form.querySelector("[type=submit]").disabled = true;
    form.querySelector(".skip-question").hidden = true;
    answers.forEach((box, i) => {
      box.checked = i === n;
      box.disabled = true;
      const row = box.closest("p");
      row.classList.toggle("ok", i === a.answer);
      row.classList.toggle("bad", i === n && !a.right);
      row.querySelector(".remark").textContent = a.remarks[i];
    });
    form.querySelector(".judged").textContent = a.right ? "Your answer is right." : "Your answer is not right; the right one is marked.";
  };
  for (const box of answers) box.addEventListener("change", () => { form.querySelector("[type=submit]").disabled = false; });
  form.addEventListener("submit", (e) => {
    e.preventDefault();
    const n = answers.findIndex((box) => box.checked);
    if (n >= 0) judge(n);
  });
  form.querySelector(".skip-question").addEventListener("click", (e) => { later.hidden = false; e.target.hidden = true; });
  const old = progress()[lesson]?.answer;
  later.hidden = old === undefined;
  if (old !== undefined && old < answers.length) judge(old);
}

// Programs.

// problem shows why there is no answer, and goes to its line.
function problem(box, p) {
  if (p.line) {
    const lines = box.value.split("\n"), from = lines.slice(0, p.line - 1).join("\n").length + (p.line > 1 ? 1 : 0);
    box.setSelectionRange(from, from + (lines[p.line - 1] ?? "").length);
  }
  return [bad(p.text)];
}

async function outcomes(program) {
  const a = await ask({ do: "explore", ...program });
  if (a.problem) return a;
  const parts = [el("p", {
    className: a.races.length || !a.ok ? "bad" : "ok",
    textContent: `${count(a.schedules, "schedule")}, ${count(a.outcomes.length, "outcome")}; ${a.complete ? "complete" : "incomplete: " + a.why}. ${a.verdict}.`,
  })];
  if (a.outcomes.length) {
    const t = el("table", {}, el("tr", {}, ...["every possible result", "when"].map((h) => el("th", { scope: "col", textContent: h }))));
    for (const o of a.outcomes) t.append(el("tr", {}, el("td", { className: "v", textContent: o.text.join(",  ") }), el("td", { textContent: o.reason ? `${o.always ? "" : "one way: "}${o.reason}` : "always" })));
    parts.push(wide("Outcomes", t));
  }
  if (a.deadlock) parts.push(bad("Deadlock: no rank can continue"), el("pre", { tabIndex: 0, textContent: a.deadlock.ranks.map((r) => `rank ${r.rank}, line ${r.line}: waits in ${r.waits}`).join("\n") }));
  for (const e of a.errors) parts.push(bad(`line ${e.line}, rank ${e.rank}: ${e.text}`));
  a.races.slice(0, 10).forEach((r, i) => {
    parts.push(el("div", { className: "race" }, el("h4", { textContent: `Race ${i + 1} on ${r.file}, bytes ${r.bytes[0]} to ${r.bytes[1] - 1}` }),
      el("p", { textContent: `line ${r.a.line}, rank ${r.a.rank}: ${r.a.op}; line ${r.b.line}, rank ${r.b.rank}: ${r.b.op}` }),
      el("p", { textContent: `missing: ${a.cards[i]}${r.late ? ": " + r.late : ""} (${r.rule})` }), ...(r.fix ? [el("p", { textContent: `fix: ${r.fix}` })] : [])));
  });
  return { parts };
}

async function steps(program) {
  const a = await ask({ do: "run", ...program });
  if (a.problem) return a;
  const n = a.steps.length;
  const at = el("input", { type: "range", min: 0, max: n, value: 0, ariaLabel: "Step of the run" });
  const now = el("p", { className: "now", ariaLive: "polite" }), sees = el("div");
  const picture = drawn("The space-time diagram", a.space_time);
  let newest = 0;
  const goTo = async (k) => {
    const mine = ++newest;
    k = Math.max(0, Math.min(n, k));
    at.value = k;
    const s = a.steps[k - 1];
    now.textContent = `step ${k} of ${n}: ${s ? [s.text, ...s.calls.filter((c) => c.error).map((c) => c.error)].join("; ") : "before the first statement"}`;
    for (const c of picture.querySelectorAll(".cell")) c.classList.toggle("now", Number(c.dataset.step) === k);
    const m = await ask({ do: "step", ...program, step: k });
    if (mine !== newest) return;
    sees.replaceChildren(...(m.problem ? [bad(m.problem.text)] : m.files.flatMap((f) => [drawn(`file ${f.name}`, f.drawing), inWords(`file ${f.name} in words`, f.words)])));
  };
  const go = (text, label, by) => {
    const b = el("button", { type: "button", textContent: text, ariaLabel: label });
    b.addEventListener("click", () => goTo(Number(at.value) + by));
    return b;
  };
  at.addEventListener("input", () => goTo(Number(at.value)));
  for (const c of picture.querySelectorAll(".cell")) c.addEventListener("click", () => goTo(Number(c.dataset.step)));
  await goTo(a.deadlock || n === 0 ? n : 1);
  return { parts: [el("div", { className: "row" }, go("◀", "one step back", -1), at, go("▶", "one step on", 1)), now, el("p", { textContent: "What each rank may read now:" }), sees, picture, inWords("The diagram in words", a.words), el("p", { className: "ended", textContent: a.text })] };
}

async function models(program) {
  const a = await ask({ do: "models", script: program.script });
  if (a.problem) return a;
  const t = el("table", {}, el("tr", {}, el("th", { scope: "col", textContent: "result" }), ...a.models.map((m) => el("th", { scope: "col", textContent: m }))));
  a.rows.forEach((row, i) => t.append(el("tr", {}, el("td", { className: "v", textContent: row.text }), ...a.verdicts[i].map((v) => el("td", { textContent: v })))));
  return { parts: [wide("Results by model", t), el("p", { textContent: "yes: a run shows the result; -: no run can. " + a.note })] };
}

async function requests(program) {
  const a = await ask({ do: "traffic", ...program });
  if (a.problem) return a;
  const columns = ["file", "strategy", "reads", "bytes", "writes", "bytes", "sent between ranks", "rounds"];
  const t = el("table", {}, el("tr", {}, ...columns.map((h) => el("th", { scope: "col", textContent: h }))));
  for (const f of a.files) t.append(el("tr", {}, ...[f.name, f.strategy || "Direct", f.reads, f.read_bytes, f.writes, f.write_bytes, f.sent, f.rounds].map((v) => el("td", { textContent: v }))));
  return { parts: [wide("Requests", t), el("p", { textContent: "What the ranks ask of the file system in one run, and how many bytes they send to each other for it." })] };
}

const answers = { outcomes, steps, models, requests };

// live makes a program of the page live: its buttons show what they name.
function live(section) {
  const box = section.querySelector("textarea"), shown = section.querySelector(".shown"), given = box.value;
  let newest = 0, kind = "";
  const show = async (what) => {
    const mine = ++newest;
    kind = what;
    for (const b of section.querySelectorAll("[data-do]")) if (b.dataset.do in answers) b.setAttribute("aria-pressed", b.dataset.do === what);
    section.setAttribute("aria-busy", "true");
    const a = await answers[what]({ script: box.value });
    if (mine !== newest) return;
    shown.replaceChildren(...(a.problem ? problem(box, a.problem) : a.parts));
    section.removeAttribute("aria-busy");
  };
  for (const b of section.querySelectorAll("[data-do]")) if (b.dataset.do in answers) b.addEventListener("click", () => show(b.dataset.do));
  let timer;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    if (kind) timer = setTimeout(() => show(kind), 300);
  });
  const reset = () => {
    box.value = given;
    if (kind) show(kind);
  };
  section.querySelector("[data-do=reset]").addEventListener("click", reset);
  if (!section.dataset.show) return { box, reset };
  // A program runs when the reader comes to it.
  new IntersectionObserver((seen, watcher) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    watcher.disconnect();
    show(section.dataset.show);
  }).observe(section);
  return { box, reset };
}

function view(form) {
  const shown = form.querySelector(".shown");
  let newest = 0;
  const show = async () => {
    const mine = ++newest, of = (name) => form.elements[name].value, n = (name) => Math.floor(Number(of(name))) || 0;
    const a = await ask({ do: "view", view: { ranks: n("ranks"), disp: of("disp"), etype: of("etype"), filetype: of("filetype"), rep: "native", width: n("width"), bytes: n("bytes") } });
    if (mine !== newest) return;
    const p = a.problem;
    for (const box of form.elements) if (box.name) box.setAttribute("aria-invalid", p?.field === box.name);
    shown.replaceChildren(...(p ? [bad(p.text), ...(p.drawing ? [drawn("The view", p.drawing)] : [])] : [drawn("The views", a.drawing), inWords("The drawing in words", a.words)]));
  };
  form.addEventListener("submit", (e) => e.preventDefault());
  form.addEventListener("input", show);
  new IntersectionObserver((seen, watcher) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    watcher.disconnect();
    show();
  }).observe(form);
}

// The exercise.

function finding(f) {
  const where = [f.rule ? `(${f.rule})` : "", f.ranks.length ? `on ${count(f.ranks.length, "rank")} ${f.ranks.join(", ")}`.replace(/on \d+ /, "on ") : "", f.lines.length ? `at ${f.lines.join(", ")}` : ""];
  return el("div", { className: "finding" }, el("h4", { textContent: [f.kind, ...where].filter(Boolean).join(" ") }), el("pre", { tabIndex: 0, textContent: f.text }),
    ...(f.fix ? [inWords("What to do", f.fix)] : []));
}

function exercise(section) {
  const { box } = live(section), marking = section.querySelector(".marking"), button = section.querySelector("[data-do=mark]");
  const old = progress()[lesson]?.script;
  if (typeof old === "string") box.value = old;
  const mark = async () => {
    const text = box.value;
    marking.textContent = "marking ...";
    const m = await ask({ do: "mark", name: lesson, script: text });
    const right = m.verdict === "right";
    keep({ script: text, ...(right ? { done: true } : {}) });
    if (m.problem) return marking.replaceChildren(...problem(box, m.problem));
    marking.replaceChildren(el("p", { className: right ? "verdict ok" : "verdict bad", textContent: m.summary }), ...m.findings.map(finding),
      ...(right ? [el("p", { textContent: `${count(m.runs, "schedule")}, no findings. Go on with the next lesson, or with the exercise in Go.` })] : []));
    marking.dataset.verdict = m.verdict;
  };
  button.addEventListener("click", mark);
  box.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); mark(); } });
  section.querySelector("[data-do=reset]").addEventListener("click", () => { keep({ script: undefined }); marking.replaceChildren(); });
}

if (lesson) {
  document.querySelectorAll("form.question").forEach(question);
  document.querySelectorAll("section.pane").forEach(live);
  document.querySelectorAll("form.view").forEach(view);
  document.querySelectorAll("section.exercise").forEach(exercise);
}
showProgress();
document.body.dataset.lessonReady = "yes";
