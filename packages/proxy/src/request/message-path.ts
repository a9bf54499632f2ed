import type { Middleware } from './request-state.ts';

/** Step of the message path. */
interface PathRow {
  readonly step: string;
  /**
   * Whether the step handles each request before its body is read, each of its messages, or each message to
   * the client.
   */
  readonly of: 'request' | 'message' | 'answer';
  readonly does: string;
}

/**
 * Path of every message, for bridged servers and HTTP servers alike. This is the only place that defines the
 * order. An empty step costs nothing. Only the final text of a message is authorized, exactly once.
 */
export const MESSAGE_PATH = [
  { step: 'report', of: 'request', does: 'answers whatever a later step throws' },
  {
    step: 'own paths',
    of: 'request',
    does: 'serves the proxy’s own paths (health, documents, metrics), after their checks of host and origin',
  },
  { step: 'observe', of: 'request', does: 'slot: sees every request, and how it ends' },
  {
    step: 'guard',
    of: 'request',
    does: 'refuses by host, origin, path, method, headers and stated size alone',
  },
  { step: 'authenticate', of: 'request', does: 'the auth provider says who asks' },
  { step: 'limit', of: 'request', does: 'slot: refuses who asks too often' },
  { step: 'read', of: 'request', does: 'reads the body, up to its limit' },
  { step: 'parse', of: 'request', does: 'makes messages of it; a batch is split' },
  { step: 'era', of: 'request', does: 'decides by which rules they are served' },
  {
    step: 'names',
    of: 'message',
    does: 'slot: names of clients become those of the server',
  },
  {
    step: 'session',
    of: 'message',
    does: 'refuses what is in no session of the caller, under the names that are written down; then the slot limit',
  },
  { step: 'mutate', of: 'message', does: 'slot: changes messages' },
  { step: 'parse again', of: 'message', does: 'judges what was changed as if the client had sent it' },
  { step: 'validate', of: 'message', does: 'slot: refuses by the final text' },
  { step: 'authorize', of: 'message', does: 'slot: refuses by caller and final text' },
  { step: 'exchange', of: 'message', does: 'slot: the caller’s credential becomes one for the server' },
  { step: 'serve', of: 'message', does: 'sends exactly that text to the server' },
  {
    step: 'filter',
    of: 'answer',
    does: 'slot: judges what clients are told; then the other slots, backwards',
  },
] as const satisfies readonly PathRow[];

export type PathStep = (typeof MESSAGE_PATH)[number]['step'];

/** Functions for each step of the path. Several functions of one step run in their order. */
export type PathParts = Partial<Readonly<Record<PathStep, readonly NamedStep[]>>>;

/** Returns all functions in the order of the path. */
export function layPath(...parts: readonly PathParts[]): readonly Middleware[] {
  return MESSAGE_PATH.flatMap(({ step }) => parts.flatMap((part) => part[step] ?? [])).map(({ run }) => run);
}

export interface NamedStep {
  readonly name: string;
  readonly run: Middleware;
}
