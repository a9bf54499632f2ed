import type { Expression, NewExpression, Node } from '@babel/types';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { docstringAbove, type ParsedModule, parseTypeScript, type PlacedNode } from '../parse-typescript.ts';
import { HTTP_CODES } from './http-codes.ts';

/** One place where an error is made. */
export interface ErrorCode {
  readonly code: string;
  /** Undefined for what only an answer over HTTP has. */
  readonly errorClass?: string;
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
 * and the codes that only answers over HTTP have, ordered by code. Throws when a
 * code is not written out, since it could not be found again.
 */
export async function readErrorCodes(root: string): Promise<readonly ErrorCode[]> {
  const found: ErrorCode[] = [...HTTP_CODES];
  for await (const file of glob('{packages,plugins}/*/src/**/*.ts', { cwd: root })) {
    const slashed = file.split(path.sep).join('/');
    found.push(...readFileCodes(slashed, await readFile(path.join(root, file), 'utf8')));
  }
  return found.toSorted(
    (left, right) => order(left.code, right.code) || order(left.file, right.file), // stable for places in one file
  );
}

function order(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** The error codes that one module makes, in the order of their places. */
export function readFileCodes(file: string, text: string): readonly ErrorCode[] {
  if (!text.includes('PortolanError(')) return [];
  const module = parseTypeScript(file, text);
  return module.nodes.flatMap((node) => {
    if (node.type !== 'NewExpression') return [];
    const { callee } = node;
    if (callee.type !== 'Identifier' || callee.name !== 'PortolanError') return [];
    return [describe(file, text, module, node)];
  });
}

function describe(
  file: string,
  text: string,
  module: ParsedModule,
  node: PlacedNode<NewExpression>,
): ErrorCode {
  const [code, errorClass, message, details] = node.arguments;
  if (code?.type !== 'StringLiteral') {
    throw new TypeError(`${file}: new PortolanError at character ${node.start} has no literal code`);
  }
  if (errorClass?.type !== 'StringLiteral') {
    throw new TypeError(`${file}: new PortolanError at character ${node.start} has no literal class`);
  }
  return {
    code: code.value,
    errorClass: errorClass.value,
    message: message === undefined ? '' : textOf(message, text),
    cause: causeOf(module, text, node.start),
    remedy: remedyOf(details, text),
    madeIn: file.split('/').slice(0, 2).join('/'),
    file,
  };
}

/** The docstring of the outermost function around a place that has one. */
function causeOf(module: ParsedModule, text: string, place: number): string | undefined {
  const around = module.nodes.filter(
    ({ type, start, end }) =>
      ['ExportNamedDeclaration', 'FunctionDeclaration', 'ClassMethod'].includes(type) &&
      start <= place &&
      place < end,
  );
  return around
    .map(({ start }) => docstringAbove(module, text, start))
    .find((docstring) => docstring !== undefined);
}

function remedyOf(details: Node | undefined, text: string): string | undefined {
  if (details?.type !== 'ObjectExpression') return undefined;
  for (const property of details.properties) {
    if (property.type !== 'ObjectProperty' || property.key.type !== 'Identifier') continue;
    if (property.key.name !== 'hint') continue;
    const remedy = textOf(property.value, text);
    return /^<[^<>]*>$/.test(remedy) ? undefined : remedy;
  }
  return undefined;
}

/** A string as it reads: literals as they are, anything computed as `<…>`, a choice as both of its sides. */
function textOf(node: Node, text: string): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- all other nodes are computed
  switch (node.type) {
    case 'StringLiteral':
      return node.value;
    case 'TemplateLiteral':
      return node.quasis
        .map(({ value }, index) => (value.cooked ?? '') + filledIn(node.expressions[index], text))
        .join('');
    case 'BinaryExpression':
      return textOf(node.left, text) + textOf(node.right, text);
    case 'ConditionalExpression':
      return `${textOf(node.consequent, text)} — or: ${textOf(node.alternate, text)}`;
    case 'LogicalExpression':
      return textOf(node.right, text);
    case 'Identifier':
      return constantOf(node.name, text) ?? filledIn(node, text);
    default:
      return filledIn(node, text);
  }
}

/** The text of a constant of the same module that is one string. */
function constantOf(name: string, text: string): string | undefined {
  return new RegExp(`^const ${name} =\\s*(['"\`])((?:(?!\\1|\\$\\{)[^])*)\\1;`, 'm').exec(text)?.[2];
}

/** `<name>` for what stands there at run time: the name that says most about it. Nothing for nothing. */
function filledIn(node: Expression | Node | undefined, text: string): string {
  if (node === undefined) return '';
  const expression = text.slice(node.start ?? 0, node.end ?? 0);
  const listed = /(\w+)\s*\.(?:map|join|at)\(/.exec(expression)?.[1];
  const argument = /^[\w.]+\((?:.*\.)?(\w+)[,)]/.exec(expression)?.[1];
  const name = /^[\w.]*?(\w+)$/.exec(expression)?.[1];
  return `<${listed ?? argument ?? name ?? '…'}>`;
}
