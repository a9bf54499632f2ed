import { openHttpBackend } from '@portolan/proxy/http-backend';
import type { MemberSource } from '../../src/index.ts';
import {
  type FakeConnection,
  type FakeMember,
  fakeMember,
  type Members,
  type Received,
  toolsOf,
} from './fake-member.ts';
import type { VirtualServers } from './virtual-servers.ts';

/** Text of a response: the member, the call, and what the client responded to the member's own question. */
export function expectedText(member: string, nonce: string, isAsking: boolean): string {
  return isAsking ? `${member} ${nonce} ${nonce}` : `${member} ${nonce}`;
}

/** A member that responds with its name and the call. With `isAsking`, it asks the client first. */
export function loadMember(name: string, era: 'legacy' | 'modern', isAsking: boolean): FakeMember {
  const pending = new Map<FakeConnection, Map<unknown, (answer: string) => void>>();
  return fakeMember(
    name,
    {
      era,
      capabilities: { tools: {} },
      results: { 'tools/list': { ...toolsOf('call'), ttlMs: 60_000, resultType: 'complete' } },
      respond: (message, connection) => {
        const { method, id, params } = message;
        if (method === undefined) {
          pending.get(connection)?.get(id)?.(modelIn(message.result));
          return undefined;
        }
        if (method !== 'tools/call') return undefined;
        const nonce = nonceIn(message);
        if (!isAsking) return textResult(`${name} ${nonce}`);
        if (era === 'modern') return askInResult(name, nonce, params);
        return askByRequest(connection, nonce).then((answer) => textResult(`${name} ${nonce} ${answer}`));
      },
    },
    { maxSessions: 64 },
  );

  /** All calls of a connection use ids from 1 on, so that ids of members collide. */
  async function askByRequest(connection: FakeConnection, nonce: string): Promise<string> {
    const own = pending.get(connection) ?? new Map<unknown, (answer: string) => void>();
    pending.set(connection, own);
    const id = own.size + 1;
    const { promise, resolve } = Promise.withResolvers<string>();
    own.set(id, resolve);
    connection.say({ id, method: 'sampling/createMessage', params: { nonce, messages: [], maxTokens: 1 } });
    return await promise;
  }
}

/** A member that is reached over HTTP: a virtual server with one member. */
export async function httpMember(
  servers: VirtualServers,
  name: string,
  era: 'legacy' | 'modern',
): Promise<MemberSource> {
  const inner: FakeMember = { ...loadMember(name, era, false), settings: { prefix: false } };
  const { url } = await servers.open([inner], { limits: { maxProcesses: 200 } });
  const target = { carries: 'http', transport: 'streamable-http', target: url, isRemote: false } as const;
  const http = await openHttpBackend(target, { version: '0.0.0' });
  return {
    name,
    settings: {},
    isPerCaller: false,
    open: (signal) => http.backend.openConnection(signal),
    close: () => http.close(),
    maxSessions: 64,
  };
}

function askInResult(name: string, nonce: string, params: Members | undefined): Members {
  const responses = params?.['inputResponses'];
  if (responses === undefined)
    return {
      resultType: 'input_required',
      inputRequests: {
        ask: { method: 'sampling/createMessage', params: { nonce, messages: [], maxTokens: 1 } },
      },
      requestState: nonce,
    };
  const state = params?.['requestState'];
  const answer = modelIn((responses as Members)['ask']);
  return textResult(state === nonce ? `${name} ${nonce} ${answer}` : `${name} has the state of another call`);
}

function textResult(text: string): Members {
  return { resultType: 'complete', content: [{ type: 'text', text }] };
}

function nonceIn({ params }: Received): string {
  const given = params?.['arguments'];
  return typeof given === 'object' && given !== null && 'nonce' in given ? String(given.nonce) : '';
}

function modelIn(result: unknown): string {
  return typeof result === 'object' && result !== null && 'model' in result
    ? String(result.model)
    : 'nothing';
}
