import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { callsIn } from './support/every-reading.ts';
import type { Era, Sent } from './support/guarded-clients.ts';
import { FORBIDDEN, GuardedPaths, type GuardedPath, OPEN, PATHS } from './support/guarded-paths.ts';

/** Result of a call that is otherwise allowed. Other calls never reach the server. */
type Becomes = 'passes' | 'refused';

interface Cell {
  readonly title: string;
  readonly write: (text: string, name: string, era: Era) => Sent;
  readonly becomes: Becomes | ((path: GuardedPath) => Becomes);
}

const named = (name: string): string => `"name":"${name}"`;
const plain =
  (change: (text: string, name: string) => string | Buffer) =>
  (text: string, name: string): Sent => ({
    body: change(text, name),
  });
const typed =
  (type: string | undefined, body?: (text: string) => Buffer) =>
  (text: string): Sent => ({
    body: body?.(text) ?? text,
    headers: { 'Content-Type': type },
  });
const encoded =
  (encoding: string, body: (text: string) => Buffer) =>
  (text: string): Sent => ({
    body: body(text),
    headers: { 'Content-Encoding': encoding },
  });

/** Batches are refused on paths with a session stream. */
const whereBatchesAre = ({ era, hasStream }: GuardedPath): Becomes =>
  era === 'modern' || hasStream ? 'refused' : 'passes';

