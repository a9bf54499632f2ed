import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mayChange, type ProxyMiddleware, PROXY_SLOTS } from '@portolan/plugin-api';
import { expect } from 'chai';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestProxyContext } from '../test-context.ts';
import type { ContractCase } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';
import type { JudgedSample, ProxyMiddlewareUnderTest } from './proxy-middleware-under-test.ts';
import { changed, exchangeOf, judge, viewOf } from './use-proxy-middleware.ts';

/** Messages that any client and any server may send, whatever a policy knows of them. */
const STRANGE = [
  '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
  '{"jsonrpc":"2.0","id":"","method":"tools/call","params":{"name":"__proto__"}}',
  '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"a","arguments":null}}',
  '{"jsonrpc":"2.0","method":"notifications/nobody-knows","params":{}}',
  '{"jsonrpc":"2.0","id":2,"result":null}',
  '{"jsonrpc":"2.0","id":2,"result":{"tools":"none"}}',
  '{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"m"}}',
];

/** What a proxy middleware kind promises; see `ProxyMiddleware` in `@portolan/plugin-api`. */
export function proxyMiddlewareCases(options: ProxyMiddlewareUnderTest): readonly ContractCase[] {
  const { kind, judged } = options;
  return [
    ...kindCases(kind, options.blocks),
    {
      title: 'stands in a slot of the message path',
      run: async () => {
        expect(PROXY_SLOTS).to.include(kind.placed);
      },
    },
    {
      title: 'makes of each sample what is expected, and the same again',
      run: async () => {
        expect(judged, 'samples').not.to.deep.equal([]);
        await withInstance(options, async (instance) => {
          for (const sample of judged) {
            expect(await outcomeOf(instance, sample), sample.text).to.deep.equal(sample.becomes);
            expect(await outcomeOf(instance, sample), `${sample.text}, again`).to.deep.equal(sample.becomes);
          }
        });
      },
    },
    {
      title: 'changes what clients say only in a slot where that is seen by everything after it',
      run: () =>
        withInstance(options, async (instance) => {
          for (const sample of judged.filter(({ from }) => from === 'client')) {
            const verdict = await judge(instance, sample);
            if (verdict === undefined || verdict === 'throws' || !('change' in verdict)) continue;
            expect(mayChange(kind.placed, viewOf(sample.text), verdict.change), sample.text).to.equal(true);
          }
        }),
    },
    {
      title: 'leaves id and kind of a message as they are',
      run: () =>
        withInstance(options, async (instance) => {
          for (const sample of judged) {
            const verdict = await judge(instance, sample);
            if (verdict === undefined || verdict === 'throws' || !('change' in verdict)) continue;
            const after = viewOf(JSON.stringify(changed(sample.text, verdict.change)));
            const before = viewOf(sample.text);
            expect([after.kind, idOf(after)], sample.text).to.deep.equal([before.kind, idOf(before)]);
          }
        }),
    },
    {
      title: 'bears messages of which it knows nothing, from both sides',
      run: () =>
        withInstance(options, async (instance) => {
          for (const text of STRANGE) {
            for (const from of ['client', 'server'] as const) {
              await outcomeOf(instance, { from, text, becomes: 'passes' });
            }
          }
        }),
    },
    {
      title: 'decides at once about what a server says of its own accord',
      run: () =>
        withInstance(options, async (instance) => {
          for (const text of [...STRANGE, ...judged.map((sample) => sample.text)]) {
            const message = viewOf(text);
            // About answers it may take its time.
            if (message.kind === 'response') continue;
            const verdict: unknown = instance.onAnswer?.(message, exchangeOf({}));
            expect(typeof Object(verdict).then, text).not.to.equal('function');
          }
        }),
    },
    {
      title: 'answers no path that could be one of the server',
      run: () =>
        withInstance(options, async ({ ownPaths = [] }) => {
          for (const { path } of ownPaths) expect(path).to.match(/^(?:\/metrics|\/\.well-known\/.*[^/*].*)$/);
        }),
    },
    {
      title: 'decides the same once it was warmed up',
      run: () =>
        withInstance(options, async (instance) => {
          await instance.warmUp?.();
          for (const sample of judged)
            expect(await outcomeOf(instance, sample)).to.deep.equal(sample.becomes);
        }),
    },
    {
      title: 'closes what it has opened, if it has opened anything',
      run: () =>
        leavesNothingOpen(() =>
          withInstance(options, async (instance) => {
            await instance.warmUp?.();
            for (const sample of judged) await judge(instance, sample);
          }),
        ),
    },
  ];
}

async function withInstance(
  { create }: ProxyMiddlewareUnderTest,
  use: (instance: ProxyMiddleware) => Promise<void>,
): Promise<void> {
  const context = createTestProxyContext();
  const directory = await mkdtemp(join(tmpdir(), 'portolan-contract-'));
  try {
    const instance = await create({ ...context, workload: { ...context.workload, directory } });
    try {
      await use(instance);
    } finally {
      await instance.close?.();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What becomes of a sample; a verdict that the proxy could not follow is an error. */
async function outcomeOf(instance: ProxyMiddleware, sample: JudgedSample): Promise<JudgedSample['becomes']> {
  const verdict = await judge(instance, sample);
  if (verdict === undefined) return 'passes';
  if (verdict === 'throws') return 'refused';
  if ('refuse' in verdict) {
    expect(verdict.refuse.message, 'what the client is told').to.be.a('string').and.not.to.equal('');
    return 'refused';
  }
  if ('answer' in verdict) {
    expect(viewOf(sample.text).kind, 'what is answered').to.equal('request');
    return { result: JSON.parse(verdict.answer) };
  }
  return { message: changed(sample.text, verdict.change) };
}

function idOf(message: ReturnType<typeof viewOf>): string | undefined {
  return message.kind === 'notification' ? undefined : message.id;
}
