/** Text that agents wrote: Markdown, diffs and output as elements. Nothing here ever makes markup from a string. */
import { lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { codeParts } from "../../../../core/text/code-parts.ts";
import { spellHidden } from "../../../../core/text/hidden.ts";
import { plainText } from "../../../../core/text/plain-text.ts";
import { changed, type DiffLine } from "../pure/changed.ts";
import { CopyButton } from "./copy.tsx";
import { Button } from "./fields.tsx";

const MARKDOWN_MAX = 60_000;

export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(
    () => (text.length > MARKDOWN_MAX ? null : lexer(text, { gfm: true, breaks: true })),
    [text],
  );
  if (tokens === null) return <Output text={text} />;
  return <div class="markdown">{blocks(tokens)}</div>;
}

export const blocks = (tokens: readonly Token[] = []): ComponentChildren[] =>
  tokens.map((token, i) => <Block key={i} token={token} />);

function Block({ token }: { token: Token }) {
  switch (token.type) {
    case "checkbox": // its item shows it
    case "space":
    case "def":
      return null;
    case "heading":
      // Their headings are text in ours: the outline of the page is not theirs to write.
      return <p class={`heading h${(token as Tokens.Heading).depth > 2 ? 3 : 2}`}>{inline(token.tokens)}</p>;
    case "paragraph":
      return <p>{inline(token.tokens)}</p>;
    case "code":
      return <Output text={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ""} />;
    case "blockquote":
      return <blockquote>{blocks(token.tokens)}</blockquote>;
    case "hr":
      return <hr />;
    case "list":
      return <List list={token as Tokens.List} />;
    case "table":
      return <Table table={token as Tokens.Table} />;
    case "text":
      return <span>{"tokens" in token && token.tokens ? inline(token.tokens) : token.raw}</span>;
    default:
      return <p class="as-is">{token.raw}</p>; // HTML among it: shown, never taken as markup
  }
}

