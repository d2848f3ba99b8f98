// A program as somebody writes it who trusts the types: what it says right compiles, and each mistake is found.

import webviewguard, { AccountConfig, Decision, Guard, GuardError, accountKey, version } from "webviewguard";
import type { AccountStatus, Event, Handlers, Identity, Outcome, Scope, Viewer } from "webviewguard";
import { guard as guardApp } from "webviewguard/electron";
import { notice } from "webviewguard-notice";
import { Files, SealedReader, Sealing, SealingError, keysOf } from "webviewguard-sealing";

const own = new Guard({
  app: "com.contoso.portal", features: ["wrap"], sync: true, onProblem: ({ code }) => log(code, null),
});
const same: typeof Guard = webviewguard.Guard;
const identity: Identity = await own.setIdentity("window", { window: "w1", account: "work@contoso.com" });
const seen: Viewer = await own.registerViewer("v1", { class: "documents", kind: "popup", opener: null });
const event: Event = { viewer: "v1", url, frame: "main", length: null };
const asked: Decision = own.decideSync("navigate", event);
const outcome: Outcome = asked.outcome;
const all: Decision[] = await own.decideMany([["navigate", event], ["print", { viewer: "v1" }]]);
const status: AccountStatus = await own.accounts.register("work@contoso.com");
const configs: AccountConfig[] = await own.accounts.config();
const count: number | null = configs[0].get("maxTabs").number("min");
const handlers: Handlers = {
  account: ({ account }) => log(String(account), null), newer: (item) => log(item.topic, item.raw),
};
own.listen(handlers).close();
const inScope: string = await own.asAccount("work@contoso.com", async (scope: Scope) => (await scope.print()).reason);
own.acknowledge(asked, "allow", { justification: "mine" });
const page: string = notice(asked, { url, languages: ["de"], actions: { back: "my-app:back" } });
const app = guardApp({ class: "documents", require: "always", sealing: { Files } });
app.client.setIdentity("process", { account: "work@contoso.com" });
const perhaps = guardApp({ class: "documents" });
if (perhaps.isActive) perhaps.client.close();
const zoomed: { zoomFactor: number; sandbox?: boolean } = app.webPreferences({ zoomFactor: 2 });
const sealing = new Sealing(keysOf(own));
const reader: SealedReader = await sealing.reader(await sealing.protect(bytes, "work@contoso.com"));
for await (const piece of reader) log(String(piece.length), null);
const isKey: boolean = accountKey(version) === String(new GuardError("noAnswer").code);
const mine: 100 | 101 | 102 | 103 | 104 | 105 = new SealingError(103, "damaged").code;
export { all, count, identity, inScope, isKey, mine, outcome, page, same, seen, status, zoomed };

// @ts-expect-error a kind that no event has
own.decide("navigat");
// @ts-expect-error a member that no event has
own.navigate({ viever: "v1" });
// @ts-expect-error a word that no frame has
own.navigate({ frame: "man" });
// @ts-expect-error an option that no guard has
new Guard({ ap: "com.contoso.portal" });
// @ts-expect-error an app that may be unmanaged has no client there
perhaps.client.close();
// @ts-expect-error nobody makes a decision
new Decision("allow", {});
// @ts-expect-error a decision is read only
asked.outcome = "allow";
// @ts-expect-error an outcome that there is not
own.acknowledge(asked, "alow");
// @ts-expect-error a word that is no requirement
guardApp({ require: "sometimes" });
// @ts-expect-error a button that no notice has
notice(asked, { actions: { close: "my-app:close" } });
// @ts-expect-error a topic that there is not
own.news(["polices"]);
