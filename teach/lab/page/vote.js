// The page of a teacher: asks what may come out of a script, and reveals it beside the votes. With a
// class on this server students vote on their devices; otherwise the teacher counts hands.
import { ask } from "./transport.js";
import { holds } from "./pane.js";
import { answer, el, send } from "./votes.js";

const $ = (id) => document.getElementById(id);
const live = (await fetch("transport.json").then((r) => r.json()).catch(() => ({}))).class === true;
const status = (text) => { if ($("status").textContent !== text) $("status").textContent = text; };
let hands = null, number = 0, shown = false; // hands: the values of the question without a class

async function choose(name) {
  if (!name) return;
  const l = await ask({ do: "lesson", name });
  if (l.problem) return status(l.problem.text);
  $("script").value = l.script;
  await results();
}

// results lists what could be asked for.
async function results() {
  const p = await ask({ do: "poll", script: $("script").value });
  status(p.problem ? p.problem.text : "");
  const names = p.variables ?? [], old = $("variable").value;
  $("variable").replaceChildren(...names.map((n) => el("option", { textContent: n })));
  if (names.includes(old)) $("variable").value = old;
  named();
}

// named begins another question: the values typed for the one before do not belong to it.
function named() {
  $("text").value = $("variable").value ? `What may ${$("variable").value} be?` : "";
  $("extra").value = "";
}


function begin(text, program) {
  $("make").open = false;
  $("asked").hidden = false;
  $("question").textContent = text;
  $("program").textContent = program;
  $("answer").replaceChildren();
  $("reveal").hidden = false;
  status("");
}

// count shows the inputs for hands, or the votes of a class.
function count(values) {
  $("hands").replaceChildren(...values.map((v, i) => live
    ? el("p", {}, el("strong", { textContent: v.text }), ` ${v.votes ?? 0}`)
    : el("p", {}, el("label", { htmlFor: "hand-" + i, textContent: v.text }), " ", el("input", { id: "hand-" + i, type: "number", min: 0, max: 1000, value: 0 }), " hands")));
}

function show(s) {
  if (s.problem) return status(s.problem.text);
  $("how").textContent = `Students type the code ${s.code.slice(0, 4)}-${s.code.slice(4)}. ${s.students} joined.`;
  if (!s.number) return;
  if (s.number !== number) {
    number = s.number;
    shown = false;
    begin(s.text, s.program);
  }
  $("hands").hidden = s.shown;
  if (!s.shown) count(s.values);
  status(s.shown ? "" : `${s.voted} of ${s.students} have voted.`);
  if (s.shown && !shown) {
    shown = true;
    $("reveal").hidden = true;
    $("answer").replaceChildren(...answer(s.values, s.voted, s.right));
  }
}

$("ask").addEventListener("submit", async (e) => {
  e.preventDefault();
  const script = $("script").value, variable = $("variable").value, text = $("text").value, extra = $("extra").value;
  if (live) return show(await send({ do: "ask", script, variable, text, extra }));
  const p = await ask({ do: "poll", script, name: variable, extra });
  if (p.problem) return status(p.problem.text);
  hands = [...p.values.map((v) => ({ ...v, possible: true })), ...p.extra.map((text) => ({ text, possible: false }))];
  hands.sort((a, b) => (a.text < b.text ? -1 : 1));
  begin(text, p.program);
  $("hands").hidden = false;
  count(hands);
});
$("reveal").addEventListener("click", async () => {
  if (live) return show(await send({ do: "reveal" }));
  const votes = hands.map((v, i) => Math.max(0, Number($("hand-" + i).value) || 0));
  $("hands").hidden = $("reveal").hidden = true;
  $("answer").replaceChildren(...answer(hands.map((v, i) => ({ ...v, votes: votes[i] })), Math.max(...votes, 0), null, true));
});
$("lesson").addEventListener("change", () => choose($("lesson").value));
$("script").addEventListener("change", results);
$("variable").addEventListener("change", named);

const all = await ask({ do: "lessons" });
$("lesson").replaceChildren(...(all.lessons ?? []).map((l) => el("option", { value: l.name, textContent: l.title ?? l.name })));
const linked = new URLSearchParams(location.search).get("lesson");
let given = "";
try {
  given = holds(location.hash).script ?? "";
} catch { /* the address holds no program */ }
if (linked) $("lesson").value = linked;
if (given) {
  $("lesson").prepend(el("option", { value: "", textContent: "the program that you came with", selected: true }));
  $("script").value = given;
  await results();
} else {
  await choose($("lesson").value);
}
if (!live) $("how").textContent = "No class is open here: count hands and type the numbers. commworld lab --class opens a class for devices.";

async function look() {
  if (!document.hidden) show(await send({ do: "state" }));
  setTimeout(look, 1000);
}
if (live) await look();
document.body.dataset.ready = "yes";
