"use strict";

// The page that stands in place of one that may not load: what happened, and what the user can do. Words and template are
// those of notice.json, which the clients of all languages share; clients/notice/README.md says how a page is made.

const DATA = require("./notice.json");
const { noticeName, noticeText } = require("./text");

const ACTIONS = ["open", "exception", "retry", "back", "continue"];
// A name of DNS is not longer, so a host that is has its end shown, where its domain is.
const LONGEST_HOST = 253;
// Of what stands behind the host, and of an address without one.
const LONGEST_REST = 400;
// `javascript:` and the like never become a link, whoever wrote the policy.
const CONTACT = /^(?:https|mailto|tel):[^\x00-\x20]+$/;
const COLOR = /^#[0-9A-Fa-f]{6}$/;
// A longer scheme is none: whatever it is, no program has it.
const ADDRESS = /^([A-Za-z][A-Za-z0-9+.-]{0,63}):([^]*)$/;
// They hold a page, and what looks like a host in them is none.
const INSIDE = ["data", "blob", "javascript"];
// Browsers take any slashes for the two of web pages, and a backslash for a slash.
const WEB = ["http", "https", "ws", "wss", "ftp"];
const WEB_AUTHORITY = /^[/\\]*([^/\\]*)([^]*)$/;
const FILE_AUTHORITY = /^[/\\]{2}([^/\\]*)([^]*)$/;
const AUTHORITY = /^\/\/([^/]*)([^]*)$/;
const LONE = /[\ud800-\udfff]/gu;
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

const has = (object, name) => Object.prototype.hasOwnProperty.call(object, name);

/**
 * The page, as HTML. `actions` are the links of the buttons, which only the app can carry out; those that do not fit the
 * decision are left out.
 *
 *     notice(decision, { url, languages: ["de"], actions: { back: "my-app:back" } })    // "<!doctype html>…"
 */
function notice(decision, { url = "", languages = [], organization = null, actions = {} } = {}) {
  const strange = Object.keys(actions).find((name) => !ACTIONS.includes(name));
  if (strange !== undefined) throw new RangeError(`no notice has the action \`${strange}\``);
  return new Page(decision, url, known(organization), actions, languages).html();
}

/** What sort of notice it is. An answer that no table knows is a plain `block`; of nobody's answer, `guardAway`. */
function noticeKind(decision) {
  return has(DATA.outcomes, decision.outcome) ? DATA.outcomes[decision.outcome] : about(decision).kind;
}

/** What a user reads out, and `webviewguard explain` takes: the id in fours, else the reason. `7353-4481`, `noAnswer` */
function noticeCode(decision) {
  if (/^[0-9]+$/.test(decision.id)) return decision.id.match(/.{1,4}/g).join("-");
  return /^[A-Za-z0-9]{1,64}$/.test(decision.reason) ? decision.reason : "unknown";
}

/** Why, for a person: the policy's own words where it has some, else the built-in ones in the person's language. */
function noticeSentence(decision, languages = []) {
  const key = about(decision).sentence;
  const builtIn = DATA.languages.en.sentences[key];
  const said = decision.message && decision.message !== builtIn;
  return said ? noticeText(decision.message) : words(languages)[1].sentences[key];
}

function about(decision) {
  if (has(DATA.reasons, decision.reason)) return DATA.reasons[decision.reason];
  return decision.isLocal ? { kind: "guardAway", sentence: "notJudged" } : { kind: "block", sentence: "other" };
}

/** What is of another type is as if left out. */
function known(organization) {
  const said = {};
  for (const name of ["name", "contact", "contactLink", "color", "darkColor"]) {
    const value = organization === null ? "" : organization[name];
    said[name] = typeof value === "string" ? value : "";
  }
  return said;
}

/** One page that is being written. */
class Page {
  constructor(decision, url, organization, links, languages) {
    Object.assign(this, { decision, organization, kind: noticeKind(decision), code: noticeCode(decision) });
    [this.host, this.address] = address(url);
    this.sentence = noticeSentence(decision, languages);
    [this.language, this.words] = words(languages);
    const link = organization.contactLink;
    this.asked = CONTACT.test(link) ? ascii(link) : "";
    this.contact = withSubject(this.asked, this.code);
    this.links = this.fitting(links);
  }

  html() {
    const title = this.kind === "block" && !this.address ? "action" : this.kind;
    const warns = this.kind === "warn" && has(this.links, "continue");
    return filled(DATA.page, {
      lang: this.language, dir: this.words.dir, kind: this.kind, icon: DATA.kinds[this.kind].icon,
      title: text(this.words.titles[title]), sentence: text(this.sentence), style: DATA.style.join("\n"),
      forms: warns ? this.forms() : "'none'",
      organization: part("organization", { name: this.organization.name }), host: part("host", { host: this.host }),
      hint: part("hint", { hint: warns ? this.words.hints.warn : "" }),
      form: warns ? this.form() : "", buttons: this.buttons(), facts: this.facts(), ...colors(this.organization),
    });
  }

  /** The links that say something about this decision. */
  fitting(links) {
    const found = {};
    for (const name of Object.keys(links)) {
      if (links[name] && (name !== "open" || this.decision.open)) found[name] = links[name];
    }
    return this.contact && !has(found, "exception") ? { ...found, exception: this.contact } : found;
  }

  buttons() {
    const names = DATA.kinds[this.kind].actions.filter((name) => has(this.links, name));
    const shown = names.map((action, at) => part(at ? "button" : "mainButton", {
      action, href: this.links[action], label: this.label(action),
    }));
    return shown.length ? filled(DATA.parts.buttons, { buttons: shown.join("\n") }) : "";
  }

