"use strict";

// Asks with the client for JavaScript, a line for each: `navigate {"viewer":"v1"}` prints `block noAnswer`, and
// `say:RegisterViewer {"viewer":"v1","class":"documents"}` prints nothing.
//
//   node ask.js SOCKET

const { createInterface } = require("readline");
const { Guard } = require("../../../clients/javascript");

const guard = new Guard({ path: process.argv[2], onProblem: () => {} });

async function obey(line) {
  const at = line.indexOf(" ");
  const word = line.slice(0, at);
  const about = JSON.parse(line.slice(at + 1));
  if (word === "say:RegisterViewer") return guard.registerViewer(about.viewer, { class: about.class });
  const { outcome, reason } = await guard.decide(word, about);
  return console.log(`${outcome} ${reason}`);
}

let done = Promise.resolve();
createInterface({ input: process.stdin }).on("line", (line) => {
  done = done.then(() => obey(line)).catch((problem) => console.log(`raised ${problem}`));
}).on("close", () => done.then(() => guard.close()));
