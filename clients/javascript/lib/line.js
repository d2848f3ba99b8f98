"use strict";

const { contractFile } = require("./contract");
const { findPlace } = require("./place");

// What setTimeout can wait for.
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Carries the bytes of a conversation, and comes by when its time is over. `onTurn` is called after everything that
 * happened.
 */
class Line {
  constructor(conversation, { path = null, trustedUids = null, transport, now, onTurn }) {
    this._conversation = conversation;
    this._path = path;
    this._trustedUids = trustedUids;
    this._transport = transport;
    this._now = now;
    this._onTurn = onTurn;
    this._connection = null;
    this._timer = null;
    this._timerAt = Infinity;
    this._isClosed = false;
  }

  get place() {
    return findPlace(this._path, this._trustedUids);
  }

  /** Takes the contract beside the socket, until the daemon itself has said what holds. */
  loadContract() {
    if (this._conversation.hasAttached) return;
    const { contract, trusts } = this.place;
    this._conversation.contract = contractFile(contract, trusts);
  }

  /** Takes what came, where that can be done without the event loop. */
  poll() {
    if (!this._isClosed) this._transport.poll();
  }

  /** Does all that can be done now, but gives nobody up: connects, sends, and closes what is over. */
  step() {
    if (this._isClosed) return;
    this._dropIfDown();
    if (this._conversation.mayConnect(this._now())) this._connect();
    this._send();
  }

  /** Gives up whoever waited too long. */
  expire() {
    this.poll();
    if (this._isClosed) return;
    this._conversation.expire(this._now());
    this.step();
  }

  /** Waits for something to happen, in a program that has no turn of its event loop to give. */
  wait(until) {
    this._transport.wait(Math.max(0, Math.min(until - this._now(), LONGEST_TIMER)));
  }

  get canWait() {
    return typeof this._transport.wait === "function";
  }

  /** Comes by at that time. */
  arm(until, isBusy) {
    if (this._connection !== null) this._connection.hold(isBusy);
    if (this._isClosed) return;
    // One that comes too soon does nothing and is made anew then, so that a hundred answers need not make a hundred.
    if (until < this._timerAt) this._begin(until);
    if (this._timer !== null) this._timer[isBusy && until < Infinity ? "ref" : "unref"]();
  }

  _begin(until) {
    clearTimeout(this._timer);
    this._timerAt = until;
    const milliseconds = Math.min(Math.max(0, Math.ceil(until - this._now())), LONGEST_TIMER);
    // After a pause of the program its answer may lie there unread: that is read before anybody is given up.
    this._timer = setTimeout(() => setImmediate(() => {
      this._timer = null;
      this._timerAt = Infinity;
      this.expire();
      this._onTurn();
    }), milliseconds);
  }

  close() {
    this._isClosed = true;
    clearTimeout(this._timer);
    this._drop();
    this._transport.close();
  }

  _connect() {
    this.loadContract();
    this._conversation.connecting(this._now());
    let path;
    try {
      path = this.place.checked();
    } catch (problem) {
      this._conversation.lost(this._now(), problem.message);
      return;
    }
    const connection = this._transport.open(path, {
      connected: () => this._happened(connection, (now) => this._conversation.connected(now)),
      received: (data) => this._happened(connection, (now) => this._conversation.received(data, now)),
      closed: (problem) => this._happened(connection, (now) => this._conversation.lost(now, problem)),
    });
    this._connection = connection;
  }

  _happened(connection, work) {
    if (connection !== this._connection || this._isClosed) return;
    work(this._now());
    this.step();
    this._onTurn();
  }

  _send() {
    const bytes = this._conversation.takeOutgoing();
    if (bytes !== null && this._connection !== null) this._connection.write(bytes);
  }

  _dropIfDown() {
    if (this._conversation.isDown) this._drop();
  }

  _drop() {
    const connection = this._connection;
    this._connection = null;
    if (connection !== null) connection.close();
  }
}

module.exports = { Line };
