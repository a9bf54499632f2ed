import {
  type Carries,
  type KnownTransports,
  type RunConfig,
  chooseProxyMode,
  chooseTargetPort,
  chooseTransport,
  containerNameOf,
  isVirtualServer,
  liftSecrets,
  normalizeRunConfig,
  refuseTokenExchange,
  requireTransport,
} from '@portolan/run-spec';
import type { StoredWorkload } from '../../state/workload-store.ts';
import { chooseFreePort, chooseProxyPort, isAnyPort } from './choose-ports.ts';
import type { ProvidedImage } from './provide-image.ts';
import type { SettledRun } from './settled-run.ts';

export interface FileFacts {
  readonly image: ProvidedImage | undefined;
  readonly transports: KnownTransports;
  readonly workloads: readonly StoredWorkload[];
  readonly replaced: RunConfig | undefined;
}

/**
 * Completes a run config with the defaults that a command line without flags has. If the file names a port,
 * no other port may replace it.
 */
export async function settleFile(config: RunConfig, facts: FileFacts): Promise<SettledRun> {
  const { image, workloads, replaced } = facts;
  const transport = isVirtualServer(config) ? transportOfMembers(config) : transportOf(config, facts);
  const carries = isVirtualServer(config) ? 'messages' : (facts.transports.get(transport) ?? 'messages');
  if (carries === 'messages' && config.token_exchange_config !== undefined) {
    refuseTokenExchange('token_exchange_config');
  }
  const host = config.host === '' ? '127.0.0.1' : config.host;
  const proxyPort = await chooseProxyPort({
    host,
    proxyPort: config.port === 0 ? undefined : { value: config.port, from: 'file', by: 'port' },
    workloads,
    replaced,
  });
  const lifted = liftSecrets(
    normalizeRunConfig({
      ...config,
      image: image?.reference ?? config.image,
      transport,
      proxy_mode:
        config.proxy_mode === '' ? chooseProxyMode(transport, carries, undefined).value : config.proxy_mode,
      host,
      port: proxyPort.value,
      target_port: await targetPortOf(config, carries, proxyPort.value, facts),
      target_host: targetHostOf(config),
      base_name: config.name,
      container_name: mayHaveOwnContainer(config) ? containerNameOf(config.name) : '',
      group: config.group === '' ? 'default' : config.group,
    }),
  );
  return {
    config: lifted.config,
    secrets: lifted.secrets,
    imageDigest: image?.digest ?? '',
    isAnyPort: isAnyPort(proxyPort),
  };
}

function mayHaveOwnContainer(config: RunConfig): boolean {
  return config.remote_url === '' && !isVirtualServer(config);
}

/** Returns the transport that clients of a virtual server use. */
function transportOfMembers({ transport, proxy_mode: mode }: RunConfig): string {
  return transport === 'sse' || (transport === '' && mode === 'sse') ? 'sse' : 'streamable-http';
}

function transportOf(config: RunConfig, { image, transports }: FileFacts): string {
  if (config.transport !== '') return requireTransport(config.transport, 'transport', transports);
  const chosen = chooseTransport({
    target: config.remote_url === '' ? 'image' : 'url',
    transports,
    flag: undefined,
    registry: undefined,
    targetPortFlag: config.target_port === 0 ? undefined : config.target_port,
    targetPathFlag: config.target_path === '' ? undefined : config.target_path,
    exposedPorts: image?.exposedPorts ?? [],
    url: config.remote_url === '' ? undefined : new URL(config.remote_url),
  });
  return chosen?.value ?? 'stdio';
}

async function targetPortOf(
  config: RunConfig,
  carries: Carries,
  proxyPort: number,
  { image, workloads }: FileFacts,
): Promise<number> {
  if (config.remote_url !== '' || carries === 'messages') return config.target_port;
  const chosen = chooseTargetPort({
    carries,
    flag: config.target_port === 0 ? undefined : config.target_port,
    registry: undefined,
    exposedPorts: image?.exposedPorts ?? [],
    freePort: await chooseFreePort(workloads, proxyPort),
  });
  return chosen?.value ?? 0;
}

function targetHostOf({ remote_url: url, target_host: named }: RunConfig): string {
  if (url !== '') return new URL(url).hostname.replace(/^\[|\]$/g, '');
  return named === '' ? '127.0.0.1' : named;
}
