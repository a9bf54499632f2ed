import { anonymousPolicy, createRolesPlugin } from '@portolan/authorization';
import type { GuardedHooks, ServerConfig } from '@portolan/kernel';
import type { AccessRecord, Identity, Role } from '@portolan/plugin-api';
import { createRecordingLogger, type LogLine } from '@portolan/plugin-testing';
import type { ServerAccess } from '../../src/request/server-access.ts';
import {
  type RunningRegistryServer,
  type StartOptions,
  startRegistryServer,
} from '../../src/start-registry-server.ts';
import { MemoryReader, row } from './memory-reader.ts';

export interface TestServer extends RunningRegistryServer {
  readonly reader: MemoryReader;
  /** The log. */
  readonly lines: readonly LogLine[];
  /** What the hook `accessDecided` was told. */
  readonly records: readonly AccessRecord[];
  /** Fetches a path of the public listener. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Fetches a path of the internal listener. */
  getInternal(path: string, init?: RequestInit): Promise<Response>;
}

export const serverConfig: ServerConfig = {
  address: '127.0.0.1:0',
  internalAddress: '127.0.0.1:0',
  trustedProxies: [],
  adminApi: true,
  compress: true,
  pageCacheBytes: 1024 * 1024,
  requestTimeout: '5s',
  shutdownTimeout: '5s',
  cors: { enabled: true, allowedOrigins: ['*'] },
};

/** The tap of the role rules, as a plugin without options that taps one hook. */
function roleRules(): (roles: readonly Role[], identity: Identity) => Promise<readonly Role[]> {
  const taps: ((roles: readonly Role[], identity: Identity) => readonly Role[])[] = [];
  const resolveRoles = { tap: (_options: unknown, tap: (typeof taps)[number]) => taps.push(tap) };
  // SAFETY: nothing else of the context is asked for.
  void createRolesPlugin().apply?.({ hooks: { resolveRoles } } as never, {} as never);
  return (roles, identity) => Promise.resolve(taps.reduce((inputs, tap) => tap(inputs, identity), roles));
}

/** Hooks that no plugin taps: what is built in is all there is. */
export function untappedHooks(records: AccessRecord[] = []): GuardedHooks {
  return {
    resolveRoles: roleRules(),
    filterEntries: (entries) => Promise.resolve(entries),
    filtersEntries: false,
    filterCacheKey: () => '',
    beforePublish: (request) => Promise.resolve(request),
    accessDecided: (record) => {
      records.push(record);
    },
    syncCompleted: () => Promise.resolve(),
  };
}

/** What an anonymous server decides by. */
const OPEN_ACCESS: ServerAccess = {
  policy: anonymousPolicy,
  provider: undefined,
  roles: undefined,
  claims: {},
  publicPaths: [],
};

/** Stands for a part that a test does not reach; whoever does reach it is told. */
function unusedPart(name: string): never {
  const refuse = (_target: object, property: string | symbol) => {
    throw new Error(`the test reaches ${name}.${String(property)}, and gave none`);
  };
  // SAFETY: nothing of it can be used, whatever it is taken for.
  return new Proxy({}, { get: refuse }) as never;
}

type Overrides = Partial<Omit<StartOptions, 'config' | 'reader' | 'access'>> & {
  readonly access?: Partial<ServerAccess>;
  readonly config?: Partial<ServerConfig>;
  readonly reader?: MemoryReader;
};

/** A whole server on free ports of loopback. */
export async function startServer({
  config,
  reader = sampleReader(),
  access = {},
  ...rest
}: Overrides = {}): Promise<TestServer> {
  const logger = createRecordingLogger();
  const records: AccessRecord[] = [];
  const server = await startRegistryServer({
    access: () => ({ ...OPEN_ACCESS, ...access }),
    admin: unusedPart('admin'),
    sourceMaking: unusedPart('sourceMaking'),
    hooks: untappedHooks(records),
    logger,
    version: { version: '1.2.3', commit: 'abc1234' },
    readiness: () => Promise.resolve({ problems: [], warnings: [] }),
    clock: () => new Date(),
    ...rest,
    reader,
    config: { ...serverConfig, ...config },
  });
  return {
    ...server,
    reader,
    lines: logger.lines,
    records,
    get: (path, init) => fetch(`${server.publicUrl}${path}`, init),
    getInternal: (path, init) => fetch(`${server.internalUrl}${path}`, init),
  };
}

/** Two registries: `main` with servers, skills and a plugin, and an empty registry. */
export function sampleReader(): MemoryReader {
  return new MemoryReader({
    main: { rows: [...sampleServers(), ...sampleExtensions()] },
    empty: { rows: [] },
  });
}

function sampleServers() {
  const maps = Array.from({ length: 7 }, (_, index) => row({ name: `com.acme/map-${index}` }));
  return [
    ...maps,
    row({
      name: 'com.acme/notes',
      version: '1.0.0',
      isLatest: false,
      status: 'deprecated',
      statusMessage: 'Use "2"',
    }),
    row({
      name: 'com.acme/notes',
      version: '2.0.0+build.1',
      updatedAt: '2026-03-01T00:00:00.000Z',
      document: {
        $schema: 'https://schemas.acme.example/server.json',
        name: 'com.acme/notes',
        description: 'Notes über <alles> & mehr',
        version: '2.0.0+build.1',
        icons: [{ src: 'https://acme.example/icon.png' }],
      },
    }),
    row({
      name: 'com.acme/gone',
      status: 'deleted',
      statusMessage: 'Withdrawn',
      updatedAt: '2026-04-01T00:00:00.000Z',
    }),
  ];
}

function sampleExtensions() {
  const skill = { namespace: 'com.acme', description: 'A skill' };
  return [
    row({ type: 'skill', name: 'com.acme/triage', version: '0.1.0', isLatest: false }),
    row({
      type: 'skill',
      name: 'com.acme/triage',
      version: '0.3.0',
      document: { ...skill, name: 'triage', version: '0.3.0', status: 'active', license: 'MIT' },
    }),
    row({ type: 'skill', name: 'com.acme/old', status: 'deprecated' }),
    row({ type: 'skill', name: 'com.acme/shelved', status: 'archived' }),
    row({ type: 'skill', name: 'com.acme/withdrawn', status: 'deleted' }),
    row({
      type: 'skill',
      name: 'com.acme/team/deep',
      document: { ...skill, namespace: 'com.acme/team', name: 'deep', version: '1.0.0' },
    }),
    row({ type: 'plugin', name: 'com.acme/bundle' }),
  ];
}
