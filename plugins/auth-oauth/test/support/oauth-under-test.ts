import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthProvider, Identity } from '@portolan/plugin-api';
import {
  createRecordingLogger,
  createTestContext,
  FakeClock,
  type RecordingLogger,
  type TestIssuer,
} from '@portolan/plugin-testing';
import Koa from 'koa';
import type { OauthConfig, ListedProvider } from '../../src/index.ts';
import { createOauthAuth } from '../../src/open-oauth.ts';
import { TIMING, type Timing } from '../../src/timing.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly challenge: string | null;
  readonly identity: Identity | undefined;
}

/** The auth provider behind a real server, at a moment that stands still. */
export interface OauthUnderTest {
  readonly auth: AuthProvider;
  readonly clock: FakeClock;
  readonly logger: RecordingLogger;
  /** A request with this token. */
  send(token: string): Promise<Answer>;
  sendHeaders(headers: Readonly<Record<string, string>> | undefined): Promise<Answer>;
  /** The address of the server, for requests that fetch does not make. */
  readonly port: number;
  /** Reasons of all refusals so far, as logged. */
  reasons(): readonly string[];
  close(): Promise<void>;
}

export const NOW = '2026-06-01T12:00:00.000Z';
/** That moment as tokens count it. */
export const NOW_S = Date.parse(NOW) / 1000;

/** The settings that let a test issuer be a provider. */
export function providerOf(issuer: TestIssuer, more: Partial<ListedProvider> = {}): ListedProvider {
  return {
    name: 'main',
    issuerUrl: issuer.issuerUrl,
    audience: 'portolan',
    allowPrivateIP: true,
    ...more,
  };
}

export function configOf(...providers: readonly ListedProvider[]): OauthConfig {
  return { realm: 'mcp-registry', scopes: [], mcpRules: false, allowInsecureIssuers: false, providers };
}

/** `timing` takes the place of what would let a test wait: nothing is tried again, unless it says so. */
export async function startOauth(
  config: OauthConfig,
  timing: Partial<Timing> = {},
  clock = new FakeClock(NOW),
  trustsLoopback = true,
): Promise<OauthUnderTest> {
  const logger = createRecordingLogger();
  const directory = import.meta.dirname;
  const context = createTestContext({
    clock: clock.clock,
    nowMs: clock.nowMs,
    logger,
    directory,
    trustsLoopback,
  });
  const auth = await createOauthAuth(config, context, { ...TIMING, backOffMs: [], ...timing });
  let identity: Identity | undefined;
  const app = new Koa();
  app.on('error', () => undefined);
  app.use(auth.verify);
  app.use((ctx) => {
    identity = auth.identify(ctx);
    ctx.body = 'passed';
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // SAFETY: a listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  const sendHeaders = async (headers: Readonly<Record<string, string>> | undefined): Promise<Answer> => {
    identity = undefined;
    const response = await fetch(`http://127.0.0.1:${port}/`, headers === undefined ? {} : { headers });
    const challenge = response.headers.get('www-authenticate');
    return { status: response.status, body: await response.text(), challenge, identity };
  };
  return {
    auth,
    clock,
    logger,
    port,
    sendHeaders,
    send: (token) => sendHeaders({ authorization: `Bearer ${token}` }),
    reasons: () =>
      logger.lines
        .filter(({ message }) => message === 'a token was refused')
        .flatMap(({ fields }) => JSON.stringify(fields).match(/(?<="reason":")[^"]+/g) ?? []),
    async close() {
      await auth.close?.();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
