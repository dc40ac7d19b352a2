/** These tests check which errors of PostgreSQL, its connections and TLS a run waits for. */
import { expect, it } from "vitest";
import { isEkidenError } from "../../../core/errors.ts";
import { addressOf, isLost, unavailable } from "./postgres-address.ts";

const address = addressOf("postgres://me:very-secret@db.example:5432/work");
const failed = (message: string, rest: object = {}): Error => Object.assign(new Error(message), rest);

it.each([
  ["could not write init file", { code: "XX000", severity: "FATAL" }],
  ["could not locate a valid checkpoint record", { code: "XX000", severity: "PANIC" }],
  ["terminating connection due to administrator command", { code: "57P01", severity: "FATAL" }],
])("the connection is lost: %s", (message, rest) => {
  expect(isLost(failed(message, rest))).toBe(true);
  expect(unavailable(failed(message, rest), address)).toMatchObject({
    code: "store_unavailable",
    details: { passing: true },
  });
});

it.each([
  ["self-signed certificate", { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }],
  ["certificate has expired", { code: "CERT_HAS_EXPIRED" }],
  ["Hostname/IP does not match certificate's altnames", { code: "ERR_TLS_CERT_ALTNAME_INVALID" }],
  ["unable to verify the first certificate", { code: "UNABLE_TO_VERIFY_LEAF_SIGNATURE" }],
  ["wrong version number", { code: "ERR_SSL_WRONG_VERSION_NUMBER" }],
  ["The server does not support SSL connections", {}],
])("is waited for in a run and explained at a start: %s", (message, rest) => {
  expect(unavailable(failed(message, rest), address)).toMatchObject({
    code: "store_unavailable",
    details: { passing: true },
    message: expect.stringMatching(/certificate.*sslmode/),
  });
});

it("an error of a statement is not one of the server", () => {
  const error = failed("duplicate key", { code: "23505", severity: "ERROR" });
  expect(isLost(error)).toBe(false);
  expect(isEkidenError(unavailable(error, address))).toBe(false);
});
