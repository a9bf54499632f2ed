import type {
  ClientExchange,
  ClientVerdict,
  Denial,
  Identity,
  NotificationView,
  ProxyMiddleware,
  RequestView,
  ResponseView,
  ServerVerdict,
} from '@portolan/plugin-api';
import { createTestProxyContext } from '@portolan/plugin-testing';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cedarAuthorization, type CedarConfig } from '../src/index.ts';

export const ANN: Identity = {
  subject: 'ann',
  claims: { sub: 'ann', iss: 'https://issuer.example', groups: ['analysts'] },
};

/** A configuration of policies, with the defaults of the rest. */
export function configOf(policies: readonly string[], more: Partial<CedarConfig['cedar']> = {}): CedarConfig {
  return {
    version: '1.0',
    type: 'cedarv1',
    cedar: {
      policies,
      entities_json: '',
      group_claim_name: '',
      role_claim_name: '',
      group_entity_type: 'THVGroup',
      multi_valued_claims: [],
      primary_upstream_provider: '',
      ...more,
    },
  };
}

let lastId = 0;

export function request(method: string, params?: Readonly<Record<string, unknown>>): RequestView {
  lastId += 1;
  const text = JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params });
  return { kind: 'request', text, id: String(lastId), method, params };
}

export function call(name: string, args?: unknown): RequestView {
  return request('tools/call', args === undefined ? { name } : { name, arguments: args });
}

export function respond(result: unknown, id = '1'): ResponseView {
  return {
    kind: 'response',
    text: JSON.stringify({ jsonrpc: '2.0', id, result }),
    id,
    result,
    error: undefined,
  };
}

export function notification(method: string, params?: Readonly<Record<string, unknown>>): NotificationView {
  return {
    kind: 'notification',
    text: JSON.stringify({ jsonrpc: '2.0', method, params }),
    method,
    params,
  };
}

export function exchangeWith(
  caller: Identity | undefined,
  message: RequestView | undefined,
  era: ClientExchange['era'] = 'legacy',
): ClientExchange {
  const made = {
    method: 'POST',
    path: '/mcp',
    query: '',
    headers: {},
    remoteAddress: '127.0.0.1',
    receivedAt: new Date(0),
    program: undefined,
    caller,
  };
  return { request: made, caller, era, sessionId: undefined, isBatch: false, message };
}

/** An authorizer in front of a server `io.example/test-server`, with a folder of its own. */
export class Authorizer {
  readonly instance: ProxyMiddleware;
  readonly folder: string;
  readonly notices: readonly string[];

  constructor(instance: ProxyMiddleware, folder: string, notices: readonly string[]) {
    this.instance = instance;
    this.folder = folder;
    this.notices = notices;
  }

  /** Opens an authorizer. With `hasMembers`, the workload is a virtual server. */
  static async open(config: CedarConfig, { hasMembers = false } = {}): Promise<Authorizer> {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-cedar-'));
    const notices: string[] = [];
    const context = createTestProxyContext({ remark: (text) => notices.push(text) });
    const workload = { ...context.workload, hasMembers, directory: path.join(folder, 'kept') };
    const instance = await cedarAuthorization.create(config, { ...context, workload });
    return new Authorizer(instance, folder, notices);
  }

  async close(): Promise<void> {
    await this.instance.close?.();
    await rm(this.folder, { recursive: true, force: true });
  }

  async ask(message: RequestView, caller: Identity | undefined): Promise<ClientVerdict | undefined> {
    return (await this.instance.onMessage?.(message, exchangeWith(caller, message))) ?? undefined;
  }

  async allows(message: RequestView, caller: Identity | undefined = ANN): Promise<boolean> {
    const verdict = await this.ask(message, caller);
    if (verdict === undefined) return true;
    if ('refuse' in verdict) return false;
    throw new Error(`neither allowed nor denied: ${JSON.stringify(verdict)}`);
  }

  async answered(
    requestView: RequestView,
    result: unknown,
    caller: Identity | undefined = ANN,
    era: ClientExchange['era'] = 'legacy',
  ): Promise<ServerVerdict | undefined> {
    const verdict = await this.instance.onResponse?.(respond(result), exchangeWith(caller, requestView, era));
    return verdict ?? undefined;
  }

  async notified(
    method: string,
    params?: Readonly<Record<string, unknown>>,
  ): Promise<ServerVerdict | undefined> {
    const verdict = await this.instance.onResponse?.(
      notification(method, params),
      exchangeWith(ANN, undefined),
    );
    return verdict ?? undefined;
  }

  /** Names of the items that are taken out of a list. */
  async hides(
    method: string,
    member: string,
    items: readonly unknown[],
    caller?: Identity,
  ): Promise<unknown> {
    const verdict = await this.answered(request(method), { [member]: items }, caller);
    if (verdict === undefined) return [];
    if ('refuse' in verdict) return verdict.refuse;
    return verdict.change.map(({ path: [, , at] }) => items[Number(at)]);
  }

  async denials(): Promise<readonly Denial[]> {
    const text = await readFile(path.join(this.folder, 'kept', 'denials.jsonl'), 'utf8');
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Denial);
  }

  /** Why the last one was denied. */
  async because(message: RequestView, caller?: Identity | 'nobody'): Promise<Denial> {
    const verdict = await this.ask(message, caller === 'nobody' ? undefined : (caller ?? ANN));
    const data = verdict !== undefined && 'refuse' in verdict ? verdict.refuse.data : undefined;
    const denial = (await this.denials()).find(
      ({ id }) => JSON.stringify({ denialId: id }) === JSON.stringify(data),
    );
    if (denial === undefined) throw new Error('it was not denied');
    return denial;
  }
}
