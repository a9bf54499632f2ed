import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { HTTP_CODES } from './http-codes.ts';

/** One place where an error is made. */
export interface ErrorCode {
  readonly code: string;
  /** As a person sees it, with `<name>` for what is filled in. */
  readonly message: string;
  /** The docstring of the function that makes it; undefined where the message says it all. */
  readonly cause: string | undefined;
  /** The hint, likewise; undefined when there is none, or when all of it depends on the case. */
  readonly remedy: string | undefined;
  /** The package or plugin, from the root: `packages/kernel`. */
  readonly madeIn: string;
  readonly file: string;
}

/**
 * Every `new PortolanError('ERR_…', …)` in the sources of packages and plugins,
 * and the codes that only answers over HTTP have, ordered by code. Throws when a code is not written out, since it could not be
 * found again.
 */
export async function readErrorCodes(root: string): Promise<readonly ErrorCode[]> {
  const found: ErrorCode[] = [...HTTP_CODES];
  for await (const file of glob('{packages,plugins}/*/src/**/*.ts', { cwd: root })) {
    const slashed = file.split(path.sep).join('/');
    found.push(...readFileCodes(slashed, await readFile(path.join(root, file), 'utf8')));
  }
  return found.toSorted(
    (left, right) => left.code.localeCompare(right.code) || left.file.localeCompare(right.file),
  );
}

/** The error codes that one module makes, in the order of their places. */
export function readFileCodes(file: string, text: string): readonly ErrorCode[] {
  const { program, comments } = parseSync(file, text);
  const found: ErrorCode[] = [];
  const docstrings = comments
    .filter(({ type, value }) => type === 'Block' && value.startsWith('*'))
    .map(({ value, end }) => ({ end, text: plainText(value) }));
  const causeOf = (start: number): string | undefined =>
    docstrings.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '')?.text;
  const functions: { readonly start: number; readonly end: number }[] = [];
  const remember = ({ start, end }: { start: number; end: number }): void => {
    functions.push({ start, end });
  };
  new Visitor({
    ExportNamedDeclaration: remember,
    FunctionDeclaration: remember,
    MethodDefinition: remember,
    NewExpression: ({ callee, arguments: [code, message, details], start }) => {
      if (callee.type !== 'Identifier' || callee.name !== 'PortolanError') return;
      const around = functions.filter((one) => one.start <= start && start < one.end);
      const cause = around.map((one) => causeOf(one.start)).find((one) => one !== undefined);
      const place = `${file}: new PortolanError at character ${start}`;
      if (code?.type !== 'Literal' || typeof code.value !== 'string')
        throw new TypeError(`${place} has no literal code`);
      found.push({
        code: code.value,
        message: message === undefined ? '' : textOf(message, text),
        cause,
        remedy: remedyOf(details, text),
        madeIn: file.split('/').slice(0, 2).join('/'),
        file,
      });
    },
  }).visit(program);
  return found;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
}

function remedyOf(details: SyntaxNode | undefined, text: string): string | undefined {
  const hint = propertiesOf(details).find((one) => one.key?.name === 'hint');
  const remedy = hint?.value === undefined ? undefined : textOf(hint.value, text);
  return remedy !== undefined && /^<[^<>]*>$/.test(remedy) ? undefined : remedy;
}

interface Property {
  readonly key?: { readonly name?: string };
  readonly value?: SyntaxNode;
}

function propertiesOf(node: SyntaxNode | undefined): readonly Property[] {
  // An ObjectExpression has properties; what they are made of is looked at where they are used.
  return node?.type === 'ObjectExpression'
    ? (node as SyntaxNode & { readonly properties: readonly Property[] }).properties
    : [];
}

/** A string as it reads: literals as they are, anything computed as `<…>`, a choice as both of its sides. */
function textOf(node: SyntaxNode, text: string): string {
  // The fields are those the parser gives nodes of these types.
  const parts = node as SyntaxNode & {
    readonly value: unknown;
    readonly quasis: readonly { readonly value: { readonly cooked: string } }[];
    readonly expressions: readonly SyntaxNode[];
    readonly left: SyntaxNode;
    readonly right: SyntaxNode;
    readonly consequent: SyntaxNode;
    readonly alternate: SyntaxNode;
  };
  switch (node.type) {
    case 'Literal':
      return String(parts.value);
    case 'TemplateLiteral':
      return parts.quasis
        .map(
          ({ value }, index) =>
            value.cooked + (parts.expressions[index] ? placeholder(parts.expressions[index], text) : ''),
        )
        .join('');
    case 'BinaryExpression':
      return textOf(parts.left, text) + textOf(parts.right, text);
    case 'ConditionalExpression':
      return `${textOf(parts.consequent, text)} — or: ${textOf(parts.alternate, text)}`;
    case 'LogicalExpression':
      return textOf(parts.right, text);
    case 'Identifier':
      return constantOf(text.slice(node.start, node.end), text) ?? placeholder(node, text);
    default:
      return placeholder(node, text);
  }
}

/** The text of a constant of the same module that is one string. */
function constantOf(name: string, text: string): string | undefined {
  return new RegExp(`^const ${name} =\\s*(['"\`])((?:(?!\\1|\\$\\{)[^])*)\\1;`, 'm').exec(text)?.[2];
}

/** `<name>` for what stands there at run time: the name that says most about it. */
function placeholder({ start, end }: SyntaxNode, text: string): string {
  const expression = text.slice(start, end);
  const listed = /(\w+)\s*\.(?:map|join|at)\(/.exec(expression)?.[1];
  const argument = /^[\w.]+\((?:.*\.)?(\w+)[,)]/.exec(expression)?.[1];
  const name = /^[\w.]*?(\w+)$/.exec(expression)?.[1];
  return `<${listed ?? argument ?? name ?? '…'}>`;
}

function plainText(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s?/, '').trim())
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
