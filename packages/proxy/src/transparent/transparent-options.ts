import type { ForwardedHeader, OutgoingCredentials } from '@portolan/plugin-api';
import type { PrefixOptions } from '../request/endpoint-prefix.ts';
import type { CredentialSources } from './forward/ask-credentials.ts';
import type { BackendSessions } from './sessions/backend-sessions.ts';
import type { EventStreams } from './event-streams.ts';
import type { ClientLogins } from './client-logins.ts';
import type { Forwarder } from './forward/open-forwarder.ts';

/** What a proxy to a server that speaks HTTP itself is made of. */
export interface TransparentOptions extends PrefixOptions {
  readonly forwarder: Forwarder;
  /** For what is not MCP. */
  readonly pageForwarder: Forwarder;
  readonly transport: 'streamable-http' | 'sse';
  readonly target: URL;
  /** Path at which clients reach the server. */
  readonly clientPath: string;
  readonly isRemote: boolean;
  /** Whether the server keeps nothing between requests: no session id passes, in either direction. */
  readonly isStateless: boolean;
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly credentials: CredentialSources;
  /** Told which credentials the server has refused, before a request is sent a second time; undefined: none is. */
  readonly askRefused: OutgoingCredentials['refused'];
  /** What clients are told to do when the server refuses the credentials of the workload. */
  readonly renewal: string;
  /** Undefined: clients cannot log in at the server by themselves. */
  readonly clientLogins: ClientLogins | undefined;
  readonly sessions: BackendSessions;
  /** Open streams of HTTP+SSE by their endpoints. Some servers announce one endpoint to all clients. */
  readonly streams: EventStreams;
  /** Whether what comes back is judged, so that it may not be compressed. */
  readonly readsAnswers: boolean;
  /** Whether it counts on which revision a session has agreed. */
  readonly readsRevisions: boolean;
  /** The server answered a message: it is there. Of a message that describes itself, with the path it went to. */
  readonly seen: (modernPath: string | undefined) => void;
  /** A remote wants other credentials than the workload has, or does no longer. */
  readonly refused: (isRefused: boolean) => void;
  /** Counts requests that wait for the server, by +1 and -1. */
  readonly waiting: (change: 1 | -1) => void;
}
