#!/usr/bin/env node
"use strict";

// What a question from JavaScript costs, beside what it cannot cost less than: the same question over a bare socket of
// this event loop, whose answer nobody reads; and the same bytes to a program in Node that sends them back.
//
//   node cost.js [COUNT] [FILE]     COUNT questions of each kind (2000), by turns; FILE gets the figures as JSON

const fs = require("fs");
const net = require("net");
const path = require("path");
const { spawn } = require("child_process");
const { encode } = require("../lib/frames");
const { Cleanup } = require("./cleanup");
const { APP, WORK, managed, serving } = require("./real");

const NOT_COUNTED = 200;
const EVENT = {
  viewer: "docs", url: "https://portal.contoso.com/lists/1", from: "https://portal.contoso.com/", frame: "resource",
};
const ECHO = "require('net').createServer((socket) => socket.pipe(socket))"
  + ".listen(process.argv[1], () => console.log('ready'))";

/** A frame there and a frame back, and nothing else. */
class Bare {
  constructor(test, socket) {
    this._socket = socket;
    socket.on("data", (data) => {
      if (data[data.length - 1] === 0) this._heard();
    });
    test.add(() => socket.destroy());
  }

  static async to(test, place) {
    const socket = net.connect(place);
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return new Bare(test, socket);
  }

  ask(frame) {
    return new Promise((resolve) => {
      this._heard = resolve;
      this._socket.write(frame);
    });
  }
}

async function echo(test) {
  const place = path.join(test.folder(), "echo.sock");
  const child = spawn(process.execPath, ["-e", ECHO, place], { stdio: ["ignore", "pipe", "inherit"] });
  test.add(() => child.kill("SIGKILL"));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  return Bare.to(test, place);
}

async function bareQuestions(test, daemon) {
  const bare = await Bare.to(test, daemon.path);
  await bare.ask(encode("Attach", { app: APP, features: ["actions", "clips"] }));
  await bare.ask(encode("SetIdentity", { level: "process", account: WORK }));
  await bare.ask(encode("RegisterViewer", { viewer: "docs", class: "documents" }));
  return bare;
}

/** Each way to ask, by its name. */
async function ways(test) {
  const daemon = await serving(test);
  const guard = await managed(test, daemon, {});
  const waiting = await managed(test, daemon, { sync: true });
  const bare = await bareQuestions(test, daemon);
  const echoing = await echo(test);
  const frame = encode("Navigate", { event: { ...EVENT, deadline: 2000 } });
  return {
    echo: () => echoing.ask(frame),
    bare: () => bare.ask(frame),
    await: () => guard.decide("navigate", EVENT),
    awaitOfThread: () => waiting.decide("navigate", EVENT),
    decideSync: () => waiting.decideSync("navigate", EVENT),
  };
}

async function milliseconds(ask) {
  const began = process.hrtime.bigint();
  const decision = await ask();
  const taken = Number(process.hrtime.bigint() - began) / 1e6;
  if (decision && decision.isLocal) throw new Error(`the daemon does not answer: ${decision.reason}`);
  return taken;
}

/** The middle one, and the one that 99 of 100 are below. */
function figures(values) {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (part) => Number(sorted[Math.floor((sorted.length - 1) * part)].toFixed(3));
  return { p50: at(0.5), p99: at(0.99) };
}

async function measure(test, count) {
  const asked = await ways(test);
  const taken = Object.keys(asked).map((name) => [name, []]);
  for (let number = -NOT_COUNTED; number < count; number += 1) {
    // By turns, so that none is always the first.
    for (const [name, values] of number % 2 ? taken : [...taken].reverse()) {
      const value = await milliseconds(asked[name]);
      if (number >= 0) values.push(value);
    }
  }
  const result = { engine: `Node ${process.versions.node}`, unit: "ms", pairs: count };
  for (const [name, values] of taken) result[name] = figures(values);
  return result;
}

async function main([count = "2000", file = null]) {
  const test = new Cleanup();
  try {
    const result = await measure(test, Number(count));
    if (file !== null) fs.writeFileSync(file, `${JSON.stringify(result, null, 1)}\n`);
    const parts = Object.keys(result).filter((name) => result[name].p50 !== undefined)
      .map((name) => `${name} p50 ${result[name].p50} p99 ${result[name].p99}`);
    console.log(`${result.engine}, ms: ${parts.join("; ")}`);
  } finally {
    await test.run();
  }
}

main(process.argv.slice(2)).then(() => process.exit(0), (problem) => {
  console.error(problem);
  process.exit(1);
});
