// Decisions, and what stands in for one that nobody gave.

/**
 * @typedef {{ outcome: string, reason: string, id: string, isLocal?: boolean, message?: string, rule?: string,
 *   ruleSet?: string, open?: { url: string }, repeat?: boolean, onlyPlainText?: boolean, mimeWrap?: boolean }} Decision
 * @typedef {{ startMs: number, answerMs: number, navigation: string, clipboard: string, other: string }} Contract
 */

/** What holds before anything was heard of a contract. @type {Contract} */
export const CLOSED = { startMs: 2000, answerMs: 500, navigation: "closed", clipboard: "closed", other: "closed" };

const KINDS = {
  navigate: "navigation",
  copy: "clipboard",
  paste: "clipboard",
  clipboardChanged: "clipboard",
  dragEnd: "clipboard",
};

/** A contract as it was stored or sent; what is missing or strange in it is closed. @returns {Contract} */
export function readContract(/** @type {any} */ stated) {
  const time = (value, standard) => (Number.isInteger(value) && value > 0 && value <= 60_000 ? value : standard);
  const answer = (value) => (value === "open" ? "open" : "closed");
  return {
    startMs: time(stated?.startMs, CLOSED.startMs),
    answerMs: time(stated?.answerMs, CLOSED.answerMs),
    navigation: answer(stated?.navigation),
    clipboard: answer(stated?.clipboard),
    other: answer(stated?.other),
  };
}

/** What the contract says of a question that nobody answered. @returns {Decision} */
export function unanswered(/** @type {string} */ question, /** @type {Contract} */ contract, reason = "noAnswer") {
  const isOpen = contract[KINDS[question] ?? "other"] === "open";
  if (isOpen) return { outcome: "allow", reason, id: "", isLocal: true };
  return { outcome: "block", reason, id: "", isLocal: true, message: localMessage(reason) };
}

/** What the user is told of a block that no daemon decided; the same words as those of the other clients. */
export function localMessage(/** @type {string} */ reason) {
  const data = "The protection of your organization's data";
  if (reason === "noAnswer") return `${data} does not answer. Try again in a moment.`;
  const isStranger = ["NoApp", "AppAmbiguous", "AppMismatch"].includes(reason);
  if (isStranger) return `${data} does not know this program. Tell your administrator.`;
  return `${data} could not judge this. Try again, or tell your administrator.`;
}

/** An outcome that is not known here is a block. */
export function isAllowed(/** @type {Decision} */ decision) {
  return decision.outcome === "allow";
}

/** Whether the policy wants it opened elsewhere now: the first of several questions about one click says so. */
export function opensNow(/** @type {Decision} */ decision) {
  const leads = decision.outcome === "redirect" || decision.outcome === "handOff";
  return leads && Boolean(decision.open) && decision.repeat !== true;
}
