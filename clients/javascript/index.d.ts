// The types of webviewguard. What the members of events and decisions mean is in the interface file,
// org.webviewguard.Guard.varlink: names are those of the wire.

// The words of the wire. A newer daemon may say others: a Decision's outcome is then `block`, all else is kept.
export type Frame = "unknown" | "main" | "sub" | "resource";
export type Gesture = "unknown" | "no" | "yes";
export type Selection = "unknown" | "clipboard" | "primary" | "drag";
export type Location = "other" | "oneDriveForBusiness" | "sharePoint" | "box" | "dropbox" | "googleDrive" | "iManage"
  | "egnyte" | "accountDocument" | "localStorage" | "photoLibrary" | "camera";
export type Channel = "unknown" | "nativeMessaging" | "assistant" | "automation" | "writingTools" | "inputMethod"
  | "contacts" | "widgets" | "backup";
export type CaptureKind = "unknown" | "screenshot" | "recording" | "ownImage";
export type Inspection = "none" | "passed" | "blocked" | "tooLarge" | "offline" | "cancelled";
export type Surface = "content" | "chrome";
export type Note = "unknownOwner" | "unknownLocationAccount" | "unknownPeerAccount" | "unknownPeer" | "unreadablePath"
  | "unknownLocation" | "otherLocation" | "accountIgnored" | "localWithoutAccount" | "unknownChannel"
  | "unknownCapture" | "cannotRedact" | "cannotSwitch" | "afterAdvised" | "unprotectedViewer" | "cannotWarn"
  | "cannotWrap" | "cannotStrip" | "externalReceiver" | "namedByRule";
export type MonitorCause = "app" | "protection" | "rule";
export type Outcome = "block" | "allow" | "warn" | "redirect" | "handOff" | "redact" | "switchIdentity";
export type Reason = "noPolicy" | "unknownApp" | "unknownEvent" | "noIdentity" | "noManagedIdentity" | "unmanaged"
  | "accountBlocked" | "accountNotCompliant" | "accountWiped" | "policyRequired" | "accountNotAllowed" | "notChecked"
  | "locked" | "invalidURL" | "sameDocument" | "handledInViewer" | "subFrame" | "resource" | "popupBlocked"
  | "noRules" | "internal" | "exception" | "external" | "externalInPlace" | "externalBlocked" | "blockedByRule"
  | "exemptLink" | "managedLink" | "managedBrowserUnavailable" | "isManagedBrowser" | "sendAny" | "schemeClassAllowed"
  | "schemeClassBlocked" | "exemptScheme" | "managedScheme" | "handOffBlocked" | "clipRecorded" | "sameAccount"
  | "clipboardAllowed" | "withinLimit" | "orgData" | "orgDataOverLimit" | "incomingRestricted"
  | "personalDataOverLimit" | "uploadBlockedViewer" | "ownerUnknown" | "changeRecorded" | "inPlace"
  | "transferAllowed" | "locationAllowed" | "outgoingRestricted" | "outgoingDisallowed" | "incomingDisallowed"
  | "wrongAccount" | "unknownAccount" | "saveLocationNotListed" | "openLocationNotListed" | "downloadBlocked"
  | "shareBlocked" | "webTransferAny" | "storeLinkBlocked" | "printAllowed" | "printBlocked" | "captureAllowed"
  | "captureBlocked" | "captureOwnImage" | "notificationAllowed" | "notificationRedacted" | "notificationBlocked"
  | "indexAllowed" | "indexBlocked" | "channelAllowed" | "channelBlocked" | "scanRequired" | "scanBlocked"
  | "scanTooLarge" | "scanOffline" | "scanCancelled" | "monitored" | "mixedViewLockdown" | "identitySwitchNeeded"
  | "identitySwitchFailed";
export type WebViewPolicy = "unset" | "unmanaged" | "currentIdentity" | "currentIdentityBlockUpload";
export type PolicySource = "unknownViewer" | "class" | "kind" | "ownTag" | "ancestor" | "opener" | "flag" | "default";
export type IdentityLevel = "none" | "viewer" | "scope" | "window" | "process" | "strictest";
export type Verdict = "external" | "internal";
export type OpenTarget = "managedBrowser" | "unmanagedBrowser" | "exemptLink" | "managedLink" | "schemeHandler";
export type Mode = "enforced" | "monitored";
export type ViewerKind = "embedded" | "container" | "window" | "popup" | "auth" | "ephemeral";
export type IdentityTarget = "process" | "window" | "scope";
export type FailureAnswer = "closed" | "open";
export type PlaceQuestion = "save" | "open";
export type SwitchResult = "success" | "canceled" | "notAllowed" | "failed";
export type SwitchCause = "openURL" | "cancelConditionalLaunch" | "documentImport";
export type UnlockResult = "unlocked" | "dismissed" | "refused" | "noAgent" | "noChallenge" | "timedOut"
  | "serviceFailure";
