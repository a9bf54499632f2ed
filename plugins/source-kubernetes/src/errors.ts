import { PortolanError } from '@portolan/plugin-api';

// Everyone who may see a source reads these messages in its status: they name
// namespaces and resources, but no host, path, token or certificate.

/** The kubeconfig, or the context of it, cannot be used; found when the source is read, after it changed. */
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
    { hint: 'Correct the kubeconfig; it is read again with every sync.', cause },
  );
}

/** `kubeconfig` is left out, and this is no pod with a service account. */
export function notInCluster(found: string | undefined, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `The source has no \`kubeconfig\`, and this server has no service account of a Kubernetes cluster${found === undefined ? '' : `: found ${found}`}.`,
    { hint: 'Name a kubeconfig, or run Portolan in a pod whose service account token is mounted.', cause },
  );
}

/** The API server is down, or not to be trusted, or the connection broke. */
export function clusterUnreachable(reason: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_UNREACHABLE',
    'unavailable',
    `The Kubernetes API server cannot be reached (${reason}).`,
    {
      hint: 'Check the server of the kubeconfig, its certificate authority, and that this machine may connect to it. The log has the whole cause.',
      cause,
    },
  );
}

/** The API server does not know the token or the certificate, or it has run out. */
export function credentialsRefused(): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_DENIED',
    'unavailable',
    'The Kubernetes API server did not accept the credentials (status 401).',
    {
      hint: 'Renew the token or the client certificate of the kubeconfig; it is read again with every sync.',
    },
  );
}

/** RBAC does not allow what has to be read. One namespace that may not be listed keeps its last good entries. */
export function listForbidden(resource: string, namespace: string | undefined): PortolanError {
  const where = namespace === undefined ? 'in all namespaces' : `in the namespace ${namespace}`;
  return new PortolanError(
    'ERR_KUBERNETES_FORBIDDEN',
    'unavailable',
    `The Kubernetes API server does not allow to list ${resource} ${where}.`,
    {
      hint:
        namespace === undefined
          ? 'Bind a ClusterRole with get, list and watch to the user of the source, or name its `namespaces`, or leave the resource out of `resources`.'
          : 'Bind a Role with get, list and watch in that namespace to the user of the source, or leave the resource out of `resources`.',
    },
  );
}

/** The API server is starting, overloaded, or answers with what it should not. */
export function answerUnusable(found: string): PortolanError {
  return new PortolanError(
    'ERR_KUBERNETES_ANSWER',
    'unavailable',
    `The Kubernetes API server answered with ${found}.`,
    { hint: 'It is asked again with the next sync; if this goes on, see the log of the API server.' },
  );
}

/** The API server refuses a request as such: it does not understand the label selector. */
export function requestRefused(status: number): PortolanError {
  return new PortolanError(
    'ERR_SOURCE_CONFIG',
    'fault',
    `The Kubernetes API server refused the request (status ${status}).`,
    { hint: 'Check `labelSelector` with `kubectl get services -l SELECTOR`.' },
  );
}
