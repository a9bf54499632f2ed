import { resolve, join } from 'node:path';
import type { PluginContext, Source, SourceKind, SourceReach, KindProblem } from '@portolan/plugin-api';
import { KubeconfigFault } from './access/kubeconfig-fault.ts';
import { type Access, readKubeconfig } from './access/read-kubeconfig.ts';
import { ClusterClient } from './cluster/cluster-client.ts';
import { ClusterSource } from './cluster-source.ts';
import { kubeconfigUnusable, notInCluster } from './errors.ts';
import { type KubernetesConfig, kubernetesConfig } from './kubernetes-config.ts';
import { PAUSES, type Pauses } from './watch/pauses.ts';
import { isIPv6 } from 'node:net';
import { readCluster } from './access/read-cluster.ts';
import { readUser } from './access/read-user.ts';

const LABEL = '(?:[a-zA-Z0-9.-]+/)?[a-zA-Z0-9](?:[\\w.-]{0,61}[a-zA-Z0-9])?';
const VALUE = '(?:[a-zA-Z0-9](?:[\\w.-]{0,61}[a-zA-Z0-9])?)?';
const SET = `\\(\\s*${VALUE}(?:\\s*,\\s*${VALUE})*\\s*\\)`;
const REQUIREMENT = `\\s*(?:!\\s*${LABEL}|${LABEL}(?:\\s*(?:==|=|!=)\\s*${VALUE}|\\s+(?:in|notin)\\s*${SET})?)\\s*`;
const SELECTOR = new RegExp(`^${REQUIREMENT}(?:,${REQUIREMENT})*$`);

/** Returns problems of a block. Reads the kubeconfig but does not contact the cluster. */
function checkKubernetes(
  config: Partial<KubernetesConfig>,
  { directory }: { readonly directory: string },
): readonly KindProblem[] {
  return [...checkAccess(config, directory), ...checkSelector(config)];
}

function checkAccess(
  { kubeconfig, context }: Partial<KubernetesConfig>,
  directory: string,
): readonly KindProblem[] {
  if (kubeconfig === undefined) {
    const found = `${JSON.stringify(context)} without kubeconfig`;
    return context === undefined
      ? []
      : [{ place: 'context', found, expected: 'no value, because contexts are defined by a kubeconfig' }];
  }
  try {
    readKubeconfig({ shown: kubeconfig, file: resolve(directory, kubeconfig), context });
    return [];
  } catch (error) {
    if (!(error instanceof KubeconfigFault)) throw error;
    const { place, found, expected } = error;
    return [{ place, found, expected }];
  }
}

function checkSelector({ labelSelector }: Partial<KubernetesConfig>): readonly KindProblem[] {
  if (labelSelector === undefined || (labelSelector.length <= 1000 && SELECTOR.test(labelSelector)))
    return [];
  const expected = 'labels as for `kubectl get -l`, such as `app=notes,tier in (a,b)`';
  return [{ place: 'labelSelector', found: JSON.stringify(labelSelector.slice(0, 100)), expected }];
}

/** Folder of the service account in each pod of Kubernetes. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Returns the access with the pod's service account, whose token Kubernetes renews regularly. Throws
 * ERR_SOURCE_CONFIG without a service account.
 */
function readPodAccess(
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

/**
 * Source kind `kubernetes`: annotated objects of a cluster, whose claims come from an annotation of each
 * object.
 */
export const kubernetesSource: SourceKind<typeof kubernetesConfig> = {
  kind: 'kubernetes',
  config: kubernetesConfig,
  claimsFrom: 'entry',
  reaches,
  check: checkKubernetes,
  create: (config, context) => createSource(config, context),
};

/** Without a kubeconfig, the source uses the service account of the server's pod. */
function reaches({ kubeconfig }: Pick<KubernetesConfig, 'kubeconfig'>): SourceReach {
  const hosts = [{ scheme: 'https', host: 'kubernetes.default.svc', port: 443 }];
  if (kubeconfig === undefined)
    return { files: [], urls: [], hosts, serverCredentials: 'the service account of the server' };
  const expected = 'none: only a source of the configuration file may have one';
  return { files: [], urls: [], refused: [{ place: 'kubeconfig', found: 'a kubeconfig', expected }] };
}

/** External services that a source uses; tests replace them. */
export interface ClusterContext {
  readonly pauses?: Pauses;
  readonly serviceAccount?: string;
}

export function createSource(
  config: KubernetesConfig,
  context: Pick<PluginContext, 'directory' | 'environment' | 'clock' | 'nowMs' | 'logger'>,
  { pauses = PAUSES, serviceAccount }: ClusterContext = {},
): Source {
  const { kubeconfig, context: named, namespaces, resources, labelSelector, namePrefix } = config;
  const { directory, environment } = context;
  return new ClusterSource({
    namespaces,
    resources,
    labelSelector,
    namePrefix,
    context,
    pauses,
    open: async () =>
      await ClusterClient.open(
        kubeconfig === undefined
          ? readPodAccess(environment, serviceAccount)
          : accessOf(kubeconfig, named, directory),
      ),
  });
}

/** Returns how to connect. Reads the files each time, because tokens and certificates are replaced. */
function accessOf(kubeconfig: string, named: string | undefined, directory: string): Access {
  try {
    return readKubeconfig({ shown: kubeconfig, file: resolve(directory, kubeconfig), context: named });
  } catch (error) {
    if (error instanceof KubeconfigFault) throw kubeconfigUnusable(error);
    throw error;
  }
}
