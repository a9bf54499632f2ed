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
  onAnswer: (message) =>
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
        asked: CALL,
        becomes: { message: { ...JSON.parse(ANSWER), result: { tools: [{ name: 'b' }] } } },
      },
    ],
  };
}

proxyMiddlewareContract(tried(good));

describe('proxyMiddlewareCases', () => {
  let count = 0;
  const broken: readonly { readonly fails: string; readonly of: () => ProxyMiddlewareUnderTest }[] = [
    { fails: 'stands in a slot of the message path', of: () => tried(good, 'serve' as ProxySlot) },
    {
      fails: 'makes of each sample what is expected, and the same again',
      of: () =>
        tried({ ...good, onMessage: (m, e) => (count++ % 2 === 0 ? good.onMessage?.(m, e) : undefined) }),
    },
    {
      fails: 'changes what clients say only in a slot where that is seen by everything after it',
      of: () => tried(good, 'authorize'),
    },
    {
      fails: 'leaves id and kind of a message as they are',
      of: () => tried({ ...good, onMessage: () => ({ change: [{ path: ['id'], json: '7' }] }) }),
    },
    {
      fails: 'bears messages of which it knows nothing, from both sides',
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
      fails: 'decides at once about what a server says of its own accord',
      of: () => tried({ ...good, onAnswer: async () => undefined }),
    },
    {
      fails: 'answers no path that could be one of the server',
      of: () =>
        tried({
          ...good,
          ownPaths: [
            { path: '/mcp', methods: ['GET'], answer: () => ({ status: 200, headers: {}, body: '' }) },
          ],
        }),
    },
    {
      fails: 'closes what it has opened, if it has opened anything',
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
  it('takes one that takes its time about answers', async () => {
    const slow: ProxyMiddleware = {
      ...good,
      onAnswer: (message, exchange) =>
        message.kind === 'response' ? Promise.resolve(good.onAnswer?.(message, exchange)) : undefined,
    };
    expect(await failingCases(proxyMiddlewareCases(tried(slow)))).to.deep.equal([]);
  });

  afterEach(() => {
    for (const timer of open) clearInterval(timer);
    open.clear();
  });
  for (const { fails, of } of broken) {
    it(`finds one that breaks: ${fails}`, async () => {
      expect(await failingCases(proxyMiddlewareCases(of()))).to.include(fails);
    });
  }
});
