import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { notInCluster } from '../errors.ts';
import { readCluster } from './read-cluster.ts';
import { KubeconfigFault } from './kubeconfig-fault.ts';
import type { Access } from './read-kubeconfig.ts';
import { readUser } from './read-user.ts';

/** Folder of the service account in each pod of Kubernetes. */
export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Returns the access with the pod's service account, whose token Kubernetes renews regularly. Throws
 * ERR_SOURCE_CONFIG without a service account.
 */
export function readPodAccess(
  environment: Readonly<Record<string, string | undefined>>,
  folder = SERVICE_ACCOUNT,
): Access {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const pathOf = (file: string): string => join(folder, file);
  try {
    return {
      cluster: readCluster({ server, 'certificate-authority': 'ca.crt' }, pathOf),
      user: readUser({ tokenFile: 'token' }, pathOf),
    };
  } catch (error) {
    throw notInCluster(error instanceof KubeconfigFault ? error.found : undefined, error);
  }
}
