"use strict";

// Beside the thread of a guard with `sync`: a second connection on the event loop takes half the time.

// A connection that could not be had, or was lost, is not tried again sooner.
const PAUSE_MS = 1000;

/**
 * The second connection of an engine, to the same instance.
 *
 * It carries a question only while nothing is under way on the first one, so that whatever was said and asked before
 * is heard before. It carries only navigations, on which no later question rests: a paste that is asked about behind
 * a copy, or behind the news of another clip, must be judged after it. It is made when the daemon has just answered
 * there, and never comes back by itself: a daemon that was started anew knows no viewers until the first connection
 * has said them again. A daemon that lets a question wait in vain here is silent there as well, so that its silence
 * costs the program one question and not two.
 */
class Beside {
  /** `open(onProblem)` makes the engine of a connection. */
  constructor(main, open) {
    this._main = main;
    this._open = open;
    this._engine = null;
    this._token = null;
    this._latest = -Infinity;
  }

  async ask(kind, event) {
    const engine = kind === "navigate" ? this._chosen() : this._main;
    const decision = await engine.begin((asker) => asker.question(kind, event)).promise();
    if (engine === this._main && !decision.isLocal) this._connect();
    return decision;
  }

  _chosen() {
    const { session, line } = this._main;
    if (this._engine === null) return this._main;
    line.poll();
    if (this._engine.session.isDown || session.token !== this._token) this.close();
    return this._engine !== null && this._engine.session.isReady && session.isIdle ? this._engine : this._main;
  }

  /** The daemon has answered a question on the first connection. */
  _connect() {
    const { session, now } = this._main;
    if (this._engine !== null || this._main.isClosed || session.token === null) return;
    if (now() < this._latest + PAUSE_MS) return;
    this._latest = now();
    this._token = session.token;
    this._engine = this._open((problem) => { if (problem.code === "noAnswer") this._main.silenced(); });
    this._engine.start();
  }

  close() {
    if (this._engine !== null) this._engine.close();
    this._engine = null;
  }
}

module.exports = { Beside };
