/**
 * Makes docs/running.png: runs examples/quickstart.md in a terminal of tmux, opens the board while the team works, and draws what
 * the terminal shows. Run `npm run build` first; needs tmux and Chromium (Debian's, or `CHROMIUM`).
 */
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { chromium } from "playwright-core";

const SESSION = `ekiden-picture-${process.pid}`;
const tmux = (...args) => execFileSync("tmux", args, { encoding: "utf8" });
const COLOURS = ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#c9d1d9"];
const BRIGHT = ["#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff"];

/** A colour of the table of 256: the 16 above, a cube of 6×6×6, and greys. */
function indexed(n) {
  if (n < 16) return [...COLOURS, ...BRIGHT][n];
  if (n >= 232)
    return `rgb(${Array(3)
      .fill(8 + (n - 232) * 10)
      .join()})`;
  const level = (by) => [0, 95, 135, 175, 215, 255][Math.floor((n - 16) / by) % 6];
  return `rgb(${[36, 6, 1].map(level).join()})`;
}

/** The style after one SGR sequence. */
function styled(before, codes) {
  const style = { ...before };
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i];
    const layer = code >= 40 && code < 50 ? "background" : "color";
    if (code === 0) for (const key of Object.keys(style)) delete style[key];
    else if (code === 1) style["font-weight"] = "bold";
    else if (code === 2) style.opacity = "0.6";
    else if (code === 3) style["font-style"] = "italic";
    else if (code === 4) style["text-decoration"] = "underline";
    else if (code === 38 || code === 48) {
      const isRgb = codes[i + 1] === 2;
      style[layer] = isRgb ? `rgb(${codes.slice(i + 2, i + 5).join()})` : indexed(codes[i + 2]);
      i += isRgb ? 4 : 2;
    } else if (code === 22) {
      delete style["font-weight"];
      delete style.opacity;
    } else if (code === 39 || code === 49) delete style[layer];
    else if ((code >= 30 && code < 38) || (code >= 40 && code < 48)) style[layer] = COLOURS[code % 10];
    else if (code >= 90 && code < 98) style.color = BRIGHT[code % 10];
  }
  return style;
}

const SGR = /(\p{Cc}\[[\d;]*m)/u;
const escaped = (text) => text.replace(/[&<]/g, (one) => (one === "&" ? "&amp;" : "&lt;"));

function page(screen) {
  let style = {};
  const body = screen
    .split(SGR)
    .map((part) => {
      const codes = part.startsWith("\u001b") ? part.slice(2, -1) : undefined;
      if (codes !== undefined) {
        style = styled(style, codes.split(";").map(Number));
        return "";
      }
      const css = Object.entries(style).map(([key, value]) => `${key}:${value}`);
      return `<span style="${css.join(";")}">${escaped(part)}</span>`;
    })
    .join("");
  return `<body style="margin:0;background:#0d1117"><pre style="margin:0;padding:16px;color:#c9d1d9;font:14px/1.35 'DejaVu Sans Mono',monospace;display:inline-block">${body}</pre>`;
}

try {
  const command = `exec ${process.execPath} dist/main.js run examples/quickstart.md --team health --trust`;
  tmux("new-session", "-d", "-s", SESSION, "-x", "118", "-y", "36", command);
  const shown = () => tmux("capture-pane", "-p", "-t", SESSION);
  while (!/[1-9]\d*\/\d+ tasks/.test(shown())) await sleep(50);
  tmux("send-keys", "-t", SESSION, "C-t");
  // The panel is read twice a second, the last line is drawn at once.
  while (!/tasks: ([3-9]) completed[\s\S]* \1\/\d+ tasks/.test(shown())) await sleep(50);
  const screen = tmux("capture-pane", "-e", "-p", "-t", SESSION).trimEnd();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const tab = await browser.newPage({ deviceScaleFactor: 1.5 });
  await tab.setContent(page(screen));
  await tab.locator("pre").screenshot({ path: "docs/running.png" });
  await browser.close();
  console.log("docs/running.png");
} finally {
  tmux("kill-session", "-t", SESSION);
}
