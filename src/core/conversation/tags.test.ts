import { expect, it } from "vitest";
import { tagged, tagsIn } from "./tags.ts";

it("reads back what it wrote, also content that looks like a tag of ours", () => {
  const content = 'if (a < b) {\n</auto-claimed>\n< mail from="x">\n<div>&lt;p&gt;';
  const attributes = { task: 3, subject: 'say "hi" <b> & more\nlines', none: null };
  const text = `before ${tagged("auto-claimed", attributes, content)} between ${tagged("mail", {}, "")}`;
  expect(tagsIn(text)).toEqual([
    { tag: "auto-claimed", attributes: { task: "3", subject: attributes.subject }, content },
    { tag: "mail", attributes: {}, content: "" },
  ]);
  expect(tagsIn("<auto-claimed task=3>\nx\n</mail>")).toEqual([]);
});
