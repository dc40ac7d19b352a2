/** The mutants of one source file: small faults, each a replacement of one piece of its text. */
import ts from "typescript";

export type Mutant = {
  /** Relative to the project. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Its change, which names it in the list of survivors: `a < b` → `a <= b`. */
  readonly name: string;
};

const SWAPPED: Readonly<Record<string, string>> = {
  "&&": "||",
  "||": "&&",
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
};

const SHOWN = 60;
const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, " ").replaceAll("`", "'").trim();
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line;
};

export function mutantsOf(file: string, source: string): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: Mutant[] = [];
  const add = (node: ts.Node, text: string, shown = text): void => {
    const start = node.getStart(tree);
    const line = tree.getLineAndCharacterOfPosition(start).line + 1;
    // A number or a switch alone would name every other one of the file, too.
    const around = ts.isNumericLiteral(node) || /^(?:true|false)$/.test(node.getText(tree));
    const outer = ts.isPrefixUnaryExpression(node.parent) ? node.parent.parent : node.parent;
    const place = around ? `${oneLine(outer.getText(tree)).replace(/;$/, "")}: ` : "";
    const name = `${place}${oneLine(node.getText(tree))} → ${oneLine(shown)}`;
    found.push({ file, line, start, end: node.getEnd(), text, name });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    if (ts.isTypeAliasDeclaration(node)) return;
    for (const condition of conditionsOf(node)) add(condition, `!(${condition.getText(tree)})`);
    if (ts.isBinaryExpression(node)) {
      const [left, right] = [node.left.getText(tree), node.right.getText(tree)];
      const sign = SWAPPED[node.operatorToken.getText(tree)];
      const isText = [node.left, node.right].some(
        (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side),
      );
      if (sign !== undefined && !(isText && /[+-]/.test(sign))) add(node, `(${left} ${sign} ${right})`);
    }
    if (ts.isExpressionStatement(node) && isEffect(node.expression)) add(node, ";", "(removed)");
    // Other numbers are prices, limits and widths: one more makes no difference that a test could be for.
    if (ts.isNumericLiteral(node) && /^[01]$/.test(node.text) && !isName(node))
      add(node, `(${node.getText(tree)} + 1)`);
    if (node.kind === ts.SyntaxKind.TrueKeyword) add(node, "false");
    if (node.kind === ts.SyntaxKind.FalseKeyword) add(node, "true");
    if (ts.isFunctionLike(node) && "body" in node && node.body && ts.isBlock(node.body as ts.Node)) {
      const body = node.body as ts.Block;
      if (body.statements.length > 1 && !returnsValue(body)) add(body, "{}", "{}");
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** The key of an object or of an enumeration: no expression may stand there. */
const isName = ({ parent }: ts.NumericLiteral): boolean =>
  (ts.isPropertyAssignment(parent) || ts.isEnumMember(parent)) && ts.isNumericLiteral(parent.name);

function conditionsOf(node: ts.Node): ts.Expression[] {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return [node.expression];
  if (ts.isConditionalExpression(node)) return [node.condition];
  return [];
}

/** A statement that is there for its effect: a call, an assignment, a counter. */
function isEffect(node: ts.Expression): boolean {
  if (ts.isAwaitExpression(node) || ts.isVoidExpression(node)) return isEffect(node.expression);
  if (ts.isYieldExpression(node)) return node.expression !== undefined && isEffect(node.expression);
  if (ts.isTaggedTemplateExpression(node) || ts.isCallExpression(node)) return !isSuper(node);
  if (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) return true;
  return ts.isBinaryExpression(node) && /^(\?\?|\|\||&&|[-+*/|&])?=$/.test(node.operatorToken.getText());
}

const isSuper = (node: ts.Expression): boolean =>
  ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;

/** Whether the function hands out a value: without its body it would rather not compile than be wrong. */
function returnsValue(body: ts.Block): boolean {
  let found = false;
  const look = (node: ts.Node): void => {
    if (found || ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node) && node.expression) found = true;
    ts.forEachChild(node, look);
  };
  ts.forEachChild(body, look);
  return found;
}
