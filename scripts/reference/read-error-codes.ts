import type { Expression, NewExpression, Node } from '@babel/types';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { docstringAbove, type ParsedModule, parseTypeScript, type PlacedNode } from '../parse-typescript.ts';
import { HTTP_CODES } from './http-codes.ts';

/** Place in the sources that creates an error. */
export interface ErrorCode {
  readonly code: string;
  /** Undefined for codes that exist only in HTTP responses. */
  readonly errorClass?: string;
  /** Message for users, with `<name>` for each variable part. */
  readonly message: string;
  /** Docstring of the function that creates the error; undefined if there is none. */
  readonly cause: string | undefined;
  /** Hint in the same form; undefined when there is none, or when all of it is variable. */
  readonly remedy: string | undefined;
  /** Package or plugin, from the root: `packages/kernel`. */
  readonly madeIn: string;
  readonly file: string;
}

/**
 * Returns every `new PortolanError('ERR_…', …)` in packages and plugins, and the codes of HTTP responses,
 * sorted by code. Throws when a code is not a literal, because a search could not find it.
 */
export async function readErrorCodes(root: string): Promise<readonly ErrorCode[]> {
  const found: ErrorCode[] = [...HTTP_CODES];
  for await (const file of glob('{packages,plugins}/*/src/**/*.ts', { cwd: root })) {
    const slashed = file.split(path.sep).join('/');
    found.push(...readFileCodes(slashed, await readFile(path.join(root, file), 'utf8')));
  }
  return found.toSorted(
    // stable order within a file
    (left, right) => order(left.code, right.code) || order(left.file, right.file),
  );
}

function order(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

/** Returns the error codes of one module in source order. */
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

/**
 * Returns the docstring of the outermost function around a position, if it describes an error. Other functions
 * that create errors do more, so that their docstrings name no cause.
 */
function causeOf(module: ParsedModule, text: string, place: number): string | undefined {
  const around = module.nodes.filter(
    ({ type, start, end }) =>
      ['ExportNamedDeclaration', 'FunctionDeclaration', 'ClassMethod'].includes(type) &&
      start <= place &&
      place < end,
  );
  return around
    .map(({ start }) => docstringAbove(module, text, start))
    .find((docstring) => docstring?.startsWith('Creates the error for '));
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

/**
 * Returns the text of a string expression: literals unchanged, computed parts as `<…>`, both sides of a
 * conditional.
 */
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

/** Returns the value of a string constant in the same module. */
function constantOf(name: string, text: string): string | undefined {
  return new RegExp(`^const ${name} =\\s*(['"\`])((?:(?!\\1|\\$\\{)[^])*)\\1;`, 'm').exec(text)?.[2];
}

/** Returns `<name>` for a variable part, with its most descriptive name; an empty string for undefined. */
function filledIn(node: Expression | Node | undefined, text: string): string {
  if (node === undefined) return '';
  const expression = text.slice(node.start ?? 0, node.end ?? 0);
  const listed = /(\w+)\s*\.(?:map|join|at)\(/.exec(expression)?.[1];
  const argument = /^[\w.]+\((?:.*\.)?(\w+)[,)]/.exec(expression)?.[1];
  const name = /^[\w.]*?(\w+)$/.exec(expression)?.[1];
  return `<${listed ?? argument ?? name ?? '…'}>`;
}
