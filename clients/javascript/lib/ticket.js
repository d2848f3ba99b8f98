"use strict";

/** What will come of a call: a value or an error, once. `then` is called at that moment, in the middle of the work. */
class Ticket {
  constructor() {
    this.isDone = false;
    this._value = undefined;
    this._error = null;
    this._then = null;
  }

  static of(value) {
    const ticket = new Ticket();
    ticket.resolve(value);
    return ticket;
  }

  resolve(value) {
    this._value = value;
    this._end();
  }

  fail(error) {
    this._error = error;
    this._end();
  }

  /** The value; throws the error. */
  result() {
    if (this._error !== null) throw this._error;
    return this._value;
  }

  promise() {
    return new Promise((resolve, reject) => {
      this._then = () => (this._error === null ? resolve(this._value) : reject(this._error));
      if (this.isDone) this._then();
    });
  }

  _end() {
    this.isDone = true;
    if (this._then !== null) this._then();
  }
}

module.exports = { Ticket };
