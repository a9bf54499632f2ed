import type { ForwardedHeader, OutgoingCredentials } from '@portolan/plugin-api';
import type { PrefixOptions } from '../request/endpoint-prefix.ts';
import type { CredentialSources } from './forward/ask-credentials.ts';
import type { BackendSessions } from './sessions/backend-sessions.ts';
import type { AnnouncedStreams } from '../streams/list-changes.ts';
import type { EventStreams } from './event-streams.ts';
import type { ClientLogins } from './client-logins.ts';
import type { Forwarder } from './forward/open-forwarder.ts';

/** Maximum number of listeners of a response: each step listens for its end. More would print a warning. */
export const MAX_RESPONSE_LISTENERS = 32;

export interface TransparentOptions extends PrefixOptions {
  readonly forwarder: Forwarder;
  readonly pageForwarder: Forwarder;
  readonly transport: 'streamable-http' | 'sse';
  readonly target: URL;
  readonly clientPath: string;
  readonly isRemote: boolean;
  /** Whether the server has no sessions. If so, no session id is forwarded in either direction. */
  readonly isStateless: boolean;
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly credentials: CredentialSources;
  readonly askRefused: OutgoingCredentials['refused'];
  readonly renewal: string;
  readonly clientLogins: ClientLogins | undefined;
  readonly sessions: BackendSessions;
  /** Open streams by endpoint. Some servers announce the same endpoint to all clients. */
  readonly streams: EventStreams;
  /** Streams of clients that get notifications of the proxy itself. Only streams that policies read. */
  readonly announced: AnnouncedStreams;
  /** Whether policies read responses, which must then not be compressed. */
  readonly readsAnswers: boolean;
  readonly readsRevisions: boolean;
  /**
   * Called with each response of the server. `modernPath` is the path of the request if its message was
   * Modern.
   */
  readonly seen: (modernPath: string | undefined) => void;
  readonly refused: (isRefused: boolean) => void;
  readonly waiting: (change: 1 | -1) => void;
}
