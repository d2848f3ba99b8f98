"use strict";

/**
 * Keeps the only place that Electron has for a handler. `object[method](handler)` of the app keeps the app's handler,
 * and `judged` is the one that Electron calls; it gets the app's handler, or null, in front of Electron's own
 * arguments.
 */
function keepSlot(object, method, judged) {
  if (typeof object[method] !== "function") return false;
  const set = object[method].bind(object);
  let theirs = null;
  object[method] = (handler) => { theirs = typeof handler === "function" ? handler : null; };
  set((...values) => judged(theirs, ...values));
  return true;
}

/** Has a method ask first. `judged` gets the method itself, bound, in front of the arguments. */
function wrap(object, method, judged) {
  if (typeof object[method] !== "function") return false;
  const original = object[method].bind(object);
  object[method] = (...values) => judged(original, ...values);
  return true;
}

/** Does the work of an event; when it fails, such as for a page that is gone, the event is called off. */
function orCalledOff(event, work) {
  try {
    work();
  } catch (problem) {
    console.error("webviewguard:", problem);
    event.preventDefault();
  }
}

module.exports = { keepSlot, orCalledOff, wrap };
