"use strict";

// Another program, which tells on its output what is dropped on it.

const { app, BrowserWindow } = require("electron");

const PAGE = `<body style="height: 100vh; margin: 0"><script>
  for (const name of ["dragenter", "dragover"]) addEventListener(name, (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    const { dataTransfer: data } = event;
    console.log("dropped " + JSON.stringify([...data.types].map((type) => data.getData(type))));
  });
</script>`;

app.whenReady().then(async () => {
  const window = new BrowserWindow({ x: 400, y: 0, width: 380, height: 380, frame: false });
  window.webContents.on("console-message", (event, level, text) => process.stdout.write(`${text}\n`));
  await window.loadURL(`data:text/html,${encodeURIComponent(PAGE)}`);
  process.stdout.write("ready\n");
});
