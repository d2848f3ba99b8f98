"use strict";

// Files that are sealed, and files that know their owner, with the keys of the real daemon.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { execFileSync, spawnSync } = require("child_process");
const { pipeline, Readable, Writable } = require("stream");
const { promisify } = require("util");
const { FileProtectionError, Files, Sealing, fileProtectionInfo, protectionInfo } = require("../sealing");
const { asFileProblems } = require("../sealing/lib/errors");
const { readOwner } = require("../sealing/lib/files");
const { NewFile } = require("../sealing/lib/replacing");
const { PrivatePlace, clearLeftovers } = require("../sealing/lib/places");
const { LIMITED, inTime } = require("./cleanup");
const { each, makeGuard, vectors } = require("./case");
const { FILES, PERSONAL, WORK, managed, serving } = require("./real");
const { always, outcome, whole } = require("./sealed");

const DATA = Buffer.from(Array.from({ length: 300000 }, (_, place) => place * 7 % 251));
const left = (folder) => fs.readdirSync(folder).filter((name) => name.startsWith("."));

async function sizeOf(sealing, file) {
  const reader = await sealing.open(file);
  await reader.close();
  return reader.size;
}

/** The person's directory in memory, and its cache, are the test's. */
function at(test) {
  const folder = test.folder();
  for (const name of ["XDG_RUNTIME_DIR", "XDG_CACHE_HOME"]) {
    const before = process.env[name];
    test.add(() => { if (before === undefined) delete process.env[name]; else process.env[name] = before; });
    process.env[name] = folder;
  }
  return folder;
}

async function starts(test) {
  const daemon = await serving(test);
  const guard = await managed(test, daemon);
  return { daemon, guard, sealing: new Sealing(guard), files: new Files(guard) };
}

