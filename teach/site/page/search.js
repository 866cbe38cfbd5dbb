// The search of the site: it loads the index at the first letter, and shows the sections that have all words.
const input = document.getElementById("search");
const list = document.getElementById("found");
const root = document.body.dataset.root;
const most = 12;
let index, loading;

// load unpacks the index, and returns its sections with their words in small letters.
async function load() {
  const packed = await fetch(root + "search.json.gz");
  const sections = await new Response(packed.body.pipeThrough(new DecompressionStream("gzip"))).json();
  return sections.map((s) => ({ ...s, low: (s.heading + " " + s.text).toLowerCase() }));
}

// found returns the sections that have all words, those with a word in the heading first.
function found(words) {
  const hits = [];
  for (const s of index) {
    if (!words.every((w) => s.low.includes(w))) continue;
    const heading = s.heading.toLowerCase();
    hits.push({ s, score: words.filter((w) => heading.includes(w)).length });
  }
  return hits.sort((a, b) => b.score - a.score).slice(0, most).map((h) => h.s);
}

// excerpt returns the text around the first word.
function excerpt(s, word) {
  const at = Math.max(0, s.text.toLowerCase().indexOf(word) - 40);
  return (at > 0 ? "… " : "") + s.text.slice(at, at + 120) + (at + 120 < s.text.length ? " …" : "");
}

async function show() {
  try {
    loading ??= load();
    index ??= await loading;
  } catch {
    loading = undefined;
    list.hidden = false;
    list.replaceChildren(line("The index could not be loaded: serve the folder by a web server, and use a browser of 2023 or later."));
    return;
  }
  const words = input.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
  list.hidden = words.length === 0;
  if (words.length === 0) return;
  const hits = found(words);
  list.replaceChildren(...hits.map((s) => {
    const a = document.createElement("a");
    a.href = root + s.at;
    a.textContent = s.heading === s.page ? s.page : s.page + ": " + s.heading;
    const small = document.createElement("small");
    small.textContent = excerpt(s, words[0]);
    a.append(small);
    const li = document.createElement("li");
    li.append(a);
    return li;
  }));
  if (hits.length === 0) list.replaceChildren(line("Nothing has all these words."));
}

function line(text) {
  const li = document.createElement("li");
  li.textContent = text;
  return li;
}

input.addEventListener("input", show);
input.addEventListener("keydown", (e) => {
  if (e.key === "Escape") { input.value = ""; show(); }
});

document.body.dataset.ready = "yes";
