"use strict";

// Directories of this program alone for content that may not lie about in plain: it lies there for a moment only. What
// a killed program left is removed by the next one that needs a directory in that place.

const crypto = require("crypto");
const fs = require("fs");
const os = require("os");
const path = require("path");

// Not the prefix of the Python client, whose directories are locked: Node has no locks, and the name tells the program.
const NAME = /^\.webviewguard\.(\d+)\.(\d+)\.(\d+)\.[0-9a-f]+$/;
// The bytes that a download of unknown length may need.
const UNKNOWN_SIZE = 67108864;
const open = new Set();
let isHeard = false;

/** A directory that nobody else may enter, until `close`. */
class PrivatePlace {
  constructor(base) {
    clear(base);
    const name = `.webviewguard.${namespace()}.${process.pid}.${born(process.pid)}`;
    this.directory = path.join(base, `${name}.${crypto.randomBytes(8).toString("hex")}`);
    fs.mkdirSync(this.directory, { mode: 0o700 });
    open.add(this);
    if (!isHeard) process.once("exit", () => [...open].forEach((place) => place.close()));
    isHeard = true;
  }

  /** Removes it with everything in it. */
  close() {
    if (open.delete(this)) remove(this.directory);
  }
}

/**
 * The place for a copy of so many bytes: the person's directory in memory, where there is room twice, so that nothing
 * of it reaches the disk; else the person's cache. Before Node 18.15 nobody tells the room, and it is the cache.
 */
function memory(size) {
  const wanted = 2 * (size > 0 ? size : UNKNOWN_SIZE);
  const runtime = process.env.XDG_RUNTIME_DIR || "";
  if (path.isAbsolute(runtime) && isOwn(runtime) && room(runtime) >= wanted) return runtime;
  const cache = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "webviewguard");
  fs.mkdirSync(cache, { recursive: true, mode: 0o700 });
  if (!isOwn(cache)) throw new Error(`others may write into \`${cache}\``);
  return cache;
}

/** Removes what programs of this user that were killed left. */
function clearLeftovers() {
  for (const size of [1, Number.MAX_SAFE_INTEGER]) {
    try {
      clear(memory(size));
    } catch (problem) {
      // There is no such place, and nothing was left in it.
    }
  }
}

/** Programs of another container have other numbers: theirs stay. */
function clear(base) {
  for (const name of names(base)) {
    const found = NAME.exec(name);
    if (found === null || found[1] !== namespace() || born(found[2]) === found[3]) continue;
    const folder = path.join(base, name);
    if (isOwn(folder)) remove(folder);
  }
}

function names(base) {
  try {
    return fs.readdirSync(base);
  } catch (problem) {
    return [];
  }
}

function remove(folder) {
  // `rmSync` came with Node 14.14.
  for (const name of names(folder)) {
    try {
      fs.unlinkSync(path.join(folder, name));
    } catch (problem) {
      console.error(`webviewguard: \`${name}\` stays in ${folder}: ${problem.message}`);
    }
  }
  try {
    fs.rmdirSync(folder);
  } catch (problem) {
    // Another program was faster, or the message above says what stays.
  }
}

/** When a program started, in the kernel's ticks; empty when there is none of this number. */
function born(pid) {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, "latin1").replace(/^.*\) /s, "").split(" ")[19];
  } catch (problem) {
    return "";
  }
}

function namespace() {
  return fs.readlinkSync("/proc/self/ns/pid").replace(/[^0-9]/g, "");
}

/** Nobody else can put or read anything there. */
function isOwn(folder) {
  try {
    const found = fs.lstatSync(folder);
    return found.isDirectory() && found.uid === process.geteuid() && (found.mode & 0o077) === 0;
  } catch (problem) {
    return false;
  }
}

function room(folder) {
  if (typeof fs.statfsSync !== "function") return 0;
  const found = fs.statfsSync(folder);
  return found.bavail * found.bsize;
}

module.exports = { PrivatePlace, clearLeftovers, memory };
