"use strict";

const fs = require("fs");
const os = require("os");
const path = require("path");

/** What a test has made, ended in the other order. */
class Cleanup {
  constructor(mostMs = LONG_MS) {
    this._ends = [];
    this._mostMs = mostMs;
  }

  add(end) {
    this._ends.push(end);
  }

  /** A folder that goes with the test. */
  folder() {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "wvg-"));
    // The last processes of a program that was killed may still write.
    this.add(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
    return folder;
  }

  /** Ends everything, also behind an end that fails or never comes about; then throws what the first one was. */
  async run() {
    let problem = null;
    for (const end of this._ends.splice(0).reverse()) {
      const ended = inTime(async () => end(), this._mostMs, String(end).slice(0, 80));
      await ended.catch((one) => { problem = problem || one; });
    }
    if (problem !== null) throw problem;
  }
}

// Guards against hangs only: a machine with other work takes its time.
const LONG_MS = 120000;
/** The same for a program that is waited for without an event loop. */
const LIMITED = { timeout: LONG_MS, killSignal: "SIGKILL" };

/** What the work gives; an error when it takes longer. */
async function inTime(work, ms, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it does not end: ${what}`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The first true value of `holds`, which is asked again until then. */
async function eventually(holds, what) {
  for (const until = Date.now() + LONG_MS; ;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > until) throw new Error(`it does not come about: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

module.exports = { Cleanup, LIMITED, LONG_MS, eventually, inTime };
