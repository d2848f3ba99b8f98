"use strict";

// Whose daemon and whose contract are believed.

const assert = require("assert");
const fs = require("fs");
const path = require("path");
const { spawnSync } = require("child_process");
const { Place, findPlace, hasSystemDaemon } = require("../lib/place");
const { LIMITED } = require("./cleanup");
const { ask, isContract, makeGuard, play, writeContract } = require("./case");
const { CONTRACT } = require("./fake");

const NOBODY = 65534;
const OPEN = { ...CONTRACT, navigation: "open" };

/** Whether a contract that says `open` is believed, where no daemon is. */
async function believed(test, folder, options) {
  const decision = await ask(makeGuard(test, { path: path.join(folder, "none.sock"), ...options }));
  assert.strictEqual(decision.reason, "noAnswer");
  return decision.allowed;
}

const tests = {
  "a listener that is somebody else is told nothing": async (test) => {
    const daemon = await play(test);
    const guard = makeGuard(test, { path: daemon.path, trustedUids: [process.geteuid() + 1] });
    isContract(await ask(guard));
    assert.ok(guard.problems[0].message.includes("somebody else"));
    assert.deepStrictEqual(daemon.heard, []);
  },

  "a folder where others may put another socket is not believed": async (test) => {
    const daemon = await play(test);
    const folder = path.dirname(daemon.path);
    for (const mode of [0o777, 0o775]) {
      fs.chmodSync(folder, mode);
      isContract(await ask(makeGuard(test, { path: daemon.path })));
    }
    // There they can add names, and replace none of somebody else's.
    fs.chmodSync(folder, 0o1777);
    assert.strictEqual((await ask(makeGuard(test, { path: daemon.path }))).reason, "internal");
    fs.chmodSync(folder, 0o755);
    const link = path.join(test.folder(), "link.sock");
    fs.symlinkSync(daemon.path, link);
    assert.strictEqual((await ask(makeGuard(test, { path: link }))).reason, "internal");
    fs.chmodSync(folder, 0o777);
    isContract(await ask(makeGuard(test, { path: link })));
  },

  "the user of this process is no system daemon": () => {
    assert.ok(new Place("/s", true).trusts(process.geteuid()));
    assert.ok(new Place("/s", false).trusts(0));
    assert.ok(!new Place("/s", false).trusts(12345));
    assert.ok(!new Place("/s", true, [7]).trusts(0));
  },

  "a good contract is believed, and one that others may write is not": async (test) => {
    const folder = test.folder();
    for (const [mode, expected] of [[0o644, true], [0o600, true], [0o664, false], [0o646, false], [0o666, false]]) {
      writeContract(folder, OPEN, mode);
      assert.strictEqual(await believed(test, folder), expected, mode.toString(8));
    }
    fs.chmodSync(path.join(folder, "contract.json"), 0o644);
    assert.ok(!await believed(test, folder, { trustedUids: [process.geteuid() + 1] }));
  },

  "what is no file is no contract": async (test) => {
    const folder = test.folder();
    const file = path.join(folder, "contract.json");
    writeContract(folder, OPEN);
    fs.renameSync(file, `${file}.other`);
    fs.symlinkSync(`${file}.other`, file);
    assert.ok(!await believed(test, folder));
    fs.unlinkSync(file);
    fs.mkdirSync(file);
    assert.ok(!await believed(test, folder));
    fs.rmdirSync(file);
    // Whoever opens a pipe in order to read it waits for ever.
    spawnSync("mkfifo", [file], LIMITED);
    assert.ok(!await believed(test, folder));
    fs.unlinkSync(file);
    fs.writeFileSync(file, `${JSON.stringify(OPEN)}${" ".repeat(100000)}x`);
    assert.ok(!await believed(test, folder));
  },

  "the system's daemon is there by its directory or by a unit that is not masked": (test) => {
    const folder = test.folder();
    const [directory, none] = [path.join(folder, "run"), path.join(folder, "none")];
    const units = [path.join(folder, "etc"), path.join(folder, "lib")];
    units.forEach((each) => fs.mkdirSync(each));
    const has = () => hasSystemDaemon({ directory: none, units });
    assert.ok(!has());
    fs.writeFileSync(path.join(units[1], "webviewguard.socket"), "");
    assert.ok(has());
    fs.symlinkSync("/dev/null", path.join(units[0], "webviewguard.socket"));
    assert.ok(!has());
    fs.mkdirSync(directory);
    assert.ok(hasSystemDaemon({ directory, units }));
    const found = findPlace(null, null, { directory, units });
    assert.deepStrictEqual([found.socket, found.contract], ["/run/webviewguard/guard.sock",
      "/run/webviewguard/contract.json"]);
    assert.ok(process.geteuid() === 0 || !found.trusts(process.geteuid()));
    const own = findPlace(null, null, { directory: none, units });
    assert.ok(own.socket.endsWith("/webviewguard/guard.sock") && own.trusts(process.geteuid()));
    assert.ok(process.geteuid() === 0 || !findPlace("/s", null, { directory, units }).trusts(process.geteuid()));
  },
};

// Nobody else can listen as somebody else.
if (process.geteuid() === 0) {
  tests["a real stranger"] = async (test) => {
    const folder = test.folder();
    fs.chmodSync(folder, 0o1777);
    const socket = path.join(folder, "planted.sock");
    const code = `process.setgid(${NOBODY}); process.setuid(${NOBODY});
      require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"));`;
    spawnSync(process.execPath, ["-e", code, socket], LIMITED);
    assert.strictEqual(fs.statSync(socket).uid, NOBODY);
    const guard = makeGuard(test, { path: socket });
    isContract(await ask(guard));
    assert.ok(guard.problems[0].message.includes(`uid ${NOBODY}`));
  };
  tests["a folder of a stranger above the socket"] = async (test) => {
    const daemon = await play(test);
    fs.chownSync(path.dirname(daemon.path), NOBODY, NOBODY);
    const guard = makeGuard(test, { path: daemon.path });
    isContract(await ask(guard));
    assert.ok(guard.problems[0].message.includes("somebody else may put"));
  };
}

module.exports = tests;
