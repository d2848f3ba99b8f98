"use strict";

// Sealed streams of any size, in constant memory.

const crypto = require("crypto");
const form = require("./format");
const { SealingError } = require("./errors");
const { knownChunks, newChunks } = require("./keys");

const { CHUNK, HEADER, LONGEST_DATA, LONGEST_HEADER, SealedHeader, TAG } = form;

/** Makes the pieces of one envelope, without knowing where they go. */
class Sealer {
  /** For an account's new object; `chunk` is what the vectors vary. */
  static async of(account, keys, { objectId = crypto.randomBytes(32).toString("hex"), chunk = CHUNK } = {}) {
    const name = form.accountName(account);
    const key = name.length > 0 ? await keys({ use: "write", account, objectId, keyId: null }) : null;
    if (key === null) return new Sealer(form.unmanagedHeader(account), null, chunk);
    const { header, chunks } = newChunks(key, form.sealedIds(key.accountId, key.keyId, objectId, chunk));
    return new Sealer(header, chunks, chunk);
  }

  constructor(header, chunks, chunk) {
    this.header = header;
    this._chunks = chunks;
    this._chunk = chunk;
    this._held = chunks === null ? null : Buffer.allocUnsafe(chunk);
    this._filled = 0;
    this._number = 0;
    this._length = 0;
    this.isOver = false;
  }

  /** The pieces that these bytes complete. One chunk is held back, until it is known whether it is the last. */
  take(data) {
    this._mustGoOn();
    const bytes = asBytes(data);
    this._length += bytes.length;
    if (this._length > LONGEST_DATA) {
      this.abandon();
      throw new SealingError(102, "tooLong");
    }
    // The caller may write into its bytes again before they are written.
    if (this._chunks === null) return bytes.length > 0 ? [Buffer.from(bytes)] : [];
    const pieces = [];
    for (let place = 0; place < bytes.length;) {
      if (this._filled === this._chunk) this._seal(pieces, this._held);
      if (this._filled === 0 && bytes.length - place > this._chunk) {
        this._seal(pieces, bytes.slice(place, place + this._chunk));
        place += this._chunk;
      } else {
        const taken = bytes.copy(this._held, this._filled, place, place + this._chunk - this._filled);
        this._filled += taken;
        place += taken;
      }
    }
    return pieces;
  }

  /** The last pieces. */
  end() {
    this._mustGoOn();
    const pieces = this._chunks === null ? []
      : this._chunks.seal(this._number, true, this._held.slice(0, this._filled));
    this.abandon();
    return pieces;
  }

  /** Ends it without a last chunk: what was made cannot be read. */
  abandon() {
    if (this._chunks !== null && !this.isOver) {
      this._chunks.end();
      this._held.fill(0);
    }
    this.isOver = true;
  }

  _seal(pieces, data) {
    pieces.push(...this._chunks.seal(this._number, false, data));
    this._number += 1;
    this._filled = 0;
  }

  _mustGoOn() {
    if (this.isOver) throw new SealingError(101, "", "it has ended");
  }
}

/**
 * Seals what is written. `finish` writes the last chunk; without it the envelope is damaged, as it should be when
 * somebody stopped half way.
 */
class SealedWriter {
  /** `put` takes bytes, and promises when they are written. */
  static async of(put, account, keys) {
    const sealer = await Sealer.of(account, keys);
    const writer = new SealedWriter(put, sealer);
    await writer._put([sealer.header]);
    return writer;
  }

  constructor(put, sealer) {
    this._target = put;
    this._sealer = sealer;
    this._written = Promise.resolve();
  }

  /** Takes all of it. Writes that are not waited for keep their order. */
  async write(data) {
    await this._put(this._sealer.take(data));
  }

  async finish() {
    await this._put(this._sealer.end());
  }

  /** Ends it without a last chunk. */
  abandon() {
    this._sealer.abandon();
  }

