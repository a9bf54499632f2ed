import { announceToClients } from '../clients/announce-to-clients.ts';
import { waitForListen } from './wait-for-listen.ts';
import { beginPolicies } from './policies/begin-policies.ts';
import { mayDrift } from './drift/may-drift.ts';
import { openOneServer } from './server/open-one-server.ts';
import type { ServerSide } from './server/server-side.ts';
import { trustAuthoritiesOf } from '../build/trust-authorities.ts';
import { findProblemOf, refuseIssuer } from './issuer-problem.ts';
import { isVirtualServer, namedCredentials, type RunConfig } from '@portolan/run-spec';
import { required, type Supervision } from './supervision.ts';
import type { WorkloadState } from '../state/workload-state.ts';
import { awaitReturn } from './waiting.ts';
import type { AuthProvider, Logger, ProxyMiddleware } from '@portolan/plugin-api';

export interface StartStep {
  readonly name: string;
  readonly run: (work: Supervision) => Promise<void>;
}

/**
 * Steps of a start, from the run config to a workload that responds. Each step pushes what it opens on the
 * undo stack.
 */
export const START_STEPS: readonly StartStep[] = [
  { name: 'trustAuthorities', run: ({ config, context }) => trustAuthoritiesOf(config, context) },
  { name: 'openDrift', run: openDrift },
  { name: 'openServer', run: openServer },
  { name: 'beginServer', run: beginServer },
  { name: 'beginPolicies', run: beginPolicies },
  { name: 'openFront', run: openProxyStep },
  { name: 'startServer', run: startServer },
  { name: 'warmPolicies', run: warmPolicies },
  { name: 'askIssuer', run: askIssuer },
  { name: 'awaitServer', run: awaitServer },
  { name: 'checkDrift', run: async ({ drift }) => await drift?.check() },
  { name: 'refuseIssuer', run: async ({ issuerProblem }) => refuseIssuer(await issuerProblem) },
  { name: 'serveDefinitions', run: serveDefinitionsStep },
  { name: 'recordRunning', run: recordRunning },
];

const STARTING = { report: 'step', step: 'container', text: 'Starting the server' } as const;

/** Opens the guard of what was approved, if the workload needs one. */
async function openDrift(work: Supervision): Promise<void> {
  // A workload that is started only for `portolan lock` has no clients, and its lock may not be complete yet.
  if (work.order.readsDefinitions === true) return;
  if (!(await mayDrift(work.config, work.context.directories))) return;
  // Loaded on demand, because most workloads have neither a lock nor policies.
  const { WorkloadDrift } = await import('./drift/workload-drift.ts');
  work.drift = await WorkloadDrift.open(work);
}

async function openServer(work: Supervision): Promise<void> {
  const server = await openServerOf(work);
  work.opened.push('server', () => server.close());
  work.server = server;
}

/** Opens the server. For all but containers, the policies open meanwhile, since this is mostly waiting. */
async function openServerOf(work: Supervision): Promise<ServerSide> {
  if (!isVirtualServer(work.config)) return await openOneServer(work, beginPolicies);
  await beginPolicies(work);
  const { openMembers } = await import('./members/open-members.ts');
  return await openMembers(work);
}

/**
 * Begins to start the server before the proxy and its policies are loaded, because both take about equally
 * long. No client reaches the server before the proxy listens.
 */
async function beginServer(work: Supervision): Promise<void> {
  const server = required(work.server, 'server');
  if (server.begin === undefined || server.startsLater === true) return;
  work.report(STARTING);
  await server.begin();
}

async function openProxyStep(work: Supervision): Promise<void> {
  const front = await import('./open-client-listener.ts');
  await front.openClientListener(work);
}

async function serveDefinitionsStep(work: Supervision): Promise<void> {
  if (work.lifecycle.isOver) return;
  const { serveDefinitions } = await import('./definitions/serve-definitions.ts');
  await serveDefinitions(work);
}

async function startServer(work: Supervision): Promise<void> {
  const server = required(work.server, 'server');
  if (server.startsLater === true) return;
  if (work.config.remote_url === '' && server.begin === undefined) work.report(STARTING);
  await server.start();
}

