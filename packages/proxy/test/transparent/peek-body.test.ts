import { expect } from 'chai';
import fc from 'fast-check';
import { peekBody } from '../../src/transparent/forward/peek-body.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const request = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
const call = (message: string): string => request('tools/call', { name: 'echo', arguments: { message } });

/** Returns the JSON text with some characters of its strings as escapes, which keeps its meaning. */
function escaped(text: string, picks: () => boolean): string {
  return text.replaceAll(/[a-z/]/gi, (character) =>
    picks() ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character,
  );
}

describe('peekBody', () => {
  const rows = [
    { title: 'initialize', body: request('initialize', {}), isSessionless: true },
    { title: 'a Modern request', body: request('tools/list', { _meta: META }), isSessionless: true },
    {
      title: 'an incomplete Modern request',
      body: request('tools/list', { _meta: { ...META, 'x/y': 1 } }),
      isSessionless: true,
    },
    {
      title: 'a name with an escaped slash',
      body: request('tools/list', { _meta: META }).replaceAll('/', '\\/'),
      isSessionless: true,
    },
    { title: 'a plain call', body: call('hello'), isSessionless: false },
    { title: 'a call whose argument is initialize', body: call('initialize'), isSessionless: false },
    {
      title: 'a call whose argument looks like the envelope',
      body: call('io.modelcontextprotocol/protocolVersion'),
      isSessionless: false,
    },
    { title: 'a call with escapes', body: call('a\nb"c\u0001'), isSessionless: false },
    {
      title: 'a response',
      body: '{"jsonrpc":"2.0","id":7,"result":{"method":"initialize"}}',
      isSessionless: false,
    },
    { title: 'text that is not JSON', body: 'initialize', isSessionless: false },
    {
      title: 'an ambiguous message',
      body: '{"jsonrpc":"2.0","id":7,"id":8,"method":"initialize"}',
      isSessionless: false,
    },
    { title: 'a batch', body: `[${request('initialize', {})}]`, isSessionless: false },
  ];
  for (const { title, body, isSessionless } of rows) {
    it(`returns that ${title} ${isSessionless ? 'belongs' : 'does not belong'} to no session`, () => {
      expect(peekBody(Buffer.from(body), undefined).isSessionless).to.equal(isSessionless);
    });
  }

  it('returns the same for strings with JSON escapes', () => {
    const named = rows.filter(({ body }) => !body.includes('\\') && body.startsWith('{'));
    fc.assert(
      fc.property(
        fc.constantFrom(...named),
        fc.infiniteStream(fc.boolean()),
        ({ body, isSessionless }, picks) => {
          const text = escapedStrings(body, () => picks.next().value === true);
          expect(peekBody(Buffer.from(text), undefined).isSessionless).to.equal(isSessionless);
        },
      ),
    );
  });

  it('uses a header that names a revision without a handshake', () => {
    expect(peekBody(Buffer.from(call('x')), '2026-07-28').isSessionless).to.equal(true);
    expect(peekBody(Buffer.from(call('x')), '2025-11-25').isSessionless).to.equal(false);
  });

  it('returns the id only for requests', () => {
    expect(peekBody(Buffer.from(call('x')), undefined).id?.text).to.equal('7');
    const unnamed = Buffer.from('{"jsonrpc":"2.0","id":7,"method":"tools/call"}');
    expect(peekBody(unnamed, undefined).id, 'a call that names no tool').to.deep.include({ text: '7' });
    for (const body of [undefined, Buffer.from('{"jsonrpc":"2.0","id":7,"result":{}}'), Buffer.from('x')]) {
      expect(peekBody(body, undefined).id).to.equal(undefined);
    }
  });
});

/** Escapes characters inside strings only, because JSON has no escapes outside of them. */
function escapedStrings(body: string, picks: () => boolean): string {
  return body.replaceAll(/"[^"]*"/g, (quoted) => `"${escaped(quoted.slice(1, -1), picks)}"`);
}
