/**
 * The system call filter of the sandbox as a classic BPF program, generated for the processor this runs on. Calls that create
 * namespaces or mounts, look into other processes or reach rarely tested parts of the kernel fail with EPERM. A call of another
 * instruction set ends the process, because its numbers mean other calls.
 */

/** Calls that fail, each with its number for x64 and for arm64; "-" where there is none. */
const CALLS = `
mounts and roots: mount 165 40; umount2 166 39; pivot_root 155 41; chroot 161 51; open_tree 428 428; move_mount 429 429; fsopen 430 430;
  fsconfig 431 431; fsmount 432 432; fspick 433 433; mount_setattr 442 442; open_tree_attr 467 467; open_by_handle_at 304 265
namespaces: unshare 272 97; setns 308 268
other processes: ptrace 101 117; process_vm_readv 310 270; process_vm_writev 311 271; pidfd_getfd 438 438; move_pages 279 239; kcmp 312 272
keys of the session outlive the command: add_key 248 217; request_key 249 218; keyctl 250 219
parts of the kernel with a long list of faults: bpf 321 280; perf_event_open 298 241; userfaultfd 323 282; io_uring_setup 425 425;
  io_uring_enter 426 426; io_uring_register 427 427; fanotify_init 300 262; lookup_dcookie 212 18; modify_ldt 154 -; uselib 134 -
the machine: kexec_load 246 104; kexec_file_load 320 294; init_module 175 105; finit_module 313 273; delete_module 176 106;
  create_module 174 -; reboot 169 142; swapon 167 224; swapoff 168 225; acct 163 89; quotactl 179 60; quotactl_fd 443 443;
  nfsservctl 180 42; settimeofday 164 170; clock_settime 227 112; clock_adjtime 305 266; sethostname 170 161; setdomainname 171 162;
  syslog 103 116; iopl 172 -; ioperm 173 -
`;
/** glibc falls back to calls that can be looked into when these do not exist; their arguments lie in memory. */
const MISSING = "clone3 435 435; openat2 437 437";
/** Calls that are looked into. */
const SEEN = `clone 56 220; ioctl 16 29; socket 41 198; socketpair 53 199; chmod 90 -; fchmod 91 52; fchmodat 268 53; fchmodat2 452 452;
  open 2 -; creat 85 -; openat 257 56; mknod 133 -; mknodat 259 33`;
const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 };

/** The numbers of a processor, by the names of calls. */
const numbersOf = (table: string, arch: keyof typeof AUDIT): ReadonlyMap<string, number> =>
  new Map(
    [...table.matchAll(/(\w+) (\d+|-) (\d+|-)/g)].flatMap(([, name = "", x64, arm64]) => {
      const number = arch === "x64" ? x64 : arm64;
      return number === "-" ? [] : [[name, Number(number)] as const];
    }),
  );

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const NAMESPACES = 0x7e020000;
/** They push characters into the input of a terminal. */
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
/** IPv4, IPv6 and netlink, which the resolver asks for addresses. vsock, for one, belongs to no network namespace. */
const FAMILIES = [2, 10, 16];
/**
 * A Unix socket reaches every program of the machine that has one at a path: no mount hides its inode for good, and the filter sees no path. A
 * pair reaches nobody else, unless it is of datagrams, which can be sent to any address.
 */
const UNIX = 1;
const [SOCK_STREAM, SOCK_SEQPACKET] = [1, 5];
/** The bits of a socket's type that are none of its flags. */
const TYPE = 0xf;
/** The set-user-id and the set-group-id bit. */
const SET_ID = 0o6000;
/** O_CREAT and the bit of O_TMPFILE: only with one of them is the mode read. */
const CREATES = 0o100 | 0o20000000;
/** Numbers of the x32 interface carry this bit. */
const X32 = 0x40000000;

const EPERM = 1;
const ENOSYS = 38;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const errno = (code: number): number => 0x00050000 | code;

/** Where a test goes: on to the next line, or to a verdict at the end. */
type To = "next" | "allow" | "deny" | "missing" | "kill";
type Line =
  | { readonly load: number }
  | { readonly mask: number }
  | {
      readonly test: "==" | ">=" | "&";
      readonly value: number;
      readonly yes: To | number;
      readonly no: To | number;
    };

const NUMBER = 0;
const ARCH = 4;
/** The low half of an argument on both processors, which are little-endian. */
const argument = (nth: number): number => 16 + 8 * nth;

