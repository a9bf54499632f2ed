import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** One DNS label, the form of namespace names. */
const DNS_LABEL = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$';

export const kubernetesConfig = {
  type: 'object',
  title: 'Kubernetes source',
  description:
    'Annotated objects of a Kubernetes cluster. They are watched: a change is read within a second. Without settings, the cluster that Portolan runs in, and all of its namespaces.',
  properties: {
    kubeconfig: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        "Kubeconfig file, absolute or relative to the folder of the configuration file. Default: the service account of Portolan's pod. A file with a login program is refused.",
      examples: ['./kubeconfig'],
    },
    context: {
      type: 'string',
      minLength: 1,
      description: 'Context of the kubeconfig. Default: its current one.',
      examples: ['production'],
    },
    namespaces: {
      type: 'array',
      items: { type: 'string', pattern: DNS_LABEL, description: 'Name of a namespace.' },
      uniqueItems: true,
      default: [],
      description: 'Namespaces to read, one by one; empty: all, which needs a ClusterRole.',
      examples: [['team-a', 'team-b']],
    },
    labelSelector: {
      type: 'string',
      minLength: 1,
      description: 'Reads only objects with these labels, in the syntax of `kubectl get -l`.',
      examples: ['portolan.dev/expose=true'],
    },
    resources: {
      type: 'array',
      items: {
        type: 'string',
        enum: ['mcpservers', 'virtualmcpservers', 'mcpremoteproxies', 'httproutes', 'ingresses', 'services'],
        description: 'Name of a resource.',
      },
      minItems: 1,
      uniqueItems: true,
      default: ['mcpservers', 'virtualmcpservers', 'mcpremoteproxies', 'httproutes', 'ingresses', 'services'],
      description:
        'Resources to read. Each needs permission in every namespace. Resources that the cluster lacks are retried.',
      examples: [['services', 'ingresses']],
    },
    namePrefix: {
      type: 'string',
      pattern: '^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,99}[a-zA-Z0-9])?$',
      default: 'com.toolhive.k8s',
      description:
        'Prefix of entry names: `PREFIX.NAMESPACE/OBJECT`. Use different ones for the entries of two clusters.',
      examples: ['com.acme.production'],
    },
  },
} as const satisfies ConfigBlock;

export type KubernetesConfig = ConfigOf<typeof kubernetesConfig>;
