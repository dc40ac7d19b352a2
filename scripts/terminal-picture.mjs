/**
 * Makes docs/running.svg, a moving picture: runs examples/quickstart.md in a shell in a terminal of tmux, opens the board while the team
 * works, and draws what the terminal shows. Run `npm run build` first; needs tmux.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const SESSION = `ekiden-picture-${process.pid}`;
const [COLUMNS, ROWS] = [104, 28];
const [WIDE, HIGH, MARGIN] = [8.4, 19, 16];
/** Between two looks; how long a screen is shown at least and at most, and the last one. */
const [STEP_MS, LEAST_MS, MOST_MS, END_MS] = [200, 1100, 1600, 8000];
const COLOURS = ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#c9d1d9"];
const BRIGHT = ["#6e7681", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff"];

const home = mkdtempSync(join(tmpdir(), "ekiden-picture-"));
const tmux = (...args) => execFileSync("tmux", args, { encoding: "utf8" });
const type = (...keys) => tmux("send-keys", "-t", SESSION, ...keys);

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

/** The style after one SGR sequence. A ground is not drawn: the screen has none, but that of the cursor. */
function styled(before, codes) {
  const style = { ...before };
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i];
    if (code === 0) for (const key of Object.keys(style)) delete style[key];
    else if (code === 1) style["font-weight"] = "bold";
    else if (code === 2) style.opacity = "0.6";
    else if (code === 3) style["font-style"] = "italic";
    else if (code === 38 || code === 48) {
      const isRgb = codes[i + 1] === 2;
      if (code === 38)
        style.fill = isRgb ? `rgb(${codes.slice(i + 2, i + 5).join()})` : indexed(codes[i + 2]);
      i += isRgb ? 4 : 2;
    } else if (code === 22) {
      delete style["font-weight"];
      delete style.opacity;
    } else if (code === 39) delete style.fill;
    else if (code >= 30 && code < 38) style.fill = COLOURS[code % 10];
    else if (code >= 90 && code < 98) style.fill = BRIGHT[code % 10];
  }
  return style;
}