function List({ list: { ordered, items, start } }: { list: Tokens.List }) {
  const children = items.map((item, i) => (
    <li key={i}>
      {item.task && <span aria-hidden="true">{item.checked ? "☑ " : "☐ "}</span>}
      {blocks(item.tokens)}
    </li>
  ));
  return ordered ? <ol start={Number(start) || 1}>{children}</ol> : <ul>{children}</ul>;
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  return (
    <div class="scroll-x">
      <table>
        <thead>
          <tr>
            {header.map((cell, i) => (
              <th key={i} scope="col">
                {inline(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, y) => (
            <tr key={y}>
              {row.map((cell, i) => (
                <td key={i}>{inline(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const inline = (tokens: readonly Token[] = []): ComponentChildren[] =>
  tokens.map((token, i) => <Inline key={i} token={token} />);

function Inline({ token }: { token: Token }) {
  switch (token.type) {
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "checkbox":
      return null;
    case "br":
      return <br />;
    case "link": {
      const { href } = token as Tokens.Link;
      if (!/^https?:\/\//i.test(href)) return <>{inline(token.tokens)}</>;
      return (
        <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
          {inline(token.tokens)}
        </a>
      );
    }
    case "escape":
      return <>{(token as Tokens.Escape).text}</>;
    case "text":
      return <>{token.raw}</>;
    default:
      return <>{token.raw}</>;
  }
}

export const lastLines = (text: string, count: number): string =>
  text.trimEnd().split("\n").slice(-count).join("\n");

const HEAD = 4;
const TAIL = 10;

/** The shown parts of a long output: its beginning, and more of its end, which says how it went. Null for one that is short. */
export function ends(lines: readonly string[], head: number, tail: number) {
  const hidden = lines.length - head - tail;
  return hidden <= 3 ? null : { head: lines.slice(0, head), hidden, tail: lines.slice(lines.length - tail) };
}

/** As it was printed, without colours; long ones open on demand. */
export function Output({
  text,
  head = HEAD,
  tail = TAIL,
  language = "",
}: {
  text: string;
  head?: number;
  tail?: number;
  language?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  const all = useMemo(() => plainText(text).split("\n"), [text]);
  const cut = ends(all, head, tail);
  const toggle = cut && (
    <Button class="link" onClick={() => setOpen(!isOpen)}>
      {isOpen ? "Show less" : `Show ${cut.hidden} more lines`}
    </Button>
  );
  const copy = <CopyButton text={all.join("\n")} of="the text" />;
  if (!cut || isOpen)
    return (
      <div class="output">
        {copy}
        <Code text={all.join("\n")} language={language} />
        {toggle}
      </div>
    );
  return (
    <div class="output">
      {copy}
      {cut.head.length > 0 && <Code text={cut.head.join("\n")} language={language} />}
      {toggle}
      {cut.tail.length > 0 && <Code text={cut.tail.join("\n")} language={language} />}
    </div>
  );
}

function Code({ text, language }: { text: string; language: string }) {
  const parts = useMemo(() => codeParts(text, language), [text, language]);
  return (
    <pre tabIndex={0}>
      {parts.map((part, i) =>
        part.kind === "" ? (
          part.text
        ) : (
          <span key={i} class={`code-${part.kind}`}>
            {part.text}
          </span>
        ),
      )}
    </pre>
  );
}

export function Diff({ before, after }: { before: string; after: string }) {
  const lines = useMemo(() => changed(before, after), [before, after]);
  return <DiffLines lines={lines} />;
}

/** A diff as git prints it, each file under its name; `message`: of its commit. */
export function Patch({ message = "", text }: { message?: string; text: string }) {
  const lines = useMemo(() => patchLines(text), [text]);
  return (
    <>
      {message && <p class="as-is">{message}</p>}
      <DiffLines lines={lines} />
    </>
  );
}

export function patchLines(text: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let isHead = true;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const sign = line[0];
    if (line.startsWith("diff --git ")) {
      isHead = true;
      lines.push({ sign: "@", text: line.replace(/^diff --git .* b\//, "") });
    } else if (isHead && !line.startsWith("@@")) {
      // The other lines of a head repeat the name.
      if (/^(new|deleted|rename|old|Binary)/.test(line)) lines.push({ sign: "@", text: line });
    } else if (line.startsWith("@@")) {
      isHead = false;
      lines.push({ sign: "@", text: line });
    } else if (sign === "+" || sign === "-") lines.push({ sign, text: line.slice(1) });
    else lines.push({ sign: " ", text: line.replace(/^ /, "") });
  }
  return lines;
}

const SHOWN = 400;
const SIGN_WORDS = { "+": "added", "-": "removed" } as const;

function DiffLines({ lines }: { lines: readonly DiffLine[] }) {
  const [shown, setShown] = useState(SHOWN);
  const count = (wanted: DiffLine["sign"]): number => lines.filter(({ sign }) => sign === wanted).length;
  return (
    <div class="diff" role="group" aria-label="Changes">
      <p class="counts">
        <span class="good">+{count("+")}</span> <span class="bad">−{count("-")}</span>
      </p>
      <div class="diff-lines" tabIndex={0}>
        {lines.slice(0, shown).map(({ sign, text }, i) => (
          <div
            key={i}
            class={`line ${sign === "+" ? "plus" : sign === "-" ? "minus" : sign === "@" ? "at" : ""}`}
          >
            <span class="sign" aria-hidden={sign === " " || sign === "@"}>
              {sign === "@" ? "" : sign}
              {(sign === "+" || sign === "-") && <span class="unseen"> {SIGN_WORDS[sign]}: </span>}
            </span>
            <span class="text">{spellHidden(text)}</span>
          </div>
        ))}
      </div>
      {lines.length > shown && (
        <Button class="link" onClick={() => setShown(shown + 2_000)}>
          Show {lines.length - shown} more lines
        </Button>
      )}
    </div>
  );
}