/** `closed`: without Unix sockets but for pairs. `open`: with them. */
export type Filters = { readonly closed: Buffer; readonly open: Buffer };

/** Null for a processor whose numbers are not known here: then the sandbox is off. */
export const seccompFilters = (arch: string): Filters | null =>
  arch === "x64" || arch === "arm64" ? { closed: filter(arch, false), open: filter(arch, true) } : null;

function filter(arch: keyof typeof AUDIT, isOpen: boolean): Buffer {
  const own = numbersOf(SEEN, arch);
  const lines: Line[] = [
    { load: ARCH },
    { test: "==", value: AUDIT[arch], yes: "next", no: "kill" },
    { load: NUMBER },
    ...(arch === "x64" ? [{ test: ">=", value: X32, yes: "deny", no: "next" } as const] : []),
  ];
  for (const [table, yes] of [
    [CALLS, "deny"],
    [MISSING, "missing"],
  ] as const)
    for (const value of numbersOf(table, arch).values()) lines.push({ test: "==", value, yes, no: "next" });
  /** `body` begins with the number replaced by an argument, and ends in verdicts. */
  const only = (call: string, body: readonly Line[]): void => {
    const value = own.get(call);
    if (value !== undefined) lines.push({ test: "==", value, yes: "next", no: body.length }, ...body);
  };
  const denyBits = (nth: number, value: number): Line[] => [
    { load: argument(nth) },
    { test: "&", value, yes: "deny", no: "allow" },
  ];
  only("clone", denyBits(0, NAMESPACES));
  only("ioctl", [
    { load: argument(1) },
    { test: "==", value: TIOCSTI, yes: "deny", no: "next" },
    { test: "==", value: TIOCLINUX, yes: "deny", no: "allow" },
  ]);
  const oneOf = (values: readonly number[]): Line[] =>
    values.map((value, i) => ({
      test: "==",
      value,
      yes: "allow",
      no: i < values.length - 1 ? "next" : "deny",
    }));
  only("socket", [{ load: argument(0) }, ...oneOf(isOpen ? [UNIX, ...FAMILIES] : FAMILIES)]);
  if (!isOpen)
    only("socketpair", [{ load: argument(1) }, { mask: TYPE }, ...oneOf([SOCK_STREAM, SOCK_SEQPACKET])]);
  // A program with one of these bits in the workspace would give the user's rights to others of the machine.
  for (const [call, mode] of [
    ...[["chmod", 1] as const, ["fchmod", 1] as const, ["fchmodat", 2] as const, ["fchmodat2", 2] as const],
    ...[["creat", 1] as const, ["mknod", 1] as const, ["mknodat", 2] as const],
  ] as const)
    only(call, denyBits(mode, SET_ID));
  for (const [call, flags] of [
    ["open", 1],
    ["openat", 2],
  ] as const)
    only(call, [
      { load: argument(flags) },
      { test: "&", value: CREATES, yes: "next", no: "allow" },
      ...denyBits(flags + 1, SET_ID),
    ]);
  return assemble(lines);
}

const VERDICTS: readonly (readonly [Exclude<To, "next">, number])[] = [
  ["allow", ALLOW],
  ["deny", errno(EPERM)],
  ["missing", errno(ENOSYS)],
  ["kill", KILL_PROCESS],
];

function assemble(lines: readonly Line[]): Buffer {
  const program = Buffer.alloc(8 * (lines.length + VERDICTS.length));
  const put = (at: number, code: number, yes: number, no: number, value: number): void => {
    program.writeUInt16LE(code, 8 * at);
    program.writeUInt8(yes, 8 * at + 2);
    program.writeUInt8(no, 8 * at + 3);
    program.writeUInt32LE(value >>> 0, 8 * at + 4);
  };
  lines.forEach((line, at) => {
    if (!("test" in line)) {
      if ("load" in line) put(at, 0x20, 0, 0, line.load);
      else put(at, 0x54, 0, 0, line.mask);
      return;
    }
    const jump = (to: To | number): number =>
      typeof to === "number"
        ? to
        : to === "next"
          ? 0
          : lines.length + VERDICTS.findIndex(([name]) => name === to) - at - 1;
    const code = { "==": 0x15, ">=": 0x35, "&": 0x45 }[line.test];
    put(at, code, jump(line.yes), jump(line.no), line.value);
  });
  VERDICTS.forEach(([, value], i) => {
    put(lines.length + i, 0x06, 0, 0, value);
  });
  return program;
}
