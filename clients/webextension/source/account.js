// The page about the profile's account. The extension opens it; nothing of the web can.

import { api } from "./api.js";
import { noticeName, noticeText } from "./notice-text.js";

const element = (id) => document.getElementById(id);
// Everything shown goes through here: text stays text, and none of it hides or turns.
const say = (id, text) => {
  element(id).textContent = noticeText(text);
};

async function show() {
  const { account, isOut, text, banner } = await api.runtime.sendMessage({ page: "account" });
  if (isOut) say("heading", "This account is signed out here");
  say("account", noticeName(account));
  say("text", text);
  say("banner", banner);
  element("sign-in").hidden = !isOut;
  document.title = noticeText([element("heading").textContent, text].filter(Boolean).join(": "));
  document.documentElement.dataset.shown = isOut ? "out" : "in";
}

element("sign-in").onclick = async () => {
  element("sign-in").disabled = true;
  const isIn = await api.runtime.sendMessage({ page: "signIn" });
  say("outcome", isIn ? "You are signed in again." : "This account is not accepted here. Ask your administrator.");
  element("sign-in").disabled = false;
  if (isIn) say("heading", "The account of this browser profile");
  await show();
};

await show();
