"use strict";

/**
 * An error of the daemon, by its last word in `code`, or one of this client's own: `noAnswer`, `unreachable`,
 * `connectionLost`, `invalidReply`, `closed`.
 */
class GuardError extends Error {
  constructor(code, method = "", parameters = {}) {
    const details = Object.keys(parameters).length > 0 ? ` ${JSON.stringify(parameters)}` : "";
    super(method ? `${method}: ${code}${details}` : `${code}${details}`);
    this.name = "GuardError";
    this.code = code;
    this.method = method;
    this.parameters = parameters;
  }
}

/** Where problems go that no call can raise: replies to what is said again, and connections. */
function logProblem(problem) {
  console.warn(`webviewguard: ${problem.message}`);
}

/** A mistake in the app's callback must not take other answers away. */
function safely(callback, ...values) {
  try {
    const result = callback(...values);
    // A handler may be an async function.
    if (result && typeof result.then === "function") result.then(undefined, logFailure);
  } catch (problem) {
    logFailure(problem);
  }
}

function logFailure(problem) {
  console.error("webviewguard: a callback failed:", problem);
}

module.exports = { GuardError, logProblem, safely };
