// Which declarativeNetRequest rule speaks of a request: the browser's own matching, for blocking listeners that must
// answer at once, and to say why the browser itself refused a request.
// Conditions and their meaning: https://developer.chrome.com/docs/extensions/reference/api/declarativeNetRequest

const STRENGTH = { allowAllRequests: 3, allow: 3, block: 2, upgradeScheme: 1, redirect: 1 };
const KNOWN = new Set([
  "urlFilter", "regexFilter", "isUrlFilterCaseSensitive", "requestDomains", "excludedRequestDomains",
  "initiatorDomains", "excludedInitiatorDomains", "resourceTypes", "excludedResourceTypes", "requestMethods",
  "excludedRequestMethods",
]);

/** Rules made ready to be asked. Those that name domains are found by domain; the others are tried one by one. */
export class RuleTable {
  /** @type {Map<string, object[]>} */
  #byDomain = new Map();
  #others = [];

  /** @param {any[]} rules */
  constructor(rules) {
    for (const rule of rules) this.#add(rule);
  }

  // A rule with a condition that is not known here is left to the browser.
  #add(rule) {
    const condition = rule.condition ?? {};
    if (!STRENGTH[rule.action?.type] || Object.keys(condition).some((name) => !KNOWN.has(name))) return;
    const ready = { rule, condition, pattern: pattern(condition) };
    const domains = condition.requestDomains;
    if (!domains) this.#others.push(ready);
    for (const domain of domains ?? []) {
      if (!this.#byDomain.has(domain)) this.#byDomain.set(domain, []);
      this.#byDomain.get(domain).push(ready);
    }
  }

  /**
   * Whether a rule blocks the request.
   * @param {{ url: string, type: string, method?: string, initiator?: string }} request
   */
  blocks(request) {
    return this.find(request)?.action.type === "block";
  }

  /** The rule that decides: the highest priority, and among those what allows before what blocks. */
  find(request) {
    const url = parsed(request.url);
    if (!url) return null;
    let best = null;
    for (const ready of this.#candidates(url.hostname)) {
      if (matches(ready, request, url) && isStronger(ready.rule, best)) best = ready.rule;
    }
    return best;
  }

  *#candidates(host) {
    yield* this.#others;
    for (const domain of domainsOf(host)) yield* this.#byDomain.get(domain) ?? [];
  }
}

function isStronger(rule, than) {
  if (!than) return true;
  const difference = (rule.priority ?? 1) - (than.priority ?? 1);
  return difference > 0 || (difference === 0 && STRENGTH[rule.action.type] > STRENGTH[than.action.type]);
}

function matches({ condition, pattern }, request, url) {
  if (!isOfType(condition, request.type)) return false;
  const method = (request.method ?? "get").toLowerCase();
  if (condition.requestMethods && !condition.requestMethods.includes(method)) return false;
  if (condition.excludedRequestMethods?.includes(method)) return false;
  const hosts = domainsOf(url.hostname);
  if (condition.excludedRequestDomains?.some((domain) => hosts.includes(domain))) return false;
  const from = domainsOf(parsed(request.initiator)?.hostname ?? "");
  if (condition.initiatorDomains && !condition.initiatorDomains.some((domain) => from.includes(domain))) return false;
  if (condition.excludedInitiatorDomains?.some((domain) => from.includes(domain))) return false;
  return pattern === null || pattern.test(url.href);
}

// Without a list of types a rule speaks of everything but pages.
function isOfType(condition, type) {
  if (condition.resourceTypes) return condition.resourceTypes.includes(type);
  return condition.excludedResourceTypes ? !condition.excludedResourceTypes.includes(type) : type !== "main_frame";
}

/** `a.b.c`, `b.c`, `c`; an address has no domains above it. */
function domainsOf(host) {
  if (host === "") return [];
  if (host.startsWith("[") || /^[0-9.]+$/.test(host)) return [host, host.replace(/^\[|\]$/g, "")];
  const labels = host.replace(/\.$/, "").split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}

function parsed(url) {
  try {
    return url ? new URL(url) : null;
  } catch {
    return null;
  }
}

// Null matches everything; a pattern that cannot be read matches nothing.
function pattern({ urlFilter, regexFilter, isUrlFilterCaseSensitive }) {
  const source = regexFilter ?? (urlFilter === undefined ? null : filterSource(urlFilter));
  if (source === null) return null;
  try {
    return new RegExp(source, isUrlFilterCaseSensitive === true ? "" : "i");
  } catch {
    return /[^\s\S]/;
  }
}

/** A `urlFilter` as a regular expression: `||` a domain, `|` an end, `*` anything, `^` a separator or the end. */
function filterSource(filter) {
  const startsAtDomain = filter.startsWith("||");
  const startsAtStart = !startsAtDomain && filter.startsWith("|");
  const endsAtEnd = filter.length > 1 && filter.endsWith("|");
  const core = filter.slice(startsAtDomain ? 2 : startsAtStart ? 1 : 0, endsAtEnd ? -1 : undefined);
  const body = core
    .replace(/[.+?${}()|[\]\\/]/g, "\\$&")
    .replace(/\*/g, ".*")
    .replace(/\^/g, "(?:[^a-zA-Z0-9_.%-]|$)");
  const head = startsAtDomain ? "^[a-z][a-z0-9.+-]*:\\/\\/(?:[^\\/?#]*@)?(?:[^\\/?#@]*\\.)?" : startsAtStart ? "^" : "";
  return head + body + (endsAtEnd ? "$" : "");
}
