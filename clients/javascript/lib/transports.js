"use strict";

// What carries bytes: the event loop, or a thread that the program can wait for.

const fs = require("fs");
const net = require("net");

// So long a thread may take to end.
const ENDING_MS = 1000;

/** Sockets of this event loop. An idle one does not keep the program alive, unless `isHeld`. */
class LoopTransport {
  constructor(isHeld = false) {
    this._isHeld = isHeld;
  }

  /** Begins to connect. `events` are `connected()`, `received(data)` and, once, `closed(problem)`. */
  open(path, events) {
    const socket = net.connect(path);
    let isOpen = true;
    const closed = (problem) => {
      if (isOpen) events.closed(problem);
      isOpen = false;
    };
    socket.on("connect", () => events.connected());
    socket.on("data", (data) => isOpen && events.received(data));
    socket.on("error", (problem) => closed(problem.message));
    socket.on("end", () => closed("the daemon closed the connection"));
    socket.on("close", () => closed("the daemon closed the connection"));
    return {
      write: (bytes) => socket.write(bytes),
      hold: (isBusy) => (isBusy || this._isHeld ? socket.ref() : socket.unref()),
      close: () => {
        isOpen = false;
        socket.destroy();
      },
    };
  }

  poll() {}

  close() {}
}

// Moves bytes while the program waits. It is text, so that no thread need open an archive of files (Electron's asar).
const WORKER = `
"use strict";
const net = require("net");
const { parentPort } = require("worker_threads");
const sockets = new Map();
parentPort.once("message", ({ port, flag }) => {
  try {
    flag[1] = require("fs").readlinkSync("/proc/thread-self").split("/").pop();
  } catch (problem) {
    flag[1] = -1;
  }
  Atomics.notify(flag, 1);
  const tell = (message) => {
    port.postMessage(message);
    Atomics.add(flag, 0, 1);
    Atomics.notify(flag, 0);
  };
  const open = (id, path) => {
    const socket = net.connect(path);
    sockets.set(id, socket);
    socket.on("connect", () => tell({ id, what: "connected" }));
    socket.on("data", (data) => tell({ id, what: "received", value: Uint8Array.from(data) }));
    socket.on("error", (problem) => tell({ id, what: "closed", value: problem.message }));
    socket.on("end", () => tell({ id, what: "closed", value: "the daemon closed the connection" }));
    socket.on("close", () => {
      sockets.delete(id);
      tell({ id, what: "closed", value: "the daemon closed the connection" });
    });
  };
  port.on("message", ({ id, what, value }) => {
    const socket = sockets.get(id);
    if (what === "open") open(id, value);
    else if (what === "write" && socket) socket.write(value);
    else if (what === "close" && socket) socket.destroy();
  });
});
`;

/** Sockets of a thread of their own, for which `wait` waits without an event loop. */
class ThreadTransport {
  constructor() {
    this._ids = 0;
    this._events = new Map();
    this._flag = new Int32Array(new SharedArrayBuffer(8));
    this._worker = null;
    this._port = null;
  }

  open(path, events) {
    const id = ++this._ids;
    this._events.set(id, events);
    this._begin();
    this._post({ id, what: "open", value: path });
    return {
      write: (bytes) => this._post({ id, what: "write", value: Uint8Array.from(bytes) }),
      hold: (isBusy) => this._port && (isBusy ? this._port.ref() : this._port.unref()),
      close: () => {
        this._events.delete(id);
        this._post({ id, what: "close" });
      },
    };
  }

  /** Takes what came, without waiting. */
  poll() {
    const { receiveMessageOnPort } = require("worker_threads");
    const next = () => (this._port === null ? undefined : receiveMessageOnPort(this._port));
    for (let came = next(); came !== undefined; came = next()) this._heard(came.message);
  }

  /** Waits until something came, and takes it; no longer than that. */
  wait(milliseconds) {
    const seen = Atomics.load(this._flag, 0);
    const before = this._count;
    this.poll();
    if (this._count === before) Atomics.wait(this._flag, 0, seen, milliseconds);
    this.poll();
  }

  close() {
    this._events.clear();
    if (this._worker === null) return;
    // Electron aborts where its threads outlive it, also one that only begins.
    Atomics.wait(this._flag, 1, 0, ENDING_MS);
    this._worker.terminate();
    const [seen, thread] = this._flag;
    for (const until = Date.now() + ENDING_MS; fs.existsSync(`/proc/self/task/${thread}`) && Date.now() < until;) {
      Atomics.wait(this._flag, 0, seen, 1);
    }
    this._port.close();
    this._worker = this._port = null;
  }

  _begin() {
    if (this._worker !== null) return;
    const { MessageChannel, Worker } = require("worker_threads");
    const { port1, port2 } = new MessageChannel();
    this._flag[1] = 0;
    const worker = new Worker(WORKER, { eval: true, execArgv: [] });
    worker.postMessage({ port: port2, flag: this._flag }, [port2]);
    worker.on("error", () => this._ended(worker));
    worker.on("exit", () => this._ended(worker));
    worker.unref();
    port1.on("message", (message) => this._heard(message));
    port1.unref();
    this._worker = worker;
    this._port = port1;
    this._count = 0;
  }

  _post(message) {
    if (this._port !== null) this._port.postMessage(message);
  }

  _heard({ id, what, value }) {
    this._count += 1;
    const events = this._events.get(id);
    if (events === undefined) return;
    if (what === "closed") this._events.delete(id);
    events[what](what === "received" ? Buffer.from(value) : value);
  }

  /** The thread is gone; the next connection has another. */
  _ended(worker) {
    if (this._worker !== worker) return;
    this._worker = this._port = null;
    const lost = [...this._events.values()];
    this._events.clear();
    for (const events of lost) events.closed("the thread of the connection ended");
  }
}

module.exports = { LoopTransport, ThreadTransport };
