// Listens before the page does, and still does so when the page writes itself anew: `document.open` takes every listener of
// the document and its window away, also those of this world, and no event says so.

const heard = [];

/** Hears events of a type before the page. @param {string} type @param {(event: Event) => void} act */
function hear(type, act) {
  heard.push([type, act]);
  addEventListener(type, act, true);
}

{
  // Adding a listener that is still there changes nothing.
  const hearAgain = () => {
    for (const [type, act] of heard) addEventListener(type, act, true);
  };
  // By then the script that opened the document has ended. `opened.js` is quicker, if the page leaves it alone.
  new MutationObserver(hearAgain).observe(document, { childList: true });
  const bell = document.createElement("i");
  bell.addEventListener("click", hearAgain);
  const offer = () => window.dispatchEvent(new MouseEvent("webviewguard", { relatedTarget: bell }));
  window.addEventListener("webviewguard-opened", offer, { once: true, capture: true });
  offer();
}
