// The texts that people read of the profile's account, where the daemon brings no text of its own. Each says what they can do.

import { noticeName } from "./notice-text.js";

const TEXTS = {
  blocked: "Your organization blocked this account. Ask your administrator.",
  nonCompliant: "This computer does not meet your organization's conditions. Ask your administrator.",
  policyRequired: "Sign in with this account again.",
  notAllowed: "This program does not accept this account. Sign in with another one.",
  notChecked: "This computer was not checked for some time. Connect it to your organization. Nothing was deleted.",
  locked: "Unlock this account first.",
  suspended: "This account is signed out.",
  wipePending: "Your organization will remove its data of this account here. A mistake? Ask your administrator.",
  wiped: "Your organization removed its data of this account here.",
};
const OTHER_TEXT = "This account may not be used at the moment. Try again, or ask your administrator.";

/** The text for a state; also for one of a newer daemon. */
export function textOf(/** @type {unknown} */ state) {
  return typeof state === "string" && Object.hasOwn(TEXTS, state) ? TEXTS[state] : OTHER_TEXT;
}

/** The text of the organisation's conditions; empty when they are met. */
export function complianceText({ status, title, text }) {
  const words = [title, text].filter((word) => typeof word === "string" && word !== "");
  return status === "compliant" ? "" : words.join(" ") || OTHER_TEXT;
}

/** The text for a request to show another account, which no extension can do. */
export function switchText(/** @type {string} */ wanted, /** @type {string} */ own) {
  const shown = own ? `This browser profile shows ${noticeName(own)} only` : "This browser profile shows no account";
  const other = wanted ? `Open the browser profile of ${noticeName(wanted)}, or ask your administrator for one.` : "Open a browser profile without an account.";
  return `${shown}, and cannot show another account. ${other}`;
}
