import type { HttpBackend, MessageBackend } from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import type { MemberOutcomes } from '@portolan/virtual-server';
import type { Supervision } from '../supervision.ts';

export interface MemberAccess {
  /** Name of the member, for messages. */
  readonly member: string;
  /** Client headers that the member gets. */
  readonly passHeaders: readonly string[];
  /** Whether the member gets the credentials of its run config, such as a login. */
  readonly isAuthenticated: boolean;
  /** Middleware that exchanges the token of each caller; empty when it is not exchanged. */
  readonly exchange: readonly PlacedProxyMiddleware[];
  readonly outcomes: MemberOutcomes;
}

export interface MemberBackend {
  readonly backend: MessageBackend;
  close(): Promise<void>;
}

/** Opens the backend of messages for a server that speaks HTTP. Throws like `openHttpBackend`. */
export async function openMemberBackend(
  server: HttpBackend,
  { member, passHeaders, isAuthenticated, exchange, outcomes }: MemberAccess,
  { context }: Pick<Supervision, 'context'>,
): Promise<MemberBackend> {
  // Loaded on demand, because a virtual server may have no such member.
  const { openHttpBackend } = await import('@portolan/proxy/http-backend');
  const { credentials: _credentials, ...bare } = server;
  const opened = await openHttpBackend(isAuthenticated ? server : bare, {
    version: context.version,
    name: `The member ${member}`,
    passHeaders,
    middleware: exchange,
    settled: (end, sender) => {
      // A request of the proxy itself has no token to exchange, so that its rejection shows that the member works.
      const isOwn = sender === undefined && exchange.length > 0 && end !== 'responded';
      outcomes.settled(isOwn && end.reason === 'unauthorized' ? 'responded' : end);
    },
    tell: (line) => context.logger.warn({ member }, line),
  });
  return {
    backend: opened.backend,
    close: async () => {
      await opened.close();
      server.agent?.destroy();
    },
  };
}
