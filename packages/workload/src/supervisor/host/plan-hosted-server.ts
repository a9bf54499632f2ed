import type { ContainerSpec, HostDescription, HostedServer, Transport } from '@portolan/plugin-api';
import { readEgressRules } from '@portolan/outbound';
import { inlineValues, stdioSessionsOf } from '@portolan/run-spec';
import { workloadLabels } from '../../state/workload-labels.ts';
import { checkContainerSpec } from '../container/check-container-spec.ts';
import type { Hardening } from '../container/harden-container.ts';
import { settleContainer, type SettleRules } from '../container/settle-container.ts';
import { configIncomplete } from '../supervise-errors.ts';
import type { Supervision } from '../supervision.ts';
import { networkOf, requireHeeded } from './require-host-gives.ts';

/**
 * What a host is told of a workload. Plugins that tap `containerStart` see it
 * as the spec of a container, and may change or refuse it, as they could with
 * an engine; a change that no host heeds is refused. Throws what they throw.
 */
export async function planHostedServer(
  work: Supervision,
  transport: Transport,
  host: HostDescription,
): Promise<HostedServer> {
  const { config, context, order, state } = work;
  const isHttp = transport.carries === 'http';
  if (isHttp && config.target_port === 0) throw configIncomplete(config.name, 'target_port');
  const sessions = isHttp ? 'shared' : stdioSessionsOf(config);
  // Hosts fill `$(NAME)` in arguments from the variables, as Kubernetes does.
  const inline = Object.fromEntries(inlineValues(config.inline_secrets, order.policySecrets));
  const plain: ContainerSpec = {
    name: config.name,
    // What was verified is what is to run.
    image: state.imageDigest.includes('@') ? state.imageDigest : config.image,
    command: config.cmd_args,
    environment: { ...config.env_vars, ...inline, ...order.secrets },
    labels: workloadLabels(config, 'server', context.directories),
  };
  const port = isHttp ? config.target_port : undefined;
  const serves = sessions === 'own' ? 'session' : 'shared';
  const draft = transport.prepareContainer(plain, { port, serves });
  const check: SettleRules['check'] = (before, changed, plugin) => {
    checkContainerSpec(before, changed, { imageUser: '', plugin });
    requireHeeded(before, changed, { host: host.name, plugin });
  };
  const spec = await settleContainer(context.hooks, draft, { hardening: NOTHING_OPEN, check });
  const rules = readEgressRules(config.permission_profile?.network);
  return {
    name: config.name,
    labels: spec.labels,
    image: spec.image,
    arguments: spec.command,
    environment: spec.environment,
    secretNames: Object.keys({ ...inline, ...order.secrets }),
    transport: transportOf(config.transport, isHttp),
    port: port ?? 0,
    ...(isHttp && config.target_path !== '' ? { path: config.target_path } : {}),
    mode: config.proxy_mode === 'sse' ? 'sse' : 'streamable-http',
    sessions,
    network: networkOf(config),
    outbound: {
      allowAll: rules.allowAll,
      hosts: rules.hosts.map(({ written }) => written),
      ports: rules.ports,
    },
  };
}

/** The host closes the rest by itself; user and limits are its own. */
const NOTHING_OPEN: Hardening = {
  privileged: false,
  writableRoot: false,
  user: undefined,
  hasHome: true,
  limits: undefined,
};

function transportOf(name: string, isHttp: boolean): HostedServer['transport'] {
  if (!isHttp) return 'stdio';
  return name === 'sse' ? 'sse' : 'streamable-http';
}