module.exports = {
  "a file appears whole or not at all": async (test) => {
    const folder = test.folder();
    const sealing = new Sealing(always());
    const file = path.join(folder, "report");
    fs.writeFileSync(file, "old", { mode: 0o640 });
    fs.symlinkSync(file, path.join(folder, "link"));
    const writer = await sealing.create(path.join(folder, "link"), "a");
    await writer.write(DATA);
    assert.deepStrictEqual([fs.readFileSync(file, "utf8"), left(folder).length], ["old", 1]);
    await writer.finish();
    await writer.abandon();
    assert.deepStrictEqual([fs.statSync(file).mode & 0o777, fs.lstatSync(path.join(folder, "link")).isSymbolicLink(),
      left(folder)], [0o640, true, []]);
    assert.ok((await sealing.unprotect(fs.readFileSync(file))).equals(DATA));
    const later = await sealing.create(file, "a");
    await later.write(DATA);
    await later.abandon();
    assert.deepStrictEqual([await outcome(() => later.write(DATA)), await outcome(() => later.finish()), left(folder)],
      ["101", "101", []]);
    const reader = await sealing.open(file);
    assert.ok((await reader.read(65000, 100000)).equals(DATA.slice(65000, 165000)) && reader.info.isSealed);
    fs.truncateSync(file, 70000);
    assert.strictEqual(await outcome(() => reader.read(200000, 1)), "103 damaged");
    await reader.close();
    await reader.close();
    await assert.rejects(sealing.create(path.join(folder, "none/x"), "a"), { code: "ENOENT" });
    await assert.rejects(new Sealing(async () => { throw new Error("no"); }).create(file, "a"), /no/);
    assert.deepStrictEqual(left(folder), []);
  },

  "what cannot be written leaves the old file, and long names fit": async (test) => {
    const folder = test.folder();
    const sealing = new Sealing(always());
    const file = path.join(folder, "ü".repeat(127));
    fs.symlinkSync("later", path.join(folder, "dangling"));
    for (const name of [file, path.join(folder, "dangling")]) {
      const writer = await sealing.create(name, "a");
      await writer.finish();
      assert.strictEqual(await sizeOf(sealing, name), 0);
    }
    assert.ok(fs.existsSync(path.join(folder, "later")));
    const real = NewFile.prototype._write;
    test.add(() => { NewFile.prototype._write = real; });
    const writer = await sealing.create(file, "a");
    NewFile.prototype._write = async () => { throw Object.assign(new Error("full"), { code: "ENOSPC" }); };
    await assert.rejects(writer.write(DATA), { code: "ENOSPC" });
    assert.deepStrictEqual([await outcome(() => writer.finish()), left(folder)], ["101", []]);
    NewFile.prototype._write = real;
    assert.strictEqual(await sizeOf(sealing, file), 0);
  },

  "nobody waits for a pipe that lies in the place of a file": async (test) => {
    const pipe = path.join(test.folder(), "pipe");
    spawnSync("mkfifo", [pipe], LIMITED);
    const files = new Files(makeGuard(test, { path: "/nowhere/guard.sock" }));
    const sealing = new Sealing(always());
    for (const read of [() => fileProtectionInfo(pipe), () => sealing.open(pipe), () => files.facts(pipe)]) {
      await assert.rejects(inTime(read, 20000, "it waits"), (problem) => !problem.message.includes("it waits"));
    }
  },

  "streams of Node are sealed and unsealed": async () => {
    const sealing = new Sealing(always());
    const pieces = [];
    const sink = () => new Writable({ write: (bytes, _, done) => { pieces.push(bytes); done(); } });
    const run = promisify(pipeline);
    await run(Readable.from(sealing.sealed(Readable.from([DATA, DATA]), "a")), sink());
    const envelope = Buffer.concat(pieces.splice(0));
    await run(Readable.from(sealing.unsealed(Readable.from([envelope]))), sink());
    assert.ok(Buffer.concat(pieces.splice(0)).equals(Buffer.concat([DATA, DATA])));
    const cut = Readable.from([envelope.slice(0, -1)]);
    await assert.rejects(run(Readable.from(sealing.unsealed(cut)), sink()), { code: 103 });
  },

  "numbers of errors, and owners of answers": async () => {
    const { errors, answers } = vectors("files");
    await each(errors, async ({ error, code }) => {
      const failing = async () => { throw Object.assign(new Error(error), { name: "GuardError", code: error }); };
      assert.strictEqual(await outcome(() => asFileProblems(failing)), `${code}`);
    });
    await each(answers, async ({ reply, owner }) => {
      const found = await outcome(async () => {
        const { standing, account, mustEncrypt } = readOwner(reply);
        return [standing, account, mustEncrypt];
      });
      assert.deepStrictEqual(found, owner === null ? "107" : owner);
    });
    assert.strictEqual(new FileProtectionError(104).word, "fileNotFound");
  },

  "the real daemon: Python opens what JavaScript sealed, and the other way round": async (test) => {
    const { daemon, guard, sealing } = await starts(test);
    const file = path.join(daemon.folder, "report");
    const writer = await sealing.create(file, WORK);
    for (let place = 0; place < DATA.length; place += 7001) await writer.write(DATA.slice(place, place + 7001));
    await writer.finish();
    assert.ok(!fs.readFileSync(file).includes(DATA.slice(0, 64)));
    const other = new Sealing(await managed(test, daemon));
    assert.ok((await other.unprotect(fs.readFileSync(file))).equals(DATA));
    assert.ok((await whole(sealing.unsealed(fs.createReadStream(file)))).equals(DATA));
    const python = "import sys; sys.path.insert(0, sys.argv[1])\nfrom webviewguard import Guard\n"
      + "with Guard(path=sys.argv[2]) as guard:\n"
      + "  data = guard.sealing.unprotect(open(sys.argv[3], 'rb').read())\n"
      + "  open(sys.argv[3] + '.2', 'wb').write(guard.sealing.protect(data, sys.argv[4]))\n";
    if (spawnSync("/usr/bin/python3", ["-c", "import cryptography"], LIMITED).status === 0) {
      const client = path.join(__dirname, "../../python/src");
      execFileSync("/usr/bin/python3", ["-c", python, client, daemon.path, file, WORK], LIMITED);
      assert.ok((await sealing.unprotect(fs.readFileSync(`${file}.2`))).equals(DATA));
    }
    const text = await sealing.protectText("Zahlen für das Quartal", WORK);
    assert.strictEqual(await sealing.unprotectText(text), "Zahlen für das Quartal");
    const mine = await sealing.protect(DATA, PERSONAL);
    assert.deepStrictEqual([protectionInfo(mine).account, mine.slice(-DATA.length).equals(DATA)], [PERSONAL, true]);
    guard.close();
  },

  "the real daemon: a blocked account seals and opens nothing": async (test) => {
    const { daemon, sealing, files } = await starts(test);
    const sealed = await sealing.protect(DATA, WORK);
    const name = "policy.d/organisation.yaml";
    daemon.write(name, FILES[name].replace("contoso-standard }\n", "contoso-standard, state: blocked }\n"));
    daemon.process.kill("SIGHUP");
    const file = path.join(daemon.folder, "x");
    for (let is = ""; is !== "103 noKey";) {
      is = await outcome(() => sealing.unprotect(sealed).then(() => "open"));
    }
    assert.strictEqual(await outcome(() => sealing.protect(DATA, WORK)), "102 noKey");
    assert.strictEqual(await outcome(() => files.save(file, { account: WORK })), "102");
    assert.deepStrictEqual([fs.existsSync(file), left(daemon.folder)], [false, []]);
  },

  "the real daemon: files of the organisation are sealed, and others are not": async (test) => {
    const { daemon, files, sealing } = await starts(test);
    at(test);
    const saved = async (account) => {
      const file = path.join(daemon.folder, `of ${account}`);
      const writer = await files.save(file, { account });
      await writer.write(DATA);
      await writer.finish();
      return file;
    };
    // The file identity of the program is the managed account.
    for (const account of [null, WORK]) {
      const file = await saved(account);
      assert.ok((await fileProtectionInfo(file)).isSealed);
      assert.deepStrictEqual(await files.getOwner(file),
        { standing: "mine", account: WORK, mustEncrypt: true, isManaged: true });
      assert.ok((await sealing.unprotect(fs.readFileSync(file))).equals(DATA));
    }
    for (const account of ["", PERSONAL]) {
      const file = await saved(account);
      assert.ok(fs.readFileSync(file).equals(DATA));
      assert.deepStrictEqual([await files.getOwner(file), await files.facts(file)], [null, {}]);
    }
    assert.strictEqual(await outcome(() => files.getOwner("/none/such")), "104");
    assert.strictEqual(await outcome(() => files.getOwner(daemon.folder)), "105");
  },

  "the real daemon: the facts of a sealed file block its way out": async (test) => {
    const { daemon, guard, files } = await starts(test);
    const memory = at(test);
    const file = path.join(daemon.folder, "plan");
    const incoming = await files.incoming(file, { account: WORK });
    assert.ok(incoming.path.startsWith(memory) && incoming.isSealed && !fs.existsSync(file));
    fs.writeFileSync(incoming.path, DATA);
    await incoming.keep();
    await incoming.discard();
    const readable = await files.readable(file);
    assert.ok(fs.readFileSync(readable.path).equals(DATA) && readable.isSealed);
    const out = { viewer: "home", url: "https://example.net/", path: file };
    const [plain, told] = [await guard.upload(out), await guard.upload({ ...out, ...readable.facts })];
    assert.deepStrictEqual([plain.outcome, told.outcome], ["allow", "block"]);
    await readable.close();
    assert.deepStrictEqual([left(memory), left(daemon.folder)], [[], []]);
    const discarded = await files.incoming(`${file}.2`, { account: WORK, size: 5 });
    fs.writeFileSync(discarded.path, "x");
    await discarded.discard();
    assert.deepStrictEqual([left(memory), fs.existsSync(`${file}.2`)], [[], false]);
    const free = await files.incoming(file, { account: PERSONAL });
    assert.deepStrictEqual([free.path, free.isSealed], [file, false]);
  },

  "what a killed program left goes, and what is in use stays": (test) => {
    const memory = at(test);
    const place = new PrivatePlace(memory);
    fs.writeFileSync(path.join(place.directory, "secret"), "x");
    assert.strictEqual(fs.statSync(place.directory).mode & 0o777, 0o700);
    const killed = "const { PrivatePlace } = require(process.argv[1]);"
      + "new PrivatePlace(process.argv[2]); process.kill(process.pid, 'SIGKILL')";
    spawnSync(process.execPath, ["-e", killed, require.resolve("../sealing/lib/places"), memory], LIMITED);
    const ended = killed.replace("process.kill(process.pid, 'SIGKILL')", "process.exit(1)");
    assert.strictEqual(left(memory).length, 2);
    clearLeftovers();
    spawnSync(process.execPath, ["-e", ended, require.resolve("../sealing/lib/places"), memory], LIMITED);
    assert.deepStrictEqual(left(memory), [path.basename(place.directory)]);
    place.close();
    assert.deepStrictEqual(left(memory), []);
  },
};