export type AccountState = "active" | "blocked" | "nonCompliant" | "wiped" | "policyRequired" | "notAllowed"
  | "notChecked" | "locked";
export type EventKind = "navigate" | "copy" | "paste" | "clipboardChanged" | "dragEnd" | "download" | "upload"
  | "save" | "open" | "receive" | "share" | "print" | "capture" | "notify" | "openURL" | "exchange" | "index";
export type Topic = "policy" | "account" | "identity" | "enrollment" | "allowedAccounts" | "config" | "wipe"
  | "compliance" | "restart" | "dataProtection";
export type RestartCause = "staticRules" | "fixedAccount" | "accountMustGo";
export type Limit = "connections" | "instances" | "viewers" | "windows" | "pipelinedCalls" | "messageBytes"
  | "messageMs" | "nameBytes" | "accounts" | "nesting" | "questions" | "pathBytes" | "justificationBytes"
  | "memoryBytes" | "logBytes" | "files";
export type LifeState = "unknown" | "unmanaged" | "registered" | "enrolled" | "suspended" | "blocked" | "nonCompliant"
  | "policyRequired" | "notAllowed" | "notChecked" | "locked" | "wipePending" | "wiped";
export type EnrollmentResult = "newPolicies" | "unchanged" | "wipeReceived" | "noPolicy" | "unenrolled"
  | "internalError" | "unreadablePolicy" | "noAccount" | "alreadyEnrolled" | "notOrganizationAccount" | "otherUser"
  | "notSignedIn" | "notEnrolled" | "notEnrolledAccount" | "clearFailed" | "notChecked" | "unsupported"
  | "notTargeted" | "blocked" | "singleAccount";
export type ComplianceStatus = "compliant" | "notCompliant" | "serviceFailure" | "networkFailure"
  | "interactionRequired" | "userCancelled";
export type DataFate = "keep" | "remove";
export type RequestResult = "done" | "refused" | "failed";
export type AccountSource = "user" | "broker" | "app";
export type DataKeyUse = "write" | "read";
export type FileEncryption = "none" | "envelope" | "fscrypt" | "gocryptfs" | "volume";
export type FileStanding = "unknown" | "unmanaged" | "mine" | "managed";
export type LabelStore = "attribute" | "table" | "none";
export type DirectoryState = "none" | "opening" | "open" | "failed";
/** What an app may say it can, with Attach. */
export type Feature =
  "actions" | "clips" | "redact" | "warn" | "switchIdentity" | "clipEcho" | "wrap" | "plainText";

/** Every member is optional: what is left out, or null, is unknown, and never makes an answer weaker. */
export interface Event {
  viewer?: string | null; url?: string | null; from?: string | null; frame?: Frame | null; hop?: boolean | null;
  method?: string | null; gesture?: Gesture | null; sameDocument?: boolean | null; newWindow?: boolean | null;
  selection?: Selection | null; cut?: boolean | null; length?: number | null; formats?: readonly string[] | null;
  selfOwned?: boolean | null; clip?: string | null; proposal?: string | null; display?: string | null;
  owner?: string | null; location?: Location | null; locationAccount?: string | null; path?: string | null;
  inPlace?: boolean | null; peer?: string | null; peerAccount?: string | null; channel?: Channel | null;
  capture?: CaptureKind | null; inspection?: Inspection | null; surface?: Surface | null; chooser?: boolean | null;
  probe?: boolean | null; action?: string | null; deadline?: number | null; label?: string | null; file?: string | null;
  origin?: string | null;
}

/** Another program that may open the URL. The app starts it, in its user's session. */
export interface OpenOffer {
  readonly target: string;
  readonly url: string;
  /** The `.desktop` file to start; null with no `argv` either means the desktop's own handler of the scheme. */
  readonly desktopId: string | null;
  /** The command to start instead, ready to run without a shell. */
  readonly argv: readonly string[] | null;
  /** Where to go when the program cannot open it, best first. */
  readonly fallback: readonly OpenOffer[];
}

