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

/** A configuration that may be used, and what stands in it beside `PortolanConfig`. */
export interface ValidatedConfig {
  readonly config: PortolanConfig;
  /** The block of the chosen auth provider. */
  readonly authBlock: Block;
  /** The settings of the exporter of telemetry. */
  readonly exporterBlock: Block;
  /** In the order of the configuration. */
  readonly middleware: readonly { readonly kind: string; readonly block: Block }[];
  /** Likewise. */
  readonly pages: readonly { readonly kind: string; readonly block: Block }[];
  readonly optionsOf: ReadonlyMap<LoadedPlugin, Block>;
  /** Sentences about what is strange, but no fault. */
  readonly warnings: readonly string[];
}

/** An item of `sources` that has passed every check. */
export type CheckedSourceItem = Block & {
  readonly name: string;
  readonly syncPolicy?: { readonly interval: string; readonly allowShrink?: boolean };
  readonly filter?: FilterConfig;
  readonly claims?: SourceConfig['claims'];
};

/** The keys of a configuration that has passed every check, defaults filled in. */
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

/** A configuration that has passed every check, in the shape that is handed out. */
export function assembleConfig(
  given: Block,
  { kinds, plugins }: { readonly kinds: KindTable; readonly plugins: readonly LoadedPlugin[] },
): Omit<ValidatedConfig, 'warnings'> {
  // The schemas and rules have refused everything that is not of this shape.
  const checked = given as unknown as CheckedConfig;
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
    authBlock: auth[mode] as Block, // checked by the provider's schema, which is one of a map
    exporterBlock: exporterSettings(telemetry),
    middleware: audit === undefined ? middleware : [{ kind: AUDIT, block: audit }, ...middleware],
    pages: Object.entries(checked.pages).map(([kind, block]) => ({ kind, block })),
    optionsOf: new Map(plugins.map((plugin) => [plugin, plugin.options as Block])), // likewise
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

/** One source, in the shape that is handed out. */
export function assembleSource(source: CheckedSourceItem, kinds: Pick<KindTable, 'sources'>): SourceConfig {
  const kind = Object.keys(source).find((key) => kinds.sources.has(key)) ?? '';
  return {
    name: source.name,
    kind,
    block: source[kind] as Block, // checked by the kind's schema, which is one of a map
    intervalMs: source.syncPolicy === undefined ? undefined : parseDuration(source.syncPolicy.interval),
    ...(source.syncPolicy?.allowShrink === true ? { allowShrink: true } : {}),
    filter: source.filter,
    claims: source.claims ?? {},
  };
}
