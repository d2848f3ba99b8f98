"use strict";

const RULES = "the switch --host-resolver-rules, with what `webviewguard export --for chromium-host-rules` says";

/** What an app's version of Electron lets nobody cover: `{ what, close }`, for people. */
function uncovered(isSealing) {
  const major = Number((process.versions.electron || "0").split(".")[0]);
  const gaps = [
    { what: "requests of Node in the main process (http, https, net, child processes)",
      close: "questions that the app asks itself" },
    { what: "whatever passes no request hook in this version, such as preconnections", close: RULES },
    { what: "WebRTC", close: "the switch --force-webrtc-ip-handling-policy=disable_non_proxied_udp, and a firewall" },
    { what: "window.print of a page, which asks no hook; webContents.print does", close: "no printer for the user" },
    { what: "clipboards of frames in windows without `webPreferences: guarded.webPreferences()`", close: "that call" },
    { what: "the hops of a download that was interrupted and is resumed, which pass no request hook", close: RULES },
    { what: "files that a page is given before the preload runs", close: "uploads are asked about with their request" },
  ];
  if (major > 0 && major < 12) gaps.push({ what: "the redirect of a fetch whose hook comes late", close: RULES });
  if (!isSealing) {
    gaps.push({ what: "downloads that the policy wants encrypted, which lie in plain",
      close: "guard({ sealing: require(\"webviewguard-sealing\") })" });
  }
  return gaps;
}

module.exports = { uncovered };
