import type { ProxyMiddleware, ProxyMiddlewareKind, ProxySlot } from '@portolan/plugin-api';
import { expect } from 'chai';
import {
  proxyMiddlewareCases,
  proxyMiddlewareContract,
  type ProxyMiddlewareUnderTest,
} from '../src/index.ts';
import { failingCases } from './support/failing-cases.ts';

const CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"n":1}}}';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b"}]}}';

const good: ProxyMiddleware = {
  onMessage: (message) =>
    message.text === CALL ? { change: [{ path: ['params', 'arguments', 'n'], json: '2' }] } : undefined,
  onResponse: (message) =>
    message.text === ANSWER ? { change: [{ path: ['result', 'tools', 0], json: undefined }] } : undefined,
};

const open = new Set<NodeJS.Timeout>();

function tried(instance: ProxyMiddleware, placed: ProxySlot = 'mutate'): ProxyMiddlewareUnderTest {
  const kind: ProxyMiddlewareKind = {
    kind: 'sample',
    placed,
    config: { type: 'object', description: 'A sample.', properties: {} },
    create: () => instance,
  };
  return {
    name: 'sample',
    kind,
    blocks: [{}],
    create: () => instance,
    judged: [
      {
        from: 'client',
        text: CALL,
        becomes: { message: { ...JSON.parse(CALL), params: { name: 'a', arguments: { n: 2 } } } },
      },
      {
        from: 'server',
        text: ANSWER,
        request: CALL,
        becomes: { message: { ...JSON.parse(ANSWER), result: { tools: [{ name: 'b' }] } } },
      },
    ],
  };
}

proxyMiddlewareContract(tried(good));

describe('proxyMiddlewareCases', () => {
  let count = 0;
  const broken: readonly { readonly fails: string; readonly of: () => ProxyMiddlewareUnderTest }[] = [
    { fails: 'names a slot of the message path', of: () => tried(good, 'serve' as ProxySlot) },
    {
      fails: 'has the expected outcome for each sample, repeatedly',
      of: () =>
        tried({ ...good, onMessage: (m, e) => (count++ % 2 === 0 ? good.onMessage?.(m, e) : undefined) }),
    },
    {
      fails: 'changes messages of clients only in a slot after which all steps see the change',
      of: () => tried(good, 'authorize'),
    },
    {
      fails: 'keeps id and kind of a message',
      of: () => tried({ ...good, onMessage: () => ({ change: [{ path: ['id'], json: '7' }] }) }),
    },
    {
      fails: 'handles unknown messages from both sides',
      of: () =>
        tried({
          ...good,
          onMessage: (message, exchange) => {
            // @ts-expect-error a plugin that is not written in TypeScript
            if (message.text !== CALL) return message.params.arguments.n;
            return good.onMessage?.(message, exchange);
          },
        }),
    },
    {
      fails: 'judges requests and notifications of a server synchronously',
      of: () => tried({ ...good, onResponse: async () => undefined }),
    },
    {
      fails: 'serves no path that the server could have',
      of: () =>
        tried({
          ...good,
          servedPaths: [
            { path: '/mcp', methods: ['GET'], respond: () => ({ status: 200, headers: {}, body: '' }) },
          ],
        }),
    },
    {
      fails: 'closes everything that it has opened',
      of: () =>
        tried({
          ...good,
          onRequest: () => undefined,
          onMessage: (m, e) => {
            open.add(setInterval(() => undefined, 60_000));
            return good.onMessage?.(m, e);
          },
        }),
    },
  ];
  it('accepts middleware whose verdicts on responses are asynchronous', async () => {
    const slow: ProxyMiddleware = {
      ...good,
      onResponse: (message, exchange) =>
        message.kind === 'response' ? Promise.resolve(good.onResponse?.(message, exchange)) : undefined,
    };
    expect(await failingCases(proxyMiddlewareCases(tried(slow)))).to.deep.equal([]);
  });

  afterEach(() => {
    for (const timer of open) clearInterval(timer);
    open.clear();
  });
  for (const { fails, of } of broken) {
    it(`fails for middleware that breaks: ${fails}`, async () => {
      expect(await failingCases(proxyMiddlewareCases(of()))).to.include(fails);
    });
  }
});