  /** An error ends it: a second try would seal other data under the number of a chunk that was written before. */
  async _put(pieces) {
    const put = this._written.then(async () => {
      for (const piece of pieces) await this._target(piece);
    });
    this._written = put;
    // A caller that waits for it hears of its error.
    put.catch(() => this._sealer.abandon());
    await put;
  }
}

/** The envelope of what an iterable gives, piece by piece. */
async function* sealed(source, account, keys) {
  const sealer = await Sealer.of(account, keys);
  try {
    yield sealer.header;
    for await (const data of source) yield* sealer.take(data);
    yield* sealer.end();
  } finally {
    sealer.abandon();
  }
}

/**
 * The data of a stream, chunk by chunk; a foreign stream unchanged. Only the end of the iteration says that nothing is
 * missing: nobody may act before that.
 */
async function* unsealed(source, keys) {
  const bytes = new Gathered(source);
  try {
    const start = await bytes.upTo(LONGEST_HEADER);
    const header = form.readHeader(start);
    if (header instanceof SealedHeader) {
      yield* opened(header, bytes, keys);
      return;
    }
    bytes.drop(header === null ? 0 : header.length);
    for (let piece = await bytes.some(); piece !== null; piece = await bytes.some()) yield piece;
  } finally {
    await bytes.end();
  }
}

async function* opened(header, bytes, keys) {
  const chunks = await knownChunks(header, keys);
  const unit = header.chunk + TAG;
  bytes.drop(HEADER);
  try {
    let number = 0;
    let held = await bytes.upTo(unit + 1);
    for (; held.length > unit; held = await bytes.upTo(unit + 1)) {
      header.chunks((number + 1) * unit + TAG + 1);
      const data = chunks.open(number, false, held.slice(0, unit));
      bytes.drop(unit);
      number += 1;
      yield data;
    }
    header.chunks(number * unit + held.length);
    yield chunks.open(number, true, held);
  } finally {
    chunks.end();
  }
}

/** The bytes of an iterable, so many at a time. */
class Gathered {
  constructor(source) {
    const begin = source[Symbol.asyncIterator] || source[Symbol.iterator];
    if (typeof begin !== "function") throw new SealingError(101, "", "a source is an iterable of bytes");
    this._source = begin.call(source);
    this._pieces = [];
    this._length = 0;
    this._isOver = false;
  }

  /** So many bytes, or all that there are; they stay until they are dropped. */
  async upTo(length) {
    while (this._length < length && await this._next());
    if (this._pieces.length > 1 && this._pieces[0].length < Math.min(length, this._length)) {
      this._pieces = [Buffer.concat(this._pieces)];
    }
    return this._pieces.length > 0 ? this._pieces[0].slice(0, length) : Buffer.alloc(0);
  }

  drop(length) {
    this._length -= length;
    for (let left = length; left > 0;) {
      const [first] = this._pieces;
      if (first.length > left) this._pieces[0] = first.slice(left);
      else this._pieces.shift();
      left -= Math.min(left, first.length);
    }
  }

  /** What comes next; null at the end. */
  async some() {
    if (this._length === 0 && !(await this._next())) return null;
    const piece = this._pieces[0];
    this.drop(piece.length);
    return piece;
  }

  /** Lets go of a source that was not read to its end. */
  async end() {
    if (!this._isOver && typeof this._source.return === "function") await this._source.return();
  }

  async _next() {
    for (;;) {
      const { done, value } = await this._source.next();
      this._isOver = Boolean(done);
      if (done) return false;
      const bytes = asBytes(value);
      if (bytes.length === 0) continue;
      this._pieces.push(bytes);
      this._length += bytes.length;
      return true;
    }
  }
}

/** Bytes as a Buffer upon the same memory; error 101 for what is none, such as a text. */
function asBytes(data) {
  if (Buffer.isBuffer(data)) return data;
  if (ArrayBuffer.isView(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (data instanceof ArrayBuffer) return Buffer.from(data);
  throw new SealingError(101, "", "that is no bytes");
}

module.exports = { SealedWriter, Sealer, asBytes, sealed, unsealed };
