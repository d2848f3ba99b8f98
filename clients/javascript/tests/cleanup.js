"use strict";

const fs = require("fs");
const os = require("os");
const path = require("path");

/** What a test has made, ended in the other order. */
class Cleanup {
  constructor() {
    this._ends = [];
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

  async run() {
    for (const end of this._ends.reverse()) await end();
    this._ends = [];
  }
}

// Guards against hangs only: a machine with other work takes its time.
const LONG_MS = 120000;

/** The first true value of `holds`, which is asked again until then. */
async function eventually(holds, what) {
  for (const until = Date.now() + LONG_MS; ;) {
    const value = await holds();
    if (value) return value;
    if (Date.now() > until) throw new Error(`it does not come about: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

module.exports = { Cleanup, eventually };