const CELLS: readonly Cell[] = [
  { title: 'nothing', write: plain((text) => text), becomes: 'passes' },
  // content type and charset
  { title: 'the type text/plain', write: typed('text/plain'), becomes: 'refused' },
  { title: 'the type application/jsonx', write: typed('application/jsonx'), becomes: 'refused' },
  { title: 'no type', write: typed(undefined), becomes: 'refused' },
  { title: 'two types in one', write: typed('text/plain, application/json'), becomes: 'refused' },
  { title: 'the type in capitals', write: typed('APPLICATION/JSON ; charset="UTF-8"'), becomes: 'passes' },
  {
    title: 'a charset that is not meant',
    write: typed('application/json; charset=utf-7'),
    becomes: 'passes',
  },
  {
    title: 'UTF-16',
    write: typed('application/json; charset=utf-16le', (text) => Buffer.from(text, 'utf16le')),
    becomes: 'refused',
  },
  {
    title: 'Latin-1',
    write: typed('application/json; charset=iso-8859-1', (text) =>
      Buffer.from(text.replace('"a":1', '"a":"é"'), 'latin1'),
    ),
    becomes: 'refused',
  },
  { title: 'a byte order mark', write: plain((text) => `\ufeff${text}`), becomes: 'passes' },
  { title: 'two byte order marks', write: plain((text) => `\ufeff\ufeff${text}`), becomes: 'refused' },
  {
    title: 'overlong UTF-8',
    write: plain((text) => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xc0, 0xfd])])),
    becomes: 'refused',
  },
  // encodings
  { title: 'gzip', write: encoded('gzip', (text) => gzipSync(text)), becomes: 'refused' },
  { title: 'gzip that is none', write: encoded('gzip', (text) => Buffer.from(text)), becomes: 'refused' },
  { title: 'deflate', write: encoded('deflate', (text) => deflateSync(text)), becomes: 'refused' },
  {
    title: 'an encoding that nobody knows',
    write: encoded('x-none', (text) => Buffer.from(text)),
    becomes: 'refused',
  },
  { title: 'br', write: encoded('br', (text) => brotliCompressSync(text)), becomes: 'refused' },
  {
    title: 'gzip in gzip',
    write: encoded('gzip, gzip', (text) => gzipSync(gzipSync(text))),
    becomes: 'refused',
  },
  {
    title: 'the encoding identity',
    write: encoded('identity', (text) => Buffer.from(text)),
    becomes: 'passes',
  },
  { title: 'gzip without a word', write: plain((text) => gzipSync(text)), becomes: 'refused' },
  // chunks
  { title: 'a byte at a time', write: (text) => ({ body: text, piece: 1 }), becomes: 'passes' },
  {
    title: 'seven bytes at a time',
    write: (text) => ({ body: text.replace('"a":1', '"a":"日本"'), piece: 7 }),
    becomes: 'passes',
  },
  // event streams
  {
    title: 'an event stream',
    write: (text) => ({ body: `data: ${text}\n\n`, headers: { 'Content-Type': 'text/event-stream' } }),
    becomes: 'refused',
  },
  {
    title: 'an event under the type of JSON',
    write: plain((text) => `data: ${text}\n\n`),
    becomes: 'refused',
  },
  {
    title: 'an answer to another id in front of it',
    write: plain((text) => `[{"jsonrpc":"2.0","id":4711,"result":{}},${text}]`),
    becomes: 'refused',
  },
  // names that occur twice
  {
    title: 'a name before the name',
    write: plain((text, name) => text.replace(named(name), `${named(OPEN.visible)},${named(name)}`)),
    becomes: 'refused',
  },
  {
    title: 'a name after the name',
    write: plain((text, name) => text.replace(named(name), `${named(name)},${named(OPEN.visible)}`)),
    becomes: 'refused',
  },
  {
    title: 'the name again, escaped',
    write: plain((text, name) => text.replace(named(name), `${named(name)},"n\\u0061me":"${OPEN.visible}"`)),
    becomes: 'refused',
  },
  {
    title: 'two methods',
    write: plain((text) => text.replace('"method"', '"method":"ping","method"')),
    becomes: 'refused',
  },
  {
    title: 'a method after the method',
    write: plain((text) => text.replace(/\}$/, ',"method":"ping"}')),
    becomes: 'refused',
  },
  {
    title: 'two lists of parameters',
    write: plain((text) => text.replace(/\}$/, `,"params":{${named(OPEN.visible)}}}`)),
    becomes: 'refused',
  },
  { title: 'two ids', write: plain((text) => text.replace('"id":7', '"id":7,"id":8')), becomes: 'refused' },
  {
    title: 'arguments that occur twice',
    write: plain((text) => text.replace('"a":1', '"a":1,"a":2')),
    becomes: 'refused',
  },
  // capitals
  {
    title: 'Method beside method',
    write: plain((text) => text.replace('"method"', '"Method":"ping","method"')),
    becomes: 'refused',
  },
  { title: 'METHOD alone', write: plain((text) => text.replace('"method"', '"METHOD"')), becomes: 'refused' },
  { title: 'Params', write: plain((text) => text.replace('"params"', '"Params"')), becomes: 'refused' },
  {
    title: 'Name',
    write: plain((text, name) => text.replace(named(name), `${named(OPEN.visible)},"Name":"${name}"`)),
    becomes: 'refused',
  },
  {
    title: 'the long s',
    write: plain((text) => text.replace('"params"', `"params":{${named(OPEN.visible)}},"param\u017f"`)),
    becomes: 'refused',
  },
  {
    title: 'Tools/Call',
    write: (text) => ({
      body: text.replace('tools/call', 'Tools/Call'),
      headers: { 'Mcp-Method': 'Tools/Call' },
    }),
    becomes: 'refused',
  },
  {
    title: 'a blank after the method',
    write: (text) => ({ body: text.replace('tools/call', 'tools/call '), headers: {} }),
    becomes: 'refused',
  },
  // escapes
  {
    title: 'an escaped name',
    write: plain((text, name) =>
      text.replace(
        named(name),
        `"name":"\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}"`,
      ),
    ),
    becomes: 'passes',
  },
  {
    title: 'an escaped method',
    write: plain((text) => text.replace('tools/call', 'tools\\/c\\u0061ll')),
    becomes: 'passes',
  },
  {
    title: 'an escaped member',
    write: plain((text) => text.replace('"params"', '"p\\u0061rams"').replace('"name"', '"n\\u0061me"')),
    becomes: 'passes',
  },
  {
    title: 'a name with a null in it',
    write: (text, name) => ({ body: text.replace(named(name), `"name":"${name}\\u0000"`), headers: {} }),
    becomes: 'refused',
  },
  {
    title: 'a name in wide letters',
    write: (text, name) => ({
      body: text.replace(named(name), `"name":"${wide(name)}"`),
      headers: { 'Mcp-Name': `=?base64?${Buffer.from(wide(name)).toString('base64')}?=` },
    }),
    becomes: 'refused',
  },
  {
    title: 'half of a pair',
    write: plain((text) => text.replace('"a":1', '"a":"\\ud800"')),
    becomes: 'passes',
  },
  // header against body
  {
    title: 'a header that names another tool',
    write: (text) => ({ body: text, headers: { 'Mcp-Name': 'hidden_tool' } }),
    becomes: ({ era }) => (era === 'modern' ? 'refused' : 'passes'),
  },
  {
    title: 'a header that names the open tool',
    write: (text) => ({ body: text, headers: { 'Mcp-Name': OPEN.visible, 'Mcp-Method': 'tools/call' } }),
    becomes: 'passes',
  },
  {
    title: 'a header that names another method',
    write: (text) => ({ body: text, headers: { 'Mcp-Method': 'ping' } }),
    becomes: ({ era }) => (era === 'modern' ? 'refused' : 'passes'),
  },
  {
    title: 'a header in base64',
    write: (text, name) => ({
      body: text,
      headers: { 'Mcp-Name': `=?base64?${Buffer.from(name).toString('base64')}?=` },
    }),
    becomes: 'passes',
  },
  // batches
  {
    title: 'a batch of one',
    write: plain((text) => `[${text}]`),
    becomes: whereBatchesAre,
  },
  {
    title: 'a batch behind one that is allowed',
    write: (text, name, era) => ({
      body: `[${text.replace(name, OPEN.visible).replace('"id":7', '"id":6')},${text}]`,
      headers: era === 'modern' ? {} : {},
    }),
    becomes: whereBatchesAre,
  },
  { title: 'a batch in a batch', write: plain((text) => `[[${text}]]`), becomes: 'refused' },
  { title: 'a batch that does not end', write: plain((text) => `[${text}`), becomes: 'refused' },
  // trailing bytes and several documents
  { title: 'blanks around', write: plain((text) => `\r\n\t ${text} \n`), becomes: 'passes' },
  { title: 'a form feed in front', write: plain((text) => `\f${text}`), becomes: 'refused' },
  { title: 'a null behind', write: plain((text) => `${text}\0`), becomes: 'refused' },
  { title: 'a word behind', write: plain((text) => `${text}x`), becomes: 'refused' },
  {
    title: 'two documents',
    write: plain((text, name) => text.replace(name, OPEN.visible) + text),
    becomes: 'refused',
  },
  {
    title: 'two lines',
    write: plain((text, name) => `${text.replace(name, OPEN.visible)}\n${text}`),
    becomes: 'refused',
  },
  { title: 'a comment', write: plain((text) => text.replace('{', '{/* */')), becomes: 'refused' },
  { title: 'a comma at the end', write: plain((text) => text.replace(/\}$/, ',}')), becomes: 'refused' },
  { title: 'single quotes', write: plain((text) => text.replaceAll('"', "'")), becomes: 'refused' },
  // numbers, kinds and prototypes
  {
    title: 'big numbers',
    write: plain((text) => text.replace('"a":1', '"a":9007199254740993,"b":1.0,"c":1e400')),
    becomes: 'passes',
  },
  {
    title: 'a big id',
    write: plain((text) => text.replace('"id":7', '"id":9007199254740993')),
    becomes: 'passes',
  },
  {
    title: 'no id',
    write: plain((text) => text.replace('"id":7,', '')),
    becomes: ({ era }) => (era === 'modern' ? 'refused' : 'passes'),
  },
  { title: 'the id null', write: plain((text) => text.replace('"id":7', '"id":null')), becomes: 'refused' },
  {
    title: 'an id that is a map',
    write: plain((text) => text.replace('"id":7', '"id":{"a":1}')),
    becomes: 'refused',
  },
  { title: 'another protocol', write: plain((text) => text.replace('"2.0"', '2.0')), becomes: 'refused' },
  {
    title: 'a name that is a list',
    write: plain((text, name) => text.replace(named(name), `"name":["${name}"]`)),
    becomes: 'refused',
  },
  {
    title: 'a name in a prototype',
    write: plain((text, name) => text.replace(named(name), `"__proto__":{"name":"${name}"}`)),
    becomes: 'refused',
  },
  {
    title: 'a prototype beside the name',
    write: plain((text) => text.replace('"arguments"', `"__proto__":{${named(OPEN.visible)}},"arguments"`)),
    becomes: 'passes',
  },
  {
    title: 'parameters that are a list',
    write: plain((text, name) => text.replace(/"params":.*\}$/, `"params":[{"name":"${name}"}]}`)),
    becomes: 'refused',
  },
  {
    title: 'an outcome beside the method',
    write: plain((text) => text.replace('"id":7', '"id":7,"result":{}')),
    becomes: 'refused',
  },
  {
    title: 'a thousand levels',
    write: plain((text) => text.replace('"a":1', `"a":${'['.repeat(1000)}${']'.repeat(1000)}`)),
    becomes: 'refused',
  },
];

