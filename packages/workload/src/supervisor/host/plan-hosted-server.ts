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
 * Returns the description of a workload for a runtime's host. Plugins that tap `containerStart` see the
 * workload as a container spec, and may change or reject it. Throws what the plugins throw, and
 * ERR_RUNTIME_CANNOT for a change that hosts ignore.
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
  // Hosts replace `$(NAME)` in arguments by the variable, as Kubernetes does.
  const inline = Object.fromEntries(inlineValues(config.inline_secrets, order.policySecrets));
  const plain: ContainerSpec = {
    name: hostedNameOf(config.name),
    // Name the image by the verified digest, so that the host runs exactly this image.
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
    name: hostedNameOf(config.name),
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

/** Strictest hardening, for a server on a runtime's host. The host sets the user and the limits itself. */
const NOTHING_OPEN: Hardening = {
  privileged: false,
  writableRoot: false,
  user: undefined,
  hasHome: true,
  limits: undefined,
};

/** Returns the name of a server on its host. Hosts may use it as a file name, so that of a member has no slash. */
function hostedNameOf(workload: string): string {
  return workload.replace('/', '-member-');
}

function transportOf(name: string, isHttp: boolean): HostedServer['transport'] {
  if (!isHttp) return 'stdio';
  return name === 'sse' ? 'sse' : 'streamable-http';
}
