import { resolve } from 'node:path';
import type { PluginContext, Source, SourceKind, SourceReach } from '@portolan/plugin-api';
import { KubeconfigFault } from './access/kubeconfig-fault.ts';
import { type Access, readKubeconfig } from './access/read-kubeconfig.ts';
import { readPodAccess } from './access/read-pod-access.ts';
import { checkKubernetes } from './check-kubernetes.ts';
import { ClusterClient } from './cluster/cluster-client.ts';
import { ClusterSource } from './cluster-source.ts';
import { kubeconfigUnusable } from './errors.ts';
import { type KubernetesConfig, kubernetesConfig } from './kubernetes-config.ts';
import { PAUSES, type Pauses } from './watch/pauses.ts';

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
