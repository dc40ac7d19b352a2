/** The commands by which a project is built and tested, from the files of its package managers. Pure: adapters read the files. */

/** The files that name commands, relative to the project. */
export const COMMAND_FILES = ["package.json", "Makefile", "Cargo.toml", "go.mod", "pyproject.toml"] as const;

type File = (typeof COMMAND_FILES)[number];

/** Scripts and targets that prove something. Other names are not shown: anybody who can write the file can choose them. */
const PROOFS = ["test", "check", "lint", "typecheck", "build", "format"] as const;

const MOST = 6;

/** Such as "npm test". At most six, in the order of the files. */
export function commandsIn(files: Partial<Readonly<Record<File, string>>>): string[] {
  const found = COMMAND_FILES.flatMap((file) => {
    const text = files[file];
    return text === undefined ? [] : READERS[file](text);
  });
  return [...new Set(found)].slice(0, MOST);
}

const READERS: Readonly<Record<File, (text: string) => string[]>> = {
  "package.json": (text) => {
    const scripts = scriptsIn(text);
    return PROOFS.flatMap((name) =>
      !scripts.has(name) ? [] : [name === "test" ? "npm test" : `npm run ${name}`],
    );
  },
  Makefile: (text) => {
    const targets = new Set(text.match(/^[a-z]+(?=[ \t]*:(?!=))/gm));
    return PROOFS.flatMap((name) => (targets.has(name) ? [`make ${name}`] : []));
  },
  "Cargo.toml": () => ["cargo test", "cargo clippy"],
  "go.mod": () => ["go test ./...", "go vet ./..."],
  "pyproject.toml": (text) => [
    ...(/\bpytest\b/.test(text) ? ["pytest"] : []),
    ...(/\bruff\b/.test(text) ? ["ruff check"] : []),
  ],
};

function scriptsIn(text: string): ReadonlySet<string> {
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: unknown };
    return new Set(typeof scripts === "object" && scripts !== null ? Object.keys(scripts) : []);
  } catch {
    return new Set(); // the project's own tools say what is wrong with it
  }
}
