/** Describes types of the source as Markdown, with the compiler: fields, their types and their comments. */
import { resolve } from "node:path";
import ts from "typescript";

const ROOT = resolve(import.meta.dirname, "../..");

/** Types of one value, in the words of JSON. */
const SCALARS: Readonly<Record<string, string>> = {
  Name: "string",
  TaskId: "number",
  MailId: "number",
  CronId: "number",
  JobId: "number",
  RequestId: "string",
  HostId: "string",
  Instant: "number (ms since 1970)",
  Event: "a fact of the [journal](journal.md)",
  unknown: "any value",
};

export class Declared {
  private readonly program: ts.Program;
  private readonly checker: ts.TypeChecker;
  /** Named types that were mentioned and are to be described, by name. */
  private readonly mentioned = new Map<string, ts.Type>();
  private readonly told = new Set<string>();

  constructor(files: readonly string[]) {
    const { config } = ts.readConfigFile(resolve(ROOT, "tsconfig.json"), ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT);
    this.program = ts.createProgram(
      files.map((file) => resolve(ROOT, file)),
      options,
    );
    this.checker = this.program.getTypeChecker();
  }

  /** The type alias of that name in that file. */
  alias(file: string, name: string): ts.Type {
    const source = this.program.getSourceFile(resolve(ROOT, file));
    const found = source?.statements.find(
      (statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === name,
    );
    if (!found) throw new Error(`${file} declares no type ${name}`);
    return this.checker.getTypeAtLocation((found as ts.TypeAliasDeclaration).name);
  }

  properties(type: ts.Type): { name: string; type: ts.Type; optional: boolean; about: string }[] {
    return this.checker.getPropertiesOfType(type).map((symbol) => ({
      name: symbol.getName(),
      type: this.checker.getTypeOfSymbol(symbol),
      optional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      about: ts
        .displayPartsToString(symbol.getDocumentationComment(this.checker))
        .replace(/\s+/g, " ")
        .replace(/ ?@throws.*$/, ""),
    }));
  }

  /** The element type of an array, or null. */
  element(type: ts.Type): ts.Type | null {
    return this.checker.isArrayType(type)
      ? (this.checker.getTypeArguments(type as ts.TypeReference)[0] ?? null)
      : null;
  }

  /** The text of a string type such as that of `type`, or null. */
  text(type: ts.Type): string | null {
    return type.isStringLiteral() ? type.value : null;
  }

  /** A table of the fields of an object type. */
  table(type: ts.Type, without: readonly string[] = []): string {
    const rows = this.properties(type)
      .filter(({ name }) => !without.includes(name))
      .map(
        ({ name, type: of, optional, about }) =>
          `| \`${name}\`${optional ? "?" : ""} | ${this.words(of, optional)} | ${cell(about)} |`,
      );
    return rows.length === 0 ? "No fields.\n" : `| field | type | |\n|---|---|---|\n${rows.join("\n")}\n`;
  }

  /** A type in the words of JSON. Named object types are remembered for `rest`. */
  words(type: ts.Type, optional = false): string {
    if (type.isUnion() && !type.aliasSymbol) return this.union(type.types, optional);
    const alias = type.aliasSymbol?.getName();
    if (alias && Object.hasOwn(SCALARS, alias)) return SCALARS[alias] as string;
    if (type.isUnion())
      return type.types.every((one) => one.isLiteral())
        ? this.union(type.types, optional)
        : this.mention(alias, type);
    if (type.isLiteral()) return `\`${JSON.stringify(type.value)}\``;
    const element = this.element(type);
    if (element) return `list of ${this.words(element)}`;
    if (this.checker.isTupleType(type)) {
      const parts = this.checker.getTypeArguments(type as ts.TypeReference).map((one) => this.words(one));
      return new Set(parts).size === 1 ? `list of ${parts.length} ${parts[0]}` : `list: ${parts.join(", ")}`;
    }
    const plain = this.checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    if (Object.hasOwn(SCALARS, plain)) return SCALARS[plain] as string;
    if (
      type.flags &
      (ts.TypeFlags.String |
        ts.TypeFlags.Number |
        ts.TypeFlags.Boolean |
        ts.TypeFlags.Null |
        ts.TypeFlags.BooleanLiteral)
    )
      return plain;
    const index = this.checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (index) return `object of ${this.words(index)} by name`;
    if (alias && alias !== "Readonly") return this.mention(alias, type);
    const name = type.getSymbol()?.getName();
    if (name && !name.startsWith("__")) return this.mention(name, type);
    return `{ ${this.properties(type)
      .map(
        ({ name: key, type: of, optional: maybe }) =>
          `\`${key}\`${maybe ? "?" : ""}: ${this.words(of, maybe)}`,
      )
      .join(", ")} }`;
  }

  private union(types: readonly ts.Type[], optional: boolean): string {
    const shown = types.filter((one) => !(one.flags & ts.TypeFlags.Undefined));
    const isBoolean = shown.filter((one) => one.flags & ts.TypeFlags.BooleanLiteral).length === 2;
    const words = shown
      .filter((one) => !(isBoolean && one.flags & ts.TypeFlags.BooleanLiteral))
      .map((one) => this.words(one, optional));
    // The compiler's order of a union depends on what it has seen before.
    const rank = (text: string): number => (text === "null" ? 1 : 0);
    return [...new Set([...words, ...(isBoolean ? ["boolean"] : [])])]
      .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .join(" or ");
  }

  private mention(name: string | undefined, type: ts.Type): string {
    if (name === undefined) return this.checker.typeToString(type);
    this.mentioned.set(name, type);
    return `[${name}](#${name.toLowerCase()})`;
  }

  /** A section for each named type that was mentioned and has none, until nothing new is mentioned. */
  rest(): string {
    const sections = new Map<string, string>();
    for (let [next] = this.open(); next; [next] = this.open()) {
      const [name, type] = next;
      this.told.add(name);
      const about = this.about(type);
      sections.set(name, `### ${name}\n\n${about && `${about}\n\n`}${this.body(type)}`);
    }
    return [...sections]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([, text]) => text)
      .join("\n");
  }

  private open(): [string, ts.Type][] {
    return [...this.mentioned].filter(([name]) => !this.told.has(name));
  }

  /** A table, or for a union of objects one for each, under the value of its first literal field. */
  body(type: ts.Type): string {
    if (!type.isUnion()) return this.table(type);
    const parts = type.types.map((one) => {
      const tag = this.properties(one).find((property) => this.text(property.type) !== null);
      const head = tag ? `\`${tag.name}\`: \`${JSON.stringify(this.text(tag.type))}\`\n\n` : "";
      return one.isLiteral() ? `${this.words(one)}\n` : `${head}${this.table(one, tag ? [tag.name] : [])}`;
    });
    return parts.sort().join("\n");
  }

  /** The comment above a named type. */
  private about(type: ts.Type): string {
    const symbol = type.aliasSymbol ?? type.getSymbol();
    return ts.displayPartsToString(symbol?.getDocumentationComment(this.checker)).replace(/\s+/g, " ");
  }
}

/** A text as a cell of a table. */
export const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");
