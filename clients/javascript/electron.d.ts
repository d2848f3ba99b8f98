import { Decision, EventKind, Guard, GuardError, OpenOffer } from "./index";

export interface Refusal {
  /** What was asked, and about what. */
  readonly kind: EventKind;
  readonly url: string | null;
  readonly decision: Decision;
  /** Electron's WebContents; null for what no page did. */
  readonly webContents: any;
  /** The window shows the notice. */
  readonly isNoticed: boolean;
}

export interface Options {
  /** The app's id in the policy. */
  app?: string;
  /** The class of its viewers in the policy. */
  class?: string;
  /** `managed` (default): only on Linux, and only where webviewguard is installed. `always`: everywhere. */
  require?: "managed" | "always";
  path?: string | null;
  languages?: readonly string[];
  version?: string | null;
  trustedUids?: readonly number[] | null;
  onProblem?: (problem: GuardError) => void;
  /** Tells the person why something did not happen, in place of a message box. */
  refused?: (refusal: Refusal) => void;
  /** Starts another program, in place of `argv`, `gtk-launch` and the desktop's own handler. */
  open?: (offer: OpenOffer) => void;
  /** The package webviewguard-sealing: downloads of an account are sealed where its policy wants files encrypted. */
  sealing?: { readonly Files: new (guard: Guard) => object } | null;
  /** The package webviewguard-notice: a page that may not load has its notice in the window, and a warning a way on. */
  notice?: { notice(decision: Decision, options?: object): string; readonly Notices: new (...values: any[]) => object } | null;
  /** A guard of the app's own, made with `sync`. */
  client?: Guard;
  /** The module `electron`, for tests. */
  electron?: any;
}

/** What guards a window's frames as well; as they were where nothing is guarded. */
export interface Preferences {
  sandbox?: boolean; contextIsolation?: boolean; nodeIntegrationInSubFrames?: boolean;
}

interface Said {
  readonly uncovered: readonly { readonly what: string; readonly close: string }[];
  webPreferences<T extends object>(preferences?: T): T & Preferences;
}

/** An app that is guarded. */
export interface Active extends Said { readonly isActive: true; readonly client: Guard; }

/** An app that is not: it runs elsewhere than on Linux, or where no webviewguard is installed. */
export interface Inactive extends Said { readonly isActive: false; readonly client: null; }

/** Ask `isActive` before you use `client`. */
export type Guarded = Active | Inactive;

/** Guards all sessions, windows, views and popups of an Electron app from now on. Call it before `ready`. */
export function guard(options: Options & { require: "always" }): Active;
export function guard(options?: Options): Guarded;
