import type { KubernetesConfig } from '../kubernetes-config.ts';

export type ResourceName = KubernetesConfig['resources'][number];

/** API resource: its path in the API, and its name for users. */
export interface Resource {
  readonly name: ResourceName;
  readonly kind: string;
  /** API paths without their ends; the first that the cluster has is used. */
  readonly roots: readonly string[];
}

const OPERATOR = '/apis/toolhive.stacklok.dev';
const GATEWAY = '/apis/gateway.networking.k8s.io';

/** By precedence: of two objects with the same name, that of the first resource gets the entry. */
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

/** Returns the API path of a resource's list, in one namespace or in all. */
export function pathOf(root: string, resource: Resource, namespace: string | undefined): string {
  const within = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${within}/${resource.name}`;
}
