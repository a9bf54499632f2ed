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
  readonly pageForwarder: Forwarder;
  readonly transport: 'streamable-http' | 'sse';
  readonly target: URL;
  readonly clientPath: string;
  readonly isRemote: boolean;
  /** Whether the server is stateless, so that no session id is forwarded in either direction. */
  readonly isStateless: boolean;
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly credentials: CredentialSources;
  /**
   * Called with the rejected credentials before the request is sent again. Undefined: requests are not
   * repeated.
   */
  readonly askRefused: OutgoingCredentials['refused'];
  /** Hint for clients when the server rejects the workload's credentials. */
  readonly renewal: string;
  /** Undefined: clients cannot log in at the server themselves. */
  readonly clientLogins: ClientLogins | undefined;
  readonly sessions: BackendSessions;
  /** Open streams of HTTP+SSE by their endpoints. Some servers announce one endpoint to all clients. */
  readonly streams: EventStreams;
  /** Whether policies read responses, which must therefore not be compressed. */
  readonly readsAnswers: boolean;
  readonly readsRevisions: boolean;
  /** Called when the server responds to a message, with the path for a Modern message. */
  readonly seen: (modernPath: string | undefined) => void;
  /** Called when a remote server starts or stops rejecting the workload's credentials. */
  readonly refused: (isRefused: boolean) => void;
  readonly waiting: (change: 1 | -1) => void;
}
