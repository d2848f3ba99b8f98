// The extension's own process: wires its parts together. State lives in the parts, so that a new start finds it again.

import { AccountFiles } from "./account-files.js";
import { AccountPage } from "./account-page.js";
import { Accounts } from "./accounts.js";
import { api } from "./api.js";
import { guardAsyncClipboard } from "./async-clipboard.js";
import { Clips } from "./clips.js";
import { Configuration } from "./configuration.js";
import { readContract } from "./decisions.js";
import { Departure } from "./departure.js";
import { Downloads } from "./downloads.js";
import { Host } from "./host.js";
import { Navigation } from "./navigation.js";
import { Notice } from "./notice.js";
import { Pages } from "./pages.js";
import { Refusal } from "./refusal.js";
import { Rules } from "./rules.js";
import { Remains } from "./remains.js";
import { readSettings } from "./settings.js";
import { Viewers } from "./viewers.js";

/** @type {import("./settings.js").Settings} */
const settings = {};

// The storage is ours alone: content scripts run in the processes of pages. Firefox has no such setting.
api.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });

// The content scripts fill the clipboard themselves and say so; keep a clip from programs that do not ask; and strip it.
const FEATURES = ["clipEcho", "wrap", "plainText"];

const host = new Host({
  async hello() {
    await read;
    const { version } = api.runtime.getManifest();
    return { app: settings.app, languages: navigator.languages.slice(0, 8), features: FEATURES, version };
  },
  async refuses() {
    await read;
    return departure.isOut ? { outcome: "block", reason: departure.reason, id: "", message: departure.text } : null;
  },
  async greet() {
    // It registers the account before it states it.
    await accounts.lookAgain();
    // Which rules there are says whether documents are to be told at all.
    await viewers.tellAll();
    await configuration.read();
    refresh();
    // A browser, host or worker that was killed may have left some.
    files.settleAll();
  },
  onNews(news) {
    accounts.hear(news);
    configuration.hear(news);
    // Not before the account is stated: it says which rules there are.
    if (news.news !== "connection" || news.standing?.isConnected) host.ready().then(refresh);
  },
});
const departure = new Departure(settings);
const page = new AccountPage();
const files = new AccountFiles(host);
const accounts = new Accounts({ host, settings, departure, remains: new Remains(), files, page, close: refresh });
const configuration = new Configuration(host, settings);
const rules = new Rules(host, settings);
const viewers = new Viewers(host, settings, rules);
const notice = new Notice();
const refusal = new Refusal(host, viewers);
const navigation = new Navigation(host, viewers, rules, refusal);
const clips = new Clips(host, viewers, notice);
const downloads = new Downloads(host, viewers, notice, accounts, files);
const pages = new Pages({ host, rules, navigation, refusal, settings, accounts, configuration, departure, page });

// Listeners are added at once: an event that wakes the worker is lost otherwise.
viewers.listen((tab) => clips.closed(tab));
navigation.listen();
refusal.listen();
downloads.listen();
api.runtime.onMessage.addListener((message, sender, reply) => {
  return clips.take(message, sender, reply) || pages.take(message, sender, reply);
});
api.storage.onChanged.addListener(async (_, area) => {
  if (area !== "managed") return;
  const stated = await readSettings();
  if (JSON.stringify(stated) === JSON.stringify(settings)) return;
  Object.assign(clear(settings), stated);
  host.restart();
});

// What was kept holds until the host says something newer.
const read = (async () => {
  host.contract = readContract((await api.storage.local.get("contract")).contract);
  Object.assign(settings, await readSettings());
  await Promise.all([viewers.find(), rules.restore(), departure.restore()]);
  // A sign-out that a killed worker had begun goes on, also while there is no host.
  if (departure.isOut) accounts.lookAgain();
})();

// One after the other: two at once would each put their rules beside the other's.
let refreshing = Promise.resolve();
function refresh() {
  refreshing = refreshing.then(async () => {
    rules.isClosed = departure.isOut;
    await rules.update();
    await viewers.tellDocuments();
    await guardAsyncClipboard(settings.asyncClipboard === "allow" || rules.isFree);
  });
  refreshing = refreshing.catch((error) => {
    rules.problem = String(error);
  });
  return refreshing;
}

function clear(object) {
  for (const name of Object.keys(object)) delete object[name];
  return object;
}

host.ready();
