import type { ConfigBlock, ConfigOf, ResourceClaims } from '@portolan/plugin-api';
import type { AuthConfig } from './auth-schema.ts';
import type { TelemetryConfig } from './telemetry-schema.ts';

export const databaseBlock = {
  type: 'object',
  description: 'Database of the registry. Default: a SQLite file in the data directory of the user.',
  properties: {
    url: {
      type: 'string',
      secret: true,
      description: '`sqlite:PATH`, `sqlite::memory:`, or `postgres://user:password@host:port/database`.',
      examples: ['sqlite:./registry.db', 'sqlite::memory:', 'postgres://portolan@db.example:5432/registry'],
    },
    host: { type: 'string', minLength: 1, description: 'PostgreSQL host.' },
    port: { type: 'integer', minimum: 1, maximum: 65535, description: 'PostgreSQL port.' },
    user: { type: 'string', minLength: 1, description: 'Role that reads and writes data.' },
    database: { type: 'string', minLength: 1, description: 'Name of the PostgreSQL database.' },
    password: {
      type: 'string',
      secret: true,
      description: 'Default: the PostgreSQL password file (PGPASSFILE, else ~/.pgpass).',
    },
    migrationUser: { type: 'string', description: 'Role that changes the schema. Left out: `user`.' },
    migrationPassword: {
      type: 'string',
      secret: true,
      description: 'Default: `password` when both roles are the same, else the password file.',
    },
    dynamicAuth: {
      type: 'object',
      description: 'Creates a password for each connection, instead of a configured one.',
      properties: {
        awsRdsIam: {
          type: 'object',
          description:
            'IAM of Amazon RDS. Credentials come from the usual AWS places: variables, files, roles of the machine.',
          required: ['region'],
          properties: {
            region: {
              type: 'string',
              pattern: '^[a-z]{2,}(-[a-z0-9]+)+$|^detect$',
              description:
                'Region of the database, or `detect`: the region of this host, from its metadata service.',
              examples: ['eu-central-1', 'detect'],
            },
          },
        },
      },
    },
    sslMode: {
      type: 'string',
      enum: ['disable', 'require', 'verify-ca', 'verify-full'],
      description: 'TLS to PostgreSQL. Default: `require` with separate fields; with `url`, its `sslmode`.',
    },
    caCertPath: {
      type: 'string',
      format: 'path',
      description: 'CA bundle for `verify-ca` and `verify-full`.',
    },
    maxOpenConns: { type: 'integer', minimum: 1, maximum: 1000, default: 25, description: 'Largest pool.' },
    maxIdleConns: {
      type: 'integer',
      minimum: 0,
      maximum: 1000,
      default: 5,
      description: 'Maximum number of idle connections that stay open.',
    },
    connMaxLifetime: {
      type: 'string',
      format: 'duration',
      default: '5m',
      description: 'Age at which a connection is replaced.',
    },
    maxMetaSize: {
      type: 'integer',
      minimum: 1,
      default: 262144,
      description: 'Maximum size of the publisher-provided metadata of a version, in bytes.',
    },
    migrateOnStart: {
      type: 'boolean',
      default: true,
      description:
        'Applies pending migrations at start. Otherwise the start fails until `portolan migrate up` has run.',
    },
  },
} as const satisfies ConfigBlock;

export const serverBlock = {
  type: 'object',
  description: 'The HTTP listeners.',
  properties: {
    address: { type: 'string', default: '127.0.0.1:8080', description: 'HOST:PORT of the public listener.' },
    internalAddress: {
      type: 'string',
      default: '127.0.0.1:8081',
      description: 'HOST:PORT of the internal listener (/health, /readiness, /version, /metrics), or `off`.',
    },
    publicUrl: {
      type: 'string',
      format: 'uri',
      description:
        'Address that clients use, with the path that a reverse proxy removes; every address in responses begins with it. Default: taken from the request.',
      examples: ['https://acme.example/mcp-registry'],
    },
    trustedProxies: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description:
        'Addresses and CIDR ranges of trusted reverse proxies, whose `X-Forwarded-*` or `Forwarded` headers name the client and the requested address. Empty: no proxy is trusted.',
      examples: [['127.0.0.1', '10.0.0.0/8']],
    },
    adminApi: {
      type: 'boolean',
      default: true,
      description:
        'Whether the admin API exists: `/v1`, and the pages of the web console that manage sources, registries and entries. `false`: the server has only the consumer API and the operational paths.',
    },
    compress: { type: 'boolean', default: true, description: 'Answer with gzip to clients that accept it.' },
    pageCacheBytes: {
      type: 'integer',
      minimum: 0,
      default: 8388608,
      description: 'Maximum memory of cached responses; 0 turns the cache off.',
    },
    requestTimeout: {
      type: 'string',
      format: 'duration',
      default: '10s',
      description: 'Maximum duration of a request.',
    },
    shutdownTimeout: {
      type: 'string',
      format: 'duration',
      default: '30s',
      description: 'Maximum time that a stop waits for running requests.',
    },
    cors: {
      type: 'object',
      description: 'Cross-origin reads of the consumer API.',
      default: {},
      properties: {
        enabled: { type: 'boolean', default: true, description: 'Send CORS headers and answer pre-flights.' },
        allowedOrigins: {
          type: 'array',
          items: { type: 'string' },
          default: ['*'],
          description: 'Origins that may read, or `*` for all.',
        },
      },
    },
  },
} as const satisfies ConfigBlock;

