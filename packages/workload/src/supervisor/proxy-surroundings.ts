import path from 'node:path';
import { PortolanError, type ProxySurroundings } from '@portolan/plugin-api';
import { findSecretReference, quote, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

/** What the middleware in front of a workload is told. `secrets` are by name. */
export function proxySurroundings(
  config: RunConfig,
  secrets: Readonly<Record<string, string>>,
  { directories, version }: Pick<WorkloadContext, 'directories' | 'version'>,
  remark: ProxySurroundings['remark'],
): ProxySurroundings {
  return {
    workload: {
      name: config.name,
      server: config.registry_server_name === '' ? config.name : config.registry_server_name,
      transport: config.transport,
      isRemote: config.remote_url !== '',
      trustsProxyHeaders: config.trust_proxy_headers,
      directory: path.join(directories.policies, config.name),
    },
    version,
    remark,
    secret: (reference) => {
      const name = findSecretReference(reference)?.name ?? reference;
      const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      if (value === undefined) throw secretNotHandedOver(name, config.name);
      return value;
    },
  };
}

function secretNotHandedOver(name: string, workload: string): PortolanError {
  return new PortolanError(
    'ERR_SECRET_NOT_FOUND',
    'absent',
    `A policy of ${workload} asks for the secret ${quote(name)}, which its run config does not name.`,
    { hint: 'It was not handed over when the workload was started: look at the settings of its policies.' },
  );
}
