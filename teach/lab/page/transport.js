// ask(request, signal) sends one request to the lab and returns its answer: to the server that
// served the page, or to a WebAssembly worker where the page says so. An abort of the signal
// ends the work on the answer, which then is a problem.
const patience = 20000; // milliseconds: longer than the lab's own bound

let worker, waiting = new Map(), number = 0;

function start() {
  worker = new Worker(new URL("worker.js", import.meta.url));
  worker.onmessage = ({ data }) => {
    const done = waiting.get(data.number);
    waiting.delete(data.number);
    if (done) done(JSON.parse(data.answer));
  };
  worker.onerror = (e) => end(e.message || "the worker failed");
}

// end gives up all requests under way and the worker with them.
function end(text) {
  worker.terminate();
  worker = undefined;
  for (const done of waiting.values()) done({ problem: { text } });
  waiting.clear();
}

const cancelled = { problem: { text: "The answer is not wanted any more." } };

async function askWorker(request, signal) {
  if (!worker) start();
  const id = ++number;
  return new Promise((resolve) => {
    signal?.addEventListener("abort", () => {
      const done = waiting.get(id);
      if (!done) return;
      waiting.delete(id);
      worker?.postMessage({ number: id, cancel: true });
      done(cancelled);
    });
    const late = setTimeout(() => end("This took longer than " + patience / 1000 + " seconds and was ended. Make the program smaller."), patience);
    waiting.set(id, (answer) => { clearTimeout(late); resolve(answer); });
    worker.postMessage({ number: id, request: JSON.stringify(request) });
  });
}

async function askServer(request, signal) {
  try {
    const answer = await fetch(new URL("ask", import.meta.url), { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request), signal });
    if (!answer.ok) return { problem: { text: await answer.text() } };
    return await answer.json();
  } catch (e) {
    if (signal?.aborted) return cancelled;
    return { problem: { text: "The lab does not answer: " + e.message + ". Is `commworld lab` still running?" } };
  }
}

// isStatic says that no server answers: other pages may then show this one in a frame.
export const isStatic = (await fetch(new URL("transport.json", import.meta.url)).then((r) => r.json()).catch(() => ({}))).static === true;

export const ask = isStatic ? askWorker : askServer;
