import { Decision, Organization } from "webviewguard";

export type NoticeAction = "open" | "exception" | "retry" | "back" | "continue";
export type NoticeKind = "block" | "warn" | "redirect" | "notCompliant" | "wiped" | "guardAway";
export interface NoticeOptions {
  url?: string;
  /** The user's languages, the preferred first. */
  languages?: readonly string[];
  organization?: Organization | null;
  /**
   * The links of the buttons, which only the app can carry out: `open` only when the program of the offer is there;
   * `continue` of a warning gets the user's reason as the query `justification`.
   */
  actions?: { readonly [action in NoticeAction]?: string };
}
/** The page in place of one that may not load, as HTML without script. Throws RangeError for an action that no notice has. */
export function notice(decision: Decision, options?: NoticeOptions): string;
export function noticeKind(decision: Decision): NoticeKind;
/** What `webviewguard explain` takes: `7353-4481-5116-5139`, or a word such as `noAnswer`. */
export function noticeCode(decision: Decision): string;
export function noticeSentence(decision: Decision, languages?: readonly string[]): string;
/** A text of the daemon for another place, such as a box: no letter in it is hidden, reversed, or ends the line. */
export function noticeText(words: string): string;
/** The same for a name, such as an account's: of two names that look the same each character is seen. */
export function noticeName(name: string | null): string;
/** For `webviewguard/electron`: the notice in its windows. */
export const Notices: new (...values: any[]) => object;
