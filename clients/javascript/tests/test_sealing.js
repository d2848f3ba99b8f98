"use strict";

// Sealed data (docs/sealed-data.md): the vectors of all clients, and what no table can state.

const assert = require("assert");
const crypto = require("crypto");
const fs = require("fs");
const path = require("path");
const v8 = require("v8");
const vm = require("vm");
const zlib = require("zlib");
const sealingPackage = require("../sealing");
const { Chunks } = require("../sealing/lib/keys");
const { Sealing, SealingError, protectionInfo, protectionInfoOfText } = sealingPackage;
const { ENVELOPES, KEYS, TABLE, always, damagedBytes, dataOf, little, made, outcome, readers, vault, whole } =
  require("./sealed");
const { each } = require("./case");
const { eventually } = require("./cleanup");

const ROOT = path.join(__dirname, "../sealing");
const THREE = "12/8200";
// Bytes of what a user downloads.
const LARGEST = 20480;
const same = (found, wanted, what) => assert.ok(Buffer.isBuffer(found) && found.equals(wanted), `${what}: ${found}`);

async function flipped(place, bit) {
  const bytes = Buffer.from((await ENVELOPES).get(THREE));
  bytes[place] ^= 1 << bit;
  return bytes;
}

module.exports = {
  "vectors: what is written": () => each(TABLE.sealed, async (row) => {
    for (const step of [null, 1000, 4096, 70000]) {
      const envelope = await made(row, step);
      const { digits, base64, length, sha256 } = row.envelope;
      if (sha256) {
        assert.deepStrictEqual([envelope.length, crypto.createHash("sha256").update(envelope).digest("hex")],
          [length, sha256]);
      } else {
        same(envelope, digits ? Buffer.from(digits, "hex") : Buffer.from(base64, "base64"), `${row.name} by ${step}`);
      }
    }
  }),

  "vectors: what is read": () => each(TABLE.sealed, async (row) => {
    const envelope = (await ENVELOPES).get(row.name);
    const all = readers();
    for (const name of Object.keys(all)) same(await all[name](envelope), dataOf(row), name);
    const { accountId, keyId } = KEYS.get(row.object);
    assert.deepStrictEqual(protectionInfo(envelope.slice(0, 112)),
      { isSealed: true, account: null, accountId, keyId, objectId: row.object });
  }),

  "vectors: unmanaged data names its owner": () => each(TABLE.unmanaged, async ({ account, plain, envelope }) => {
    const [data, bytes] = [plain, envelope].map((digits) => Buffer.from(digits, "hex"));
    const all = readers();
    for (const name of Object.keys(all)) same(await all[name](bytes), data, name);
    assert.strictEqual(protectionInfo(bytes).account, account);
    same(await whole(new Sealing(async () => null).sealed([data], account)), bytes, account);
  }),

  "vectors: foreign data comes back unchanged": () => each(TABLE.foreign, async ({ data }) => {
    const bytes = Buffer.from(data, "hex");
    const { unprotect, streamed, fromFile } = readers();
    for (const read of [unprotect, streamed]) same(await read(bytes), bytes, data);
    assert.deepStrictEqual([protectionInfo(bytes), await outcome(() => fromFile(bytes))], [null, "104"]);
  }),

  "vectors: damage is noticed": async () => {
    assert.ok(TABLE.damaged.length > 120);
    await each(TABLE.damaged, async (row) => {
      const bytes = await damagedBytes(row);
      const all = readers();
      for (const name of Object.keys(all)) {
        assert.strictEqual(await outcome(() => all[name](bytes)), `${row.code} ${row.reason}`.trim(), name);
      }
    });
  },

  "vectors: texts": () => each(TABLE.texts, async (row) => {
    const found = await outcome(() => new Sealing(vault()).unprotectText(row.text));
    if (row.code) {
      assert.strictEqual(found, `${row.code} ${row.reason}`.trim());
    } else {
      assert.strictEqual(found, "plain" in row ? row.plain : row.text);
      assert.strictEqual(protectionInfoOfText(row.text) !== null, "plain" in row);
    }
  }),

  "each bit that flips is noticed": async () => {
    const { unprotect, streamed, fromFile } = readers();
    const { length } = (await ENVELOPES).get(THREE);
    for (let place = 0; place < length; place += place < 140 || place > length - 40 ? 1 : 61) {
      for (let bit = 0; bit < 8; bit += 1) {
        const bytes = await flipped(place, bit);
        for (const read of place < 112 ? [unprotect, streamed, fromFile] : [unprotect]) {
          assert.strictEqual((await outcome(() => read(bytes))).slice(0, 3), "103", `${place} ${bit}`);
        }
      }
    }
  },

  "each length that is cut is noticed": async () => {
    const { unprotect, streamed } = readers();
    const envelope = (await ENVELOPES).get(THREE);
    for (let length = 1; length < envelope.length; length += length < 200 ? 1 : 13) {
      for (const read of [unprotect, streamed]) {
        assert.strictEqual(await outcome(() => read(envelope.slice(0, length))), "103 damaged", length);
      }
    }
  },

  "nothing is decrypted before the commitment, and nothing read before the last chunk": async (test) => {
    const opened = [];
    const real = Chunks.prototype.open;
    test.add(() => { Chunks.prototype.open = real; });
    Chunks.prototype.open = function open(number, isLast, bytes) {
      opened.push([number, isLast]);
      return real.call(this, number, isLast, bytes);
    };
    const all = readers();
    const bytes = await flipped(90, 0);
    for (const name of Object.keys(all)) assert.strictEqual(await outcome(() => all[name](bytes)), "103 damaged");
    assert.deepStrictEqual(opened, []);
    const reader = await new Sealing(vault()).reader((await ENVELOPES).get(THREE));
    assert.deepStrictEqual(opened, [[2, true]]);
    await reader.read(10, 10);
    assert.deepStrictEqual(opened, [[2, true], [0, false]]);
  },

  "any place is read, and a damaged chunk alone is refused": async () => {
    const data = dataOf(TABLE.sealed.find(({ name }) => name === THREE));
    const reader = await new Sealing(vault()).reader(await flipped(112 + 4112 + 5, 3));
    assert.strictEqual(reader.size, 8200);
    for (const [place, length] of [[0, 4096], [17, 100], [8192, 100], [8200, 1], [9000, 5], [4000, 0]]) {
      same(await reader.read(place, length), data.slice(place, place + length), `${place}`);
    }
    for (const [place, length] of [[4096, 1], [4000, 100], [0, 8200]]) {
      assert.strictEqual(await outcome(() => reader.read(place, length)), "103 damaged");
    }
    for (const place of [-1, 0.5, NaN, "1", Infinity]) {
      assert.strictEqual(await outcome(() => reader.read(place, 1)), "101");
    }
    await reader.close();
    assert.strictEqual(await outcome(() => reader.read(0, 1)), "101");
  },

  "a stream that is left lets go of its source, and what follows a damaged chunk never comes": async () => {
    let isLeft = false;
    async function* source(bytes) {
      try {
        yield* little(bytes);
      } finally {
        isLeft = true;
      }
    }
    for await (const piece of new Sealing(vault()).unsealed(source((await ENVELOPES).get(THREE)))) {
      assert.strictEqual(piece.length, 4096);
      break;
    }
    assert.ok(isLeft);
    const heard = [];
    const bytes = await flipped(112 + 4112 + 5, 3);
    assert.strictEqual(await outcome(async () => {
      for await (const piece of new Sealing(vault()).unsealed(little(bytes))) heard.push(piece.length);
    }), "103 damaged");
    assert.deepStrictEqual(heard, [4096]);
  },

  "without a key nothing is read or written": async () => {
    const all = readers(new Sealing(async () => null));
    const envelope = (await ENVELOPES).get(THREE);
    for (const name of Object.keys(all)) assert.strictEqual(await outcome(() => all[name](envelope)), "103 noKey");
    const keys = vault();
    await new Sealing(keys).unprotect(envelope);
    const { object } = TABLE.sealed.find(({ name }) => name === THREE);
    const { accountId, keyId } = KEYS.get(object);
    assert.deepStrictEqual(keys.asked, [{ use: "read", account: accountId, objectId: object, keyId }]);
  },

  "the daemon's errors and answers": async () => {
    const guard = (answer) => ({ call: async () => answer() });
    const failing = (code) => guard(() => { throw Object.assign(new Error(code), { name: "GuardError", code }); });
    const envelope = (await ENVELOPES).get(THREE);
    for (const code of ["NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy"]) {
      assert.strictEqual(await outcome(() => new Sealing(failing(code)).protect(Buffer.from("x"), "a")), "100");
    }
    for (const code of ["KeyWithheld", "KeyDestroyed", "UnknownAccount", "noAnswer", "LimitReached", "NotManaged"]) {
      const sealing = new Sealing(failing(code));
      assert.strictEqual(await outcome(() => sealing.unprotect(envelope)), "103 noKey");
      if (code === "NotManaged") continue;
      assert.strictEqual(await outcome(() => sealing.protect(Buffer.from("x"), "a")), "102 noKey");
    }
    const unmanaged = await new Sealing(failing("NotManaged")).protect(Buffer.from("x"), "a");
    assert.strictEqual(protectionInfo(unmanaged).account, "a");
    const good = { key: "00".repeat(32), keyId: "00".repeat(16), accountId: "00".repeat(16) };
    const bad = [{}, { ...good, key: "00" }, { ...good, key: "0G".repeat(32) }, { ...good, keyId: 7 },
      { ...good, accountId: "AB".repeat(16) }];
    for (const answer of bad) {
      assert.ok(/noKey/.test(await outcome(() => new Sealing(guard(() => answer)).protect(Buffer.from("x"), "a"))));
    }
  },

  "arguments that are none": async () => {
    const sealing = new Sealing(always());
    for (const name of [null, 1, "a".repeat(1025), "é".repeat(513), "a\0b", "\ud800"]) {
      assert.strictEqual(await outcome(() => sealing.protect(Buffer.from("x"), name)), "101");
    }
    for (const data of ["text", 7, null, [1]]) {
      assert.strictEqual(await outcome(() => sealing.protect(data, "a")), "101");
    }
    for (const text of ["\ud800", 7]) assert.strictEqual(await outcome(() => sealing.protectText(text, "a")), "101");
    assert.strictEqual(await outcome(() => whole(sealing.sealed(7, "a"))).catch(() => "TypeError"), "TypeError");
    const empty = [() => sealing.protect(Buffer.alloc(0), "a"), () => sealing.unprotect(new Uint8Array(0)),
      () => sealing.protectText("", "a"), async () => protectionInfo(Buffer.alloc(0)),
      () => sealing.reader(Buffer.alloc(0))];
    for (const call of empty) assert.strictEqual(await outcome(call), "105");
    assert.deepStrictEqual([100, 101, 102, 103, 104, 105].map((code) => new SealingError(code).word),
      ["appNotManaged", "invalidArguments", "encryptFailed", "decryptFailed", "notProtected", "emptyData"]);
  },

  "what is sealed comes back, also from bytes that change afterwards": async () => {
    const keys = always();
    const sealing = new Sealing(keys);
    for (const text of ["x", "Grüße", "\0", "\ufeffa", "😀".repeat(30000)]) {
      assert.strictEqual(await sealing.unprotectText(await sealing.protectText(text, "a")), text);
    }
    const inner = await sealing.protect(new Uint8Array([1, 2]), "a");
    same(await sealing.unprotect(await sealing.protect(inner, "b")), inner, "an envelope in an envelope");
    assert.strictEqual(new Set(keys.asked.map(({ objectId }) => objectId)).size, 7);
    const pieces = [];
    const writer = await sealing.writer(async (bytes) => { await null; pieces.push(Buffer.from(bytes)); }, "a");
    const bytes = Buffer.alloc(70000, 1);
    const writes = [];
    // Not waited for: the order stays.
    for (let value = 1; value < 6; value += 1) writes.push(writer.write(bytes.fill(value)));
    await writer.finish();
    await Promise.all(writes);
    const read = await sealing.unprotect(Buffer.concat(pieces));
    assert.deepStrictEqual([read.length, read[0], read[70000], read[349999]], [350000, 1, 2, 5]);
    assert.strictEqual(await outcome(() => writer.write(bytes)), "101");
  },

  "a writer that failed seals nothing more": async () => {
    let count = 0;
    const writer = await new Sealing(always()).writer(async () => {
      count += 1;
      if (count > 2) throw new Error("the disk is full");
    }, "a");
    await assert.rejects(writer.write(Buffer.alloc(200000)), /full/);
    assert.deepStrictEqual([await outcome(() => writer.write(Buffer.alloc(1))), await outcome(() => writer.finish())],
      ["101", "101"]);
  },

  "any size takes the memory of a few chunks": async () => {
    v8.setFlagsFromString("--expose-gc");
    const collect = vm.runInNewContext("gc");
    const held = () => { collect(); return process.memoryUsage().arrayBuffers; };
    const sealing = new Sealing(always());
    const piece = Buffer.alloc(1 << 20);
    function* source() { for (let count = 0; count < 256; count += 1) yield piece; }
    const before = held();
    let length = 0;
    for await (const data of sealing.unsealed(sealing.sealed(source(), "a"))) {
      length += data.length;
      // Another thread lets go of what was collected.
      if (length % (1 << 26) === 0) await eventually(() => held() - before < 6 << 20, "little is held");
    }
    assert.strictEqual(length, 256 << 20);
  },

  "the package: small, typed, for both kinds of programs": async () => {
    const manifest = JSON.parse(fs.readFileSync(path.join(ROOT, "package.json"), "utf8"));
    assert.deepStrictEqual([manifest.version, manifest.dependencies], [require("..").version, undefined]);
    const inner = fs.readdirSync(path.join(ROOT, "lib")).map((name) => `lib/${name}`);
    const files = [...manifest.files.slice(0, 3), ...inner];
    const texts = files.map((file) => fs.readFileSync(path.join(ROOT, file)));
    assert.ok(zlib.gzipSync(Buffer.concat(texts)).length < LARGEST);
    const modules = await import("../sealing/index.mjs");
    const names = Object.keys(sealingPackage);
    assert.deepStrictEqual(Object.keys(modules).filter((name) => name !== "default").sort(), names.slice().sort());
    const types = fs.readFileSync(path.join(ROOT, "index.d.ts"), "utf8");
    for (const name of names) {
      assert.ok(new RegExp(`^export (class|function) ${name}\\b`, "m").test(types), name);
      const { prototype } = sealingPackage[name];
      const members = prototype === undefined ? [] : Object.getOwnPropertyNames(prototype);
      const declaration = new RegExp(`^export (?:class|function) ${name}\\b([^]*?)^(?:\\}|export)`, "m");
      const [, body] = declaration.exec(`${types}\nexport`);
      for (const member of members.filter((one) => one !== "constructor" && !one.startsWith("_"))) {
        assert.ok(new RegExp(`\\b${member}\\b`).test(body), `${name}.${member} has no type`);
      }
    }
  },
};