/** What would have been answered if the policy did not only monitor. */
export interface Advice {
  readonly outcome: string; readonly reason: string; readonly cause: string; readonly ruleSet: string | null;
  readonly rule: string | null; readonly ruleLocation: string | null;
}

/** What the app must do, and why. */
export class Decision {
  private constructor();
  readonly outcome: Outcome;
  /** A `Reason`, or the word of an error: `noAnswer`, `AppMismatch`. */
  readonly reason: string;
  readonly id: string;
  /** Made here, without the daemon: by the failure contract, or because the daemon refused the question. */
  readonly isLocal: boolean;
  readonly viewerIsUnknown: boolean; readonly policy: string | null; readonly policySource: string | null;
  readonly identity: string | null; readonly identityLevel: string | null; readonly protection: string | null;
  readonly verdict: string | null; readonly ruleSet: string | null; readonly rule: string | null;
  readonly ruleLocation: string | null; readonly exception: string | null; readonly message: string | null;
  readonly open: OpenOffer | null; readonly offered: string | null; readonly bodyDropped: boolean;
  /** It is a sign-in page, which may get the credential of the account in `identity`: see `signInCredential`. */
  readonly signIn: boolean;
  readonly clip: string | null; readonly proposal: string | null; readonly limit: number | null;
  readonly onlyPlainText: boolean; readonly mimeWrap: boolean; readonly replacement: string | null;
  readonly programs: readonly string[] | null; readonly blurPreview: boolean; readonly setOwner: string | null;
  readonly mustEncrypt: boolean; readonly tagAs: string | null; readonly switchTo: string | null;
  readonly request: string | null; readonly location: string | null; readonly notes: readonly string[];
  readonly advice: Advice | null; readonly generation: number; readonly digest: string; readonly mode: string | null;
  readonly repeat: boolean;
  /** All members as they came, also those that this client does not know. */
  readonly raw: { readonly [member: string]: unknown };
  /** Whether it may happen here and now. `warn`, `redact` and the others are not that. */
  readonly allowed: boolean;
  /** What to start now. Null for a mere offer, and for a click that was answered before: one click, one start. */
  readonly opensNow: OpenOffer | null;
}

/** An error of the daemon, by its last word in `code`, or one of this client's own: `noAnswer`, `unreachable`, ... */
export class GuardError extends Error {
  constructor(code: string, method?: string, parameters?: { [member: string]: unknown });
  readonly code: string;
  readonly method: string;
  readonly parameters: { readonly [member: string]: unknown };
}

/** The failure contract: what an app does when nobody answers, and how long it waits for that. */
export interface Contract {
  readonly startMs: number; readonly answerMs: number; readonly navigation: FailureAnswer;
  readonly clipboard: FailureAnswer; readonly other: FailureAnswer;
}

/** How a viewer resolves. All null when the daemon could not be asked; it is told as soon as it is there. */
export interface Viewer {
  readonly policy: WebViewPolicy | null; readonly policySource: PolicySource | null; readonly ruleSet: string | null;
}

/** Whose data is shown. `level` is null when the daemon could not be asked; it is told as soon as it is there. */
export interface Identity {
  readonly previous: string | null; readonly effectiveUI: string | null; readonly effectiveFile: string | null;
  readonly level: IdentityLevel | null; readonly result: SwitchResult | null; readonly reason: Reason | null;
}

export interface IdentitySaid {
  window?: string | null; account?: string | null; accounts?: readonly string[] | null; gates?: SwitchResult | null;
}

export interface ViewerSaid {
  class?: string | null; window?: string | null; parent?: string | null; opener?: string | null;
  kind?: ViewerKind | null; document?: string | null; policy?: WebViewPolicy | null; ruleSet?: string | null;
}

export type RuleFormat = "webkit-content-blocker" | "chromium-policy" | "firefox-policy" | "declarative-net-request"
  | "chromium-host-rules";
/** A document of static rules; `gaps` of them it does not state exactly. `digest` is for the option `rules` of a guard. */
export interface Rules {
  readonly document: string; readonly digest: string; readonly generation: number; readonly gaps: number;
}

