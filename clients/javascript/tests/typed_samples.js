"use strict";

// A value of each class and interface that the types declare, as the code makes it.

const fs = require("fs");
const path = require("path");
const { AccountConfig, ConfigValues, GuardError, Guard, NewsItem } = require("..");
const { guard } = require("../electron");
const { Accounts } = require("../lib/accounts");
const { CLOSED } = require("../lib/contract");
const { readDecision } = require("../lib/decision");
const { registerViewer, setIdentity } = require("../lib/calls");
const { readRules } = require("../lib/rules");
const { Scope } = require("../lib/guard");
const { FileProtectionError, Files, Sealing, SealingError } = require("../sealing");
const { FakeClient } = require("./electron_case");
const { FakeElectron } = require("./electron_fake");

const WORK = "work@contoso.com";
const REPLIES = {
  Register: { account: WORK, state: "enrolled", result: "newPolicies" },
  List: { accounts: [{ account: WORK, state: "enrolled", managed: true, sources: [] }] },
};

function questions() {
  const guarding = new Guard({ path: "/nonexistent/guard.sock" });
  const listening = guarding.listen({});
  const news = guarding.news();
  const scope = new Scope(guarding, guarding._engine);
  guarding.close();
  return { Guard: guarding, Scope: scope, Listening: listening, News: news };
}

async function told() {
  const accounts = new Accounts((method, said, read) => read(REPLIES[method.split(".").pop()]));
  const part = { ready: true, generation: 1, digest: "ab", gaps: 0, part: "{}", bytes: 2 };
  const { accounts: [listed] } = accounts.list();
  const decision = readDecision({ outcome: "redirect", open: { target: "managedBrowser", url: "https://contoso.com/" },
    advice: { outcome: "block", reason: "external", cause: "app" } });
  return {
    Accounts: accounts, AccountStatus: accounts.register(WORK), ListedAccount: listed, Contract: CLOSED,
    AccountConfig: new AccountConfig(WORK, "enrolled", new Map()), ConfigValues: new ConfigValues(),
    Decision: decision, OpenOffer: decision.open, Advice: decision.advice, GuardError: new GuardError("noAnswer"),
    NewsItem: new NewsItem({}), Rules: await readRules(async () => part, "chromium-policy", null, 1000),
    Identity: setIdentity("process", {}).unheard, Viewer: registerViewer("v1", {}).unheard,
  };
}

async function sealed(test) {
  const folder = test.folder();
  const key = async () => null;
  const sealing = new Sealing(key);
  const files = new Files(new FakeClient());
  const file = path.join(folder, "a");
  const writer = await sealing.create(file, "");
  await writer.finish();
  const reader = await sealing.reader(fs.readFileSync(file));
  const incoming = files.incomingSync("b");
  const readable = await files.readable(__filename);
  test.add(() => Promise.all([reader.close(), incoming.discard(), readable.close()]));
  return {
    Sealing: sealing, Files: files, FileWriter: writer, SealedReader: reader, ProtectionInfo: reader.info,
    SealedWriter: await sealing.writer(() => undefined, ""), Incoming: incoming, Readable: readable,
    SealingError: new SealingError(103), FileProtectionError: new FileProtectionError(101),
  };
}

/** By the names of their types. */
module.exports = async (test) => ({
  ...questions(), ...await told(), ...await sealed(test),
  Guarded: guard({ require: "always", electron: new FakeElectron(9).modules, client: new FakeClient() }),
});
