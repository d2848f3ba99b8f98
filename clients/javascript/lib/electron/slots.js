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

/**
 * Hears events in front of the app's own listeners (`before`) or behind them (`after`): functions by the names of
 * events. They are no listeners, so that the app can neither come first nor take them away with `removeAllListeners`;
 * and a listener of the app that throws keeps nothing from being judged.
 */
function hear(emitter, { before = {}, after = {} }) {
  wrap(emitter, "emit", (original, name, ...values) => {
    if (hasOwn(before, name)) before[name](...values);
    try {
      return original(name, ...values);
    } finally {
      if (hasOwn(after, name)) after[name](...values);
    }
  });
}

function hasOwn(object, name) {
  return Object.prototype.hasOwnProperty.call(object, name);
}

/** Keeps a value by its name; the oldest of more than so many are forgotten. */
function remember(known, name, value, most) {
  known.delete(name);
  known.set(name, value);
  if (known.size > most) known.delete(known.keys().next().value);
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

module.exports = { hear, keepSlot, orCalledOff, remember, wrap };
