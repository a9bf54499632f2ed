import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { notInCluster } from '../errors.ts';
import { readCluster } from './read-cluster.ts';
import { KubeconfigFault } from './kubeconfig-fault.ts';
import type { Access } from './read-kubeconfig.ts';
import { readUser } from './read-user.ts';

/** Where Kubernetes puts the service account into each pod. */
export const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The cluster around, as the service account of the pod, whose token is replaced
 * from time to time. Throws ERR_SOURCE_CONFIG where there is none.
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
