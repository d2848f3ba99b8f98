"use strict";

// What goes wrong with sealed data and with files that have owners, by the numbers of Microsoft's SDK.

const SEALING = {
  100: "appNotManaged", 101: "invalidArguments", 102: "encryptFailed", 103: "decryptFailed", 104: "notProtected",
  105: "emptyData",
};
const FILES = {
  100: "appNotManaged", 101: "invalidArguments", 102: "encryptFailed", 103: "decryptFailed", 104: "fileNotFound",
  105: "isDirectory", 106: "unmanagedIdentity", 107: "internalError",
};
/** Errors of the daemon that say that it has nothing to do with this app. */
const STRANGE = new Set(["NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy"]);
/** Errors of the daemon that keep a file from an owner. */
const UNPROTECTED = new Set([
  "OwnerStays", "KeyWithheld", "KeysUnavailable", "StateUnavailable", "LogUnavailable", "LimitReached",
]);
const OF_SYSTEM = { ENOENT: 104, ENOTDIR: 104, EISDIR: 105 };

/**
 * Data could not be sealed or unsealed: `code` is the number, `word` its name, and `reason` tells a damaged envelope
 * from a newer one and from a key that is withheld (docs/sealed-data.md).
 *
 *     new SealingError(103, "damaged", "chunk 2").message     // "103 decryptFailed (damaged): chunk 2"
 */
class SealingError extends Error {
  constructor(code, reason = "", text = "") {
    super(`${code} ${SEALING[code]}${reason ? ` (${reason})` : ""}${text ? `: ${text}` : ""}`);
    Object.assign(this, { name: "SealingError", code, reason, word: SEALING[code] });
  }
}

/** A file's owner could not be read, set or kept. 102 says that the file was not written. */
class FileProtectionError extends Error {
  constructor(code, text = "") {
    super(`${code} ${FILES[code]}${text ? `: ${text}` : ""}`);
    Object.assign(this, { name: "FileProtectionError", code, word: FILES[code] });
  }
}

function damaged(text) {
  return new SealingError(103, "damaged", text);
}

/** What the work gives; errors of the daemon, of sealing and of the system become FileProtectionError. */
async function asFileProblems(work) {
  try {
    return await work();
  } catch (problem) {
    throw fileProblem(problem);
  }
}

function fileProblem(problem) {
  if (problem instanceof FileProtectionError) return problem;
  return new FileProtectionError(fileCode(problem), problem.message);
}

function fileCode(problem) {
  const { name, code } = problem;
  if (problem instanceof SealingError) return code < 104 ? code : 107;
  if (problem instanceof TypeError || problem instanceof RangeError) return 101;
  if (name !== "GuardError") return OF_SYSTEM[code] || 107;
  if (code === "UnknownAccount") return 101;
  if (code === "NotManaged") return 106;
  return STRANGE.has(code) ? 100 : UNPROTECTED.has(code) ? 102 : 107;
}

module.exports = { FileProtectionError, STRANGE, SealingError, asFileProblems, damaged };
