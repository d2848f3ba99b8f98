// The browser's own interface: both kinds answer with promises in Manifest V3.

/** @type {typeof chrome} */
export const api = globalThis.browser ?? globalThis.chrome;

/** Whether blocking listeners may answer with a promise: only then is asking the daemon no race. */
export const waitsForAnswers = typeof globalThis.browser?.runtime?.getBrowserInfo === "function";

/** Whether a promise came to an end that is no error. */
export const succeeds = (promise) =>
  promise.then(
    () => true,
    () => false,
  );
