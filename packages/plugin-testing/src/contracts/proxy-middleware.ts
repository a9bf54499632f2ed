import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ClientExchange,
  type ClientMessage,
  type ClientVerdict,
  type Identity,
  isJsonObject,
  isPortolanError,
  mayChange,
  type MessageChange,
  PROXY_SLOTS,
  type ProxyMiddleware,
  type ProxyMiddlewareContext,
  type ProxyMiddlewareKind,
  type ServerVerdict,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { deepFrozen } from '../deep-frozen.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestProxyContext } from '../test-context.ts';
import { type ContractCase, registerContract } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

export function proxyMiddlewareContract(options: ProxyMiddlewareUnderTest): void {
  registerContract(`proxy middleware contract: ${options.name}`, proxyMiddlewareCases(options));
}

export interface ProxyMiddlewareUnderTest {
  readonly name: string;
  readonly kind: ProxyMiddlewareKind;
  readonly blocks?: readonly unknown[];
  readonly create: (context: ProxyMiddlewareContext) => ProxyMiddleware | Promise<ProxyMiddleware>;
  /** Sample messages in either direction, at least one. */
  readonly judged: readonly JudgedSample[];
}

export interface JudgedSample {
  readonly from: 'client' | 'server';
  readonly text: string;
  /** Default: no authentication. */
  readonly caller?: Identity;
  /** JSON of the request that a server's response belongs to. */
  readonly request?: string;
  /**
   * Expected outcome: the message passes unchanged, is refused, is replaced by a result for the client, or is
   * changed.
   */
  readonly becomes: 'passes' | 'refused' | { readonly result: unknown } | { readonly message: unknown };
}

function viewOf(text: string): ClientMessage {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new TypeError(`expected a JSON object as a message, found ${text}`);
  const { id, method, params, result, error } = value;
  const shownParams = isJsonObject(params) ? params : undefined;
  if (typeof method !== 'string') {
    const shownError = isJsonObject(error) ? error : undefined;
    return deepFrozen({ kind: 'response', text, id: JSON.stringify(id), result, error: shownError });
  }
  return id === undefined
    ? deepFrozen({ kind: 'notification', text, method, params: shownParams })
    : deepFrozen({ kind: 'request', text, id: JSON.stringify(id), method, params: shownParams });
}

function exchangeOf({ caller }: Pick<JudgedSample, 'caller'>, message?: ClientMessage): ClientExchange {
  const request = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: {},
    remoteAddress: '127.0.0.1',
    remotePort: 50_000,
    receivedAt: new Date(0),
    caller,
    program: undefined,
  };
  return Object.freeze({
    request: Object.freeze(request),
    caller,
    era: 'legacy',
    sessionId: undefined,
    isBatch: false,
    message,
  });
}

/**
 * Returns the middleware's verdict on a sample. `throws` stands for an error that the proxy can send to the
 * client.
 */
async function judge(
  instance: ProxyMiddleware,
  sample: JudgedSample,
): Promise<ClientVerdict | ServerVerdict | 'throws' | undefined> {
  const view = viewOf(sample.text);
  try {
    if (sample.from === 'client')
      return (await instance.onMessage?.(view, exchangeOf(sample, view))) ?? undefined;
    const message = sample.request === undefined ? undefined : viewOf(sample.request);
    return (await instance.onResponse?.(view, exchangeOf(sample, message))) ?? undefined;
  } catch (error) {
    if (isPortolanError(error) || (error instanceof Error && 'status' in error)) return 'throws';
    throw error;
  }
}

/** Applies changes to a message. Throws for a path that does not exist. */
export function changed(text: string, changes: readonly MessageChange[]): unknown {
  let value: unknown = JSON.parse(text);
  // Last change first, since paths refer to the original message.
  for (const { path, json } of changes.toReversed()) value = withChange(value, path, json);
  return value;
}