/** The organisation as a notice shows it; the contact's link is an `https:`, `mailto:` or `tel:` URL, colours are `#rrggbb`. */
export interface Organization {
  readonly name?: string; readonly contact?: string; readonly contactLink?: string;
  readonly color?: string; readonly darkColor?: string;
}

/** One piece of news. A topic that this client does not know may come from a newer daemon. */
export class NewsItem {
  private constructor();
  readonly topic: string; readonly generation: number; readonly digest: string; readonly account: string | null;
  readonly state: string | null; readonly window: string | null; readonly request: string | null;
  readonly cause: string | null; readonly unlock: string | null; readonly life: string | null;
  readonly result: string | null; readonly status: string | null; readonly title: string | null;
  readonly text: string | null; readonly accounts: readonly string[] | null; readonly restart: string | null;
  readonly deadline: number | null; readonly encryption: string | null; readonly keyId: string | null;
  readonly missed: number;
  /** Of the topic `policy`: what the policy says of the organisation. */
  readonly organization: Organization | null;
  /** All members as they came; null for what the client itself tells. */
  readonly raw: { readonly [member: string]: unknown } | null;
  readonly mayWork: boolean;
  readonly mustEncrypt: boolean;
}

export type Handler = (item: NewsItem) => void | Promise<void>;
/**
 * `missed` hears that news may be lost: after a connection that was lost, or since the app did not read in time.
 * `other` hears topics that have no handler, also those of a newer daemon.
 */
export type Handlers = { [topic in Topic | "missed" | "other"]?: Handler } & { [topic: string]: Handler };

export interface Listening { close(): void; }
export interface News {
  [Symbol.asyncIterator](): News;
  next(): Promise<IteratorResult<NewsItem, undefined>>;
  return(): Promise<IteratorResult<NewsItem, undefined>>;
  close(): void;
}

/** What came of an enrolment or of its end. */
export interface AccountStatus {
  readonly account: string; readonly state: LifeState; readonly result: string; readonly number: number | null;
  readonly isSuccess: boolean; readonly mustRemove: boolean; readonly mayWork: boolean; readonly raw: object;
}

/** An account of this app and person. Times are milliseconds since 1970. */
export interface ListedAccount {
  readonly account: string; readonly state: LifeState; readonly managed: boolean; readonly sources: readonly string[];
  readonly protection: string | null; readonly result: string | null; readonly remediation: string | null;
  readonly compliance: string | null; readonly encryption: string | null; readonly registered: number | null;
  readonly enrolled: number | null; readonly checkedIn: number | null; readonly retry: number | null;
  readonly number: number | null; readonly mayWork: boolean; readonly mustEncrypt: boolean; readonly raw: object;
}

export type ConfigValue = boolean | number | string;

/** The values of a key. Targeted ones beat the default, of whatever type they are. */
export class ConfigValues {
  readonly all: readonly { readonly entry: string; readonly value: ConfigValue; readonly isDefault: boolean }[];
  readonly layers: ConfigValues["all"];
  readonly hasConflict: boolean;
  readonly booleans: boolean[];
  readonly numbers: number[];
  readonly strings: string[];
  boolean(choice?: "any" | "or" | "and"): boolean | null;
  number(choice?: "any" | "min" | "max"): number | null;
  string(choice?: "any" | "min" | "max"): string | null;
}

export class AccountConfig {
  private constructor();
  readonly account: string;
  readonly state: LifeState;
  readonly values: ReadonlyMap<string, ConfigValues>;
  get(key: string): ConfigValues;
  readonly fullData: { [key: string]: ConfigValue }[];
}

/** The accounts of this app: who signs in, may work, and must leave. These promises fail when nobody answers. */
export interface Accounts {
  register(account?: string | null): Promise<AccountStatus>;
  deregister(account: string, data?: DataFate | null): Promise<AccountStatus>;
  list(): Promise<{ accounts: ListedAccount[]; enrolled: string | null }>;
  deviceAccount(): Promise<string | null>;
  maySignIn(account: string): Promise<{
    allowed: boolean; state: LifeState; reason: string | null; text: string | null;
  }>;
  allowed(): Promise<{ accounts: string[] | null; mustSignOut: string[] }>;
  config(accounts?: readonly string[] | null): Promise<AccountConfig[]>;
  remediate(account: string, options?: { silent?: boolean }): Promise<string | null>;
  complete(request: string, result: RequestResult): Promise<AccountStatus>;
  openDirectory(account: string): Promise<{ state: DirectoryState; path: string | null; problem: string | null }>;
}

