import type { KubernetesConfig } from '../kubernetes-config.ts';

export type ResourceName = KubernetesConfig['resources'][number];

/** What of a cluster is read: where it is in the API, and as what people know it. */
export interface Resource {
  readonly name: ResourceName;
  readonly kind: string;
  /** Ways to it, each without its end; the first that the cluster has is taken. */
  readonly roots: readonly string[];
}

const OPERATOR = '/apis/toolhive.stacklok.dev';
const GATEWAY = '/apis/gateway.networking.k8s.io';

/** By precedence: of two objects of one name, the one whose resource stands first has the entry. */
export const RESOURCES: readonly Resource[] = [
  { name: 'mcpservers', kind: 'MCPServer', roots: [`${OPERATOR}/v1beta1`, `${OPERATOR}/v1alpha1`] },
  {
    name: 'virtualmcpservers',
    kind: 'VirtualMCPServer',
    roots: [`${OPERATOR}/v1beta1`, `${OPERATOR}/v1alpha1`],
  },
  {
    name: 'mcpremoteproxies',
    kind: 'MCPRemoteProxy',
    roots: [`${OPERATOR}/v1beta1`, `${OPERATOR}/v1alpha1`],
  },
  { name: 'httproutes', kind: 'HTTPRoute', roots: [`${GATEWAY}/v1`, `${GATEWAY}/v1beta1`] },
  { name: 'ingresses', kind: 'Ingress', roots: ['/apis/networking.k8s.io/v1'] },
  { name: 'services', kind: 'Service', roots: ['/api/v1'] },
];

/** Where the objects of a resource are listed; of all namespaces where none is named. */
export function pathOf(root: string, resource: Resource, namespace: string | undefined): string {
  const within = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${within}/${resource.name}`;
}
