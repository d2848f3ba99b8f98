// The page that stands in for one that may not load: rule, reason, and what the policy offers.

import { api } from "./api.js";

const token = location.search.slice(1);
const element = (id) => document.getElementById(id);
// Everything shown goes through here: text stays text.
const say = (id, text) => {
  element(id).textContent = text;
};

const explanation = await api.runtime.sendMessage({ page: "explain", token });
if (explanation) show(explanation);
else say("message", "Why is not known any more. Go back, and try again.");

const { banner, homePage, accountText } = await api.runtime.sendMessage({ page: "configuration" });
say("banner", banner);
if (accountText !== element("message").textContent) say("account", accountText);
element("home").hidden = homePage === "";
element("home").onclick = () => location.assign(homePage);
element("back").onclick = () => (history.length > 1 ? history.back() : window.close());
element("open").onclick = async () => {
  element("open").disabled = true;
  const isOpened = await api.runtime.sendMessage({ page: "open", token });
  say("outcome", isOpened ? "It opens in the organisation's browser." : "It could not be opened there.");
};

function show({ url, decision }) {
  const leads = decision.outcome === "redirect" || decision.outcome === "handOff";
  if (leads) say("heading", "This page opens in the organisation's browser");
  say("message", decision.message ?? "");
  say("url", url);
  say("reason", decision.isLocal ? `the guard gave no answer (${decision.reason})` : decision.reason);
  const rule = [decision.ruleSet, decision.rule].filter(Boolean).join(" / ");
  say("rule", rule);
  document.title = [element("heading").textContent, rule, decision.reason].filter(Boolean).join(": ");
  element("rule-name").hidden = rule === "";
  element("open").hidden = leads || !decision.open;
  document.documentElement.dataset.shown = decision.outcome;
}