describe('a call with', function () {
  this.timeout(180_000); // The cases send some hundred requests each.
  const paths = new GuardedPaths();
  afterEach(() => paths.close());

  for (const path of PATHS) {
    it(`any tampering is refused, or policies judge the call as ${path[0]} receives it`, async () => {
      const guarded = await paths.open(path);
      for (const { title, write, becomes } of CELLS) {
        const expected = typeof becomes === 'string' ? becomes : becomes(guarded);
        await expectOpen(
          guarded,
          title,
          write(guarded.call(OPEN.visible), OPEN.visible, guarded.era),
          expected,
        );
        for (const name of FORBIDDEN) {
          const before = guarded.received().length;
          const sent = write(guarded.call(name), name, guarded.era);
          const answer = await guarded.post(sent, name);
          const reached = guarded.received().slice(before).flatMap(callsIn);
          expect(
            reached.filter((tool) => tool !== OPEN.real),
            `${title}, ${name}`,
          ).to.deep.equal([]);
          if (reached.length === 0)
            expect(isRefused(answer), `${title}, ${name}: ${answer.text}`).to.equal(true);
        }
      }
    });

    it(`a response to an unknown request ID does not reach ${path[0]}, or reaches it unchanged`, async () => {
      const guarded = await paths.open(path);
      const body =
        '{"jsonrpc":"2.0","id":4711,"result":{"name":"hidden_tool","tools":[{"name":"hidden_tool"}]}}';
      const { status } = await guarded.post(
        { body, headers: { 'Mcp-Method': undefined, 'Mcp-Name': undefined } },
        '',
      );
      const reached = guarded.received().map(String);
      expect(reached).to.deep.equal(reached.length === 0 ? [] : [body]);
      expect(guarded.judged.map(({ text }) => text)).to.include.members(reached);
      expect(status, 'nobody is answered').to.not.equal(200);
    });
  }
});

