import type { ForwardedHeader, HttpBackend } from '@portolan/plugin-api';
import { requireKnownHost } from './require-known-host.ts';
import type { ServerSide } from './server-side.ts';
import type { Supervision } from './supervision.ts';

/** A server that somebody else runs: there is nothing to start, and nothing to end. */
export function remoteServer(work: Supervision): ServerSide {
  const { config, context, record, order } = work;
  const checksHealth = /^(?:1|true)$/i.test(context.environment['PORTOLAN_REMOTE_HEALTHCHECKS'] ?? '');
  const backend: HttpBackend = {
    carries: 'http',
    transport: config.transport === 'sse' ? 'sse' : 'streamable-http',
    target: new URL(config.remote_url),
    isRemote: true,
    forwardHeaders: forwardedHeaders({ ...config.header_forward?.add_plaintext_headers, ...order.headers }),
    checksHealth,
  };
  return {
    backend,
    start: async () => {
      // One that ran before may be away because the network is not there yet.
      if (work.state.startedAt === undefined) await requireKnownHost(backend.target);
      work.lifecycle.begin();
    },
    notAnswering: (reason) => {
      record.note((state) => ({ ...state, status: 'unhealthy', statusContext: reason }));
    },
    close: () => Promise.resolve(),
  };
}

function forwardedHeaders(headers: Readonly<Record<string, string>>): readonly ForwardedHeader[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
