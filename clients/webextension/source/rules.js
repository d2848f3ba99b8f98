// The policy's explicit rules as the browser's own: they hold without an answer, and while the daemon is away.

import { api } from "./api.js";
import { RuleTable } from "./rule-match.js";

// Above every exported rule.
const PASS_PRIORITY = 1_000_000_000;
// With a policy that has long lists the export takes a while.
const EXPORT_MS = 60_000;

/** The rules in force, kept by the browser from one start to the next. */
export class Rules {
  table = new RuleTable([]);
  problem = "";
  count = 0;
  /** Whether nobody's data is shown, or that of an account that no protection binds: then there are no rules. */
  isFree = false;
  /** Whether nothing may load at all: the account of the profile had to go. */
  isClosed = false;
  /** Pages that are let pass, by tab. @type {Map<number, { id: number, url: string }>} */
  #passes = new Map();
  #lastPass = Date.now() % 1_000_000_000;

  constructor(host, settings) {
    this.host = host;
    this.settings = settings;
  }

  /** Takes up what the browser kept. */
  async restore() {
    this.#use(await api.declarativeNetRequest.getDynamicRules());
  }

  /** Asks for the rules of the policy in force; without an answer those in force stay. */
  async update() {
    if (this.isClosed) return void (await this.#install(everything()));
    const reply = await this.host.call("rules", { class: this.settings.class }, EXPORT_MS);
    if (!reply?.rules) {
      this.problem = reply?.text ?? reply?.error ?? "the rules were not sent";
      return;
    }
    this.isFree = reply.isFree === true;
    const supported = withinLimits(await withoutUnsupported(reply.rules.map(inOwnWords)));
    await this.#install(supported);
    const left = reply.rules.length - supported.length;
    if (left > 0 && !this.problem) this.problem = `${left} rules are more, or other, than this browser takes`;
  }

  /**
   * Lets one page of a tab pass that a rule of ours stopped and the daemon allows, by a timed exception, say. Returns whether
   * the browser does; `end` takes it back.
   */
  async letPass(tab, url) {
    const rule = {
      id: this.#lastPass += 1,
      priority: PASS_PRIORITY,
      action: { type: "allow" },
      condition: { urlFilter: `|${url.split("#")[0].replaceAll("*", "%2A")}`, isUrlFilterCaseSensitive: true,
        resourceTypes: ["main_frame"], tabIds: [tab] },
    };
    await api.declarativeNetRequest.updateSessionRules({ addRules: [rule] });
    this.#passes.set(tab, { id: rule.id, url });
  }

  /** Whether a page of a tab was let pass. */
  passes({ tabId, type, url }) {
    return type === "main_frame" && this.#passes.get(tabId)?.url === url;
  }

  /** What was let pass is not any longer. */
  async end(tab) {
    const pass = this.#passes.get(tab);
    this.#passes.delete(tab);
    if (pass) await api.declarativeNetRequest.updateSessionRules({ removeRuleIds: [pass.id] });
  }

  // All old rules go and all new ones come in one step: there is no moment without.
  async #install(rules) {
    const old = await api.declarativeNetRequest.getDynamicRules();
    const addRules = rules.map((rule, index) => ({ ...rule, id: index + 1 }));
    try {
      await api.declarativeNetRequest.updateDynamicRules({ removeRuleIds: old.map((rule) => rule.id), addRules });
      this.problem = "";
      this.#use(addRules);
    } catch (error) {
      this.problem = `the browser does not take the rules, so the old ones stay: ${error.message ?? error}`;
    }
  }

  #use(rules) {
    this.table = new RuleTable(rules);
    this.count = rules.length;
  }
}

// Kinds of requests that one browser counts under another name, or that only one of them has.
const ALSO = {
  ping: ["beacon"],
  image: ["imageset"],
  script: ["json"],
  object: ["object_subrequest"],
  other: ["speculative", "web_manifest", "xml_dtd", "xslt", "webtransport", "webbundle"],
};

/** Rules that let nothing of the web load, whatever its kind. */
function everything() {
  const resourceTypes = Object.values(api.declarativeNetRequest.ResourceType ?? {});
  const action = { type: "block" };
  const rule = (urlFilter) => ({ priority: PASS_PRIORITY + 1, action, condition: { urlFilter, resourceTypes } });
  return [rule("|http"), rule("|ws")];
}

/** A rule with the kinds of requests that this browser knows; unknown ones, and it would refuse the rule. */
function inOwnWords(rule) {
  const types = rule.condition?.resourceTypes;
  const known = new Set(Object.values(api.declarativeNetRequest.ResourceType ?? {}));
  if (!types || known.size === 0) return rule;
  const all = types.flatMap((type) => [type, ...(ALSO[type] ?? [])]);
  const resourceTypes = [...new Set(all)].filter((type) => known.has(type));
  return { ...rule, condition: { ...rule.condition, resourceTypes } };
}

/** As many rules as the browser takes; one too many, and it would take none of them. */
function withinLimits(rules) {
  const { MAX_NUMBER_OF_REGEX_RULES = 1000, MAX_NUMBER_OF_DYNAMIC_RULES = 5000 } = api.declarativeNetRequest;
  let patterns = 0;
  const fits = ({ condition }) => condition?.regexFilter === undefined || (patterns += 1) <= MAX_NUMBER_OF_REGEX_RULES;
  return rules.filter(fits).slice(0, MAX_NUMBER_OF_DYNAMIC_RULES);
}

/** Without the regular expressions that the browser would refuse, and all other rules with them. */
async function withoutUnsupported(rules) {
  const isSupported = async ({ condition }) => {
    if (condition?.regexFilter === undefined) return true;
    const asked = { regex: condition.regexFilter, isCaseSensitive: condition.isUrlFilterCaseSensitive };
    return (await api.declarativeNetRequest.isRegexSupported(asked)).isSupported;
  };
  const supported = await Promise.all(rules.map(isSupported));
  return rules.filter((_, index) => supported[index]);
}
