/** These tests check what the kernel's table of mounts must show for a mount: where it comes from, and where it is. */
import { expect, it } from "vitest";
import { expectedMounts, hasMounts } from "./mounts.ts";

const TABLE = [
  "1 0 8:1 / / rw - ext4 /dev/a rw",
  "2 1 8:2 /@home /home rw - btrfs /dev/b rw",
  "3 1 0:5 /sub /srv/a\\040b rw - tmpfs none rw",
].join("\n");

it.each([
  ["/etc/x", "/etc/x", "8:1 /etc/x /etc/x"],
  ["/home/u/p", "/home/u/p", "8:2 /@home/u/p /home/u/p"],
  ["/home", "/h", "8:2 /@home /h"],
  ["/srv/a b/c d", "/x y", "0:5 /sub/c\\040d /x\\040y"],
  ["/", "/all", "8:1 / /all"],
  [null, "/t", "/ /t"],
])("%s at %s is %s", (by, path, expected) => {
  expect(expectedMounts([{ by, path }], TABLE)).toEqual([expected]);
});

it("takes another source, another place or a removed source for another mount", () => {
  const [expected = ""] = expectedMounts([{ by: "/home/u/p", path: "/home/u/p" }], TABLE);
  const has = (line: string) => hasMounts(`9 1 ${line} ro,nosuid - btrfs /dev/b rw`, [expected]);
  expect(has("8:2 /@home/u/p /home/u/p")).toBe(true);
  expect(has("8:2 /@home/u/.ssh /home/u/p")).toBe(false);
  expect(has("8:2 /@home/u/p /home/u/.ssh")).toBe(false);
  expect(has("8:2 /@home/u/p//deleted /home/u/p")).toBe(false);
  expect(has("8:1 /@home/u/p /home/u/p")).toBe(false);
});
