import type { ForwardedHeader, HttpBackend } from '@portolan/plugin-api';
import type { LoginState } from '@portolan/oauth-client';
import type { OpenLogin } from '../login/open-login.ts';
import { requireKnownHost } from './require-known-host.ts';
import type { ServerSide } from './server-side.ts';
import type { Supervision } from './supervision.ts';

/** A server that somebody else runs: there is nothing to start, and nothing to end. */
export async function remoteServer(work: Supervision): Promise<ServerSide> {
  const { config, context, record, order } = work;
  const checksHealth = /^(?:1|true)$/i.test(context.environment['PORTOLAN_REMOTE_HEALTHCHECKS'] ?? '');
  const login = await loginOf(work);
  const backend: HttpBackend = {
    carries: 'http',
    transport: config.transport === 'sse' ? 'sse' : 'streamable-http',
    target: new URL(config.remote_url),
    isRemote: true,
    forwardHeaders: forwardedHeaders({ ...config.header_forward?.add_plaintext_headers, ...order.headers }),
    checksHealth,
    ...(login === undefined ? {} : { credentials: login }),
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
    close: async () => {
      await login?.close();
    },
  };
}

/** One that proves itself by a header of the user's needs none. */
async function loginOf(work: Supervision): Promise<OpenLogin | undefined> {
  const { config, context, order } = work;
  const names = Object.keys({ ...config.header_forward?.add_plaintext_headers, ...order.headers });
  if (names.some((name) => name.toLowerCase() === 'authorization')) return undefined;
  const { openLogin } = await import('../login/open-login.ts');
  const changed = (state: LoginState): void => noteLogin(work, state);
  const lacking = (missingScopes: readonly string[]): void => {
    work.record.note((state) => ({ ...state, missingScopes }));
  };
  const { policySecrets: secrets, login: handed } = order;
  return await openLogin({ config, secrets, handed, changed, lacking, stepUp: work.stepUp }, context);
}

function noteLogin({ record, lifecycle, config }: Supervision, state: LoginState): void {
  const well = lifecycle.isStarting ? 'starting' : 'running';
  record.note((before) => {
    if (state.is === 'retrying') return { ...before, status: 'auth_retrying', statusContext: state.why };
    if (state.is === 'over') {
      return {
        ...before,
        status: 'unauthenticated',
        statusContext: `${state.why} Log in again: portolan login ${config.name}`,
      };
    }
    const isOurs = before.status === 'auth_retrying' || before.status === 'unauthenticated';
    return isOurs ? { ...before, status: well, statusContext: '' } : before;
  });
}

function forwardedHeaders(headers: Readonly<Record<string, string>>): readonly ForwardedHeader[] {
  return Object.entries(headers).map(([name, value]) => ({ name, value }));
}
