"use strict";

// Seals and unseals bytes, texts, streams and files.

const fs = require("fs");
const form = require("./format");
const { SealingError } = require("./errors");
const { keysOf } = require("./keys");
const { FileSource, MemorySource, SealedReader } = require("./reader");
const { NewFile } = require("./replacing");
const { SealedWriter, Sealer, asBytes, sealed, unsealed } = require("./streams");

// Whoever opens a pipe in order to read it would wait for ever, and so would every file behind it.
const READING = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK;

/**
 * Seals with keys of a `Guard`, or of a source of keys (`keysOf`), which is asked once for each object. Errors are
 * SealingError; those of the system stay what they are.
 *
 *     const sealing = new Sealing(guard);
 *     const envelope = await sealing.protect(Buffer.from("Q3"), "work@contoso.com");
 *     await sealing.unprotect(envelope)                                                // <Buffer 51 33>
 */
class Sealing {
  constructor(keys) {
    this._keys = typeof keys === "function" ? keys : keysOf(keys);
  }

  // In memory

  /** The data as an envelope: sealed, or for an account that is not managed with a header that names it. */
  async protect(data, account) {
    const bytes = asBytes(data);
    if (bytes.length === 0) throw new SealingError(105);
    const sealer = await Sealer.of(account, this._keys);
    return Buffer.concat([sealer.header, ...sealer.take(bytes), ...sealer.end()]);
  }

  /** The data of an envelope. Bytes that are none come back unchanged; a damaged one is error 103. */
  async unprotect(data) {
    const bytes = asBytes(data);
    if (form.readHeader(bytes) === null) return bytes;
    const reader = await SealedReader.of(new MemorySource(bytes), this._keys);
    try {
      return await reader.read(0, reader.size);
    } finally {
      await reader.close();
    }
  }

  /** As `protect`, in base64. */
  async protectText(text, account) {
    if (typeof text !== "string" || Buffer.from(text).toString() !== text) {
      throw new SealingError(101, "", "that is no text");
    }
    return (await this.protect(Buffer.from(text), account)).toString("base64");
  }

  /** As `unprotect`, of base64; other text comes back unchanged. */
  async unprotectText(text) {
    const envelope = form.envelopeOfText(text);
    return envelope === null ? text : form.utf8(await this.unprotect(envelope), "it holds no text");
  }

  // Of any size, in constant memory

  /** Seals what is written, and gives it to `put`, which takes bytes and promises when they are written. */
  writer(put, account) {
    return SealedWriter.of(put, account, this._keys);
  }

  /** The envelope of a stream, or of any iterable of bytes, as an async iterable, for `Readable.from`. */
  sealed(source, account) {
    return sealed(source, account, this._keys);
  }

  /**
   * The data of a stream as an async iterable; what is no envelope comes unchanged. Do not act on it before the
   * iteration has ended: only its end says that nothing is missing.
   */
  unsealed(source) {
    return unsealed(source, this._keys);
  }

  /** A new sealed file, which takes the place of an old one with `finish`. `abandon` leaves the old one. */
  async create(path, account) {
    const file = await NewFile.of(path);
    try {
      const writer = await SealedWriter.of((bytes) => file.write(bytes), account, this._keys);
      return new FileWriter(file, writer);
    } catch (problem) {
      await file.abandon();
      throw problem;
    }
  }

  /** A sealed file to read at any place; close it. Error 104 for one that is no envelope. */
  async open(path) {
    const handle = await fs.promises.open(path, READING);
    try {
      return await SealedReader.of(await FileSource.of(handle), this._keys);
    } catch (problem) {
      await handle.close().catch(() => undefined);
      throw problem;
    }
  }

  /** Reads bytes in memory at any place, as `open` reads a file. */
  reader(data) {
    return SealedReader.of(new MemorySource(asBytes(data)), this._keys);
  }
}

/** A file that appears at its place with `finish`, whole or not at all. */
class FileWriter {
  /** `writer` is what seals, or null for a file that stays in plain. */
  constructor(file, writer) {
    this._file = file;
    this._writer = writer;
    this._isOver = false;
  }

  get isSealed() {
    return this._writer !== null;
  }

  /** Takes all of it. An error ends it, and leaves the old file. */
  write(data) {
    this._mustGoOn();
    const { _writer: writer, _file: file } = this;
    return this._orAbandoned(() => (writer === null ? file.write(asBytes(data)) : writer.write(data)));
  }

  async finish() {
    this._mustGoOn();
    if (this._writer !== null) await this._orAbandoned(() => this._writer.finish());
    this._isOver = true;
    await this._file.finish();
  }

  /** Leaves the old file. Harmless after `finish`. */
  async abandon() {
    if (this._isOver) return;
    this._isOver = true;
    if (this._writer !== null) this._writer.abandon();
    await this._file.abandon();
  }

  async _orAbandoned(work) {
    try {
      await work();
    } catch (problem) {
      await this.abandon();
      throw problem;
    }
  }

  _mustGoOn() {
    if (this._isOver) throw new SealingError(101, "", "it has ended");
  }
}

/**
 * Whose data is, by its header: asks for no key, and needs no more than the first kilobyte and a half. Null for data
 * that is no envelope. It is a claim: of sealed data it is true once the data was unsealed, of unmanaged data never
 * more than what somebody said.
 */
function protectionInfo(data) {
  const header = form.readHeader(asBytes(data));
  return header === null ? null : header.info;
}

/** As `protectionInfo`, of base64. */
function protectionInfoOfText(text) {
  const envelope = form.envelopeOfText(text);
  return envelope === null ? null : protectionInfo(envelope);
}

/** As `protectionInfo`, of a file. An empty file is error 105. */
async function fileProtectionInfo(path) {
  const handle = await fs.promises.open(path, READING);
  try {
    const source = await FileSource.of(handle);
    return protectionInfo(await source.readAt(0, form.LONGEST_HEADER));
  } finally {
    await handle.close();
  }
}

module.exports = { FileWriter, Sealing, fileProtectionInfo, protectionInfo, protectionInfoOfText };
