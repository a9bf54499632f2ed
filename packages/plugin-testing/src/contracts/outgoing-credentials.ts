import { createHash } from 'node:crypto';
import { findHeaderFault } from '@portolan/outbound';
import type {
  ForwardedHeader,
  OutgoingCredentials,
  OutgoingCredentialsContext,
  OutgoingCredentialsKind,
  OutgoingRequest,
} from '@portolan/plugin-api';
import { expect } from 'chai';
import { deepFrozen } from '../deep-frozen.ts';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createRecordingLogger } from '../recording-logger.ts';
import { createTestCredentialsContext } from '../test-context.ts';
import { type ContractCase, registerContract } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';

export function outgoingCredentialsContract(options: OutgoingCredentialsUnderTest): void {
  registerContract(`outgoing credentials contract: ${options.name}`, outgoingCredentialsCases(options));
}

export interface OutgoingCredentialsUnderTest {
  readonly name: string;
  readonly kind: OutgoingCredentialsKind;
  readonly blocks?: readonly unknown[];
  /** Creates an instance with usable credentials for each test; the suite closes it. */
  readonly create: (
    context: OutgoingCredentialsContext,
  ) => OutgoingCredentials | Promise<OutgoingCredentials>;
  /** Address of the test requests. Default: `https://mcp.acme.example/mcp`. */
  readonly url?: string;
}

const METHODS = ['POST', 'GET', 'DELETE', 'HEAD', 'OPTIONS'] as const;
const LIMIT_MS = 5000;

export function outgoingCredentialsCases(options: OutgoingCredentialsUnderTest): readonly ContractCase[] {
  const { kind, blocks, url = 'https://mcp.acme.example/mcp' } = options;
  const use = async (work: (instance: OutgoingCredentials) => Promise<void>): Promise<void> =>
    await withInstance(options, work);
  const ask = async (instance: OutgoingCredentials, method: string = 'POST') =>
    await instance.credentials(outgoing(method, url), AbortSignal.timeout(LIMIT_MS));
  return [
    ...kindCases(kind, blocks),
    {
      title: 'returns valid headers for requests of every method',
      run: () =>
        use(async (instance) => {
          for (const method of METHODS) expectSendable(await ask(instance, method), method);
          expect(await ask(instance), 'what proves who asks').to.not.deep.equal([]);
        }),
    },
    {
      title: 'serves concurrent calls',
      run: () =>
        use(async (instance) => {
          const all = await Promise.all(Array.from({ length: 100 }, () => ask(instance)));
          for (const headers of all) expectSendable(headers, 'one of many');
        }),
    },
    {
      title: 'writes no credentials to its log',
      run: async () => {
        const logger = createRecordingLogger();
        await withInstance(
          options,
          async (instance) => {
            const headers = await ask(instance);
            await instance.refused?.(headers, { status: 401, challenge: 'Bearer error="invalid_token"' });
            const text = logger.lines.map(({ fields, message }) => `${textOf(fields)} ${message}`).join('\n');
            for (const { value } of headers.filter(({ value: all }) => all.length > 15)) {
              expect(text.includes(value), 'a value in the log').to.equal(false);
            }
          },
          logger,
        );
      },
    },
    {
      title: 'returns after each refusal, if it handles them, whether it has new credentials',
      run: () =>
        use(async (instance) => {
          const sent = await ask(instance);
          for (const status of [401, 403] as const) {
            for (const challenge of [undefined, 'Bearer', 'Basic realm="x"', ', ,="\\']) {
              const refused = instance.refused?.(sent, { status, challenge }) ?? Promise.resolve(false);
              expect(await inTime('an answer', refused, { withinMs: LIMIT_MS })).to.be.a('boolean');
            }
          }
          await instance.refused?.([], { status: 401, challenge: undefined });
        }),
    },
    {
      title: 'can be closed twice, and leaves nothing open',
      run: () =>
        leavesNothingOpen(() =>
          use(async (instance) => {
            await ask(instance);
            await instance.close?.();
            await instance.close?.();
          }),
        ),
    },
  ];
}

async function withInstance(
  { create, url }: OutgoingCredentialsUnderTest,
  work: (instance: OutgoingCredentials) => Promise<void>,
  logger = createRecordingLogger(),
): Promise<void> {
  const base = createTestCredentialsContext({ logger });
  const server = url === undefined ? base.server : { ...base.server, url: new URL(url) };
  const instance = await create({ ...base, server });
  try {
    await work(instance);
  } finally {
    await instance.close?.();
  }
}

/** Freezes the request, so that a change by the instance throws. */
function outgoing(method: string, url: string): OutgoingRequest {
  const body = method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : '';
  return Object.freeze({
    method,
    url: new URL(url),
    headers: deepFrozen({ host: new URL(url).host, accept: ['application/json', 'text/event-stream'] }),
    bodyHash: async () => createHash('sha256').update(body).digest('hex'),
  });
}

function expectSendable(headers: readonly ForwardedHeader[], what: string): void {
  expect(headers, what).to.be.an('array');
  for (const { name, value } of headers) {
    const fault = findHeaderFault(name, value);
    expect(fault === undefined ? undefined : `${name}: ${JSON.stringify(fault)}`, what).to.equal(undefined);
  }
  const names = headers.map(({ name }) => name.toLowerCase());
  expect(names, what).to.deep.equal([...new Set(names)]);
}

function textOf(value: unknown): string {
  if (value instanceof Error) return `${value.stack} ${textOf(value.cause)}`;
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(textOf).join(' ');
}
