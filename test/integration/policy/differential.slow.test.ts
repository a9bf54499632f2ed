import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trials } from '../../support/soak.ts';
import { callsIn, readEvery, valueOf } from './support/every-reading.ts';
import type { Sent } from './support/guarded-clients.ts';
import { FORBIDDEN, GuardedPaths, type GuardedPath, OPEN, PATHS } from './support/guarded-paths.ts';

/** A manipulation of a text or its headers. */
type Tampering = (
  sent: { readonly text: string; readonly headers: Sent['headers'] },
  name: string,
) => {
  readonly text: string;
  readonly headers: Sent['headers'];
};

const onText =
  (change: (text: string, name: string) => string): Tampering =>
  ({ text, headers }, name) => ({
    text: change(text, name),
    headers,
  });
const withHeader =
  (header: string, value: string): Tampering =>
  ({ text, headers }) => ({
    text,
    headers: { ...headers, [header]: value },
  });

/** A manipulation at any place of the text. */
const anywhere = fc
  .record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.integer({ min: 0, max: 3 }),
    put: fc.constantFrom(
      '',
      ' ',
      '\n',
      ',',
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      '0',
      'n',
      '\u0000',
      '\ufeff',
      '\u2028',
      '\ud83d',
    ),
  })
  .map(({ at, cut, put }) =>
    onText((text) => {
      const place = Math.floor(at * text.length);
      return text.slice(0, place) + put + text.slice(place + cut);
    }),
  );

const MEMBERS = ['method', 'params', 'name', 'id', 'jsonrpc', 'arguments', 'a'] as const;
const member = fc.constantFrom(...MEMBERS);
const spellings = fc.constantFrom(
  (name: string) => name.toUpperCase(),
  (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
  (name: string) => `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`,
  (name: string) => name.replace('s', '\u017f').replace('k', '\u212a'),
  (name: string) => ` ${name}`,
  (name: string) => `${name}\\u0000`,
  (name: string) => name,
);
const values = fc.constantFrom(
  `"${OPEN.visible}"`,
  '"ping"',
  '"tools/call"',
  '{}',
  '[]',
  'null',
  '1.0',
  '9007199254740993',
  `{"name":"${OPEN.visible}"}`,
);

const tampering: fc.Arbitrary<Tampering> = fc.oneof(
  anywhere,
  fc
    .tuple(member, spellings)
    .map(([name, spell]) => onText((text) => text.replace(`"${name}":`, `"${spell(name)}":`))),
  fc
    .tuple(member, spellings, values, fc.boolean())
    .map(([name, spell, value, isBefore]) =>
      onText((text) =>
        isBefore
          ? text.replace(`"${name}":`, `"${spell(name)}":${value},"${name}":`)
          : text.replace(/\}$/, `,"${spell(name)}":${value}}`),
      ),
    ),
  fc
    .tuple(member, values)
    .map(([name, value]) => onText((text) => text.replace(`"${name}":`, `"${name}":${value},"x":`))),
  fc.constantFrom(
    onText((text) => `[${text}]`),
    onText((text) => `${text}\n${text}`),
    onText((text, name) => `[${text},${text.replace(name, OPEN.visible).replace('"id":7', '"id":6')}]`),
    onText((text) => text.replace('tools/call', 'Tools/Call')),
    onText((text) => text.replace('tools/call', 'tools\\u002fcall')),
    onText((text) => text.replace('"id":7,', '')),
    onText((text) => JSON.stringify(text)),
    onText((text) => text.replaceAll(/[,:{}]/g, (token) => `${token}\r\n\t `)),
    withHeader('Mcp-Name', OPEN.visible),
    withHeader('Mcp-Method', 'ping'),
    withHeader('Content-Type', 'application/json; charset=utf-16'),
    withHeader('Content-Type', 'text/json'),
  ),
);

const cases = fc.record({
  name: fc.constantFrom(OPEN.visible, OPEN.visible, OPEN.visible, ...FORBIDDEN),
  tamperings: fc.array(tampering, { maxLength: 3 }),
  piece: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined, freq: 8 }),
});

describe('a tampered call (property test)', function () {
  this.timeout(limitMs(60_000)); // The cases send some hundred requests each.
  const paths = new GuardedPaths();
  afterEach(() => paths.close());

  for (const path of PATHS) {
    it(`contains for policies the same values as for an independent parser of the bytes that reach ${path[0]}`, async () => {
      const guarded = await paths.open(path);
      let reached = 0;
      let ids = 0;
      await fc.assert(
        fc.asyncProperty(cases, async ({ name, tamperings, piece }) => {
          ids += 1;
          // A request without a response keeps its id.
          let sent = {
            text: guarded.call(name).replace('"id":7', `"id":${ids * 10}`),
            headers: {} as Sent['headers'],
          };
          for (const tamper of tamperings) sent = tamper(sent, name);
          reached += await judgeOne(
            guarded,
            {
              body: sent.text,
              ...(sent.headers === undefined ? {} : { headers: sent.headers }),
              ...(piece === undefined ? {} : { piece }),
            },
            name,
          );
        }),
        trials({ short: 120, long: 10_000 }),
      );
      // Otherwise nothing was compared.
      expect(reached).to.be.greaterThan(10);
    });
  }
});

/**
 * Checks that each message at the server was judged in the same form, for every parser, and calls no
 * forbidden tool. Returns the number of messages.
 */
async function judgeOne(path: GuardedPath, sent: Sent, name: string): Promise<number> {
  const before = path.received().length;
  path.judged.length = 0;
  const answer = await path.post(sent, name);
  const reached = path.received().slice(before);
  const shown = `${JSON.stringify(sent)}: ${answer.status} ${answer.text}`;
  const judged = path.judged.map(({ text }) => comparable(path, text));
  for (const bytes of reached) {
    const [document, ...others] = readEvery(bytes);
    if (document === undefined) throw new Error(`nothing reached the server: ${shown}`);
    expect(others, shown).to.deep.equal([]);
    expect(document.is, shown).to.equal('object');
    expect(
      callsIn(bytes).filter((tool) => tool !== OPEN.real),
      shown,
    ).to.deep.equal([]);
    const seen = path.judged.find(({ text }) => comparable(path, text) === comparable(path, String(bytes)));
    expect(judged, shown).to.include(comparable(path, String(bytes)));
    if (seen === undefined || seen.kind === 'response') continue;
    const { method, params } = Object(valueOf(document));
    expect([method, asWritten(seen.params)], shown).to.deep.equal([seen.method, withNumbers(params)]);
  }
  return reached.length;
}

/** Returns what a policy saw, in a form that is comparable with written numbers. */
function asWritten(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asWritten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member_]) => [key, asWritten(member_)]));
}

function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === 'written') return JSON.parse(String(first[1]));
  return Object.fromEntries(entries.map(([key, member_]) => [key, withNumbers(member_)]));
}

/** A bridge writes its own ids, on one line. */
function comparable({ isBridge }: GuardedPath, text: string): string {
  if (!isBridge) return text;
  return text
    .replace(
      /("id"|"i\\u0064"|"\\u0069d"):\s*(?:"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/,
      '"id":#',
    )
    .replaceAll(/[\r\n]/g, ' ');
}
