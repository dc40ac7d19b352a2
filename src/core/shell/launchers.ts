/** Programs that run other programs: by their options, in a shell, by a language of their own, or somewhere in their arguments. */
import { optionTable } from "./options.ts";

/**
 * Names; `plain`, or `opaque` where the command gets rights or surroundings that matter; with `1` where one word is before the command; options.
 */
const TABLE = `
env plain iv0u: - --ignore-environment --null --debug --unset=
sudo opaque AbEHkKnPSsiu:g:U:p:C:h:D:R:T:t:r:
doas opaque nsLu:C:
chroot opaque1 -
strace opaque fFqrtTvxyCcdhike:o:p:P:s:u:E:a:b:I:O:S:U:X:
busybox,toybox opaque -
nohup,builtin plain -
command,time plain p
exec plain cla:
setsid plain cfw --ctty --fork --wait
nice plain n:# --adjustment=
ionice plain tc:n:
stdbuf plain i:o:e: --input= --output= --error=
timeout plain1 vk:s: --foreground --preserve-status --verbose --kill-after= --signal=
flock opaque1 senuxoFw:E: --shared --exclusive --nonblock --nb --no-fork --close
xargs plain 0rtpxi?l?e?I:L:n:d:P:E:s: --null --no-run-if-empty --verbose --interactive --exit --open-tty --replace?
  --max-args= --max-procs= --max-lines? --max-chars= --delimiter= --eof?
`;

/** Programs that run the command behind their options. */
export const wrappers = optionTable(TABLE);

export const SHELLS = /^(?:ba|da|z|k|a|mk|fi|c|tc|r|rba|pw)?sh$/;
/** Programs that run a program text of their own language. */
export const INTERPRETERS =
  /^(?:python[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|tclsh|wish|expect|[gmn]?awk|gdb|osascript|Rscript|groovy|jshell|ed|ex|vim?|emacs|ghc|sqlite3|psql|mysql|ssh|tsx|ts-node)$/;
/** Programs that run a command somewhere among their arguments. */
export const LAUNCHERS =
  /^(?:watch|parallel|unshare|nsenter|setarch|linux(?:32|64)|ltrace|valgrind|chrt|taskset|prlimit|systemd-run|dbus-run-session|xvfb-run|fakeroot|faketime|unbuffer|rlwrap|dumb-init|tini|firejail|bwrap|numactl|setpriv|capsh|pkexec|gosu|su-exec|runcon|start-stop-daemon|cgexec|catchsegv|proxychains4?|torsocks|sg|at|batch|npx|bunx|chronic|ts|entr|hyperfine|perf|uv|uvx|pipx|poetry|bundle|docker|podman|kubectl|coproc)$/;
