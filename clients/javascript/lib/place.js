"use strict";

// Where the daemon listens, and who may be it.

const fs = require("fs");
const path = require("path");

const SYSTEM_DIRECTORY = "/run/webviewguard";
// Where systemd looks for a unit: the first place that has it counts.
const UNIT_DIRECTORIES = ["/etc", "/usr/local/lib", "/usr/lib", "/lib"].map((place) => `${place}/systemd/system`);
const PROGRAMS = ["/usr/bin/webviewguard", "/usr/local/bin/webviewguard"];
const SERVICE_USER = "webviewguard";
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * A socket, and whose daemon is believed there: root's, that of the user `webviewguard`, where `isOwn` says so the
 * user's own; or only those of `trustedUids`.
 */
class Place {
  constructor(socket, isOwn, trustedUids = null) {
    this.socket = socket;
    this.contract = path.join(path.dirname(socket), "contract.json");
    this._isOwn = isOwn;
    this._only = trustedUids;
    this.trusts = this.trusts.bind(this);
  }

  /** Whether what that user says is the daemon's word. */
  trusts(uid) {
    if (this._only !== null) return this._only.includes(uid);
    return uid === 0 || (this._isOwn && uid === (process.geteuid ? process.geteuid() : -1)) || uid === serviceUser();
  }

  /**
   * The path to connect to. Throws when somebody else may listen there.
   *
   * Node does not tell who listens at the other end of a connection. So whoever made the socket has to be trusted,
   * and nobody else may be able to put another into its place: that is so when each directory above it belongs to
   * root or to somebody trusted and others may not write there, or only add names (`/tmp`).
   */
  checked() {
    const real = fs.realpathSync(this.socket);
    const { uid } = fs.lstatSync(real);
    if (!this.trusts(uid)) throw new Error(`\`${this.socket}\` belongs to somebody else, uid ${uid}`);
    for (let directory = path.dirname(real); ; directory = path.dirname(directory)) {
      const status = fs.lstatSync(directory);
      const isOpen = (status.mode & WRITABLE_BY_OTHERS) !== 0 && (status.mode & STICKY) === 0;
      if (isOpen || !(status.uid === 0 || this.trusts(status.uid))) {
        throw new Error(`\`${this.socket}\`: somebody else may put a socket into \`${directory}\``);
      }
      if (directory === path.dirname(directory)) return real;
    }
  }
}

/**
 * The place that was given, else that of the system's daemon, else that of the user's own. Where the machine has a
 * daemon, nobody's own is believed: a user could put another policy in its place. `roots` is for tests.
 */
function findPlace(given, trustedUids, roots) {
  const hasSystem = hasSystemDaemon(roots);
  if (given != null) return new Place(String(given), !hasSystem, trustedUids);
  if (hasSystem) return new Place(`${SYSTEM_DIRECTORY}/guard.sock`, false, trustedUids);
  const runtime = process.env.XDG_RUNTIME_DIR || `/run/user/${process.getuid ? process.getuid() : 0}`;
  return new Place(`${runtime}/webviewguard/guard.sock`, true, trustedUids);
}

/**
 * Whether this machine has a daemon of its own, running or not: its directory is there, or one of its units that is
 * not masked (a link to /dev/null). Only root makes those, or masks them.
 */
function hasSystemDaemon({ directory = SYSTEM_DIRECTORY, units = UNIT_DIRECTORIES } = {}) {
  return fs.existsSync(directory) || ["service", "socket"].some((kind) => hasUnit(units, kind));
}

function hasUnit(directories, kind) {
  const found = directories.map((place) => `${place}/webviewguard.${kind}`).find(fs.existsSync);
  return found !== undefined && fs.statSync(found).isFile();
}

/** Whether webviewguard is installed here, running or not: the system's daemon, the program, or a user's own daemon. */
function isInstalled(given, { programs = PROGRAMS, ...roots } = {}) {
  if (given != null || hasSystemDaemon(roots)) return true;
  const runtime = process.env.XDG_RUNTIME_DIR || "/nonexistent";
  return [...programs, `${runtime}/webviewguard`].some(fs.existsSync);
}

/** The uid of the service's user; null where it has none. Node has no getpwnam, so only /etc/passwd counts. */
function serviceUser() {
  try {
    const line = fs.readFileSync("/etc/passwd", "utf8").split("\n").find((each) => each.startsWith(`${SERVICE_USER}:`));
    return line === undefined ? null : Number(line.split(":")[2]);
  } catch (problem) {
    return null;
  }
}

module.exports = { Place, findPlace, hasSystemDaemon, isInstalled };
