// The page of a student: joins by the code, votes, and sees the answer when the teacher shows it.
import { answer, el, send } from "./votes.js";

const $ = (id) => document.getElementById(id);
let key = sessionStorage.getItem("key") ?? "", number = 0, shown = false;
const status = (text) => { if ($("status").textContent !== text) $("status").textContent = text; };

function out(text) {
  key = "";
  sessionStorage.removeItem("key");
  $("join").hidden = false;
  $("class").hidden = true;
  status(text);
}

function show(s) {
  if (s.status === 401) return out(s.problem.text);
  if (s.problem) return status(s.problem.text);
  $("join").hidden = true;
  $("class").hidden = false;
  if (s.number !== number) {
    number = s.number;
    shown = false;
    $("question").textContent = s.number ? s.text : "Wait for the question.";
    $("program").textContent = s.program;
    $("answer").replaceChildren();
    $("values").replaceChildren(el("legend", { textContent: "Tick each value that can come out" }), ...s.values.map((v, i) =>
      el("label", {}, el("input", { type: "checkbox", value: i, checked: s.yours.includes(i) }), " " + v.text)));
  }
  $("ballot").hidden = !s.number || s.shown;
  if (s.shown && !shown) {
    shown = true;
    const mine = s.yours.map((i) => s.values[i].text).join(", ");
    $("answer").replaceChildren(...answer(s.values, s.voted, s.right), el("p", { textContent: mine ? "You ticked: " + mine : "You did not vote." }));
  }
  status(s.shown ? "" : s.yours.length ? `Your vote is in; you can change it. ${s.voted} of ${s.students} have voted.` : s.number ? `${s.voted} of ${s.students} have voted.` : "");
}

$("join").addEventListener("submit", async (e) => {
  e.preventDefault();
  const a = await send({ do: "join", code: $("code").value });
  if (a.problem) return status(a.problem.text);
  key = a.key;
  sessionStorage.setItem("key", key);
  number = 0;
  show(await send({ do: "state", key }));
});
$("ballot").addEventListener("submit", async (e) => {
  e.preventDefault();
  const ticked = [...$("values").querySelectorAll("input:checked")].map((i) => Number(i.value));
  show(await send({ do: "vote", key, number, ticked }));
});

async function look() {
  if (key && !document.hidden) show(await send({ do: "state", key }));
  setTimeout(look, 1000);
}
look();
document.body.dataset.ready = "yes";
