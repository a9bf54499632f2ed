import { resolve } from 'node:path';
import type { KindProblem } from '@portolan/plugin-api';
import { KubeconfigFault } from './access/kubeconfig-fault.ts';
import { readKubeconfig } from './access/read-kubeconfig.ts';
import type { KubernetesConfig } from './kubernetes-config.ts';

const LABEL = '(?:[a-zA-Z0-9.-]+/)?[a-zA-Z0-9](?:[\\w.-]{0,61}[a-zA-Z0-9])?';
const VALUE = '(?:[a-zA-Z0-9](?:[\\w.-]{0,61}[a-zA-Z0-9])?)?';
const SET = `\\(\\s*${VALUE}(?:\\s*,\\s*${VALUE})*\\s*\\)`;
const REQUIREMENT = `\\s*(?:!\\s*${LABEL}|${LABEL}(?:\\s*(?:==|=|!=)\\s*${VALUE}|\\s+(?:in|notin)\\s*${SET})?)\\s*`;
const SELECTOR = new RegExp(`^${REQUIREMENT}(?:,${REQUIREMENT})*$`);

/** Returns problems of a block. Reads the kubeconfig but does not contact the cluster. */
export function checkKubernetes(
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