function withChange(
  value: unknown,
  [key, ...rest]: readonly (string | number)[],
  json: string | undefined,
): unknown {
  if (key === undefined) throw new RangeError('the path of a change is empty or does not exist');
  if (Array.isArray(value)) {
    if (typeof key !== 'number' || !(key in value))
      throw new RangeError(`there is no ${String(key)} in the array`);
    if (rest.length > 0) return value.with(key, withChange(value[key], rest, json));
    return json === undefined ? value.toSpliced(key, 1) : value.with(key, JSON.parse(json));
  }
  if (!isJsonObject(value) || typeof key !== 'string') throw new RangeError(`there is no ${String(key)}`);
  if (rest.length > 0) return { ...value, [key]: withChange(value[key], rest, json) };
  if (json !== undefined) return { ...value, [key]: JSON.parse(json) };
  if (!Object.hasOwn(value, key)) throw new RangeError(`there is no ${key} to remove`);
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

const STRANGE = [
  '{"jsonrpc":"2.0","id":1,"method":"constructor"}',
  '{"jsonrpc":"2.0","id":"","method":"tools/call","params":{"name":"__proto__"}}',
  '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"a","arguments":null}}',
  '{"jsonrpc":"2.0","method":"notifications/nobody-knows","params":{}}',
  '{"jsonrpc":"2.0","id":2,"result":null}',
  '{"jsonrpc":"2.0","id":2,"result":{"tools":"none"}}',
  '{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"m"}}',
];

export function proxyMiddlewareCases(options: ProxyMiddlewareUnderTest): readonly ContractCase[] {
  const { kind, judged } = options;
  return [
    ...kindCases(kind, options.blocks),
    {
      title: 'names a slot of the message path',
      run: async () => {
        expect(PROXY_SLOTS).to.include(kind.placed);
      },
    },
    {
      title: 'has the expected outcome for each sample, repeatedly',
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
      title: 'changes messages of clients only in a slot after which all steps see the change',
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
      title: 'keeps id and kind of a message',
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
      title: 'handles unknown messages from both sides',
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
      title: 'judges requests and notifications of a server synchronously',
      run: () =>
        withInstance(options, async (instance) => {
          for (const text of [...STRANGE, ...judged.map((sample) => sample.text)]) {
            const message = viewOf(text);
            // Only verdicts on responses may be asynchronous.
            if (message.kind === 'response') continue;
            const verdict: unknown = instance.onResponse?.(message, exchangeOf({}));
            expect(typeof Object(verdict).then, text).not.to.equal('function');
          }
        }),
    },
    {
      title: 'serves no path that the server could have',
      run: () =>
        withInstance(options, async ({ servedPaths = [] }) => {
          for (const { path } of servedPaths)
            expect(path).to.match(/^(?:\/metrics|\/\.well-known\/.*[^/*].*)$/);
        }),
    },
    {
      title: 'returns the same verdicts after the warm-up',
      run: () =>
        withInstance(options, async (instance) => {
          await instance.warmUp?.();
          for (const sample of judged)
            expect(await outcomeOf(instance, sample)).to.deep.equal(sample.becomes);
        }),
    },
    {
      title: 'closes everything that it has opened',
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

/** Returns the outcome for a sample. Throws for a verdict that the proxy could not apply. */
async function outcomeOf(instance: ProxyMiddleware, sample: JudgedSample): Promise<JudgedSample['becomes']> {
  const verdict = await judge(instance, sample);
  if (verdict === undefined) return 'passes';
  if (verdict === 'throws') return 'refused';
  if ('refuse' in verdict) {
    expect(verdict.refuse.message, 'what the client is told').to.be.a('string').and.not.to.equal('');
    return 'refused';
  }
  if ('response' in verdict) {
    expect(viewOf(sample.text).kind, 'what is answered').to.equal('request');
    return { result: JSON.parse(verdict.response) };
  }
  return { message: changed(sample.text, verdict.change) };
}

function idOf(message: ReturnType<typeof viewOf>): string | undefined {
  return message.kind === 'notification' ? undefined : message.id;
}
