"use strict";

// The bytes of an envelope, without any cryptography but sums. docs/sealed-data.md says each of them.

const crypto = require("crypto");
const { SealingError, damaged } = require("./errors");

const MAGIC = Buffer.from("89575647310d0a1a", "hex");
const VERSION = 1;
const SEALED = 0x53;
const UNMANAGED = 0x2d;
const PREFIX = 16;
// Places of the magic that make bytes an envelope, if only a damaged one.
const NEARLY = 5;
const IDS = 80;
const HEADER = 112;
const TAG = 16;
const [LEAST_EXPONENT, MOST_EXPONENT] = [12, 20];
const CHUNK = 65536;
const LONGEST_DATA = Math.pow(2, 44);
const LONGEST_NAME = 1024;
const SUM = 32;
/** As many bytes as a reader needs to know all of a header. */
const LONGEST_HEADER = PREFIX + 2 + LONGEST_NAME + SUM;

/** The base64 of every envelope begins so, and a text is one that agrees in so many of these characters. */
const TEXT_PREFIX = "iVdWRzENCh";
const TEXT_NEARLY = 6;

/** The header of sealed data. Nothing in it is true before the commitment was checked. */
class SealedHeader {
  constructor(raw) {
    this.raw = raw;
    this.chunk = Math.pow(2, raw[10]);
    this.ids = raw.slice(0, IDS);
    this.commitment = raw.slice(IDS, HEADER);
    const [accountId, keyId, objectId] = [[16, 32], [32, 48], [48, IDS]].map(([from, to]) => (
      raw.toString("hex", from, to)));
    this.info = Object.freeze({ isSealed: true, account: null, accountId, keyId, objectId });
  }

  /** How many chunks lie in so many bytes behind the header, and the length of the last one with its tag. */
  chunks(length) {
    const unit = this.chunk + TAG;
    const count = Math.ceil(length / unit);
    const last = length - (count - 1) * unit;
    if (count === 0 || last < TAG || (last === TAG && count > 1)) throw damaged("a part is missing");
    if (length - count * TAG > LONGEST_DATA) throw damaged("it is too long");
    return { count, last };
  }
}

/** The header of unmanaged data: whose it is, as somebody said, and the number of bytes before the data. */
class UnmanagedHeader {
  constructor(account, length) {
    this.length = length;
    this.info = Object.freeze({ isSealed: false, account, accountId: null, keyId: null, objectId: null });
  }
}

/** The header of sealed data without its commitment; ids are hexadecimal digits. */
function sealedIds(accountId, keyId, objectId, chunk = CHUNK) {
  return Buffer.concat([prefix(SEALED, Math.log2(chunk)), Buffer.from(accountId + keyId + objectId, "hex")]);
}

function unmanagedHeader(account) {
  const name = accountName(account);
  const head = Buffer.concat([prefix(UNMANAGED, 0), Buffer.from([name.length >> 8, name.length & 255]), name]);
  return Buffer.concat([head, sha256(head)]);
}

/** The bytes of an account's name; error 101 for what can be none. */
function accountName(account) {
  const name = typeof account === "string" ? Buffer.from(account) : null;
  // A half of a surrogate pair comes back as another character.
  if (name === null || name.length > LONGEST_NAME || name.includes(0) || name.toString() !== account) {
    throw new SealingError(101, "", "no account has such a name");
  }
  return name;
}

/** The header at the beginning of data; null for foreign data. `start` has all of the data, or LONGEST_HEADER bytes. */
function readHeader(start) {
  if (start.length === 0) throw new SealingError(105);
  const present = Math.min(start.length, MAGIC.length);
  let agree = 0;
  for (let place = 0; place < present; place += 1) agree += start[place] === MAGIC[place] ? 1 : 0;
  if (agree < Math.min(present, NEARLY)) return null;
  if (agree < MAGIC.length || start.length < PREFIX) throw damaged("the beginning of the header");
  checkVersion(start);
  return start[9] === SEALED ? readSealed(start) : readUnmanaged(start);
}

function checkVersion(start) {
  const [version, kind, exponent] = start.slice(8, 11);
  if (version > VERSION) throw newer(`version ${version}: an update of webviewguard may know it`);
  if (version !== VERSION || (kind !== SEALED && kind !== UNMANAGED)) throw damaged("version or kind");
  const hasFlags = start.slice(11, PREFIX).some((flags) => flags !== 0);
  if (hasFlags) throw newer("flags that an update of webviewguard may know");
  const fits = kind === SEALED ? exponent >= LEAST_EXPONENT && exponent <= MOST_EXPONENT : exponent === 0;
  if (!fits) throw damaged("the size of the chunks");
}

function readSealed(start) {
  if (start.length < HEADER) throw damaged("the header was cut off");
  return new SealedHeader(Buffer.from(start.slice(0, HEADER)));
}

function readUnmanaged(start) {
  const length = start.length < PREFIX + 2 ? LONGEST_NAME + 1 : start.readUInt16BE(PREFIX);
  const end = PREFIX + 2 + length;
  const [name, said] = [start.slice(PREFIX + 2, end), start.slice(end, end + SUM)];
  if (length > LONGEST_NAME || said.length < SUM || !sha256(start.slice(0, end)).equals(said) || name.includes(0)) {
    throw damaged("the owner's name");
  }
  return new UnmanagedHeader(utf8(name, "the owner's name"), end + SUM);
}

/** The bytes of a text that is an envelope; null for any other. */
function envelopeOfText(text) {
  if (typeof text !== "string") throw new SealingError(101, "", "that is no text");
  if (text === "") throw new SealingError(105);
  let agree = 0;
  for (let place = 0; place < Math.min(text.length, TEXT_PREFIX.length); place += 1) {
    agree += text[place] === TEXT_PREFIX[place] ? 1 : 0;
  }
  if (agree < TEXT_NEARLY) return null;
  const whole = Buffer.from(text, "base64");
  if (whole.toString("base64") !== text || !whole.slice(0, MAGIC.length).equals(MAGIC)) {
    throw damaged("it is no canonical base64");
  }
  return whole;
}

/** The text of bytes, with every byte accounted for. */
function utf8(bytes, what) {
  const text = bytes.toString();
  if (!Buffer.from(text).equals(bytes)) throw damaged(what);
  return text;
}

function prefix(kind, exponent) {
  return Buffer.concat([MAGIC, Buffer.from([VERSION, kind, exponent]), Buffer.alloc(5)]);
}

function sha256(bytes) {
  return crypto.createHash("sha256").update(bytes).digest();
}

function newer(text) {
  return new SealingError(103, "newer", text);
}

module.exports = {
  CHUNK, HEADER, LONGEST_DATA, LONGEST_HEADER, SealedHeader, TAG, UnmanagedHeader, accountName, envelopeOfText,
  readHeader, sealedIds, sha256, unmanagedHeader, utf8,
};