/**
 * Expects that the server received what the authorizer and the webhook saw, and that it calls no other tool
 * under any reading.
 */
async function expectOpen(path: GuardedPath, title: string, sent: Sent, becomes: Becomes): Promise<void> {
  const before = path.received().length;
  path.judged.length = 0;
  const answer = await path.post(sent, OPEN.visible);
  const reached = path.received().slice(before);
  const shown = `${title}: ${answer.status} ${answer.text}`;
  if (becomes === 'refused') {
    expect(reached.map(String), shown).to.deep.equal([]);
    expect(isRefused(answer), shown).to.equal(true);
    return;
  }
  expect(answer.status, shown).to.be.lessThan(300);
  expect(reached.length, shown).to.be.at.least(1);
  const judged = path.judged.map(({ text }) => text);
  expect(
    reached.map((bytes) => comparable(path, String(bytes))),
    shown,
  ).to.deep.equal(judged.map((text) => comparable(path, text)));
  for (const text of judged) {
    expect(
      path.asked().some((body) => body.includes(`"mcp_request":${text},"context"`)),
      shown,
    ).to.equal(true);
  }
  for (const bytes of reached) expect(callsIn(bytes), shown).to.deep.equal([OPEN.real]);
}

/** A bridge writes its own ids, on one line. */
function comparable({ isBridge }: GuardedPath, text: string): string {
  if (!isBridge) return text;
  return text.replace(/"id":\s*(?:"[^"]*"|-?\d+)/, '"id":#').replaceAll(/[\r\n]/g, ' ');
}

function isRefused({ status, text }: { readonly status: number; readonly text: string }): boolean {
  return status >= 400 || text.includes('"error"') || status === 202;
}

function wide(name: string): string {
  return name.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));
}
