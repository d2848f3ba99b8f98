"use strict";

// The match patterns of a filter for requests: `https://*.contoso.com/path*`, `<all_urls>`.

/**
 * Whether a request is one of those that a filter of `webRequest` names: `{ urls, excludeUrls, types }`; no filter
 * names all.
 */
function isNamed(filter, { url, resourceType }) {
  if (!filter) return true;
  const { urls = [], excludeUrls = [], types = [] } = filter;
  if (urls.length > 0 && !urls.some((pattern) => matches(pattern, url))) return false;
  if (excludeUrls.some((pattern) => matches(pattern, url))) return false;
  return types.length === 0 || types.includes(resourceType);
}

function matches(pattern, url) {
  if (pattern === "<all_urls>") return true;
  const found = /^(\*|[a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/i.exec(pattern);
  const said = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)([^#]*)/i.exec(url);
  if (found === null || said === null) return false;
  const [, scheme, host, place = "/*"] = found;
  const isScheme = scheme === "*" ? /^(https?|wss?)$/i.test(said[1]) : scheme.toLowerCase() === said[1].toLowerCase();
  return isScheme && isHost(host, said[2]) && globbed(place).test(said[3] || "/");
}

function isHost(pattern, authority) {
  const whole = authority.replace(/^.*@/, "").toLowerCase();
  const host = /:\d+$/.test(pattern) || pattern === "*" ? whole : whole.replace(/:\d+$/, "");
  if (pattern.startsWith("*.")) return host === pattern.slice(2).toLowerCase() || host.endsWith(pattern.slice(
    1).toLowerCase());
  return globbed(pattern.toLowerCase()).test(host);
}

function globbed(pattern) {
  return new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*")}$`);
}

module.exports = { isNamed };
