"use strict";

// What all faces of the client stand on: it begins calls, moves bytes, and keeps what is to be told.

const { performance } = require("perf_hooks");
const { Asker } = require("./asker");
const { Beside } = require("./beside");
const { acknowledge } = require("./calls");
const { isOfDaemon } = require("./decision");
const { safely } = require("./errors");
const { Line } = require("./line");
const { Said } = require("./said");
const { BriefSession, JoinedSession, Session } = require("./session");
const { Ticket } = require("./ticket");
const { LoopTransport, ThreadTransport } = require("./transports");

const ALWAYS = ["actions", "clips"];
const now = () => performance.now();

/** One connection. `main` is the engine of the guard, for a scope or what lies beside it. */
class Engine {
  constructor(options, main = null, isScope = main !== null) {
    this.options = options;
    this.onProblem = options.onProblem;
    this.now = now;
    this.hello = { ...options, features: [...new Set([...ALWAYS, ...(options.features || [])])] };
    this.said = new Said();
    this.session = this._session(main, isScope);
    this.asker = new Asker(this.session, this.said, now, main && main.asker, isScope);
    const transport = options.sync && main === null ? new ThreadTransport() : new LoopTransport();
    const { path, trustedUids } = options;
    this.line = new Line(this.session, { path, trustedUids, transport, now, onTurn: () => this.turn() });
    this.isStarted = main !== null;
    this._isScope = isScope;
    this.isClosed = false;
    this._starting = null;
    this.beside = options.sync && main === null
      ? new Beside(this, (onProblem) => new Engine({ ...options, onProblem }, this, false)) : null;
  }

  /** Done when the daemon answered Attach, or when the contract's time for that is over. */
  start() {
    if (this.isClosed) return Ticket.of(false);
    const ticket = new Ticket();
    this.line.loadContract();
    // Whoever started it before waits as long as this one.
    const before = this._starting === null ? [] : this._starting.tickets;
    this._starting = { until: now() + this.session.contract.startMs, tickets: [...before, ticket] };
    this.isStarted = true;
    this.line.step();
    this.turn();
    return ticket;
  }

  close() {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this._isScope) this.session.endScope();
    else this.session.end();
    this.line.close();
    if (this.beside !== null) this.beside.close();
    this._endStart();
  }

  /** The daemon does not answer, as another connection found out. */
  silenced() {
    this.session.silenced(now());
    this.line.step();
    this.turn();
  }

  /** A call of an asker: finds out whether the connection still lives, makes one where that may be tried, and sends. */
  begin(call) {
    if (this.isClosed) return call(this.asker);
    this.isStarted = true;
    this.line.poll();
    this.line.step();
    const ticket = call(this.asker);
    this.line.step();
    this.turn();
    return ticket;
  }

  /** What is said before the start waits for it. */
  state(call) {
    return this.isStarted ? this.begin((asker) => asker.state(call)) : this.asker.note(call);
  }

  /** A decision that was made here, without the daemon, has nobody to be told to. */
  acknowledge(decision, outcome, justification) {
    return isOfDaemon(decision) ? this.state(acknowledge(decision.id, outcome, justification)) : Ticket.of(false);
  }

  /** Waits for a ticket without a turn of the event loop. */
  finish(ticket) {
    if (!this.line.canWait) throw new TypeError("this needs `new Guard({ sync: true })`");
    while (!ticket.isDone && !this.isClosed) {
      this.line.wait(this.wakeAt());
      this.line.expire();
      this.turn();
    }
    return ticket.result();
  }

  /** After everything that happened. */
  turn() {
    this._endStart();
    const { problems } = this.session;
    this.session.problems = [];
    for (const problem of problems) safely(this.onProblem, problem);
    this.line.arm(this.wakeAt(), this.session.isBusy || this._starting !== null);
  }

  /** When something must be done at the latest. */
  wakeAt() {
    if (!this.isStarted || this.isClosed) return Infinity;
    return Math.min(this.session.wakeAt(), this._starting === null ? Infinity : this._starting.until);
  }

  _session(main, isScope) {
    const { instance, chance, shortestPause } = this.options;
    if (main === null && instance == null) return new Session(this.hello, this.said, chance, shortestPause);
    const token = main !== null ? () => main.session.token : typeof instance === "function" ? instance : () => instance;
    const Joined = main === null || isScope ? JoinedSession : BriefSession;
    const session = new Joined(this.hello, this.said, token, chance, shortestPause);
    if (main !== null) {
      session.contract = main.session.contract;
      session.hasAttached = main.session.hasAttached;
    }
    return session;
  }

  _endStart() {
    if (this._starting === null) return;
    const { until, tickets } = this._starting;
    if (!this.session.isReady && !this.isClosed && now() < until) return;
    this._starting = null;
    for (const ticket of tickets) ticket.resolve(this.session.isReady);
  }
}

module.exports = { Engine };
