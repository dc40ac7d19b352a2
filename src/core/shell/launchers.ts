/** Programs that run other programs: by their options, in a shell, by a language of their own, or somewhere in their arguments. */

export type Wrapper = {
  /** Options without a value, or with it in the same word. */
  readonly flags: RegExp;
  /** Options whose value is the next word. */
  readonly values?: RegExp;
  /** Words between the options and the command. */
  readonly operands?: number;
  /** It gives the command rights or surroundings that matter. */
  readonly opaque?: true;
};

export const WRAPPERS: Readonly<Record<string, Wrapper>> = Object.assign(
  Object.create(null) as Record<string, Wrapper>,
  {
    env: {
      flags: /^(?:-|-[i0v]+|--ignore-environment|--null|--debug|-u.+|--unset=.*)$/,
      values: /^(?:-u|--unset)$/,
    },
    sudo: { flags: /^-[AbEHkKnPSsi]+$/, values: /^-[ugUpChDRTtr]$/, opaque: true },
    doas: { flags: /^-[nsL]+$/, values: /^-[uC]$/, opaque: true },
    chroot: { flags: /^--[a-z-]+=.*$/, operands: 1, opaque: true },
    strace: { flags: /^-[fFqrtTvxyCcdhik]+$/, values: /^-[eopPsuEabIOSUX]$/, opaque: true },
    busybox: { flags: /^$/, opaque: true },
    toybox: { flags: /^$/, opaque: true },
    nohup: { flags: /^$/ },
    builtin: { flags: /^$/ },
    command: { flags: /^-p$/ },
    exec: { flags: /^-[cl]+$/, values: /^-a$/ },
    setsid: { flags: /^(?:-[cfw]+|--(?:ctty|fork|wait))$/ },
    nice: { flags: /^(?:-n.+|-\d+|--adjustment=.*)$/, values: /^(?:-n|--adjustment)$/ },
    ionice: { flags: /^(?:-t|-[cn].+)$/, values: /^-[cn]$/ },
    stdbuf: { flags: /^(?:-[ioe].+|--\w+=.*)$/, values: /^(?:-[ioe]|--(?:input|output|error))$/ },
    time: { flags: /^-[apqv]+$/, values: /^-[fo]$/, opaque: true },
    timeout: {
      flags: /^(?:-v|--foreground|--preserve-status|--verbose|-[ks].+|--(?:kill-after|signal)=.*)$/,
      values: /^(?:-[ks]|--kill-after|--signal)$/,
      operands: 1,
    },
    flock: {
      flags: /^(?:-[senuxoF]+|--(?:shared|exclusive|nonblock|nb|no-fork|close))$/,
      values: /^-[wE]$/,
      operands: 1,
      opaque: true,
    },
    xargs: {
      flags:
        /^(?:-[0rtpx]+|-[IiLlnPdEes].+|-[ile]|--(?:null|no-run-if-empty|verbose|interactive|exit|open-tty)|--(?:replace|max-\w+|delimiter|eof)=.*)$/,
      values: /^-[ILnPdEs]$/,
    },
  },
);

export const SHELLS = /^(?:ba|da|z|k|a|mk|fi|c|tc|r|rba|pw)?sh$/;
/** Programs that run a program text of their own language. */
export const INTERPRETERS =
  /^(?:python[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|tclsh|wish|expect|[gmn]?awk|gdb|osascript|Rscript|groovy|jshell|ed|ex|vim?|emacs|ghc|sqlite3|psql|mysql|ssh|tsx|ts-node)$/;
/** Programs that run a command somewhere among their arguments. */
export const LAUNCHERS =
  /^(?:watch|parallel|unshare|nsenter|setarch|linux(?:32|64)|ltrace|valgrind|chrt|taskset|prlimit|systemd-run|dbus-run-session|xvfb-run|fakeroot|faketime|unbuffer|rlwrap|dumb-init|tini|firejail|bwrap|numactl|setpriv|capsh|pkexec|gosu|su-exec|runcon|start-stop-daemon|cgexec|catchsegv|proxychains4?|torsocks|sg|at|batch|npx|bunx|chronic|ts|entr|hyperfine|perf|uv|uvx|pipx|poetry|bundle|docker|podman|kubectl|coproc)$/;
