import { connect } from 'node:net';
import type { ProxyMiddleware, ProxySlot, ServerBackend } from '@portolan/plugin-api';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../support/http-backend.ts';
import { initialize, McpClient } from '../support/mcp-client.ts';
import { CAPABILITIES, CLAIM, MODERN } from '../support/modern-client.ts';
import { modernScript } from '../support/modern-script.ts';
import { Proxies } from '../support/proxy-under-test.ts';
import { ScriptedServers } from '../support/scripted-server.ts';
import { speak, speakHttp } from '../support/spoken-to.ts';
import { tokenProvider } from '../support/token-provider.ts';

type Era = 'legacy' | 'modern';

/** A call before it is sent. Each step changes a part of it so that the step refuses it. */
interface Draft {
  readonly era: Era;
  path: string;
  method: string;
  readonly headers: Map<string, string>;
  readonly more: string[];
  id: unknown;
  /** Slots whose middleware refuses the call. */
  readonly refusedBy: ProxySlot[];
  readonly changesOfText: ((text: string) => string)[];
}

interface Step {
  readonly step: string;
  readonly eras?: readonly Era[];
  /** Changes the call so that this step refuses it. */
  readonly breaks: (draft: Draft) => void;
}

const bySlot = (slot: ProxySlot): Step => ({
  step: `slot ${slot}`,
  breaks: ({ refusedBy }) => void refusedBy.push(slot),
});
const byText = (step: string, change: (text: string) => string): Step => ({
  step,
  breaks: ({ changesOfText }) => void changesOfText.push(change),
});
const byHeader = (step: string, name: string, value: string, eras?: readonly Era[]): Step => ({
  step,
  ...(eras === undefined ? {} : { eras }),
  breaks: ({ headers }) => void headers.set(name, value),
});

/**
 * Checks in the order of the message path, then the middleware slots. If two of them refuse a call, the
 * client gets the error of the earlier one.
 */
const STEPS: readonly Step[] = [
  // The proxy's own paths also check Host and Origin first.
  byHeader('2 host', 'Host', 'evil.example'),
  byHeader('2 origin', 'Origin', 'https://evil.example'),
  { step: '1 path', breaks: (draft) => (draft.path = '/.well-known/nowhere') },
  { step: '3 method', breaks: (draft) => (draft.method = 'PUT') },
  { step: '4 header twice', breaks: ({ more }) => void more.push('Mcp-Param-A: 1', 'Mcp-Param-A: 1') },
  byHeader('5 size', 'Content-Length', '9000000'),
  { step: 'authentication', breaks: ({ headers }) => void headers.delete('Authorization') },
  byHeader('6 content type', 'Content-Type', 'text/plain'),
  // These changes apply from the last to the first, so that none undoes an earlier one.
  byText('7 bytes', (text) => text.slice(0, -1)),
  byText('8 ambiguous', (text) => text.replace('"method"', '"method":"ping","method"')),
  byText('9 batch', (text) => `[${text}]`),
  { step: '10 shape', breaks: (draft) => (draft.id = null) },
  byHeader('11 era', 'MCP-Protocol-Version', MODERN, ['legacy']),
  byHeader('11 era', 'MCP-Protocol-Version', '2025-06-18', ['modern']),
  byHeader('12 session', 'Mcp-Session-Id', 'nobodys', ['legacy']),
  byHeader('12 headers', 'Mcp-Name', 'another', ['modern']),
  ...(['names', 'limit', 'mutate', 'validate', 'authorize', 'exchange', 'filter'] as const).map(bySlot),
];

/** Pairs in which the later step may send the error, with the reason. */
const EITHER = new Map<string, string>([
  ['7 bytes, 9 batch', 'a broken array is refused as a batch'],
  ['8 ambiguous, 9 batch', 'where none may be, none is looked into'],
  ['9 batch, 10 shape', 'each of a batch is a message of its own'],
  ['9 batch, 11 era', 'of which revision a batch is, its session says'],
  ['9 batch, 12 session', 'whether it may be sent, its session says'],
  ['12 session, slot names', 'what is written down of a refusal has the names of the server'],
]);

/** Return value of `write` for a call that no step refuses. */
const SERVED = '200  ';

const ADA = { subject: 'ada', claims: { iss: 'https://id.example' } };

