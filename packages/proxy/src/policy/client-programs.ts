import { META, isJsonObject, type JsonRecord } from '@portolan/mcp-protocol';
import type { ClientProgram } from '@portolan/plugin-api';
import { headerOf, type PathMessage, type RequestContext } from '../request/request-state.ts';
import type { WatchedHead } from './watch-response.ts';

/** Maximum number of sessions, above the number that a proxy serves. The oldest are evicted. */
const MAX_SESSIONS = 10_000;
const MAX_CHARACTERS = 256;

/** Names of client programs by session. A client with a handshake sends its name only in `initialize`. */
export class ClientPrograms {
  readonly #bySession = new Map<string, ClientProgram>();

  programOf(ctx: RequestContext): ClientProgram | undefined {
    const own = ownProgram(ctx.state.messages);
    if (own !== undefined) return own;
    const session = sessionOf(ctx);
    return session === undefined ? undefined : this.#bySession.get(session);
  }

  /**
   * Records the program of a new session under the id from the response. The client's session header does not
   * count, because it could name another client's session.
   */
  begun(ctx: RequestContext, { status, sessionId }: Pick<WatchedHead, 'status' | 'sessionId'>): void {
    const opens = status < 300 && ctx.state.messages.some(({ message }) => isInitialize(message));
    const program = opens ? ownProgram(ctx.state.messages) : undefined;
    const session = sessionId ?? addressedSession(ctx);
    if (program === undefined || session === undefined) return;
    this.#bySession.delete(session);
    this.#bySession.set(session, program);
    const [oldest] = this.#bySession.keys();
    if (this.#bySession.size > MAX_SESSIONS && oldest !== undefined) this.#bySession.delete(oldest);
  }
}

function sessionOf(ctx: RequestContext): string | undefined {
  return headerOf(ctx, 'Mcp-Session-Id') ?? addressedSession(ctx);
}

function addressedSession({ path, querystring, method }: RequestContext): string | undefined {
  return method === 'POST' && querystring !== '' ? `${path}?${querystring}` : undefined;
}

function ownProgram(messages: readonly PathMessage[]): ClientProgram | undefined {
  for (const { message } of messages) {
    if (message.kind === 'response') continue;
    const meta = memberOf(message.params, '_meta');
    const saysSo = memberOf(meta, META.claim) !== undefined;
    if (saysSo) return programIn(memberOf(meta, META.clientInfo), memberOf(meta, META.claim));
    if (isInitialize(message)) {
      const { params } = message;
      return programIn(memberOf(params, 'clientInfo'), memberOf(params, 'protocolVersion'));
    }
  }
  return undefined;
}

function isInitialize(message: PathMessage['message']): boolean {
  return message.kind === 'request' && message.method === 'initialize';
}

function programIn(info: unknown, revision: unknown): ClientProgram {
  return Object.freeze({
    name: textIn(memberOf(info, 'name')),
    version: textIn(memberOf(info, 'version')),
    revision: textIn(revision),
  });
}

function memberOf(value: unknown, name: string): unknown {
  if (!isJsonObject(value)) return undefined;
  const members: JsonRecord = value;
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_CHARACTERS) : undefined;
}
