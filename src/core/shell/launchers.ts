/** Programs that run other programs: by their options, in a shell, by a language of their own, or somewhere in their arguments. */
import { lazy } from "../lazy.ts";

export type Wrapper = {
  /** Its options, as in `options.ts`. */
  readonly short: string;
  readonly long: ReadonlySet<string>;
  /** Words between the options and the command. */
  readonly operands: number;
  /** It gives the command rights or surroundings that matter. */
  readonly opaque: boolean;
};

/** `plain` or `opaque`, how many words are before the command, options. */
const TABLE = `
env plain 0 iv0u: - --ignore-environment --null --debug --unset=
sudo opaque 0 AbEHkKnPSsiu:g:U:p:C:h:D:R:T:t:r:
doas opaque 0 nsLu:C:
chroot opaque 1 -
strace opaque 0 fFqrtTvxyCcdhike:o:p:P:s:u:E:a:b:I:O:S:U:X:
busybox,toybox opaque 0 -
nohup,builtin plain 0 -
command,time plain 0 p
exec plain 0 cla:
setsid plain 0 cfw --ctty --fork --wait
nice plain 0 n:# --adjustment=
ionice plain 0 tc:n:
stdbuf plain 0 i:o:e: --input= --output= --error=
timeout plain 1 vk:s: --foreground --preserve-status --verbose --kill-after= --signal=
flock opaque 1 senuxoFw:E: --shared --exclusive --nonblock --nb --no-fork --close
xargs plain 0 0rtpxi?l?e?I:L:n:d:P:E:s: --null --no-run-if-empty --verbose --interactive --exit --open-tty --replace?
  --max-args= --max-procs= --max-lines? --max-chars= --delimiter= --eof?
`;

const wrappers = lazy(
  () =>
    new Map<string, Wrapper>(
      TABLE.trim()
        .split(/\n(?! )/)
        .flatMap((entry) => {
          const [names = "", kind, operands, short = "", ...long] = entry.split(/\s+/);
          const made = { short, long: new Set(long), operands: Number(operands), opaque: kind === "opaque" };
          return names.split(",").map((name) => [name, made] as const);
        }),
    ),
);
export const wrapperOf = (name: string): Wrapper | undefined => wrappers().get(name);

export const SHELLS = /^(?:ba|da|z|k|a|mk|fi|c|tc|r|rba|pw)?sh$/;
/** Programs that run a program text of their own language. */
export const INTERPRETERS =
  /^(?:python[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|tclsh|wish|expect|[gmn]?awk|gdb|osascript|Rscript|groovy|jshell|ed|ex|vim?|emacs|ghc|sqlite3|psql|mysql|ssh|tsx|ts-node)$/;
/** Programs that run a command somewhere among their arguments. */
export const LAUNCHERS =
  /^(?:watch|parallel|unshare|nsenter|setarch|linux(?:32|64)|ltrace|valgrind|chrt|taskset|prlimit|systemd-run|dbus-run-session|xvfb-run|fakeroot|faketime|unbuffer|rlwrap|dumb-init|tini|firejail|bwrap|numactl|setpriv|capsh|pkexec|gosu|su-exec|runcon|start-stop-daemon|cgexec|catchsegv|proxychains4?|torsocks|sg|at|batch|npx|bunx|chronic|ts|entr|hyperfine|perf|uv|uvx|pipx|poetry|bundle|docker|podman|kubectl|coproc)$/;
