// A page may ask its user whether it shall be left. It asks nobody once the account of the profile has to go.
{
  let isGoing = false;
  const hold = (event) => {
    if (isGoing) event.stopImmediatePropagation();
  };
  // Before any script of the page, and so before any listener of it.
  hear("beforeunload", hold);
  (globalThis.browser ?? chrome).runtime.onMessage.addListener((message) => {
    if (message?.going === true) isGoing = true;
  });
}
