// The lab as WebAssembly, in a worker, so that the page stays alive whatever a program does.
importScripts("wasm_exec.js");

const go = new Go();
const ready = new Promise((resolve) => { self.labReady = resolve; });

// module fetches the program: a quarter of the bytes where this browser unpacks them by itself.
async function module() {
  const packed = typeof DecompressionStream === "function" ? await fetch("lab.wasm.gz") : { ok: false };
  if (!packed.ok) return fetch("lab.wasm");
  return new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
}

WebAssembly.instantiateStreaming(module(), go.importObject)
  .catch(async () => WebAssembly.instantiate(await (await module()).arrayBuffer(), go.importObject))
  .then(({ instance }) => go.run(instance));

onmessage = async ({ data }) => {
  await ready;
  if (data.cancel) return self.labCancel(data.number);
  self.labAnswer(data.number, data.request, (answer) => postMessage({ number: data.number, answer }));
};
