"use strict";

// The client and the real daemon.

const assert = require("assert");
const fs = require("fs");
const { eventually } = require("./cleanup");
const { each, makeGuard, vectors } = require("./case");
const { EVENT_KINDS } = require("../lib/words");
const { APP, BROWSER, FILES, PERSONAL, WORK, managed, serving } = require("./real");

const OUT = "https://example.net/";
const going = (guard) => guard.navigate({ viewer: "docs", url: OUT, frame: "main", from: "https://contoso.com/" });

/** The first decision of the daemon, and not of the contract. */
function answered(guard, viewer = "docs") {
  return eventually(async () => {
    const decision = await guard.navigate({ viewer, url: `${OUT}?${Math.random()}`, frame: "main" });
    return decision.isLocal ? null : decision;
  }, "the daemon answers");
}

async function isAsBefore(guard) {
  const decision = await answered(guard);
  assert.deepStrictEqual([decision.outcome, decision.reason, decision.identity, decision.viewerIsUnknown],
    ["redirect", "external", WORK, false]);
  assert.strictEqual((await guard.print({ viewer: "home" })).identity, PERSONAL);
}

/** What the daemon refused of what was said again. */
const ofReplay = (guard) => guard.problems.filter(({ code }) => !["noAnswer", "connectionLost",
  "unreachable"].includes(code));

