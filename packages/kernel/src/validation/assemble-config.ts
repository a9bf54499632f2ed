import { parseDuration, type ResourceClaims } from '@portolan/plugin-api';
import type { KindTable } from '../kinds/kind-table.ts';
import type { LoadedPlugin } from '../plugins/import-plugin.ts';
import type { AuthConfig } from '../config/auth-schema.ts';
import {
  AUDIT,
  type FilterConfig,
  type PortolanConfig,
  type RegistryConfig,
  type SourceConfig,
} from '../config/core-schema.ts';
import type { Block } from '../config/plain-data.ts';
import { exporterSettings } from '../config/telemetry-schema.ts';

export interface ValidatedConfig {
  readonly config: PortolanConfig;
  readonly authBlock: Block;
  readonly exporterBlock: Block;
  readonly middleware: readonly { readonly kind: string; readonly block: Block }[];
  readonly pages: readonly { readonly kind: string; readonly block: Block }[];
  readonly optionsOf: ReadonlyMap<LoadedPlugin, Block>;
  readonly warnings: readonly string[];
}

export type CheckedSourceItem = Block & {
  readonly name: string;
  readonly syncPolicy?: { readonly interval: string; readonly allowShrink?: boolean };
  readonly filter?: FilterConfig;
  readonly claims?: SourceConfig['claims'];
};

interface CheckedConfig
  extends Pick<PortolanConfig, 'database' | 'server' | 'telemetry' | 'apiSources' | 'scratch' | 'sessions'> {
  readonly sources: readonly CheckedSourceItem[];
  readonly registries: readonly (Pick<RegistryConfig, 'name' | 'sources' | 'public'> & {
    readonly claims?: ResourceClaims;
    readonly publicClaims?: ResourceClaims;
  })[];
  readonly auth: Omit<AuthConfig, 'authz'> & Partial<Pick<AuthConfig, 'authz'>> & Block;
  readonly middleware: Readonly<Record<string, Block>>;
  readonly pages: Readonly<Record<string, Block>>;
  readonly audit?: Block;
}

export function assembleConfig(
  input: Block,
  { kinds, plugins }: { readonly kinds: KindTable; readonly plugins: readonly LoadedPlugin[] },
): Omit<ValidatedConfig, 'warnings'> {
  // SAFETY: the schemas and rules have rejected every other shape.
  const checked = input as unknown as CheckedConfig;
  const { auth, database, server, telemetry, apiSources, scratch, sessions, audit } = checked;
  const { mode, authz, publicPaths, claims, requireClaims } = auth;
  const middleware = Object.entries(checked.middleware).map(([kind, block]) => ({ kind, block }));
  return {
    config: {
      sources: checked.sources.map((source) => assembleSource(source, kinds)),
      registries: checked.registries.map(assembleRegistry),
      auth: { mode, authz, publicPaths, claims, requireClaims },
      database,
      server,
      telemetry,
      apiSources,
      scratch,
      sessions,
    },
    authBlock: auth[mode] as Block, // validated by the provider's schema, which describes a map
    exporterBlock: exporterSettings(telemetry),
    middleware: audit === undefined ? middleware : [{ kind: AUDIT, block: audit }, ...middleware],
    pages: Object.entries(checked.pages).map(([kind, block]) => ({ kind, block })),
    // validated by the plugin's schema, which describes a map
    optionsOf: new Map(plugins.map((plugin) => [plugin, plugin.options as Block])),
  };
}

function assembleRegistry({
  name,
  sources,
  claims = {},
  public: isPublic,
  publicClaims = {},
}: CheckedConfig['registries'][number]): RegistryConfig {
  return { name, sources, claims, public: isPublic, publicClaims: isPublic ? publicClaims : undefined };
}

export function assembleSource(source: CheckedSourceItem, kinds: Pick<KindTable, 'sources'>): SourceConfig {
  const kind = Object.keys(source).find((key) => kinds.sources.has(key)) ?? '';
  return {
    name: source.name,
    kind,
    block: source[kind] as Block, // validated by the kind's schema, which describes a map
    intervalMs: source.syncPolicy === undefined ? undefined : parseDuration(source.syncPolicy.interval),
    ...(source.syncPolicy?.allowShrink === true ? { allowShrink: true } : {}),
    filter: source.filter,
    claims: source.claims ?? {},
  };
}