/** A question for each kind of event: `navigate`, `copy`. */
type Asking = { [kind in EventKind]: (event?: Event) => Promise<Decision> };
/** What a guard and its scopes have in common. */
export interface Questions extends Asking {
  decide(kind: EventKind, event?: Event): Promise<Decision>;
  decideMany(questions: readonly (readonly [EventKind, Event])[]): Promise<Decision[]>;
  acknowledge(decision: Decision, outcome: Outcome, said?: { justification?: string }): Promise<boolean>;
  /** Fails with `notReady` after `waitMs`, a minute unless stated, and with `UnknownClass` or `InvalidParameter`. */
  rules(format: RuleFormat, viewerClass?: string | null, options?: { waitMs?: number }): Promise<Rules>;
  call(method: string, parameters?: object): Promise<{ [member: string]: unknown }>;
  asAccount<T>(account: string | null, work: (scope: Scope, shown: Identity) => T | Promise<T>): Promise<T>;
  readonly accounts: Accounts;
}

/** What `asAccount` gives to the work: what is asked of it is judged as that account. */
export interface Scope extends Questions {
  setIdentity(said: IdentitySaid): Promise<Identity>;
}

export interface GuardOptions {
  /** The app's id in the policy; needed where several apps share a program. */
  app?: string | null;
  /** The daemon's socket; by default the system's, else the user's own. */
  path?: string | null;
  /** What the app can do with an answer; see GUIDE.md. */
  features?: readonly Feature[];
  languages?: readonly string[];
  /** Whose daemon is believed, in place of root, the user `webviewguard`, and the user of this process. */
  trustedUids?: readonly number[] | null;
  onProblem?: (problem: GuardError) => void;
  version?: string | null;
  /** The digest of the configuration that the app's static rules were exported from. */
  rules?: string | null;
  /** The token of an instance to join, or what tells it: `Guard.instance` of another process of the app. */
  instance?: string | (() => string | null) | null;
  /** The connection belongs to a thread, so that `decideSync` and `startSync` can wait for it. */
  sync?: boolean;
}

/** Asks the daemon, and answers by the failure contract when it does not answer in time. */
export class Guard {
  constructor(options?: GuardOptions);
  start(): Promise<boolean>;
  startSync(): boolean;
  close(): void;
  readonly contract: Contract;
  readonly isConnected: boolean;
  readonly instance: string | null;
  decideSync(kind: EventKind, event?: Event): Decision;
  setIdentity(level: IdentityTarget, said?: IdentitySaid): Promise<Identity>;
  registerViewer(viewer: string, said?: ViewerSaid): Promise<Viewer>;
  setDocument(viewer: string, document?: string | null): Promise<boolean>;
  forgetViewer(viewer: string): Promise<boolean>;
  setWebViewPolicy(viewer: string, policy: WebViewPolicy): Promise<Viewer>;
  setExternalURLRules(viewer: string, ruleSet?: string | null): Promise<boolean>;
  answer(request: string, result: SwitchResult): Promise<boolean>;
  listen(handlers: Handlers): Listening;
  news(topics?: readonly Topic[]): News;
}
export interface Guard extends Questions {}

/** What an account's name is compared by: `accountKey("Work@Contoso.com")` is `work@contoso.com`. */
export function accountKey(account: string): string;
/** Whether two names are of one account. Null names none, not even the same. */
export function sameAccount(one: string | null, other: string | null): boolean;
/** The SDK's number of an EnrollmentResult; null for a word that is not known. */
export function enrollmentNumber(result: string | null): number | null;
/** The SDK's number of a ComplianceStatus; null for a word that is not known. */
export function complianceNumber(status: string | null): number | null;
/** Whether an account may work, by its state in news or its point of life. */
export function mayWork(state: string | null): boolean;
/**
 * The header for the navigation to `url` that the decision is about, from the agent of the person's session; null when
 * there is none in time. For that request and no other: never keep it, never log it, take it off when it is redirected.
 */
export function signInCredential(decision: Decision, url: string, options?: { waitMs?: number })
  : Promise<{ name: string; value: string } | null>;
/** The version of this library. */
export const version: string;
