"use strict";

// One conversation with the daemon, without sockets and clocks: bytes in, bytes out, and when to be woken.

const { BackOff } = require("./backoff");
const { CLOSED } = require("./contract");
const { GuardError } = require("./errors");
const { BrokenReply, FrameSplitter, encode } = require("./frames");

// The version of this library; package.json states the same.
const VERSION = "0.1.0";

// After a silence a question waits so long for a new connection, from the beginning of that, and no longer.
const BRIEF_MS = 20;

/**
 * One call on its way. `parameters` is an object, or a function of the milliseconds that are left: a question says
 * how long it waits. `finished` hears its reply, or null when nobody answered. With `more` several replies come.
 */
class Call {
  constructor(method, parameters, finished, deadline = Infinity, more = false) {
    Object.assign(this, { method, parameters, finished, deadline, more });
  }

  encoded(now) {
    const isTimed = typeof this.parameters === "function";
    const said = isTimed ? this.parameters(Math.max(1, Math.floor(this.deadline - now))) : this.parameters;
    return encode(this.method, said, this.more);
  }
}

/** What Attach says. */
function helloParameters(hello, token) {
  const said = { features: [...hello.features] };
  if (hello.app != null) said.app = hello.app;
  if (token != null) said.instance = token;
  if (hello.languages && hello.languages.length > 0) said.languages = [...hello.languages];
  if (hello.version != null) said.version = hello.version;
  said.clientVersion = VERSION;
  if (hello.rules != null) said.rules = hello.rules;
  return said;
}

/**
 * Attaches, and then carries calls and their replies, which come in order. Whatever fails ends the connection: its
 * calls hear null, and the back-off begins. The owner of the socket calls `connecting`, `connected`, `received`, `lost`
 * and `expire`, sends what `takeOutgoing` gives, and closes the socket when `isDown`.
 */
class Conversation {
  constructor(hello, chance = Math.random, shortest = undefined) {
    this.contract = CLOSED;
    // Attached at least once, so that the contract is the daemon's own word.
    this.hasAttached = false;
    this.problems = [];
    // With what error the daemon refused the latest connection; null when it did not.
    this.refusal = null;
    this._outgoing = [];
    // Somebody did not answer in time, and has answered nothing since.
    this._isSilent = false;
    // What ended the latest connection, so that the same is not told again and again.
    this._latestProblem = "";
    this._hello = hello;
    this._backOff = new BackOff(chance, shortest);
    this._briefMs = shortest > BRIEF_MS ? shortest : BRIEF_MS;
    this._phase = "down";
    this._splitter = new FrameSplitter();
    this._waiting = [];
    this._sent = [];
  }

  get isDown() { return this._phase === "down"; }

  get isReady() { return this._phase === "ready"; }

  /** Whether nothing is under way. */
  get isIdle() { return this.isReady && this._sent.length === 0; }

  /** Whether somebody waits for an answer. */
  get isBusy() {
    return [...this._sent, ...this._waiting].some((call) => call.deadline !== Infinity);
  }

  /** Whether a connection is to be tried: it is time for that, or somebody asks and need not wait. */
  mayConnect(now) {
    const soonest = this._waiting.length > 0 ? this._backOff.askedUntil : this._backOff.until;
    return this.isDown && now >= soonest;
  }

  /** When `expire` must be called, or a connection may be tried again. */
  wakeAt() {
    if (this.isDown) return this._backOff.until;
    return Math.min(...[...this._sent, ...this._waiting].map((call) => call.deadline));
  }