async function awaitServer(work: Supervision): Promise<void> {
  if (required(work.server, 'server').startsLater === true) return;
  work.report({ report: 'step', step: 'server', text: 'Waiting for the server to respond' });
  await waitForListen(work);
}

async function askIssuer(work: Supervision): Promise<void> {
  const { auth } = await required(work.policies, 'policies');
  if (auth === undefined) return;
  const asking = findProblemOf(auth.authProvider, work.lifecycle.signal);
  asking.catch(() => undefined); // The step `refuseIssuer` awaits this promise and throws the error.
  work.issuerProblem = asking;
}

async function recordRunning(work: Supervision): Promise<void> {
  const { config, record, context, instance, lifecycle } = work;
  const isSse = config.proxy_mode === 'sse' || config.transport === 'sse';
  const url = `${required(work.proxy, 'proxy').url}${isSse ? `#${config.name}` : ''}`;
  let own: Pick<WorkloadState, 'status' | 'statusContext'> = statusOf(work);
  await record.change((state) => {
    // Keep this status: the server responds, but clients cannot use it without a login.
    if (state.status === 'unauthenticated') own = state;
    const { status, statusContext } = own;
    return { ...state, status, statusContext, startedAt: context.clock(), instance, url };
  });
  await tellClients(work);
  if (lifecycle.isOver) return;
  lifecycle.ready();
  if (work.waiting !== undefined) {
    const text = `${config.name} has started, and waits: ${work.waiting.why}. See \`portolan status ${config.name}\`.`;
    work.report({ report: 'warning', text });
    void awaitReturn(work);
  }
  if (own.status === 'unauthenticated') {
    work.report({ report: 'warning', text: warnUnauthenticated(config, own.statusContext) });
  }
  work.report({ report: 'ready', url, instance, status: own.status });
}

function warnUnauthenticated(config: RunConfig, why: string): string {
  const { name, remote_url: url } = config;
  const text = `${name} has started, but its remote server responds with 401: ${why}`;
  if (why.includes(`portolan login ${name}`) || namedCredentials(config) !== undefined) return text;
  return `${text}. To log in: portolan run ${url} --name=${name} --replace --remote-auth; with another token: --remote-auth-bearer-token-file FILE in place of --remote-auth.`;
}

function statusOf({ waiting, server }: Supervision): Pick<WorkloadState, 'status' | 'statusContext'> {
  if (server?.isIdle === true) return { status: 'idle', statusContext: '' };
  return waiting === undefined
    ? { status: 'running', statusContext: '' }
    : { status: waiting.status, statusContext: waiting.why };
}

/**
 * Writes the address into client files. The supervisor does this because the command may have exited already.
 */
async function tellClients({ config, context, report }: Supervision): Promise<void> {
  await announceToClients(config, context, { warn: (text) => report({ report: 'warning', text }) });
}

type Warming = Pick<AuthProvider | ProxyMiddleware, 'warmUp'>;

interface WarmedWork {
  readonly context: { readonly logger: Pick<Logger, 'debug'> };
  readonly policies?:
    | Promise<{
        readonly middleware: readonly { readonly instance: Warming }[];
        readonly auth: { readonly authProvider: Warming } | undefined;
      }>
    | undefined;
}

/**
 * Lets policies do slow preparations in the background, so that the first caller need not wait for them.
 * Errors are only logged, because the first caller gets the same error again.
 */
export async function warmPolicies({ policies, context }: WarmedWork): Promise<void> {
  const { middleware, auth } = await required(policies, 'policies');
  const all = middleware.map(({ instance }) => instance);
  for (const one of auth === undefined ? all : [auth.authProvider, ...all]) void warm(one, context.logger);
}

async function warm(one: Warming, logger: Pick<Logger, 'debug'>): Promise<void> {
  try {
    await one.warmUp?.();
  } catch (error) {
    logger.debug({ err: error }, 'a policy could not be prepared for its first caller');
  }
}
