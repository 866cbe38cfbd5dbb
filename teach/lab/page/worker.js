// The lab as WebAssembly, in a worker, so that the page stays alive whatever a program does.
importScripts("wasm_exec.js");

const go = new Go();
const ready = new Promise((resolve) => { self.labReady = resolve; });
WebAssembly.instantiateStreaming(fetch("lab.wasm"), go.importObject)
  .catch(async () => WebAssembly.instantiate(await (await fetch("lab.wasm")).arrayBuffer(), go.importObject))
  .then(({ instance }) => go.run(instance));

onmessage = async ({ data }) => {
  await ready;
  self.labAnswer(data.request, (answer) => postMessage({ number: data.number, answer }));
};
