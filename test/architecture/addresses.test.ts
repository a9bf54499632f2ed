import path from 'node:path';
import type { CallExpression, Node } from '@babel/types';
import { expect } from 'chai';
import { parseTypeScript } from '../../scripts/parse-typescript.ts';
import { readWorkspace } from './workspace.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const HELPER = 'packages/plugin-api/src/join-address.ts';
/** Code that runs in a browser reads addresses of its own page. */
const BROWSER = 'plugins/web-console/src/browser/';

/** Returns `file:line` of each address that a module reads at a base other than its own file. */
function findJoined(file: string, text: string): readonly string[] {
  return parseTypeScript(file, text).nodes.flatMap((node) => {
    const [, base] = readsAddress(node) ? node.arguments : [];
    if (base === undefined || isOwnFile(base)) return [];
    return [
      `${file}:${text.slice(0, node.start).split('\n').length} uses a base; call joinAddress or resolveReference`,
    ];
  });
}

type Reading = Pick<CallExpression, 'arguments'>;

function readsAddress(node: Node): node is Node & Reading {
  if (node.type === 'NewExpression') return isUrl(node.callee);
  if (node.type !== 'CallExpression' && node.type !== 'OptionalCallExpression') return false;
  const { callee } = node;
  if (callee.type !== 'MemberExpression' && callee.type !== 'OptionalMemberExpression') return false;
  return isUrl(callee.object) && ['parse', 'canParse'].includes(nameOf(callee.property));
}

function isUrl(node: Node): boolean {
  return nameOf(node) === 'URL' || (node.type === 'MemberExpression' && nameOf(node.property) === 'URL');
}

function nameOf(node: Node): string {
  if (node.type === 'StringLiteral') return node.value;
  return node.type === 'Identifier' ? node.name : '';
}

/** Whether a node is `import.meta.url`. */
function isOwnFile(node: Node): boolean {
  return (
    node.type === 'MemberExpression' && node.object.type === 'MetaProperty' && nameOf(node.property) === 'url'
  );
}

/** Code that parses an address range or compares a host with loopback by its text. */
const PARSES_RANGES = /\bBlockList\b|127\\\.|127\(\?:/;

describe('handling of addresses in the sources', function () {
  this.timeout(180_000); // The case parses every file.

  it('parses addresses and compares them with ranges only in the package `outbound`', async () => {
    expect(PARSES_RANGES.test(String.raw`/^127(?:\.\d+){3}$/`), 'the pattern').to.equal(true);
    const { units } = await readWorkspace(ROOT);
    const found = units
      .flatMap(({ files }) => [...files])
      .filter(([file, text]) => file.includes('/src/') && PARSES_RANGES.test(text))
      .filter(([file]) => file !== 'packages/outbound/src/ip-address.ts')
      .map(
        ([file]) => `${file}: call isLoopbackHost, parseAddressRange or AddressRanges of @portolan/outbound`,
      );
    expect(found.join('\n')).to.equal('');
  });

  it('resolves an address against a base in one module only', async () => {
    const { units } = await readWorkspace(ROOT);
    const found = units
      .flatMap(({ files }) => [...files])
      .filter(([file]) => file.includes('/src/') && file !== HELPER && !file.startsWith(BROWSER))
      .filter(([, text]) => /\bURL\b/.test(text))
      .flatMap(([file, text]) => findJoined(file, text));
    expect(found.join('\n')).to.equal('');
  });

  for (const text of [
    'new URL(path, base)',
    'URL.parse(path,\n  base)',
    'URL.canParse(path, base)',
    'new globalThis.URL(path, base)',
    "URL['parse'](path, base)",
    'new URL(path, `http://${host}`)',
    'new URL(path, import.meta.resolve(base))',
  ]) {
    it(`finds an address that is resolved against a base: ${text}`, () => {
      expect(findJoined('a.ts', text)).to.have.length(1);
    });
  }

  for (const text of [
    'new URL(text)',
    'URL.parse(text)',
    "new URL('./a.js', import.meta.url)",
    'JSON.parse(a, b)',
  ]) {
    it(`accepts a line that resolves no address: ${text}`, () => {
      expect(findJoined('a.ts', text)).to.deep.equal([]);
    });
  }
});
