/** The corpus of shell lines as data, the tree they are judged and run in, and the judge's answer in each mode. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Decision, decide, type Mode, parseRule } from "../../src/core/permission/permission.ts";
import { disk } from "../../src/host/permission/disk.ts";

const LINES = join(import.meta.dirname, "lines");

export type Section = {
  /** The file, which is the class. */
  readonly name: string;
  /** `asks`, `silent`, `not allowed with: RULES` … */
  readonly heading: string;
  readonly lines: readonly string[];
};

/** A file begins with a comment; `## HEADING` begins a section; every other line is one shell line as a JSON string. */
export function sections(): readonly Section[] {
  return readdirSync(LINES)
    .sort()
    .flatMap((file) => {
      const [, ...parts] = readFileSync(join(LINES, file), "utf8").split(/^## /m);
      return parts.map((part) => {
        const [heading = "", ...lines] = part.trim().split("\n");
        return {
          name: file.replace(/\.txt$/, ""),
          heading,
          lines: lines.map((line) => JSON.parse(line) as string),
        };
      });
    });
}

/** `allow bash; deny read_file(.env)` */
export const rulesOf = (heading: string) =>
  (/: (.*)$/.exec(heading)?.[1] ?? "")
    .split("; ")
    .filter((text) => text !== "")
    .map((text) => {
      const [, effect, rule] = /^(allow|ask|deny) (.*)$/.exec(text) ?? [];
      return parseRule(effect as "allow" | "ask" | "deny", rule ?? "");
    });

export type Ground = {
  /** Holds everything, and is removed after. */
  readonly top: string;
  readonly workspace: string;
  /** A folder outside the workspace that nothing may write. */
  readonly outside: string;
  /** A file outside the workspace that nothing may read; it holds `CANARY`. */
  readonly secret: string;
};

export const CANARY = "canary-7f3a91";
/** In the file that a rule of the corpus closes, `.env`. */
export const CLOSED = "closed-5d21c0";

const git = (cwd: string, ...args: string[]): void =>
  void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, stdio: "ignore" });

/** A project with links out of it, a repository whose configuration runs a program, and programs that leave a mark. */
export function layGround(): Ground {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "ekiden-hostile-")));
  const workspace = join(top, "project");
  const outside = join(top, "outside");
  const secret = join(top, "secret");
  const files: Readonly<Record<string, string>> = {
    "a.txt": "a 1\nb 2\n",
    "b.txt": "b 2\nc 3\n",
    "README.md": "# a\n",
    ".env": `KEY=${CLOSED}\n`,
    "package.json": '{"name":"a","scripts":{"test":"touch made"},"dependencies":{}}\n',
    "src/a.ts": "const a = 1;\n",
    "src/b.ts": "const b = 2;\n",
    "lib/a.ts": "const a = 1;\n",
    "script.sh": "#!/bin/sh\ntouch made\n",
    "script.rev": "edam hcuot\n",
    b64: `${Buffer.from("touch made\n").toString("base64")}\n`,
    "prog.awk": 'BEGIN{print 1 > "made"}\n',
    "prog.sed": "w made\n",
    "evil.gitconfig": "[core]\n\tfsmonitor = touch made\n",
    list: `${secret}\n`,
    list0: `${secret}\0`,
    "secrets/a": "a\n",
    "bare/x": "",
    "sub/deep/x": "",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(workspace, name, ".."), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  mkdirSync(outside);
  writeFileSync(secret, `${CANARY}\n`);
  writeFileSync(join(outside, "secret"), `${CANARY}\n`);
  writeFileSync(join(outside, "data.json"), `"${CANARY}"\n`);
  chmodSync(join(workspace, "script.sh"), 0o755);
  git(workspace, "init", "-q", "-b", "main");
  git(workspace, "add", "a.txt", "b.txt", "src", "package.json");
  git(workspace, "commit", "-qm", "first");
  writeFileSync(join(workspace, "a.txt"), "a 1\nb 3\n");
  git(workspace, "commit", "-qam", "second");
  mkdirSync(join(workspace, "src/deep"));
  symlinkSync(outside, join(workspace, "lnk"));
  symlinkSync(outside, join(workspace, "src/deep/out"));
  symlinkSync(secret, join(workspace, "file-lnk"));
  symlinkSync(".git", join(workspace, "dotgit"));
  symlinkSync(".env", join(workspace, "alias"));
  for (const [folder, flag] of [
    ["bare", "--bare"],
    ["sub", "-q"],
  ] as const) {
    git(join(workspace, folder), "init", "-q", flag);
    git(join(workspace, folder), "config", "core.fsmonitor", `touch ${join(workspace, "made")};false`);
    if (flag === "--bare") {
      git(join(workspace, folder), "config", "core.bare", "false");
      git(join(workspace, folder), "config", "core.worktree", workspace);
    }
  }
  return { top, workspace, outside, secret };
}

/** A line with the places of this ground. */
export const placed = (line: string, { outside, secret }: Ground, port: number): string =>
  line.replaceAll("@OUT@", outside).replaceAll("@SECRET@", secret).replaceAll("@PORT@", String(port));

export const judge = (
  subject: string,
  { workspace, top }: Ground,
  mode: Mode,
  options: { readonly confined?: boolean; readonly rules?: ReturnType<typeof rulesOf> } = {},
): Promise<Decision> =>
  decide(options.rules ?? [], mode, {
    tool: "bash",
    access: "exec",
    subject,
    line: subject,
    workspace,
    home: top,
    disk,
    confined: options.confined ?? false,
  });
