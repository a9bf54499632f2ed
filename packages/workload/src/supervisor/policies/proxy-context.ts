import path from 'node:path';
import type { ProxyContext } from '@portolan/plugin-api';
import { isVirtualServer, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import { handedSecret } from './handed-secret.ts';

/** Returns the context that a workload's middleware gets. `secrets` maps names of secrets to values. */
export function proxyContext(
  config: RunConfig,
  secrets: Readonly<Record<string, string>>,
  { directories, version }: Pick<WorkloadContext, 'directories' | 'version'>,
  remark: ProxyContext['remark'],
): ProxyContext {
  return {
    workload: {
      name: config.name,
      server: config.registry_server_name === '' ? config.name : config.registry_server_name,
      transport: config.transport,
      isRemote: config.remote_url !== '',
      hasMembers: isVirtualServer(config),
      trustsProxyHeaders: config.trust_proxy_headers,
      directory: path.join(directories.policies, config.name),
    },
    version,
    remark,
    secret: (reference) => handedSecret(reference, secrets, config.name),
  };
}