export const scratchBlock = {
  type: 'object',
  description:
    'Folders in which sources keep downloaded data, such as clones. Each source has its own; it can be deleted at any time.',
  properties: {
    directory: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'Folder that contains them, on a local disk. Default: `sources` in the data directory of the user (`$XDG_DATA_HOME/portolan`, else `~/.local/share/portolan`).',
      examples: ['/var/lib/portolan/sources'],
    },
    maxBytes: {
      type: 'integer',
      minimum: 1,
      default: 1073741824,
      description: 'Maximum number of bytes of a source; a larger folder is emptied after a sync.',
    },
  },
} as const satisfies ConfigBlock;

export const sessionsBlock = {
  type: 'object',
  description:
    'How users stay logged in on pages. The database stores their tokens, encrypted with a key outside of it.',
  properties: {
    keyFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'File with the keys, one on each line: 32 random bytes in base64 (`openssl rand -base64 32`). The first key encrypts, all keys decrypt. All replicas need the same file; only the user of the Portolan process, or its group, may have read access.',
      examples: ['/run/secrets/session-keys'],
    },
    idle: {
      type: 'string',
      format: 'duration',
      default: '8h',
      description: 'Time without a request after which a user must log in again.',
    },
    lifetime: {
      type: 'string',
      format: 'duration',
      default: '24h',
      description: 'Time after which every user must log in again.',
    },
  },
} as const satisfies ConfigBlock;

export const apiSourcesBlock = {
  type: 'object',
  description:
    'Limits of sources created through the API, on files of the server and on the network. Sources of this file have no such limits.',
  properties: {
    allowedDirectories: {
      type: 'array',
      items: { type: 'string', format: 'path' },
      default: [],
      description:
        'Directories that must contain their files; symbolic links out of them are not followed. Empty: no local files.',
      examples: [['/srv/catalogues']],
    },
    allowedHosts: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description:
        'Hosts that they may contact, also after a redirect: names and addresses, or `*.acme.example` for all names below one. Empty: every host.',
      examples: [['files.acme.example', '*.git.acme.example']],
    },
    allowServerCredentials: {
      type: 'boolean',
      default: false,
      description:
        "Whether they may use credentials of the server: a kubernetes source without a kubeconfig uses the service account of the server's pod.",
    },
    allowPrivateAddresses: {
      type: 'boolean',
      default: false,
      description: 'Whether they may contact hosts with private addresses: private, loopback or link-local.',
    },
  },
} as const satisfies ConfigBlock;

export const syncPolicyBlock = {
  type: 'object',
  description: 'When a source is synced.',
  required: ['interval'],
  properties: {
    interval: {
      type: 'string',
      format: 'duration',
      description: 'Time between two syncs, above zero.',
      examples: ['30m'],
    },
    allowShrink: {
      type: 'boolean',
      default: false,
      description:
        'Applies a sync that loses all entries, or more than half of at least ten. `false`: the sync is held and the source keeps its entries.',
    },
  },
} as const satisfies ConfigBlock;

const patterns = {
  type: 'object',
  properties: {
    include: { type: 'array', items: { type: 'string' }, description: 'Left out: everything.' },
    exclude: { type: 'array', items: { type: 'string' }, description: 'Stronger than include.' },
  },
} as const satisfies ConfigBlock;

export const filterBlock = {
  type: 'object',
  description: 'Which entries of a source are included.',
  properties: {
    names: { ...patterns, description: 'Glob patterns over the full name; `*` also crosses `/`.' },
    tags: { ...patterns, description: 'Tags of the publisher-provided metadata, compared exactly.' },
  },
} as const satisfies ConfigBlock;

/** Name of a source: one DNS label. */
export const SOURCE_NAME = '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$';

/** Name of a registry: a path segment without escaping. */
export const REGISTRY_NAME = '^[A-Za-z0-9]([A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$';

/** Keys that every item of `sources` may have. Any other key is the name of a source kind. */
export const SOURCE_KEYS = ['name', 'syncPolicy', 'filter', 'claims'] as const;

export const AUDIT = 'audit';

export type DatabaseConfig = ConfigOf<typeof databaseBlock>;
export type ServerConfig = ConfigOf<typeof serverBlock>;
export type SessionsConfig = ConfigOf<typeof sessionsBlock>;
export type ScratchConfig = ConfigOf<typeof scratchBlock>;
export type ApiSourcesConfig = ConfigOf<typeof apiSourcesBlock>;
export type FilterConfig = ConfigOf<typeof filterBlock>;

export interface SourceConfig {
  readonly name: string;
  readonly kind: string;
  readonly block: Readonly<Record<string, unknown>>;
  readonly intervalMs: number | undefined;
  /** Whether a sync may remove most entries. Default: false. */
  readonly allowShrink?: boolean;
  readonly filter: FilterConfig | undefined;
  readonly claims: ResourceClaims;
}

export interface RegistryConfig {
  readonly name: string;
  readonly sources: readonly string[];
  readonly claims: ResourceClaims;
  readonly public: boolean;
  /** Claims of readers without a token. They see nothing with an empty object, and get no access when undefined. */
  readonly publicClaims: ResourceClaims | undefined;
}

export interface PortolanConfig {
  readonly sources: readonly SourceConfig[];
  readonly registries: readonly RegistryConfig[];
  readonly auth: AuthConfig;
  readonly apiSources: ApiSourcesConfig;
  readonly scratch: ScratchConfig;
  readonly sessions: SessionsConfig;
  readonly database: DatabaseConfig;
  readonly server: ServerConfig;
  readonly telemetry: TelemetryConfig;
}

export const FURTHER_KINDS = 'a kind of a plugin that is listed in "plugins"';
