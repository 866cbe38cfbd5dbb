// What students and teachers see of a question: the program, and after it the answer beside the votes.
export const el = (tag, props = {}, ...children) => {
  const e = Object.assign(document.createElement(tag), props);
  e.append(...children);
  return e;
};

// answer returns the values of a question with what may come out, how, and who ticked it. total is the
// number of voters, or the most hands if they were counted.
export function answer(values, total, right, counted = false) {
  const list = el("ol", { className: "values" });
  for (const v of values) {
    const votes = v.votes ?? 0;
    const item = el("li", { className: v.possible ? "can" : "cannot" },
      el("strong", { textContent: v.text }), " ",
      el("span", { textContent: v.possible ? "can come out" : "cannot come out" }), " ",
      el("meter", { min: 0, max: Math.max(1, total), value: votes, ariaLabel: `votes for ${v.text}` }), counted ? ` ${votes} hands` : ` ${votes} of ${total}`);
    if (v.reason) item.append(el("p", { textContent: "when " + v.reason }));
    if (v.steps?.length) {
      item.append(el("details", {}, el("summary", { textContent: `A run with it and the fewest switches between ranks: ${v.steps.length} steps` }),
        el("ol", {}, ...v.steps.map((s) => el("li", { textContent: s })))));
    }
    list.append(item);
  }
  const says = right === undefined || right === null ? [] : [el("p", { textContent: `${right} of ${total} ticked exactly what can come out.` })];
  return [list, ...says];
}

// send posts a request to the class and returns its answer.
export async function send(request) {
  try {
    const r = await fetch("class", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request) });
    const text = await r.text();
    try {
      return { status: r.status, ...JSON.parse(text) };
    } catch {
      return { status: r.status, problem: { text } };
    }
  } catch {
    return { status: 0, problem: { text: "The class does not answer. Is it over?" } };
  }
}
