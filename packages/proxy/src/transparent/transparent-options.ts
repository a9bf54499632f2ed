import type { ForwardedHeader, OutgoingCredentials } from '@portolan/plugin-api';
import type { PrefixOptions } from '../request/endpoint-prefix.ts';
import type { CredentialSources } from './forward/ask-credentials.ts';
import type { BackendSessions } from './sessions/backend-sessions.ts';
import type { EventStreams } from './event-streams.ts';
import type { ClientLogins } from './client-logins.ts';
import type { Forwarder } from './forward/open-forwarder.ts';

/** The parts of a proxy for a server that speaks HTTP. */
export interface TransparentOptions extends PrefixOptions {
  readonly forwarder: Forwarder;
  /** For requests other than MCP. */
  readonly pageForwarder: Forwarder;
  readonly transport: 'streamable-http' | 'sse';
  readonly target: URL;
  /** Path at which clients connect to the server. */
  readonly clientPath: string;
  readonly isRemote: boolean;
  /** Whether the server keeps no state between requests: no session id passes, in either direction. */
  readonly isStateless: boolean;
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly credentials: CredentialSources;
  /**
   * Called with the credentials that the server has refused, before a request is sent a second time;
   * undefined: it is not.
   */
  readonly askRefused: OutgoingCredentials['refused'];
  /** Advice for clients when the server refuses the credentials of the workload. */
  readonly renewal: string;
  /** Undefined: clients cannot log in at the server themselves. */
  readonly clientLogins: ClientLogins | undefined;
  readonly sessions: BackendSessions;
  /** Open streams of HTTP+SSE by their endpoints. Some servers announce one endpoint to all clients. */
  readonly streams: EventStreams;
  /** Whether responses are judged, so that they must not be compressed. */
  readonly readsAnswers: boolean;
  /** Whether the negotiated revision of a session is needed. */
  readonly readsRevisions: boolean;
  /** Called when the server responded to a message. For a self-describing message, with its path. */
  readonly seen: (modernPath: string | undefined) => void;
  /** Called when a remote begins or stops to refuse the workload's credentials. */
  readonly refused: (isRefused: boolean) => void;
  /** Counts requests that wait for the server, by +1 and -1. */
  readonly waiting: (change: 1 | -1) => void;
}
