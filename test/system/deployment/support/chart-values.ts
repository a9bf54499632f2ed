const REGISTRIES = [{ name: 'main', sources: ['published'] }];
const MANAGED = { name: 'published', managed: {} };
const ANONYMOUS = { mode: 'anonymous' };
const POSTGRES = { host: 'postgres.databases.svc', port: 5432, user: 'portolan', database: 'portolan' };

/** Values of typical installations. */
export const VALUE_SETS = {
  'the defaults': {},
  'one server with a volume, behind an ingress': {
    config: { sources: [MANAGED], registries: REGISTRIES, auth: ANONYMOUS },
    persistence: { enabled: true, storageClass: 'fast', size: '5Gi' },
    ingress: {
      enabled: true,
      className: 'nginx',
      annotations: { 'example.com/body': '2m' },
      hosts: [{ host: 'registry.acme.example', path: '/mcp' }],
      tls: [{ secretName: 'registry-tls', hosts: ['registry.acme.example'] }],
    },
  },
  'three servers on PostgreSQL, watched': {
    replicas: 3,
    config: { sources: [MANAGED], registries: REGISTRIES, auth: ANONYMOUS, database: POSTGRES },
    secretEnv: [{ name: 'PORTOLAN_DATABASE_PASSWORD', secret: 'portolan-database', key: 'password' }],
    secretFiles: [{ name: 'idp', secret: 'portolan-idp' }],
    env: [{ name: 'HTTPS_PROXY', value: 'http://proxy.acme.example:3128' }],
    serviceMonitor: { enabled: true, labels: { release: 'monitoring' } },
    networkPolicy: {
      from: [{ namespaceSelector: { matchLabels: { 'acme.example/ingress': 'yes' } } }],
      internalFrom: [{ namespaceSelector: { matchLabels: { 'acme.example/monitoring': 'yes' } } }],
      egress: [{ ports: [{ port: 443 }, { port: 5432 }, { port: 53, protocol: 'UDP' }] }],
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: {},
      },
    ],
    podAnnotations: { 'example.com/team': 'platform' },
  },
  'sources in two namespaces of the cluster': {
    replicas: 2,
    config: {
      sources: [
        MANAGED,
        { name: 'tools', kubernetes: { namespaces: ['tools', 'data'] } },
        { name: 'more', kubernetes: { namespaces: ['data'], resources: ['services'] } },
      ],
      registries: [{ name: 'main', sources: ['published', 'tools', 'more'] }],
      auth: ANONYMOUS,
    },
    secretEnv: [{ name: 'PORTOLAN_DATABASE_URL', secret: 'portolan-database', key: 'url' }],
    image: { repository: 'registry.acme.example/portolan', digest: `sha256:${'a1'.repeat(32)}` },
    imagePullSecrets: [{ name: 'registry-login' }],
  },
  'a source that reads the whole cluster, and one of another cluster': {
    config: {
      sources: [
        { name: 'cluster', kubernetes: {} },
        { name: 'elsewhere', kubernetes: { kubeconfig: '/etc/portolan/secrets/elsewhere/config' } },
      ],
      registries: [{ name: 'main', sources: ['cluster', 'elsewhere'] }],
      auth: ANONYMOUS,
    },
    secretFiles: [{ name: 'elsewhere', secret: 'elsewhere-kubeconfig' }],
    serviceAccount: { annotations: { 'example.com/role': 'reader' } },
    fullnameOverride: 'harbours',
    podDisruptionBudget: { enabled: false },
    networkPolicy: { enabled: false },
  },
} as const;
