import type { Middleware } from './request-state.ts';

interface PathRow {
  readonly step: string;
  /**
   * Unit that the step handles: a request before its body is read, each message of a request, or each message
   * to the client.
   */
  readonly of: 'request' | 'message' | 'answer';
  readonly does: string;
}

/** All steps of a request, in order. Only the final text of a message is authorized, exactly once. */
export const MESSAGE_PATH = [
  { step: 'report', of: 'request', does: 'sends the response for an error of a later step' },
  {
    step: 'own paths',
    of: 'request',
    does: 'serves the proxy’s own paths (health, metadata, metrics) after host and origin checks',
  },
  { step: 'observe', of: 'request', does: 'slot: observes every request and its end' },
  {
    step: 'guard',
    of: 'request',
    does: 'checks host, origin, path, method, headers and declared size',
  },
  { step: 'authenticate', of: 'request', does: 'the auth provider identifies the caller' },
  { step: 'limit', of: 'request', does: 'slot: refuses callers above a rate limit' },
  { step: 'read', of: 'request', does: 'reads the body, up to the size limit' },
  { step: 'parse', of: 'request', does: 'parses the body into messages' },
  { step: 'era', of: 'request', does: 'decides which protocol era applies' },
  {
    step: 'names',
    of: 'message',
    does: 'slot: maps names of clients to those of the server',
  },
  {
    step: 'session',
    of: 'message',
    does: 'refuses messages outside of the sessions of the caller; then the slot limit',
  },
  { step: 'mutate', of: 'message', does: 'slot: changes messages' },
  { step: 'parse again', of: 'message', does: 'checks changed messages as if the client had sent them' },
  { step: 'validate', of: 'message', does: 'slot: accepts or refuses the final text' },
  { step: 'authorize', of: 'message', does: 'slot: accepts or refuses the final text for the caller' },
  {
    step: 'exchange',
    of: 'message',
    does: 'slot: exchanges the caller’s credentials for those of the server',
  },
  { step: 'serve', of: 'message', does: 'sends exactly that text to the server' },
  {
    step: 'filter',
    of: 'answer',
    does: 'slot: changes or refuses messages to clients; then the other slots, in reverse order',
  },
] as const satisfies readonly PathRow[];

export type PathStep = (typeof MESSAGE_PATH)[number]['step'];

export type PathParts = Partial<Readonly<Record<PathStep, readonly NamedStep[]>>>;

export function layPath(...parts: readonly PathParts[]): readonly Middleware[] {
  return MESSAGE_PATH.flatMap(({ step }) => parts.flatMap((part) => part[step] ?? [])).map(({ run }) => run);
}

export interface NamedStep {
  readonly name: string;
  readonly run: Middleware;
}