module.exports = {
  "what is said and asked": async (test) => {
    const daemon = await serving(test);
    const guard = makeGuard(test, { path: daemon.path, app: APP, languages: ["de-AT", "en"] });
    assert.ok(await guard.start());
    assert.deepStrictEqual([guard.contract.answerMs, guard.contract.navigation], [2000, "closed"]);
    const shown = await guard.setIdentity("process", { account: WORK });
    assert.deepStrictEqual([shown.previous, shown.effectiveUI, shown.effectiveFile, shown.level], [null, WORK, WORK,
      "process"]);
    const viewer = await guard.registerViewer("docs", { class: "documents", window: "w1", kind: "embedded" });
    assert.deepStrictEqual(viewer, { policy: "currentIdentity", policySource: "class", ruleSet: "contoso" });
    assert.strictEqual(await guard.setDocument("docs", "https://contoso.com/"), true);
    const away = await going(guard);
    assert.deepStrictEqual([away.outcome, away.reason, away.identity], ["redirect", "external", WORK]);
    assert.strictEqual(away.opensNow.desktopId, BROWSER);
    assert.strictEqual((await guard.registerViewer("loose", { class: "loose" })).ruleSet, null);
    assert.strictEqual((await guard.setWebViewPolicy("loose", "unmanaged")).policySource, "ownTag");
    assert.strictEqual(await guard.setExternalURLRules("loose", "contoso"), true);
    assert.strictEqual(await guard.forgetViewer("loose"), true);
    assert.strictEqual((await guard.call("WhoAmI")).app, APP);
    assert.deepStrictEqual(guard.problems, []);
  },

  "every kind of question": async (test) => {
    const guard = await managed(test, await serving(test));
    const more = {
      copy: { selection: "clipboard", length: 3 }, paste: { selection: "clipboard", length: 3 },
      clipboardChanged: { selection: "primary", selfOwned: false, formats: ["text/plain"], viewer: null },
        dragEnd: { viewer: null },
      share: { peer: "org.example.Chat.desktop", owner: WORK }, receive: { peer: APP, peerAccount: WORK },
      capture: { capture: "ownImage" }, exchange: { channel: "assistant" }, save: { path: "/srv/a", inPlace: true },
    };
    const decisions = [];
    for (const kind of EVENT_KINDS) decisions.push(await guard[kind]({ viewer: "docs", url: OUT, ...more[kind] }));
    assert.deepStrictEqual(decisions.filter(({ isLocal }) => isLocal), []);
    assert.strictEqual(new Set(decisions.map(({ id }) => id)).size, EVENT_KINDS.length);
    const many = await guard.decideMany([["copy", { viewer: "docs", length: 1 }], ["openURL", { url: OUT,
      viewer: "docs" }]]);
    assert.deepStrictEqual(many.map(({ reason }) => reason), ["clipRecorded", "external"]);
    assert.deepStrictEqual(await guard.decideMany([]), []);
  },

  "one click is opened once and recorded once": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    const asked = [];
    for (const hop of [false, true, null]) asked.push(await guard.navigate({ viewer: "docs", url: OUT, frame: "main",
      hop }));
    assert.strictEqual(asked.filter(({ opensNow }) => opensNow !== null).length, 1);
    await daemon.stop();
    const log = fs.readdirSync(`${daemon.folder}/log`).map((name) => fs.readFileSync(`${daemon.folder}/log/${name}`,
      "utf8")).join("");
    assert.strictEqual(log.split("\n").filter((line) => line.includes('"decision"') && line.includes(
      "example.net")).length, 1);
  },

  "errors have names and parameters": async (test) => {
    const guard = await managed(test, await serving(test));
    await assert.rejects(guard.registerViewer("v1", { class: "none" }), (error) => {
      assert.deepStrictEqual([error.code, error.method, error.parameters], ["UnknownClass", "RegisterViewer",
        { class: "none" }]);
      return error.message.includes("UnknownClass");
    });
    await assert.rejects(guard.call("Fly"), { name: "GuardError" });
    assert.strictEqual((await guard.navigate({ viewer: "v".repeat(1000), url: OUT })).reason, "LimitReached");
  },

  "a decision is acknowledged once": async (test) => {
    const guard = await managed(test, await serving(test));
    const decision = await guard.print({ viewer: "docs" });
    assert.strictEqual(await guard.acknowledge(decision, "allow", { justification: "because" }), true);
    await assert.rejects(guard.acknowledge(decision, "allow"), { code: "UnknownDecision" });
  },

  "a caller that is no app is told why": async (test) => {
    const guard = makeGuard(test, { path: (await serving(test)).path, app: "com.example.other" });
    assert.strictEqual(await guard.start(), false);
    assert.strictEqual(guard.problems[0].code, "AppMismatch");
    const decision = await going(guard);
    assert.deepStrictEqual([decision.outcome, decision.reason], ["block", "AppMismatch"]);
    assert.ok(decision.message.includes("does not know this program"));
  },

  "answers at once": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon, { sync: true });
    guard.registerViewer("later", { class: "documents" });
    const decision = guard.decideSync("navigate", { viewer: "later", url: OUT, frame: "main" });
    assert.deepStrictEqual([decision.outcome, decision.viewerIsUnknown], ["redirect", false]);
    await daemon.stop("SIGKILL");
    assert.strictEqual(guard.decideSync("navigate", { viewer: "docs", url: OUT }).reason, "noAnswer");
    await daemon.start();
    // Two attempts are never closer than 100 ms where somebody listened.
    const reason = () => guard.decideSync("navigate", { viewer: "docs", url: OUT }).reason;
    await eventually(() => reason() === "external", "it answers");
  },

  "killed and back with its state, many times": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    for (let count = 0; count < 3; count += 1) {
      await daemon.stop("SIGKILL");
      assert.strictEqual((await going(guard)).reason, "noAnswer");
      await daemon.start();
      await isAsBefore(guard);
    }
    assert.deepStrictEqual(ofReplay(guard), []);
  },

  "killed and back without its state": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    const before = guard.instance;
    await daemon.stop("SIGKILL");
    fs.rmSync(daemon.state, { recursive: true });
    await daemon.start();
    await isAsBefore(guard);
    assert.notStrictEqual(guard.instance, before);
    assert.deepStrictEqual(ofReplay(guard), []);
  },

  "stopped and let go": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    daemon.process.kill("SIGSTOP");
    await eventually(() =>
      / T /.test(fs.readFileSync(`/proc/${daemon.process.pid}/stat`, "utf8")), "the daemon is stopped");
    assert.strictEqual((await going(guard)).reason, "noAnswer");
    daemon.process.kill("SIGCONT");
    await isAsBefore(guard);
  },

  "what the policy no longer knows is reported, and the rest goes on": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    await daemon.stop("SIGKILL");
    daemon.write("policy.d/app.yaml", FILES["policy.d/app.yaml"].replace("      loose: {}\n", ""));
    await daemon.start();
    assert.strictEqual((await answered(guard)).reason, "external");
    assert.deepStrictEqual(ofReplay(guard).map(({ code }) => code).filter((code) => code === "UnknownClass"),
      ["UnknownClass"]);
  },

  "a popup is as its opener though that is forgotten": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    assert.strictEqual((await guard.registerViewer("popup", { opener: "docs", kind: "popup" })).ruleSet, "contoso");
    await guard.forgetViewer("docs");
    await daemon.stop("SIGKILL");
    await daemon.start();
    assert.strictEqual((await answered(guard, "popup")).ruleSet, "contoso");
    assert.ok((await guard.navigate({ viewer: "docs", url: OUT })).viewerIsUnknown);
  },

  "many viewers come back": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    const all = Array.from({ length: 100 }, (_, number) => guard.registerViewer(`v${number}`, { class: "documents" }));
    await Promise.all(all);
    await daemon.stop("SIGKILL");
    await daemon.start();
    await isAsBefore(guard);
    assert.strictEqual((await guard.registerViewer("v99")).ruleSet, "contoso");
    assert.deepStrictEqual(ofReplay(guard), []);
  },

  "scopes are judged apart, and so is the rest of the program": async (test) => {
    const guard = await managed(test, await serving(test));
    const shown = async (here) => (await here.print({ viewer: "docs" })).identity;
    await Promise.all([PERSONAL, WORK, ""].map((account) => guard.asAccount(account, async (scope) => {
      for (let count = 0; count < 10; count += 1) assert.strictEqual(await shown(scope), account);
      assert.strictEqual(await shown(guard), WORK);
    })));
    await assert.rejects(guard.asAccount("nobody@elsewhere.example", () => assert.fail("it ran")),
      { code: "UnknownAccount" });
    assert.strictEqual(await shown(guard), WORK);
  },

  "another process joins the instance": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    const joined = makeGuard(test, { path: daemon.path, instance: () => guard.instance });
    assert.ok(await joined.start());
    const [one, other] = [await going(guard), await going(joined)];
    assert.deepStrictEqual([other.outcome, other.viewerIsUnknown, other.identity], [one.outcome, false, WORK]);
    await daemon.stop("SIGKILL");
    fs.rmSync(daemon.state, { recursive: true });
    await daemon.start();
    await isAsBefore(guard);
    assert.strictEqual((await answered(joined)).viewerIsUnknown, false);
    const stranger = makeGuard(test, { path: daemon.path, instance: "0".repeat(32) });
    assert.deepStrictEqual([(await going(stranger)).reason, (await stranger.start())], ["UnknownInstance", false]);
  },

  "rules of a class come from the daemon": async (test) => {
    const daemon = await serving(test);
    const guard = makeGuard(test, { path: daemon.path, app: APP });
    await guard.start();
    const { digest } = await guard.navigate({ viewer: "docs", url: OUT });
    const rules = await guard.rules("chromium-policy", "documents");
    assert.strictEqual(rules.digest, digest);
    assert.ok("URLBlocklist" in JSON.parse(rules.document));
    await assert.rejects(guard.rules("chromium-policy", "nowhere"), { code: "UnknownClass" });
    await assert.rejects(guard.rules("nonsense", "documents"), { code: "InvalidParameter" });
  },

  "news of a new policy": async (test) => {
    const daemon = await serving(test);
    const guard = await managed(test, daemon);
    const heard = [];
    guard.listen({ policy: ({ generation }) => heard.push(generation), missed: () => heard.push("missed") });
    await eventually(() => heard.length === 1, "the policy is told");
    daemon.write("rules/contoso.yaml", FILES["rules/contoso.yaml"].replace("sharing.example", "other.example"));
    daemon.process.kill("SIGHUP");
    await eventually(() => heard.length === 2, "the new one is told");
    await daemon.stop("SIGKILL");
    await daemon.start();
    await eventually(() => heard.includes("missed"), "a gap is told");
  },

  "accounts live, and the daemon says why somebody may not sign in in the language of the person": async (test) => {
    const daemon = await serving(test);
    const texts = vectors("texts");
    await each([["de-AT", "de"], ["fr", "fr"], ["es-MX", "es"], [null, "en"]], async ([wanted, language]) => {
      const guard = makeGuard(test, { path: daemon.path, languages: wanted === null ? [] : [wanted, "en"] });
      assert.ok(await guard.start());
      const answer = await guard.accounts.maySignIn("someone@elsewhere.example");
      assert.deepStrictEqual([answer.allowed, answer.reason], [false, "accountNotAllowed"]);
      const text = texts.notices.otherAccount[language].replace("{app}", APP).replace("{account}",
        "someone@elsewhere.example")
        .replace("{organization}", texts.placeholders.organization[language]);
      assert.strictEqual(answer.text, text);
    });
    const guard = await managed(test, daemon);
    const status = await guard.accounts.register("WORK@contoso.com");
    assert.deepStrictEqual([status.account, status.state, status.mayWork, status.isSuccess], [WORK, "enrolled", true,
      true]);
    const { accounts, enrolled } = await guard.accounts.list();
    assert.deepStrictEqual([enrolled, accounts.map(({ account, managed }) => [account, managed])], [WORK, [[WORK,
      true]]]);
    assert.deepStrictEqual(await guard.accounts.config(), [...await guard.accounts.config([WORK])]);
    assert.strictEqual((await guard.accounts.deregister(WORK, "keep")).mayWork, false);
  },
};
