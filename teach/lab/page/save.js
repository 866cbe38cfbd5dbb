// Saving the pictures of the open pane as one drawing or picture: light, with literal colours, because
// programs other than browsers know no variables.
const light = async () => {
  const css = await (await fetch("picture.css")).text();
  const colours = new Map([...css.slice(0, css.indexOf("}")).matchAll(/--(\w+):(#\w+)/g)].map((m) => [m[1], m[2]]));
  const literal = (text) => text.replace(/var\(--(\w+)\)/g, (all, name) => colours.get(name) ?? all);
  const style = css.split("\n").filter((l) => l && !l.startsWith("@") && !l.startsWith(".cw{")).join("\n");
  return { literal, style: literal(style) };
};

// picture returns the drawings that the open pane shows, one below the other, as the text of one.
async function picture() {
  const shown = [...document.querySelectorAll("[role=tabpanel]:not([hidden]) svg.cw")].filter((s) => s.getClientRects().length > 0);
  if (shown.length === 0) return null;
  const { literal, style } = await light();
  let wide = 0, high = 0, body = "";
  for (const s of shown) {
    const one = s.cloneNode(true);
    one.setAttribute("y", high);
    one.querySelectorAll("style, defs").forEach((e) => e.remove());
    wide = Math.max(wide, s.viewBox.baseVal.width);
    high += s.viewBox.baseVal.height;
    body += new XMLSerializer().serializeToString(one) + "\n";
  }
  const defs = new XMLSerializer().serializeToString(document.querySelector("#defs defs"));
  const text = `<svg xmlns="http://www.w3.org/2000/svg" class="cw" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">\n<style>${style.replaceAll("<", "&lt;")}</style>\n${defs}\n<rect class="page" width="100%" height="100%"/>\n${literal(body)}</svg>\n`;
  return { text, wide, high };
}

function download(blob, name) {
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

// pixels returns a drawing as PNG, at twice its size.
async function pixels({ text, wide, high }) {
  const image = new Image(), url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    await new Promise((done, failed) => Object.assign(image, { onload: done, onerror: failed, src: url }));
    const canvas = Object.assign(document.createElement("canvas"), { width: 2 * wide, height: 2 * high });
    canvas.getContext("2d").drawImage(image, 0, 0, 2 * wide, 2 * high);
    return await new Promise((done) => canvas.toBlob(done, "image/png"));
  } finally {
    URL.revokeObjectURL(url);
  }
}

async function save(png) {
  const status = (text) => { document.getElementById("saved").textContent = text; };
  const p = await picture();
  if (!p) return status("This pane has no picture yet.");
  const pane = document.querySelector("[role=tabpanel]:not([hidden])").id.replace("pane-", "");
  const blob = png ? await pixels(p).catch((e) => { console.warn(e); return null; }) : new Blob([p.text], { type: "image/svg+xml" });
  if (!blob) return status("This browser, or the policy of this web server, allows no PNG here: save the picture as SVG.");
  download(blob, `commworld-${pane}.${png ? "png" : "svg"}`);
  status(`Saved commworld-${pane}.${png ? "png" : "svg"}.`);
}

document.getElementById("save-svg").addEventListener("click", () => save(false));
document.getElementById("save-png").addEventListener("click", () => save(true));
