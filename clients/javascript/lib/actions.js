"use strict";

const { randomBytes } = require("crypto");

const TOGETHER_MS = 1000;
const POPUP_MS = 10000;

/**
 * One id for the several questions of one click: the same viewer and URL within a second of the first, and a popup's
 * first navigation with the question of its opener that made it.
 */
class Actions {
  constructor() {
    this._prefix = randomBytes(4).toString("hex");
    this._count = 0;
    this._recent = new Map();
    this._windows = new Map();
    this._openers = new Map();
  }

  /** A viewer is new; its first navigation may belong to a question of its opener. */
  registered(viewer, opener) {
    if (opener != null) this._openers.set(viewer, opener);
  }

  forgotten(viewer) {
    this._openers.delete(viewer);
  }

  /** The id for a navigation that the app gave none. `now` is in milliseconds. */
  id(viewer, url, isNewWindow, now) {
    dropOld(this._recent, now - TOGETHER_MS);
    dropOld(this._windows, now - POPUP_MS);
    const key = pair(viewer, url);
    let action = this._recent.get(key);
    if (action === undefined) {
      const shared = this._ofOpener(viewer, url);
      action = { id: shared ? shared.id : `${this._prefix}-${++this._count}`, began: now };
      this._recent.set(key, action);
    }
    if (isNewWindow) {
      this._windows.delete(key);
      this._windows.set(key, { id: action.id, began: now });
    }
    return action.id;
  }

  _ofOpener(viewer, url) {
    const key = pair(this._openers.get(viewer) || "", url);
    const found = this._openers.delete(viewer) ? this._windows.get(key) : undefined;
    if (found) this._windows.delete(key);
    return found;
  }
}

/** The oldest stand first. */
function dropOld(actions, latest) {
  for (const [key, { began }] of actions) {
    if (began > latest) return;
    actions.delete(key);
  }
}

function pair(viewer, url) {
  return JSON.stringify([viewer, url]);
}

module.exports = { Actions };
