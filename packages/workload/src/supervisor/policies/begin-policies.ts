import path from 'node:path';
import { parseDuration, type SessionStore } from '@portolan/plugin-api';
import type { PlacedProxyMiddleware } from '@portolan/proxy';
import { DEFAULT_SESSION_TTL_MS, isVirtualServer, type RunConfig } from '@portolan/run-spec';
import { type ListenerAuth, openAuthProvider } from './open-auth-provider.ts';
import { OWN_REQUESTS_ONLY } from '../definitions/own-requests-only.ts';
import { watchNamedTools } from './named-tools.ts';
import { openMiddleware } from './open-middleware.ts';
import { forgetListedTools, keepListedTools } from '../../state/listed-tools.ts';
import type { Supervision } from '../supervision.ts';
import { watchSessionStore } from '../waiting.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { handedSecret } from './handed-secret.ts';

export interface OpenPolicies {
  readonly middleware: readonly PlacedProxyMiddleware[];
  readonly auth: ListenerAuth | undefined;
  readonly sessionStore: SessionStore | undefined;
  /** Idle time of sessions in milliseconds; undefined for the default. */
  readonly sessionTtlMs: number | undefined;
}

/** Policies of a workload that is started only to read its definitions: they reject every caller. */
const NO_CLIENTS: OpenPolicies = {
  middleware: [],
  auth: { authProvider: OWN_REQUESTS_ONLY, callersProve: true },
  sessionStore: undefined,
  sessionTtlMs: undefined,
};

/**
 * Begins to open the policies of the proxy, in parallel with the start of the container. Does nothing if the
 * policies are already opening. Awaiting `work.policies` throws the errors.
 */
export async function beginPolicies(work: Supervision): Promise<void> {
  if (work.policies !== undefined) return;
  const opening = openPolicies(work);
  work.policies = opening;
  // On close, wait until opening has finished, even if no step has awaited the policies.
  work.opened.push('policies', async () => {
    await Promise.allSettled([opening]);
  });
  opening.catch(() => undefined);
}

async function openPolicies(work: Supervision): Promise<OpenPolicies> {
  const { config, context, order } = work;
  if (order.readsDefinitions === true) return NO_CLIENTS;
  const opened = await openMiddleware(
    config,
    order.policySecrets,
    context,
    (kind) => (text) => work.notices.say(kind, text === '' ? '' : `${kind}: ${text}`),
  );
  const folder = path.join(context.directories.policies, config.name);
  // A list of tools from an earlier start may belong to another server.
  await forgetListedTools(folder);
  const watching = watchNamedTools({
    middleware: opened,
    logger: context.logger,
    // `mcp tools` shows the member of each tool.
    keepsAlways: isVirtualServer(config),
    keepNames: async (names) => {
      try {
        await keepListedTools(folder, names);
      } catch (error) {
        context.logger.warn(
          { err: error },
          'the list of tools cannot be stored; authz validate sees filtered lists',
        );
      }
    },
    remark: (text) => {
      if (text !== '') work.output.remark(text);
      work.notices.say('named-tools', text);
    },
  });
  const middleware = watching === undefined ? opened : [...opened, watching];
  const sessionTtlMs = sessionTtlOf(config);
  const ttlMs = sessionTtlMs ?? DEFAULT_SESSION_TTL_MS;
  const store = await openSessionStore(config, ttlMs, order.policySecrets, context);
  const sessionStore = store === undefined ? undefined : watchSessionStore(store, work);
  const auth = await openAuthProvider(config, order.policySecrets, context);
  return { middleware, auth, sessionStore, sessionTtlMs };
}

function sessionTtlOf({ session_ttl: text }: RunConfig): number | undefined {
  const sessionTtlMs = text === '' ? 0 : parseDuration(text);
  return sessionTtlMs === 0 ? undefined : sessionTtlMs;
}

/**
 * Opens the session store; undefined when the proxy keeps sessions in memory. All proxies of one remote
 * server share its sessions; sessions of a container belong to its workload. `secrets` maps names of secrets
 * to values.
 */
async function openSessionStore(
  config: RunConfig,
  ttlMs: number,
  secrets: Readonly<Record<string, string>>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<SessionStore | undefined> {
  const { session_store: address, session_store_password: password, remote_url: remote, name } = config;
  if (address === '') return undefined;
  return await kinds.openSessionStore({
    address: new URL(address),
    password: password === '' ? undefined : handedSecret(password, secrets, name),
    namespace: remote === '' ? `workload ${name}` : remote,
    ttlMs,
  });
}
