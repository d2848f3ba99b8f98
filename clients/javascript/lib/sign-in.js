"use strict";

// The credential for one navigation to a sign-in page, from the agent of the person's session.

const net = require("net");
const path = require("path");
const { Place } = require("./place");

// The one header: an agent that names another one would replace a header of the request.
const NAME = "x-ms-RefreshTokenCredential";
const METHOD = "org.webviewguard.Session.SignIn";
// The value becomes a header: a line break in it would be a second one.
const VALUE = /^[A-Za-z0-9._~+/=-]{1,12288}$/;
const MOST_BYTES = 65536;

/** `{ name, value }` for a header of that request and no other; null for none. Never keep it, never log it. */
async function signInCredential(decision, url, { waitMs = 2000 } = {}) {
  if (!decision.signIn || !decision.allowed || decision.isLocal || !decision.identity) return null;
  try {
    return read(await ask(socketPath(), { url, account: decision.identity }, waitMs));
  } catch (problem) {
    return null;
  }
}

/** Throws where somebody else may listen. */
function socketPath() {
  const uid = process.geteuid();
  const runtime = process.env.XDG_RUNTIME_DIR || `/run/user/${uid}`;
  return new Place(path.join(runtime, "webviewguard-session.sock"), false, [uid]).checked();
}

function ask(file, parameters, waitMs) {
  return new Promise((resolve, reject) => {
    const parts = [];
    const line = net.connect(file, () => line.write(`${JSON.stringify({ method: METHOD, parameters })}\0`));
    const fail = () => { line.destroy(); reject(new Error("no answer")); };
    const timer = setTimeout(fail, waitMs);
    line.on("error", fail);
    line.on("close", () => { clearTimeout(timer); fail(); });
    line.on("data", (part) => {
      parts.push(part);
      const received = Buffer.concat(parts);
      const end = received.indexOf(0);
      if (end >= 0) {
        resolve(received.slice(0, end).toString("utf8"));
        line.destroy();
      } else if (received.length > MOST_BYTES) fail();
    });
  });
}

function read(frame) {
  const { error, parameters } = JSON.parse(frame);
  if (error || !parameters || parameters.name !== NAME) return null;
  return typeof parameters.value === "string" && VALUE.test(parameters.value)
    ? { name: NAME, value: parameters.value } : null;
}

/** Whether a header is the one of credentials, in whatever case. */
function isCredential(name) {
  return name.toLowerCase() === NAME.toLowerCase();
}

module.exports = { signInCredential, isCredential };
