"use strict";

// How long pages of the rig's site take in a real Electron, guarded and not, by turns. `cost.js PAGES` gets
// `{"page": {"path": "/cost/0", "pairs": 300}}`, and says it as one line of JSON, of which
// Tests/Engines/electron/cost.py makes the numbers.

const path = require("path");
const { spawn } = require("child_process");
const { once } = require("events");
const { Cleanup } = require("../cleanup");
const { App, PORTAL } = require("./played");
const { x11 } = require("./screens");

const WARM_UP = 10;
const SITE = path.join(__dirname, "../../../../Tests/Engines/rig/site.py");

/** The rig's site in a process of its own, by its port. */
async function site(cleanup) {
  const child = spawn("/usr/bin/python3", [SITE], { stdio: ["pipe", "pipe", "inherit"] });
  cleanup.add(() => child.stdin.end());
  const ended = once(child, "exit").then(() => Promise.reject(new Error("the site has ended")));
  const [port] = await Promise.race([once(child.stdout, "data"), ended]);
  ended.catch(() => {});
  return Number(port);
}

/** From the call to the end of loading, by the app's own clock. */
function load(app, url) {
  return app.run(`const began = process.hrtime.bigint(); await it.contents.loadURL(${JSON.stringify(url)});
    return Number(process.hrtime.bigint() - began) / 1e6`);
}

async function measured(apps, url, pairs) {
  const taken = {};
  for (const name of Object.keys(apps)) taken[name] = [];
  for (let number = -WARM_UP; number < pairs; number += 1) {
    const names = Object.keys(taken);
    for (const name of number % 2 === 0 ? names : names.reverse()) {
      const ms = await load(apps[name], `${url}?${name}${number}`);
      if (number >= 0) taken[name].push(ms);
    }
  }
  return taken;
}

async function main(wanted) {
  const cleanup = new Cleanup();
  cleanup.add(await x11());
  try {
    const port = await site(cleanup);
    const apps = {
      guarded: await new App(cleanup).start(process.env.ELECTRON),
      // What the engine's own hook takes, in which nobody is asked.
      hook: await new App(cleanup).start(process.env.ELECTRON, { UNGUARDED: "1" }),
      unguarded: await new App(cleanup).start(process.env.ELECTRON, { UNGUARDED: "1" }),
    };
    await apps.hook.run("it.contents.session.webRequest.onBeforeRequest((details, callback) => callback({}))");
    const pages = {};
    for (const [name, { path: place, pairs }] of Object.entries(wanted)) {
      pages[name] = await measured(apps, `http://${PORTAL}:${port}${place}`, pairs);
    }
    const engine = `Electron ${await apps.guarded.run("return process.versions.electron")}`;
    console.log(JSON.stringify({ engine, pages }));
  } finally {
    await cleanup.run();
  }
}

main(JSON.parse(process.argv[2])).then(() => process.exit(0), (problem) => {
  console.error(problem);
  process.exit(1);
});
