"use strict";

// Reads sealed data at any place. The last chunk is opened first: then the length is true.

const form = require("./format");
const { SealingError, damaged } = require("./errors");
const { knownChunks } = require("./keys");

const { HEADER, LONGEST_HEADER, TAG, UnmanagedHeader } = form;

/** Bytes in memory, read as a file is. */
class MemorySource {
  constructor(bytes) {
    this._bytes = bytes;
    this.size = bytes.length;
  }

  async readAt(place, length) {
    return this._bytes.slice(place, place + length);
  }

  async close() {
    this._bytes = null;
  }
}

/** A file that is open. */
class FileSource {
  static async of(handle) {
    const source = new FileSource();
    source._handle = handle;
    source.size = (await handle.stat()).size;
    return source;
  }

  /** So many bytes, or all that there are. */
  async readAt(place, length) {
    const bytes = Buffer.allocUnsafe(length);
    for (let filled = 0; ;) {
      const { bytesRead } = await this._handle.read(bytes, filled, length - filled, place + filled);
      filled += bytesRead;
      if (bytesRead === 0 || filled === length) return bytes.slice(0, filled);
    }
  }

  close() {
    return this._handle.close();
  }
}

/** Reads an envelope at any place. In unmanaged data it reads the bytes behind the header. */
class SealedReader {
  /** Opens a source, which is closed with the reader. Error 104 for one that is no envelope. */
  static async of(source, keys) {
    const reader = new SealedReader(source);
    try {
      await reader._open(keys);
    } catch (problem) {
      await reader.close();
      throw problem;
    }
    return reader;
  }

  constructor(source) {
    this._source = source;
    this._chunks = null;
    this._kept = { number: -1, data: null };
    this._isClosed = false;
    /** The length of the data. */
    this.size = 0;
    /** Whose the data is. */
    this.info = null;
  }

  /** The bytes here: fewer at the end of the data, and none behind it. */
  async read(place, length) {
    if (!(Number.isSafeInteger(place) && Number.isSafeInteger(length) && place >= 0 && length >= 0)) {
      throw new SealingError(101, "", "there is no such place");
    }
    const end = Math.min(this.size, place + length);
    const pieces = [];
    for (let at = place; at < end;) {
      const piece = await this._piece(at, end - at);
      pieces.push(piece);
      at += piece.length;
    }
    this._mustBeOpen();
    return Buffer.concat(pieces);
  }

  /** All data, chunk by chunk. */
  async* [Symbol.asyncIterator]() {
    const step = this._header.chunk || form.CHUNK;
    for (let place = 0; place < this.size; place += step) yield this.read(place, step);
  }

  async close() {
    if (this._isClosed) return;
    this._isClosed = true;
    this._kept = { number: -1, data: null };
    if (this._chunks !== null) this._chunks.end();
    await this._source.close();
  }

  async _open(keys) {
    const { size } = this._source;
    this._header = form.readHeader(await this._readAt(0, Math.min(LONGEST_HEADER, size)));
    if (this._header === null) throw new SealingError(104, "", "it is no envelope");
    this.info = this._header.info;
    if (this._header instanceof UnmanagedHeader) {
      this.size = size - this._header.length;
      return;
    }
    const { count, last } = this._header.chunks(size - HEADER);
    Object.assign(this, { _count: count, _last: last });
    this._chunks = await knownChunks(this._header, keys);
    await this._chunk(count - 1);
    this.size = (count - 1) * this._header.chunk + last - TAG;
  }

  /** Some of the bytes here: not more than one chunk has. */
  async _piece(place, wanted) {
    if (this._chunks === null) return this._readAt(this._header.length + place, Math.min(wanted, form.CHUNK));
    const { chunk } = this._header;
    const within = place % chunk;
    return (await this._chunk((place - within) / chunk)).slice(within, within + wanted);
  }

  async _chunk(number) {
    if (this._kept.number === number) return this._kept.data;
    const unit = this._header.chunk + TAG;
    const isLast = number === this._count - 1;
    const bytes = await this._readAt(HEADER + number * unit, isLast ? this._last : unit);
    this._mustBeOpen();
    const data = this._chunks.open(number, isLast, bytes);
    this._kept = { number, data };
    return data;
  }

  async _readAt(place, length) {
    this._mustBeOpen();
    const bytes = await this._source.readAt(place, length);
    if (bytes.length < length) throw damaged("the file became shorter");
    return bytes;
  }

  _mustBeOpen() {
    if (this._isClosed) throw new SealingError(101, "", "it is closed");
  }
}

module.exports = { FileSource, MemorySource, SealedReader };
