// The page of a lesson: the question before the answer, programs to change and run, see pane.js, the exercise, and
// what this browser keeps. All answers, drawings and marks come from the functions of package lab.
import { ask } from "./transport.js";
import { Pane, count, drawn, el, fresh, inWords } from "./pane.js";

const lesson = document.body.dataset.lesson;
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

// live makes a program of the page live: its buttons show what they name. An exercise offers no changes: they would
// solve it.
function live(section, fixes = true, changed = () => {}) {
  const box = section.querySelector("textarea"), given = box.value, row = section.querySelector(".row"), shown = section.querySelector(".shown");
  const places = Object.fromEntries(["run", "outcomes", "models", "requests"].map((name) => [name, el("div", { className: "place-" + name, hidden: true })]));
  shown.append(...Object.values(places));
  const buttons = [...row.querySelectorAll("[data-do]")].filter((b) => b.dataset.do in places);
  let kind = "";
  const front = (name) => {
    kind = name;
    for (const [k, e] of Object.entries(places)) e.hidden = k !== name;
    for (const b of buttons) b.setAttribute("aria-pressed", b.dataset.do === name);
  };
  const show = async (name) => {
    front(name);
    section.setAttribute("aria-busy", "true");
    await answer[name]();
    section.removeAttribute("aria-busy");
    section.dataset.shown = name;
  };
  const again = () => {
    changed(box.value);
    pane.restart();
    return kind ? show(kind) : null;
  };
  const pane = new Pane(box, places, { fixes, level: 4, show: front, again, state: { ...fresh, step: 1 } });
  const answer = {
    async run() {
      await pane.run();
      if (pane.last.run?.deadlock) await pane.goTo(1e9);
    },
    outcomes: () => Promise.all([pane.explore(), pane.changes()]),
    models: () => pane.models(),
    requests: () => pane.traffic(places.requests),
  };
  if (fixes) row.querySelector("[data-do=reset]").before(pane.$("fix"), pane.$("undo"));
  row.after(pane.modelRow, pane.$("status"));
  for (const b of buttons) b.addEventListener("click", () => show(b.dataset.do));
  section.querySelectorAll(".to-lab, .to-vote").forEach((link) => pane.leads(link));
  row.querySelector("[data-do=reset]").addEventListener("click", () => {
    pane.renew(given);
    pane.restart();
    if (kind) show(kind);
  });
  if (section.dataset.show) whenSeen(section, () => show(section.dataset.show)); // a program runs when the reader comes to it
  return pane;
}

function whenSeen(element, f) {
  new IntersectionObserver((seen, watcher) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    watcher.disconnect();
    f();
  }).observe(element);
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
  whenSeen(form, show);
}

// The exercise.

function finding(f) {
  const where = [f.rule ? `(${f.rule})` : "", f.ranks.length ? `on ${count(f.ranks.length, "rank")} ${f.ranks.join(", ")}`.replace(/on \d+ /, "on ") : "", f.lines.length ? `at ${f.lines.join(", ")}` : ""];
  return el("div", { className: "finding" }, el("h4", { textContent: [f.kind, ...where].filter(Boolean).join(" ") }), el("pre", { tabIndex: 0, textContent: f.text }),
    ...(f.fix ? [inWords("What to do", f.fix)] : []));
}

function exercise(section) {
  const pane = live(section, false, (script) => keep({ script })), { box } = pane;
  const marking = section.querySelector(".marking"), old = progress()[lesson]?.script;
  if (typeof old === "string") pane.set(old);
  const mark = async () => {
    const text = box.value;
    marking.textContent = "marking ...";
    const m = await ask({ do: "mark", name: lesson, script: text });
    const right = m.verdict === "right";
    keep({ script: text, ...(right ? { done: true } : {}) });
    pane.problem(m.problem);
    if (m.problem) return marking.replaceChildren(...(m.problem.line ? [] : [bad(m.problem.text)]));
    marking.replaceChildren(el("p", { className: right ? "verdict ok" : "verdict bad", textContent: m.summary }), ...m.findings.map(finding),
      ...(right ? [el("p", { textContent: `${count(m.runs, "schedule")}, no findings. Go on with the next lesson, or with the exercise in Go.` })] : []));
    marking.dataset.verdict = m.verdict;
  };
  section.querySelector("[data-do=mark]").addEventListener("click", mark);
  box.addEventListener("keydown", (e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); mark(); } });
  section.querySelector("[data-do=reset]").addEventListener("click", () => { keep({ script: undefined }); marking.replaceChildren(); });
}

if (lesson) {
  document.querySelectorAll("form.question").forEach(question);
  document.querySelectorAll("section.pane").forEach((section) => live(section));
  document.querySelectorAll("form.view").forEach(view);
  document.querySelectorAll("section.exercise").forEach(exercise);
}
showProgress();
document.body.dataset.lessonReady = "yes";
