import electron from "./electron.js";

export const { guard } = electron;
