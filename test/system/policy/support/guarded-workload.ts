import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import type { Answer } from '../../../../packages/proxy/test/support/http-client.ts';
import { initialize, McpClient } from '../../../../packages/proxy/test/support/mcp-client.ts';
import {
  answerToken,
  ExchangeEndpoint,
} from '../../../../plugins/proxy-token-exchange/test/exchange-endpoint.ts';
import {
  allow,
  openWebhookServer,
  type WebhookServer,
} from '../../../../plugins/proxy-webhooks/test/webhook-server.ts';
import { makeCertificate } from '../../../support/certificate.ts';
import { type OtlpCollector, startOtlpCollector } from '../../../support/otlp/otlp-collector.ts';
import type { WorkloadUser } from '../../../support/workload-user.ts';
import type { Way } from './policy-bench.ts';

/** Servers on loopback for all policy settings, and the files of the flags. */
export class SharedServers {
  readonly folder: string;
  /** Issuer whose keys are fetched over http from an address with no name on this machine. */
  readonly issuer: TestIssuer;
  /** Introspection endpoint over TLS with an unknown authority. */
  readonly introspecting: TestIssuer;
  readonly collector: OtlpCollector;
  readonly endpoint: ExchangeEndpoint;
  readonly hooks: readonly [mutating: WebhookServer, validating: WebhookServer];

  private constructor(
    parts: Pick<SharedServers, 'folder' | 'issuer' | 'introspecting' | 'collector' | 'endpoint' | 'hooks'>,
  ) {
    this.folder = parts.folder;
    this.issuer = parts.issuer;
    this.introspecting = parts.introspecting;
    this.collector = parts.collector;
    this.endpoint = parts.endpoint;
    this.hooks = parts.hooks;
  }

  static async open(): Promise<SharedServers> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-every-flag-'));
    const { cert, key } = await makeCertificate(folder, ['localhost']);
    const [mutating, validating] = [await openWebhookServer(), await openWebhookServer()];
    const patch = [{ op: 'add', path: '/mcp_request/params/arguments/stamp', value: 'acme' }];
    mutating.answer = (question, response) => {
      const { method }: { method?: string } = question.mcp_request;
      allow(method === 'tools/call' ? { patch_type: 'json_patch', patch } : {})(question, response);
    };
    validating.answer = (question, response) => {
      const { params }: { params?: { arguments?: { message?: string } } } = question.mcp_request;
      allow({ allowed: params?.arguments?.message !== 'forbidden' })(question, response);
    };
    const opened = new SharedServers({
      folder,
      issuer: await startTestIssuer({ algorithm: 'ES256', audience: 'weather' }),
      introspecting: await startTestIssuer({ tls: { cert: String(cert), key: String(key) } }),
      collector: await startOtlpCollector(),
      endpoint: await ExchangeEndpoint.open((response, asked) =>
        answerToken(response, asked, { access_token: `for-${asked.form.get('audience')}` }),
      ),
      hooks: [mutating, validating],
    });
    await opened.#writeFiles();
    return opened;
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  async close(): Promise<void> {
    const { issuer, introspecting, collector, endpoint, hooks } = this;
    for (const one of [issuer, introspecting, collector, endpoint, ...hooks]) await one.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #writeFiles(): Promise<void> {
    const hook = (name: string, { url }: WebhookServer) => ({
      name,
      url,
      failure_policy: 'fail',
      tls_config: { insecure_skip_verify: true },
    });
    const [mutating, validating] = this.hooks;
    const files: Readonly<Record<string, unknown>> = {
      'mutating.json': { mutating: [hook('stamp', mutating)] },
      'validating.json': { validating: [hook('window', validating)] },
      'override.json': { toolsOverride: { echo: { name: 'repeat', description: 'Says it again' } } },
      'limits.json': { tools: [{ name: 'once', perUser: { maxTokens: 1, refillPeriod: '1h' } }] },
      'authz.json': {
        version: '1.0',
        type: 'cedarv1',
        cedar: {
          policies: ['echo', 'once'].map(
            (tool) =>
              `permit(principal in THVGroup::"staff", action == Action::"call_tool", resource == Tool::"${tool}");`,
          ),
        },
      },
    };
    for (const [name, content] of Object.entries(files))
      await writeFile(this.path(name), JSON.stringify(content));
    await writeFile(this.path('token'), 'of-the-file\n');
    await writeFile(this.path('exchange-secret'), 'swordfish\n');
    for (const way of ['stdio', 'http', 'remote']) {
      const config = { component: `audited-${way}`, logFile: this.path(`${way}.jsonl`) };
      await writeFile(this.path(`audit-${way}.json`), JSON.stringify(config));
    }
  }
}

/** A workload that was started with policy flags. */
export class GuardedWorkload {
  readonly way: Way;
  readonly name: string;
  readonly url: URL;
  readonly user: WorkloadUser;
  readonly around: SharedServers;
  #client: McpClient | undefined;
  #lastId = 0;

  constructor(parts: Pick<GuardedWorkload, 'way' | 'name' | 'url' | 'user' | 'around'>) {
    this.way = parts.way;
    this.name = parts.name;
    this.url = parts.url;
    this.user = parts.user;
    this.around = parts.around;
  }

  /** Valid token of a member of the staff. */
  token(claims: Readonly<Record<string, unknown>> = {}): string {
    return this.around.issuer.sign({ sub: 'ann', groups: ['staff'], client_id: 'planner', ...claims });
  }

  /** Sends the first message of a client, with or without a token and with further headers. */
  async begin(token: string | undefined, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return await new McpClient(this.url).post(initialize(), { headers: { ...bearer(token), ...headers } });
  }

  /** Sends a message in a session of its caller. */
  async post(message: object, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const client = await this.#session();
    this.#lastId += 1;
    return await client.post(
      { id: this.#lastId, ...message },
      { headers: { ...bearer(this.token()), ...headers }, accept: 'application/json' },
    );
  }

  /** Calls a tool, and returns what the server received, as far as it did. */
  async call(
    name: string,
    args: object = {},
  ): Promise<{ readonly answer: Answer; readonly told: Told | undefined }> {
    const answer = await this.post({ method: 'tools/call', params: { name, arguments: args } });
    const text: unknown = answer.json?.result?.content?.[0]?.text;
    return { answer, told: typeof text === 'string' ? JSON.parse(text) : undefined };
  }

  /** Returns the lines of the workload's audit file. */
  async auditLines(): Promise<readonly string[]> {
    return (await readFile(this.around.path(`${this.way}.jsonl`), 'utf8')).split('\n').filter(Boolean);
  }

  async #session(): Promise<McpClient> {
    if (this.#client !== undefined) return this.#client;
    const begun = await this.begin(this.token());
    expect(begun.status, begun.text).to.equal(200);
    this.#client = new McpClient(this.url, String(begun.headers['mcp-session-id'] ?? ''));
    return this.#client;
  }
}

/** What the server received. */
export interface Told {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly authorization?: string;
  readonly upstream?: string;
}

function bearer(token: string | undefined): Readonly<Record<string, string>> {
  return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}