  /** What is to be sent, once; null for nothing. */
  takeOutgoing() {
    const parts = this._outgoing;
    if (parts.length === 0) return null;
    this._outgoing = [];
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  /** Sends a call as soon as the connection is ready; it is over at once when none may be tried. */
  submit(call, now) {
    if (this.isDown && now < this._backOff.askedUntil) {
      call.finished(null);
      return;
    }
    if (this._isSilent && !this.isReady) {
      // The first question of the silence has waited its time; this one waits as long as a good daemon needs.
      const began = this.isDown ? now : this._backOff.latestAttempt;
      call.deadline = Math.min(call.deadline, began + this._briefMs);
      if (call.deadline <= now) {
        call.finished(null);
        return;
      }
    }
    this._waiting.push(call);
    this._flush(now);
  }

  /** For good: whatever is asked from now on is over at once. */
  end() {
    this._backOff.pause(Infinity);
    this.refusal = null;
    this._goDown();
  }

  // What the socket says

  connecting(now) {
    this._backOff.attempted(now);
    this._phase = "connecting";
  }

  connected(now) {
    this._splitter = new FrameSplitter();
    this._attach(now);
  }

  received(data, now) {
    try {
      for (const reply of this._splitter.feed(data)) {
        if (this.isDown) return;
        this._answered(reply);
      }
    } catch (problem) {
      if (!(problem instanceof BrokenReply)) throw problem;
      this._fail(new GuardError("invalidReply", "", { problem: problem.message }), now);
    }
    this._flush(now);
  }

  /** The daemon closed the connection, or there was none to be had. */
  lost(now, problem) {
    this._isSilent = false;
    if (this._phase === "ready" && !this.isBusy) {
      this._goDown();
      this._backOff.ended(now);
    } else if (this._phase === "down" || this._phase === "connecting") {
      this._backOff.attempted(now);
      this._fail(new GuardError("unreachable", "", { problem }), now, "away");
    } else {
      this._fail(new GuardError("connectionLost", "", { problem }), now, "gone");
    }
  }

  /**
   * A missed deadline ends the connection, so that a late reply is never taken for another's. What was not sent during a
   * silence is only given up: the connection has its own time.
   */
  expire(now) {
    if (this._isSilent) this._giveUp(now);
    const late = [...this._sent, ...this._waiting].find((call) => call.deadline <= now);
    if (!late) return;
    this._isSilent = true;
    this._fail(new GuardError("noAnswer", late.method), now);
  }

  /** Somebody else waited for the daemon in vain. */
  silenced(now) {
    if (!this.isReady) return;
    this._isSilent = true;
    this._fail(new GuardError("noAnswer"), now);
  }

  // Inside

  _giveUp(now) {
    const late = this._waiting.filter((call) => call.deadline <= now);
    this._waiting = this._waiting.filter((call) => call.deadline > now);
    for (const call of late) call.finished(null);
  }

  _attach(now) {
    const finished = (reply) => {
      if (reply !== null) this._attached(reply, now);
    };
    this._phase = "attaching";
    const attach = new Call("Attach", this._attachParameters(), finished, now + this.contract.startMs);
    this._send(attach, now);
  }

  _send(call, now) {
    this._sent.push(call);
    this._outgoing.push(call.encoded(now));
  }

  _answered(reply) {
    const first = this._sent[0];
    if (!first || (reply.continues && !first.more)) throw new BrokenReply("a reply to no call");
    if (!reply.continues) this._sent.shift();
    first.finished(reply);
  }

  _flush(now) {
    while (this.isReady && this._waiting.length > 0) this._send(this._waiting.shift(), now);
  }

  _succeed() {
    this._phase = "ready";
    this._isSilent = false;
    this._latestProblem = "";
    this.refusal = null;
    this._backOff.succeeded();
  }

  _fail(problem, now, failure = "bad", refusal = null) {
    if (problem.message !== this._latestProblem) this.problems.push(problem);
    this._latestProblem = problem.message;
    this.refusal = refusal;
    this._backOff.failed(now, failure);
    this._goDown();
  }

  _goDown() {
    const calls = [...this._sent, ...this._waiting];
    this._phase = "down";
    this._outgoing = [];
    this._sent = [];
    this._waiting = [];
    for (const call of calls) call.finished(null);
  }
}

module.exports = { Call, Conversation, VERSION, helloParameters };
