"use strict";

// Desktops that nobody sees: X11 with Xvfb, and Wayland with sway, where this version of Electron runs under Xwayland;
// and what other programs read and write there.

const fs = require("fs");
const os = require("os");
const path = require("path");
const { execFileSync, spawn, spawnSync } = require("child_process");
const { LIMITED, eventually } = require("../cleanup");

const SWAY = `output HEADLESS-1 resolution 1280x900
xwayland force
focus_follows_mouse no
exec sh -c 'echo "$DISPLAY" > "$HOME/display.new" && mv "$HOME/display.new" "$HOME/display"'
`;
// The backend shows nothing, opens no device of the machine and draws without a graphics card.
const HEADLESS = { WLR_BACKENDS: "headless", WLR_LIBINPUT_NO_DEVICES: "1", WLR_RENDERER: "pixman" };
const QUIET = { encoding: "utf8", timeout: 5000, stdio: ["pipe", "pipe", "ignore"] };

const isWayland = () => process.env.WAYLAND_DISPLAY !== undefined;

/** What another program reads on a selection: with xclip, or on Wayland with wl-paste. */
function read(selection) {
  const wayland = ["wl-paste", "--no-newline", ...(selection === "primary" ? ["--primary"] : [])];
  const [program, ...words] = isWayland() ? wayland : ["xclip", "-o", "-selection", selection];
  try {
    return execFileSync(program, words, QUIET);
  } catch (problem) {
    return "";
  }
}

/** Another program copies something. It stays behind until somebody else does. */
function write(text) {
  const [program, ...words] = isWayland() ? ["wl-copy"] : ["xclip", "-i", "-selection", "clipboard"];
  execFileSync(program, words, { input: text, stdio: ["pipe", "ignore", "ignore"], timeout: 5000 });
}

/** Presses a key with Control, as a keyboard does it. */
function press(key) {
  if (isWayland()) execFileSync("wtype", ["-M", "ctrl", "-k", key, "-m", "ctrl"], QUIET);
  else execFileSync("xdotool", ["key", `ctrl+${key}`], QUIET);
}

/** Drags with a mouse, from one place of the screen to another. */
function drag([x, y], [toX, toY]) {
  const steps = Array.from({ length: 11 }, (_, at) => [x + (at * (toX - x)) / 10, y + (at * (toY - y)) / 10]);
  const moves = steps.map((place) => ["mousemove", ...place.map((one) => String(Math.round(one))), "sleep", "0.1"]);
  const [first, ...others] = moves;
  const words = [].concat(first, ["mousedown", "1"], ...others, ["mouseup", "1"]);
  execFileSync("xdotool", words, { ...LIMITED, stdio: "ignore" });
}

async function x11() {
  const number = 90 + (process.pid % 400);
  const child = spawn("Xvfb", [`:${number}`, "-nolisten", "tcp", "-screen", "0", "800x600x24"], { stdio: "ignore" });
  process.env.DISPLAY = `:${number}`;
  await eventually(() => fs.existsSync(`/tmp/.X11-unix/X${number}`), "the screen is there");
  return () => child.kill();
}

/** Null where the programs are missing. */
async function wayland() {
  const missing = ["sway", "Xwayland", "wl-paste", "wtype"].filter((name) => (
    spawnSync("sh", ["-c", `command -v ${name}`], LIMITED).status !== 0));
  if (missing.length > 0) {
    console.log(`no Wayland desktop: ${missing.join(", ")} missing`);
    return null;
  }
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "wvg-sway-"));
  fs.writeFileSync(path.join(home, "config"), SWAY);
  const env = { ...process.env, ...HEADLESS, HOME: home, XDG_RUNTIME_DIR: home };
  delete env.DISPLAY;
  const server = spawn("sway", ["-c", path.join(home, "config")], { env, stdio: "ignore" });
  const display = path.join(home, "display");
  await eventually(() => {
    if (server.exitCode !== null) throw new Error(`sway ended with ${server.exitCode}`);
    return fs.existsSync(display);
  }, "sway is there, and Xwayland in it");
  process.env.DISPLAY = fs.readFileSync(display, "utf8").trim();
  process.env.WAYLAND_DISPLAY = path.join(home, fs.readdirSync(home).find((name) => /^wayland-\d+$/.test(name)));
  // Windows get the focus of a keyboard only where there is one.
  const keyboard = spawn("wtype", ["-s", "7200000"], { stdio: "ignore" });
  return () => {
    keyboard.kill();
    server.kill();
    fs.rmSync(home, { recursive: true, force: true });
  };
}

module.exports = { drag, isWayland, press, read, wayland, write, x11 };
