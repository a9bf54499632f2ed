/** A configuration in the form of an example of ToolHive, and the necessary changes. */
export interface OldConfiguration {
  readonly name: string;
  readonly text: string;
  /** Places that `config check` reports. Empty if it loads unchanged. */
  readonly changes: readonly string[];
}

const DATABASE = `database:
  host: db.acme.example
  port: 5432
  user: registry_app
  migrationUser: registry_owner
  database: registry
  sslMode: disable
  maxOpenConns: 10
  maxIdleConns: 2
  connMaxLifetime: "30m"
`;
const ANONYMOUS = 'auth: { mode: anonymous }\n';
const ONE = 'registries: [{ name: default, sources: [catalogue] }]\n';
const GIT =
  'git: { repository: https://git.acme.example/catalogue.git, branch: main, path: data/registry.json }';
const FILE = 'file: { path: ./catalogue.json }';
const API = 'api: { endpoint: "https://registry.acme.example/" }';

function source(name: string, kind: string, more = ''): string {
  return `  - name: ${name}\n    ${kind}\n    syncPolicy: { interval: "30m" }\n${more}`;
}

/** The forms of its fourteen examples in the order of their names, and one more. */
export const OLD_CONFIGURATIONS: readonly OldConfiguration[] = [
  { name: 'api', text: `sources:\n${source('catalogue', API)}${ONE}${ANONYMOUS}${DATABASE}`, changes: [] },
  {
    name: 'complete',
    text: `sources:
${source('toolhive', `format: toolhive\n    ${GIT}`, '    filter: { names: { include: ["acme/*"], exclude: ["*/old"] }, tags: { include: [stable] } }\n')}
${source('upstream', `format: upstream\n    ${API}`)}
registries: [{ name: default, sources: [toolhive, upstream] }]
${ANONYMOUS}${DATABASE}`,
    changes: ['sources[0].format', 'sources[1].format'],
  },
  {
    name: 'database-dev',
    text: `sources:\n${source('catalogue', GIT)}${ONE}${ANONYMOUS}${DATABASE}`,
    changes: [],
  },
  {
    name: 'database-prod',
    text: `sources:
${source('catalogue', GIT.replace('branch: main', 'tag: v1.0.0'), '    filter: { tags: { exclude: [beta] } }\n')}
${ONE}${ANONYMOUS}${DATABASE.replace('disable', 'verify-full')}`,
    changes: [],
  },
  {
    name: 'database-separate-users',
    text: `sources:\n${source('catalogue', FILE)}${ONE}${ANONYMOUS}${DATABASE.replace('disable', 'prefer')}`,
    changes: ['database.sslMode'],
  },
  {
    name: 'docker',
    text: `sources:\n${source('catalogue', FILE)}${ONE}${ANONYMOUS}${DATABASE}`,
    changes: [],
  },
  {
    name: 'docker-claims-test',
    text: `sources:
${source('catalogue', FILE, '    claims: { org: acme, team: [platform, data] }\n')}
registries: [{ name: default, sources: [catalogue], claims: { org: acme } }]
auth:
  mode: oauth
  oauth:
    resourceUrl: https://registry.acme.example
    providers: [{ name: idp, issuerUrl: https://idp.acme.example, audience: registry }]
  authz:
    roles:
      superAdmin: [{ role: admin }]
      manageSources: [{ org: acme, team: platform }]
${DATABASE}`,
    changes: [],
  },
  {
    name: 'docker-dual',
    text: `sources:
${source('catalogue', FILE)}${source('upstream', 'file: { path: ./upstream.json }')}
registries: [{ name: default, sources: [catalogue, upstream] }]
${ANONYMOUS}${DATABASE}`,
    changes: [],
  },
  {
    name: 'docker-multiple',
    text: `registryName: several
registries:
  - name: from-file
    format: toolhive
    ${FILE}
    syncPolicy: { interval: "30s" }
  - name: from-git
    format: toolhive
    ${GIT}
    syncPolicy: { interval: "5m" }
${ANONYMOUS}${DATABASE}`,
    changes: [
      'registryName',
      'sources',
      'registries[0].file',
      'registries[0].format',
      'registries[0].sources',
      'registries[0].syncPolicy',
      'registries[1].format',
      'registries[1].git',
      'registries[1].sources',
      'registries[1].syncPolicy',
    ],
  },
  {
    name: 'docker-with-managed',
    text: `sources:
${source('catalogue', FILE)}
  - name: published
    managed: {}
registries: [{ name: default, sources: [published, catalogue] }]
${ANONYMOUS}${DATABASE}`,
    changes: [],
  },
  { name: 'file', text: `sources:\n${source('catalogue', FILE)}${ONE}${ANONYMOUS}${DATABASE}`, changes: [] },
  {
    name: 'filter-test',
    text: `sources:
${source('catalogue', FILE, '    filter: { names: { include: ["com.acme/*"] }, tags: { exclude: [experimental] } }\n')}
${ONE}${ANONYMOUS}${DATABASE}
telemetry: { enabled: true, endpoint: "otel:4318", insecure: true, tracing: { enabled: true, sampling: 0.1 }, metrics: { enabled: true } }
audit: { enabled: true, includeRequestData: true, maxDataSize: 2048 }
`,
    changes: [],
  },
  { name: 'git', text: `sources:\n${source('catalogue', GIT)}${ONE}${ANONYMOUS}${DATABASE}`, changes: [] },
  {
    name: 'oauth',
    text: `registryName: acme
sources:\n${source('catalogue', GIT)}${ONE}
auth:
  mode: oauth
  publicPaths: [/custom/public]
  oauth:
    resourceUrl: https://registry.acme.example
    realm: mcp-registry
    scopesSupported: ["mcp-registry:read"]
    providers:
      - { name: idp, issuerUrl: https://idp.acme.example, audience: "api://registry" }
      - { name: cluster, issuerUrl: https://kubernetes.default.svc, audience: registry, allowPrivateIP: true }
${DATABASE}`,
    changes: ['registryName', 'auth.oauth.scopesSupported', 'auth.publicPaths[0]'],
  },
  {
    name: 'none of them, but with what is passed over there',
    text: `sources:
${source('catalogue', 'file: { path: ./catalogue.json, timeout: 5s }')}
registries: [{ name: default, sources: [catalogue, catalogue] }]
${ANONYMOUS}${DATABASE}`,
    changes: ['registries[0].sources[1]', 'sources[0].file.timeout'],
  },
];