  label(action) {
    const isOther = action === "open" && this.decision.open !== null && this.decision.open.target !== "managedBrowser";
    return this.words.buttons[isOther ? "openOther" : action];
  }

  form() {
    const [label, button] = [this.words.labels.justification, this.words.buttons.continue];
    return part("form", { href: this.links.continue, label, button });
  }

  /** Where a form may go: to the app's own scheme. */
  forms() {
    const scheme = /^([a-z][a-z0-9+.-]*):/.exec(this.links.continue);
    return scheme ? `${scheme[1]}:` : "'self'";
  }

  facts() {
    const { rule, ruleSet, identity } = this.decision;
    const said = this.organization;
    const contact = said.contact || spoken(this.asked);
    return [
      this.fact("address", this.address, "ltr"), this.fact("account", noticeName(identity), "ltr"),
      this.fact("rule", noticeName(rule && ruleSet ? `${rule} (${ruleSet})` : rule), "ltr"),
      this.fact("contact", contact, "auto", this.contact), this.fact("code", this.code, "ltr"),
    ].filter(Boolean).join("\n");
  }

  fact(name, value, dir, href = "") {
    const values = { label: this.words.labels[name], value, dir };
    return href ? part("linkedFact", { href, ...values }) : part("fact", values);
  }
}

/** A part of the template; empty without a value to show. */
function part(name, values) {
  const escaped = {};
  for (const key of Object.keys(values)) {
    if (!values[key]) return "";
    escaped[key] = text(values[key]);
  }
  return filled(DATA.parts[name], escaped);
}

/** The organisation's colours, each with black or white upon it, whichever is read better. */
function colors(said) {
  const light = COLOR.test(said.color) ? said.color : "";
  const dark = COLOR.test(said.darkColor) ? said.darkColor : light;
  const [color, darkColor] = [light || DATA.colors.color, dark || DATA.colors.darkColor];
  return { color, darkColor, onColor: upon(color), onDarkColor: upon(darkColor) };
}

/** The colour of text upon this one: with the better of the two the contrast is never below 4.5 (WCAG 2.1). */
function upon(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
  });
  const isDark = 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179;
  return isDark ? DATA.colors.onLight : DATA.colors.onDark;
}

/** The first of these languages that there are words of, by its first part; else English. */
function words(languages) {
  const tags = languages.map((language) => language.split(/[-_]/)[0].toLowerCase());
  const tag = tags.find((one) => has(DATA.languages, one)) || "en";
  return [tag, DATA.languages[tag]];
}

/** The lines with their values, once: a value is never read for placeholders. A line that is one empty value is left out. */
function filled(lines, values) {
  const kept = lines.filter((line) => {
    const whole = /^\{([A-Za-z]+)\}$/.exec(line);
    return !whole || values[whole[1]];
  });
  return kept.map((line) => line.replace(/\{([A-Za-z]+)\}/g, (_, name) => values[name])).join("\n");
}

/** Text that is text in any place of a page, also within an attribute. */
function text(value) {
  return noticeText(value.replace(/[&<>"']/g, (letter) => ESCAPES[letter]));
}

/** What is no visible letter of ASCII as its percent-encoded bytes, as browsers write a URL out. */
function ascii(url) {
  return url.replace(LONE, "\ufffd").replace(/[^!-~]+/g, encodeURIComponent);
}

/**
 * A URL without what browsers drop: controls and spaces around it, tabs and line breaks anywhere. What these part
 * becomes no letter.
 */
function read(url) {
  let [start, end] = [0, url.length];
  while (start < end && url[start] <= " ") start++;
  while (end > start && url[end - 1] <= " ") end--;
  return url.slice(start, end).replace(LONE, "\ufffd").replace(/[\t\n\r]/g, "");
}

/**
 * The host and the address, as others may see them on a picture: no password, no query, no page inside a URL; and so that
 * nobody takes the host for another. It is read as browsers read it.
 */
function address(url) {
  const told = read(url).split(/[?#]/)[0];
  const found = ADDRESS.exec(told);
  if (!found) return ["", cut(ascii(told))];
  const [scheme, rest] = [found[1].toLowerCase(), found[2]];
  if (INSIDE.includes(scheme)) return ["", `${scheme}:…`];
  const form = WEB.includes(scheme) ? WEB_AUTHORITY : scheme === "file" ? FILE_AUTHORITY : AUTHORITY;
  const place = form.exec(rest);
  if (!place) return ["", cut(ascii(`${scheme}:${rest}`))];
  const authority = place[1].slice(place[1].lastIndexOf("@") + 1);
  const name = authority.replace(/:[0-9]*$/, "");
  const whole = ascii(name);
  const host = whole.length <= LONGEST_HOST ? whole : `…${whole.slice(-LONGEST_HOST)}`;
  return [host, `${scheme}://${host}${cut(ascii(authority.slice(name.length) + place[2]))}`];
}

function cut(address) {
  return address.length <= LONGEST_REST ? address : `${address.slice(0, LONGEST_REST)}…`;
}

function withSubject(link, code) {
  return link.startsWith("mailto:") && !/[?#]/.test(link) ? `${link}?subject=webviewguard%20${code}` : link;
}

/** A link as a person says it: `help@contoso.com` */
function spoken(link) {
  return link.startsWith("mailto:") || link.startsWith("tel:") ? link.split(/[:?]/)[1] : link;
}

module.exports = {
  notice, noticeCode, noticeKind, noticeName, noticeSentence, noticeText,
  // For `webviewguard/electron`.
  get Notices() { return require("./electron").Notices; },
};
