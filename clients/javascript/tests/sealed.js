"use strict";

// The shared vectors of sealed data, and sources of keys for tests.

const crypto = require("crypto");
const { Sealing } = require("../sealing");
const { Sealer } = require("../sealing/lib/streams");
const { vectors } = require("./case");

const TABLE = vectors("sealed");
const KEYS = new Map(TABLE.keys.map((row) => [row.object, row]));

/** A source that has the keys of the vectors. It notes what it is asked. */
function vault() {
  const source = async (request) => {
    source.asked.push(request);
    const row = KEYS.get(request.objectId);
    return row ? { key: Buffer.from(row.key, "hex"), keyId: row.keyId, accountId: row.accountId } : null;
  };
  source.asked = [];
  return source;
}

/** A source that has a key for every object. */
function always() {
  const source = async (request) => {
    source.asked.push(request);
    const key = crypto.createHash("sha256").update(request.objectId).digest();
    return { key, keyId: "ab".repeat(16), accountId: "cd".repeat(16) };
  };
  source.asked = [];
  return source;
}

/** So many bytes that a seed tells, as sealed_vectors.py makes them. */
function filled(seed, length) {
  const blocks = [];
  for (let number = 0; number * 32 < length; number += 1) {
    const place = Buffer.alloc(8);
    place.writeUInt32BE(number, 4);
    blocks.push(crypto.createHash("sha256").update(seed).update(place).digest());
  }
  return Buffer.concat(blocks).slice(0, length);
}

const dataOf = ({ plain }) => filled(plain.seed, plain.length);

/** What the writer makes of a vector, given so many bytes at a time. */
async function made(row, step = null) {
  const data = dataOf(row);
  const chunk = Math.pow(2, row.exponent);
  const sealer = await Sealer.of("work@contoso.com", vault(), { objectId: row.object, chunk });
  const pieces = [sealer.header];
  const each = step || Math.max(1, data.length);
  for (let place = 0; place < data.length; place += each) pieces.push(...sealer.take(data.slice(place, place + each)));
  return Buffer.concat([...pieces, ...sealer.end()]);
}

const ENVELOPES = Promise.all(TABLE.sealed.map(async (row) => [row.name, await made(row)]))
  .then((all) => new Map(all));

/** The bytes of a damaged vector. */
async function damagedBytes({ pieces, xor = [] }) {
  const envelopes = await ENVELOPES;
  const bytes = Buffer.concat(pieces.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "hex")
    : envelopes.get(piece.of).slice(piece.from, piece.to))));
  for (const [place, mask] of xor) bytes[place] ^= mask;
  return bytes;
}

/** All that an iterable gives. */
async function whole(iterable) {
  const pieces = [];
  for await (const piece of iterable) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** So many bytes at a time, as a pipe gives them. */
function* little(bytes, step = 1000) {
  for (let place = 0; place < bytes.length; place += step) yield bytes.slice(place, place + step);
}

/** The ways to read: each gives the data, or fails with SealingError. */
function readers(sealing = new Sealing(vault())) {
  const fromFile = async (bytes) => {
    const reader = await sealing.reader(bytes);
    try {
      return await whole(reader);
    } finally {
      await reader.close();
    }
  };
  return { unprotect: (bytes) => sealing.unprotect(bytes), streamed: (bytes) => whole(sealing.unsealed(little(bytes))),
    fromFile };
}

/** What a promise gives, or `code reason` of its SealingError. */
async function outcome(work) {
  try {
    return await work();
  } catch (problem) {
    if (problem.name !== "SealingError" && problem.name !== "FileProtectionError") throw problem;
    return `${problem.code} ${problem.reason || ""}`.trim();
  }
}

module.exports = {
  ENVELOPES, KEYS, TABLE, always, damagedBytes, dataOf, little, made, outcome, readers, vault, whole,
};
