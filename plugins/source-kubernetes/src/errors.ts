import { PortolanError } from '@portolan/plugin-api';

// Messages here are shown in the status of a source, to everyone who may see it. They contain namespaces and
// resources, but no host, path, token or certificate.

/** Creates the error for an unusable kubeconfig or context, found at a sync, after it changed. */
export function kubeconfigUnusable({
  place,
  found,
  expected,
  cause,
}: {
  readonly place: string;
  readonly found: string;
  readonly expected: string;
  readonly cause?: unknown;
}): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `In \`${place}\`, found ${found}; expected ${expected}.`,
    { hint: 'Correct the kubeconfig. Every sync reads it again.', cause },
  );
}

/** Creates the error for a missing `kubeconfig` outside of a pod with a service account. */
export function notInCluster(actual: string | undefined, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `The source has no \`kubeconfig\`, and this server has no service account of a Kubernetes cluster${actual === undefined ? '' : `: found ${actual}`}.`,
    { hint: 'Set `kubeconfig`, or run Portolan in a pod with a mounted service account token.', cause },
  );
}

/** Creates the error for an API server that is down or untrusted, or a lost connection. */
export function clusterUnreachable(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `The Kubernetes API server cannot be reached (${reason}).`,
    {
      hint: 'Check the server of the kubeconfig, its certificate authority, and that this machine may connect to it. See the log for the complete cause.',
      cause,
    },
  );
}

/** Creates the error for a token or certificate that the API server refuses, or that has expired. */
export function credentialsRefused(): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_DENIED',
    'unavailable',
    'The Kubernetes API server did not accept the credentials (status 401).',
    {
      hint: 'Renew the token or the client certificate of the kubeconfig. Every sync reads it again.',
    },
  );
}

/** Creates the error for a list that RBAC forbids. A single forbidden namespace keeps its last entries. */
export function listForbidden(resource: string, namespace: string | undefined): PortolanError {
  const where = namespace === undefined ? 'in all namespaces' : `in the namespace ${namespace}`;
  return new PortolanError(
    'ERR_KUBERNETES_FORBIDDEN',
    'unavailable',
    `The Kubernetes API server does not permit listing ${resource} ${where}.`,
    {
      hint:
        namespace === undefined
          ? 'Bind a ClusterRole with get, list and watch to the user of the source, or set its `namespaces`, or remove the resource from `resources`.'
          : 'Bind a Role with get, list and watch in that namespace to the user of the source, or remove the resource from `resources`.',
    },
  );
}

/** Creates the error for an API server that is starting, overloaded, or responds invalidly. */
export function answerUnusable(actual: string): PortolanError {
  return new PortolanError(
    'ERR_KUBERNETES_ANSWER',
    'unavailable',
    `The Kubernetes API server responded with ${actual}.`,
    { hint: 'Wait for the next sync, which retries. If the error persists, see the log of the API server.' },
  );
}

/** Creates the error for a request that the API server refuses as invalid, such as for its label selector. */
export function requestRefused(status: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `The Kubernetes API server refused the request (status ${status}).`,
    { hint: 'Check `labelSelector` with `kubectl get services -l SELECTOR`.' },
  );
}
