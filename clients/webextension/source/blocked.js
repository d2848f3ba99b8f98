// The page that stands in for one that may not load: the one notice (clients/notice), with what the policy offers.

import { api } from "./api.js";
import { notice } from "./notice-page.js";
import { noticeName, noticeText } from "./notice-text.js";

const token = location.search.slice(1);
const element = (id) => document.getElementById(id);
const gone = {
  outcome: "block", reason: "explanationGone", id: "", isLocal: true, message: "Why is not known any more. Go back, and try again.",
};

const [explanation, configuration] = await Promise.all(
  ["explain", "configuration"].map((page) => api.runtime.sendMessage({ page, token })));
show(explanation ?? { url: "", decision: gone }, configuration);

function show({ url, decision }, { banner, homePage, accountText }) {
  const leads = decision.outcome === "redirect" || decision.outcome === "handOff";
  const actions = { back: "#back", ...(leads ? {} : { open: "#open" }) };
  const page = new DOMParser().parseFromString(notice(decision, { url, languages: navigator.languages, actions }), "text/html");
  const { lang, dir } = page.documentElement;
  Object.assign(document.documentElement, { lang, dir });
  document.head.append(...page.querySelectorAll("style"));
  document.body.replaceWith(page.body);
  const why = document.querySelector(".why").textContent;
  document.querySelector("main").prepend(...line("banner", banner));
  document.querySelector("nav").after(...line("account", accountText === why ? "" : accountText), ...line("outcome", " "));
  element("outcome").setAttribute("role", "status");
  element("back").onclick = act(() => (history.length > 1 ? history.back() : window.close()));
  if (element("open")) element("open").onclick = act(open);
  addHome(homePage);
  const rule = [decision.ruleSet, decision.rule].filter(Boolean).map(noticeName).join(" / ");
  document.title = [document.querySelector("h1").textContent, rule, noticeName(decision.reason)].filter(Boolean).join(": ");
  document.documentElement.dataset.shown = decision.outcome;
}

/** A paragraph, if there is something to say. Text stays text, and none of it hides or turns. */
function line(id, text) {
  const made = Object.assign(document.createElement("p"), { id, className: id, textContent: noticeText(text) });
  return text ? [made] : [];
}

/** The policy's own page, at the end of the buttons. */
function addHome(homePage) {
  const home = Object.assign(document.createElement("a"), { id: "home", href: "#home", textContent: "Home", hidden: homePage === "" });
  home.onclick = act(() => location.assign(homePage));
  document.querySelector("nav").append(home);
}

/** The buttons are links of the notice, which lead nowhere by themselves. */
function act(work) {
  return (event) => {
    event.preventDefault();
    work();
  };
}

async function open() {
  element("open").onclick = act(() => {});
  const isOpened = await api.runtime.sendMessage({ page: "open", token });
  element("outcome").textContent = isOpened ? "It opens in your organization's browser." : "It could not be opened there.";
}
