"use strict";

// How long pages take in a real Electron, guarded and not, by turns: `cost.js COUNT` says it as one line of JSON, of
// which Tests/Engines/electron/cost.py makes the numbers.

const { Cleanup } = require("../cleanup");
const { App, PORTAL } = require("./played");
const { x11 } = require("./screens");

const WARM_UP = 10;
const PAGES = { page: 0, "page with 20 pictures": 20 };

function address(app, pictures, mark) {
  const body = Array.from({ length: pictures }, (_, number) => `<img src="/picture/${number}?${mark}">`).join("");
  return app.site.url(PORTAL, `/cost?${mark}&body=${encodeURIComponent(body)}`);
}

/** From the call to the end of loading, by the app's own clock. */
function load(app, url) {
  return app.run(`const began = process.hrtime.bigint(); await it.contents.loadURL(${JSON.stringify(url)});
    return Number(process.hrtime.bigint() - began) / 1e6`);
}

async function measured(apps, pictures, count) {
  const taken = {};
  for (const name of Object.keys(apps)) taken[name] = [];
  for (let number = -WARM_UP; number < count; number += 1) {
    const names = Object.keys(taken);
    for (const name of number % 2 === 0 ? names : names.reverse()) {
      const ms = await load(apps[name], address(apps[name], pictures, `${name}${number}`));
      if (number >= 0) taken[name].push(ms);
    }
  }
  return taken;
}

async function main(count) {
  const cleanup = new Cleanup();
  cleanup.add(await x11());
  try {
    const apps = {
      guarded: await new App(cleanup).start(process.env.ELECTRON),
      // What the engine's own hook takes, in which nobody is asked.
      hook: await new App(cleanup).start(process.env.ELECTRON, { UNGUARDED: "1" }),
      unguarded: await new App(cleanup).start(process.env.ELECTRON, { UNGUARDED: "1" }),
    };
    await apps.hook.run("it.contents.session.webRequest.onBeforeRequest((details, callback) => callback({}))");
    const pages = {};
    for (const name of Object.keys(PAGES)) pages[name] = await measured(apps, PAGES[name], count);
    console.log(JSON.stringify({ engine: `Electron ${await apps.guarded.run("return process.versions.electron")}`, pages }));
  } finally {
    await cleanup.run();
  }
}

main(Number(process.argv[2])).then(() => process.exit(0), (problem) => {
  console.error(problem);
  process.exit(1);
});