describe('request that two steps refuse gets the error of the earlier step', function () {
  this.timeout(180_000); // several hundred requests
  const proxies = new Proxies();
  let backend: HttpBackendUnderTest | undefined;
  afterEach(async () => {
    await proxies.close();
    await backend?.close();
  });

  async function open(way: 'bridge' | 'transparent', era: Era): Promise<URL> {
    const servers = new ScriptedServers(era === 'modern' ? modernScript() : { received: speak });
    const bridged = servers.backend();
    backend = await HttpBackendUnderTest.start(speakHttp);
    const transparent: ServerBackend = {
      carries: 'http',
      transport: 'streamable-http',
      target: new URL('/mcp', backend.url),
      isRemote: false,
    };
    const { url } = await proxies.open(way === 'bridge' ? bridged : transparent, {
      authProvider: tokenProvider({ ada: ADA }),
      middleware: (['names', 'limit', 'mutate', 'validate', 'authorize', 'exchange', 'filter'] as const).map(
        (placed) => ({ name: placed, placed, instance: refusing(placed) }),
      ),
    });
    return url;
  }

  for (const way of ['bridge', 'transparent'] as const) {
    for (const era of ['legacy', 'modern'] as const) {
      it(`${way}, ${era}`, async () => {
        const url = await open(way, era);
        const session = era === 'legacy' ? await sessionOf(url) : undefined;
        const steps = STEPS.filter(({ eras }) => eras?.includes(era) ?? true);
        const ask = async (...broken: readonly Step[]) =>
          await write(url, draftOf(url, era, session), broken);
        expect(await ask(), 'nothing is wrong').to.equal(SERVED);
        const alone = new Map<Step, string>();
        for (const one of steps) {
          const said = await ask(one);
          expect(said, one.step).not.to.equal(SERVED);
          expect([...alone.values()], `${one.step} is told apart`).not.to.include(said);
          alone.set(one, said);
        }
        const wrong: string[] = [];
        for (const [at, earlier] of steps.entries()) {
          for (const later of steps.slice(at + 1)) {
            const said = await ask(earlier, later);
            expect(said).not.to.equal(SERVED);
            const isHeard = said === alone.get(earlier) || EITHER.has(`${earlier.step}, ${later.step}`);
            if (!isHeard) wrong.push(`${earlier.step} before ${later.step}: ${said}`);
          }
        }
        expect(wrong).to.deep.equal([]);
      });
    }
  }
});

function refusing(slot: ProxySlot): ProxyMiddleware {
  return {
    onMessage: (message) =>
      message.kind === 'request' && message.text.includes(`"refused by ${slot}"`)
        ? { refuse: { message: `Refused by ${slot}.` } }
        : undefined,
  };
}

async function sessionOf(url: URL): Promise<string> {
  const begun = await new McpClient(url).post(initialize(), { headers: { Authorization: 'Bearer ada' } });
  return String(begun.headers['mcp-session-id']);
}

function draftOf(url: URL, era: Era, session: string | undefined): Draft {
  const modern = [
    ['MCP-Protocol-Version', MODERN],
    ['Mcp-Method', 'tools/call'],
    ['Mcp-Name', 'plain'],
  ] as const;
  return {
    era,
    path: url.pathname,
    method: 'POST',
    headers: new Map([
      ['Host', url.host],
      ['Authorization', 'Bearer ada'],
      ['Content-Type', 'application/json'],
      ['Accept', 'application/json, text/event-stream'],
      ...(era === 'modern' ? modern : ([['Mcp-Session-Id', session ?? '']] as const)),
    ]),
    more: [],
    id: 7,
    refusedBy: [],
    changesOfText: [],
  };
}

/**
 * Sends the call and returns the status, the error code and the error message, without the list of expected
 * values.
 */
async function write(url: URL, draft: Draft, broken: readonly Step[]): Promise<string> {
  for (const { breaks } of broken) breaks(draft);
  const { era, id, refusedBy, headers, more, changesOfText, method, path } = draft;
  const params = {
    name: 'plain',
    arguments: Object.fromEntries(refusedBy.map((slot) => [slot, `refused by ${slot}`])),
    ...(era === 'modern' ? { _meta: { [CLAIM]: MODERN, [CAPABILITIES]: {} } } : {}),
  };
  const text = changesOfText
    .toReversed()
    .reduce(
      (now, change) => change(now),
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
    );
  const all = new Map([['Content-Length', String(Buffer.byteLength(text))], ...headers]);
  const lines = [...[...all].map(([name, value]) => `${name}: ${value}`), ...more];
  return await answerTo(url, `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${text}`);
}

function answerTo({ hostname, port }: URL, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    let got = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      got += chunk;
      const [head = '', body] = got.split('\r\n\r\n', 2);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? Number.NaN);
      // A response without Content-Length has no known end.
      if (body === undefined || Buffer.byteLength(body) < length) return;
      const { error, error_description: described } = body.startsWith('{') ? JSON.parse(body) : {};
      const said = String(error?.message ?? described ?? error ?? '').replace(/; expected one of .*$/, '');
      resolve(`${head.split(' ')[1]} ${error?.code ?? ''} ${said}`);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
