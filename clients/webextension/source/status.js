// How it stands: whether the daemon answers, and how well this browser lets an extension guard.

import { api } from "./api.js";
import { noticeName, noticeText } from "./notice-text.js";

const MODES = {
  promise: "nothing loads before the daemon has answered",
  rules: "explicit rules hold at once; what only the default calls external may load for a moment",
  race: "explicit rules hold in the browser; what only the default calls external may load for a moment",
};

const REFRESH_MS = 250;

const say = (id, text) => {
  document.getElementById(id).textContent = noticeText(text);
};

let turn = 0;
async function show() {
  const state = await api.runtime.sendMessage({ page: "status" });
  const { standing, contract, problem, rules, mode, settings, underWay, accountText, banner } = state;
  const answers = standing.isConnected ? `answers as ${noticeName(standing.app)}` : `away: navigation is ${contract.navigation}`;
  say("daemon", answers);
  const account = settings.account === undefined ? "as the daemon decides" : noticeName(settings.account) || "none";
  say("account", accountText ? `${account}: ${accountText}` : account);
  say("banner", banner);
  say("mode", rules.isFree ? "no protection binds this account" : MODES[mode]);
  say("rules", String(rules.count));
  const problems = [problem, rules.problem].filter(Boolean).join("; ");
  say("problem", problems);
  document.getElementById("problem-name").hidden = problems === "";
  turn += 1;
  const said = [answers, account, mode, `${rules.count} rules`, `${underWay} under way`, `turn ${turn}`];
  document.title = noticeText(`webviewguard: ${said.join("; ")}`);
}

await show();
setInterval(show, REFRESH_MS);
