/** The damage that a person is told of, and the lines that only look like it. */
import { describe, expect, it } from "vitest";
import { readLine } from "./command.ts";
import { dangerOf } from "./danger.ts";

const danger = (line: string, workspace = "/home/me/project"): string | null =>
  dangerOf(readLine(line).commands, { workspace, home: "/home/me" });

describe("the damage of a line", () => {
  it.each([
    ["rm -rf a /etc", "it would remove /etc and everything below it"],
    ["srm -r /", "it would remove / and everything below it"],
    ["set rm -rf /; $Y", "it would remove / and everything below it"],
    ["find / | xargs rm", "it would remove / and everything below it"],
    ["find '/usr /x' | xargs rm", "it would remove /usr and everything below it"],
    ["chown -R me /", "it would change / and everything below it"],
    ["setfacl -R u:me:r /etc", "it would change /etc and everything below it"],
    ["mv a / x", "it would move / away"],
    ["find build /etc -delete", "it would remove what is below /etc"],
    ["find -L /etc -exec rm {} +", "it would remove what is below /etc"],
    ["python3 -c 'shutil.rmtree(\"/\")'", "its program would remove /"],
    ["reboot", "reboot takes the machine down"],
    ["init 0", "init takes the machine down"],
    ["telinit 6", "telinit takes the machine down"],
    ["systemctl --now halt", "systemctl takes the machine down"],
    ["kill -9 -1", "kill would end every process there is"],
    ["mke2fs a", "mke2fs wipes a file system"],
    ["dd if=a of=/dev/sda", "dd would overwrite a device"],
    ["cp a /dev/sda", "cp would overwrite a device"],
    ["tee /dev/nvme0n1", "tee would overwrite a device"],
    ["echo a > /dev/sda", "it would overwrite the device /dev/sda"],
    ["f() { f | f; }; f", "the function f starts itself again and again"],
  ])("%s: %s", (line, reason) => expect(danger(line)).toBe(reason));

  it.each([
    "echo / | xargs rm",
    "set rm -rf /",
    "cd build && rm -rf *",
    "rm /",
    "srm a",
    "grep -r x /",
    "chmod +x /etc",
    "chmod -R / a",
    "mv a /",
    "find / -name x",
    "find build -delete -path /",
    "echo 'rmtree(\"/\")'",
    "init 3",
    "init a 0",
    "systemctl status halting",
    "service halt",
    "kill -1",
    "ls -9 -1",
    "dd if=/dev/sda of=a",
    "cp /dev/sda a",
    "ls /dev/sda",
    "cat < /dev/sda",
    "f() { f; }; f",
    "f() { f || f && f; }",
    "ls | cat &",
  ])("%s does none", (line) => expect(danger(line)).toBeNull());

  it.each([
    ["/home/project", "rm -rf /home/project", false],
    ["/home/project", "rm -rf /home/other", true],
    ["/home/project", "rm -rf /home", true],
    ["/srv/a/b", "rm -rf /srv/a", true],
    ["/srv/a/b", "rm -rf /srv/a/b", false],
    ["/srv/a/b", "rm -rf /srv/a/b/c", false],
    ["/srv/a/b", "rm -rf /srv/x", false],
    ["/srv/a/b", "rm -rf /x*", true],
    ["/srv/a/b", "rm -rf /home/me", true],
    ["/srv/a/b", "rm -rf $X", false],
    ["/srv/a/b", "rm -rf $PWD", false],
    ["/srv/a/b", "rm -rf $HOME", true],
  ])("in %s, %s is refused: %s", (workspace, line, expected) => {
    expect(danger(line, workspace) !== null).toBe(expected);
  });
});
