/** Of the disk a command sees the project, folders of the system and toolchains: no list of secrets is needed. */
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bubblewrapOrSkip } from "../../fixtures/bubblewrap.ts";
import { closeConfined, confined } from "../../fixtures/confined.ts";
import { repositoryIn } from "../../fixtures/repository.ts";
import { takeAway } from "../../fixtures/take-away.ts";

let base: string;
let home: string;
let workspace: string;
let both: ReturnType<typeof confined>;
const tops: string[] = [];
const SECRET = "SECRET-7c1d";

/** Files with logins of programs that no table here names, and of some that it names for their programs. */
const LOGINS =
  `.ssh/id .netrc .config/hcloud/cli.toml .config/pulumi/credentials.json .sentryclirc .vercel/auth.json .config/ngrok/ngrok.yml
  .local/share/keyrings/a .local/share/other/token .cache/huggingface/token .cargo/credentials.toml .gem/credentials .m2/settings.xml
  .gradle/gradle.properties .config/git/credentials .deno/auth.json notes.txt other-project/.env .bash_history own/keys`.split(
    /\s+/,
  );
const TOOLS =
  `.gitconfig .cargo/bin/tool .cargo/registry/x .rustup/x .nvm/versions/x .pyenv/shims/x .m2/repository/x .gradle/caches/x go/pkg/x
  .config/git/ignore .dotnet/x .rbenv/x .sdkman/x tools/node/bin/tool tools/node/lib/x moved-go/pkg/x`.split(
    /\s+/,
  );

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(homedir(), ".ekiden-visible-")));
  home = join(base, "home");
  for (const [names, text] of [[LOGINS, SECRET] as const, [TOOLS, "tool"] as const])
    for (const name of names) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text);
    }
  symlinkSync(join(home, "tools/node"), join(home, ".volta"));
  workspace = join(home, "mono/packages/a");
  repositoryIn(join(home, "mono"), { "tsconfig.json": "{}", "packages/a/a.txt": "a\n" });
  if (process.getuid?.() === 0)
    for (const top of ["/opt", "/srv", "/mnt", "/var/lib"]) {
      tops.push(mkdtempSync(join(top, "ekiden-visible-")));
      writeFileSync(join(tops.at(-1) ?? "", "secret"), SECRET);
    }
  // Places of toolchains in the workspace, of which a command has made links.
  const made = ["node_modules/.bin", ".venv"].map((name) => join(workspace, name));
  mkdirSync(join(workspace, "node_modules"));
  for (const path of made) symlinkSync(join(home, ".ssh"), path);
  const PATH = `${made[0]}:${join(home, "tools/node/bin")}:${process.env.PATH}`;
  both = confined(base, workspace, {
    ...{
      env: {
        HOME: home,
        PATH,
        GOPATH: join(home, "moved-go"),
        VIRTUAL_ENV: made[1],
        GIT_CONFIG_GLOBAL: "/dev/null",
      },
    },
    shown: [join(home, ".sentryclirc"), ...made],
    ownFolders: [join(home, "own")],
  });
});
afterAll(async () => {
  await closeConfined(both, base);
  for (const top of tops) takeAway(top);
});

const run = (line: string) =>
  both.shell.run(line, { cwd: workspace, signal: new AbortController().signal, timeoutMs: 30_000 });

bubblewrapOrSkip(it)("shows no login, no other project and no other folder of the disk", async () => {
  const found = await run(
    `cd ${home}; cat ${LOGINS.join(" ")} ${tops.map((top) => `${top}/secret`).join(" ")}`,
  );
  // What the person has opened by a rule.
  expect(found.output.split(SECRET).length - 1).toBe(1);
  const every = await run(
    `grep -rsl ${SECRET} ${home} ${tops.join(" ")}; find / -xdev -name "*credentials*" -not -path "/usr/*"`,
  );
  expect(every.output.trim().split("\n")).toEqual([join(home, ".sentryclirc")]);
});

bubblewrapOrSkip(it)("shows toolchains, the whole repository, and writes none of them", async () => {
  const { output } = await run(`cd ${home}; cat ${TOOLS.join(" ")} mono/tsconfig.json .volta/lib/x`);
  expect(output).not.toContain("No such file");
  expect((await run("echo x >/dev/null")).exitCode).toBe(0);
  expect((await run(`echo x > ${home}/.cargo/bin/tool; echo x > ${home}/new; echo x > /new`)).output).toMatch(
    /(?:[^\n]*Read-only file system\n){3}/,
  );
});

bubblewrapOrSkip(it)("says which path was hidden, and the rule that shows it", async () => {
  const { denial } = await run(`cat ${home}/notes.txt`);
  expect(denial).toContain(`${home}/notes.txt is hidden from commands`);
  expect(denial).toContain(`allow read_file(${home}/notes.txt)`);
  expect((await run(`cat ${home}/nothing.txt`)).denial).toBeNull();
});