const SGR = /(\p{Cc}\[[\d;]*m)/u;
const escaped = (text) => text.replace(/[&<]/g, (one) => (one === "&" ? "&amp;" : "&lt;"));

/** What is drawn once has a short name: styles as classes, lines as shapes that several frames use. */
class Names extends Map {
  constructor(letter) {
    super();
    this.letter = letter;
  }
  of(value) {
    if (!this.has(value)) this.set(value, `${this.letter}${this.size.toString(36)}`);
    return this.get(value);
  }
}
const [styles, lines] = [new Names("s"), new Names("l")];

/** A line as two shapes, its words and the clock at its end, which other lines have too. The words have places: columns stand in any fixed font. */
function drawn(line) {
  let [style, column, text, clock] = [{}, 0, "", ""];
  for (const part of line.split(SGR)) {
    if (part.startsWith("\u001b")) {
      style = styled(style, part.slice(2, -1).split(";").map(Number));
      continue;
    }
    const css = Object.entries(style).map(([key, value]) => `${key}:${value}`);
    for (const piece of part.split(/( {2,})/)) {
      const name = css.length > 0 ? ` class="${styles.of(css.join(";"))}"` : "";
      const words = piece.trimStart();
      const place = Number(((column + piece.length - words.length) * WIDE).toFixed(1));
      if (words) {
        text += clock;
        clock = `<tspan x="${place}"${name}>${escaped(words)}</tspan>`;
      }
      column += piece.length;
    }
  }
  return (/>[\dms]+s</.test(clock) ? [text, clock] : [text + clock]).filter((shape) => shape !== "");
}

/** What stands at one place in the same frames, by the first of them and the one in which it is gone. */
function stays(screens) {
  const groups = new Map();
  const begun = new Map();
  screens.forEach((uses, at) => {
    for (const [use, from] of begun) {
      if (uses.has(use)) continue;
      begun.delete(use);
      groups.set(`${from}-${at}`, [...(groups.get(`${from}-${at}`) ?? []), use]);
    }
    for (const use of uses) if (!begun.has(use)) begun.set(use, at);
  });
  return [...groups].map(([span, uses]) => ({
    span,
    uses,
    from: Number.parseInt(span, 10),
    to: Number(span.split("-")[1]),
  }));
}

/** The screens, each with the time at which it came. */
function picture(frames) {
  const total = frames.at(-1).ms + END_MS;
  const share = (ms) => `${Number(((100 * ms) / total).toFixed(2))}%`;
  const screens = frames.map(({ screen }) => {
    const rows = screen.split("\n").map((line, row) => {
      return drawn(line).map((shape) => `<use href="#${lines.of(shape)}" y="${(row + 1) * HIGH}"/>`);
    });
    return new Set(rows.flat());
  });
  const groups = stays([...screens, new Set()]);
  const moves = groups.map(({ span, from, to }) => {
    const before = from > 0 ? "0%{visibility:hidden}" : "";
    const gone = to < frames.length ? `${share(frames[to].ms)}{visibility:hidden}` : "";
    return `@keyframes f${span}{${before}${share(frames[from].ms)}{visibility:visible}${gone}}#f${span}{animation-name:f${span}}`;
  });
  const last = groups.filter(({ to }) => to === frames.length).map(({ span }) => `#f${span}`);
  const shown = groups.map(({ span, uses }) => `<g id="f${span}" class="f">${uses.join("")}</g>`);
  const [width, height] = [Math.ceil(COLUMNS * WIDE) + 2 * MARGIN, ROWS * HIGH + 2 * MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">
<title>A team of three works through examples/quickstart.md</title>
<style>text{font:14px "DejaVu Sans Mono",Menlo,Consolas,monospace;fill:#c9d1d9;white-space:pre}
.f{visibility:hidden;animation:${total}ms step-end infinite}
${[...styles].map(([css, name]) => `.${name}{${css}}`).join("")}
${moves.join("\n")}
@media (prefers-reduced-motion:reduce){.f{animation:none}${last}{visibility:visible}}</style>
<defs>${[...lines].map(([text, name]) => `<text id="${name}">${text}</text>`).join("\n")}</defs>
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
<g transform="translate(${MARGIN} ${MARGIN - 4})">
${shown.join("\n")}
</g></svg>
`;
}

const frames = [];
/** Looks until the screen shows this. A screen on which only clocks and wheels have moved is no frame of its own: the picture would be large. */
async function looked(pattern, then = () => {}) {
  for (;;) {
    const text = tmux("capture-pane", "-e", "-p", "-t", SESSION).trimEnd();
    // Everybody's clone lies somewhere else.
    const screen = text.replaceAll(process.cwd(), "~/ekiden");
    const plain = screen.replaceAll(/\p{Cc}\[[\d;]*m/gu, "");
    const still = plain.replaceAll(/ +(\d+m)?\d+s|[\u2800-\u28ff]/g, "");
    const now = performance.now();
    const last = frames.at(-1);
    if (last === undefined || (still !== last.still && now - last.at >= LEAST_MS))
      frames.push({ at: now, screen, still });
    if (pattern.test(plain)) return then();
    await sleep(STEP_MS);
  }
}

/** The frames with times from 0 on: a screen that stood for long is shown for a moment. */
function timed() {
  let ms = 0;
  return frames.map(({ at, screen }, i) => {
    if (i > 0) ms += Math.round(Math.min(MOST_MS, at - frames[i - 1].at));
    return { ms, screen };
  });
}

try {
  const program = `'${process.execPath}' dist/main.js "$@"`;
  writeFileSync(join(home, "rc"), `PS1='$ '; ekiden() { ${program}; }\n`);
  const shell = `EKIDEN_TRUST=1 HOME=${home} EKIDEN_STORE=sqlite:${home}/team.db exec bash --noprofile --rcfile ${home}/rc`;
  tmux("new-session", "-d", "-s", SESSION, "-x", String(COLUMNS), "-y", String(ROWS), shell);
  await looked(/\$/, () => type("ekiden run examples/quickstart.md"));
  await sleep(STEP_MS);
  await looked(/quickstart/, () => type("Enter"));
  await looked(/[2-9]\/\d+ tasks/, () => type("C-t"));
  await looked(/\n\$ *$/);
  await sleep(LEAST_MS);
  await looked(/\n\$ *$/, () => type("ekiden tasks", "Enter"));
  await sleep(LEAST_MS);
  await looked(/\n\$ *$/);
  const svg = picture(timed());
  writeFileSync("docs/running.svg", svg);
  console.log(`docs/running.svg: ${frames.length} frames, ${svg.length} characters`);
} finally {
  tmux("kill-session", "-t", SESSION);
  rmSync(home, { recursive: true, force: true });
}
