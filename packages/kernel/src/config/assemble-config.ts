import { parseDuration } from '@portolan/plugin-api';
import type { KindTable } from '../kinds/kind-table.ts';
import type { LoadedPlugin } from '../plugins/import-plugin.ts';
import type { FilterConfig, PortolanConfig, RegistryConfig, SourceConfig } from './core-schema.ts';

export type Block = Readonly<Record<string, unknown>>;

/** A configuration that may be used, and what stands in it beside `PortolanConfig`. */
export interface ValidatedConfig {
  readonly config: PortolanConfig;
  /** The block of the chosen auth provider. */
  readonly authBlock: Block;
  /** In the order of the configuration. */
  readonly middleware: readonly { readonly kind: string; readonly block: Block }[];
  readonly optionsOf: ReadonlyMap<LoadedPlugin, Block>;
  /** Sentences about what is strange, but no fault. */
  readonly warnings: readonly string[];
}

/** The keys of a configuration that has passed every check, defaults filled in. */
interface CheckedConfig {
  readonly sources: readonly (Block & {
    readonly name: string;
    readonly syncPolicy?: { readonly interval: string };
    readonly filter?: FilterConfig;
    readonly claims?: SourceConfig['claims'];
  })[];
  readonly registries: readonly (Omit<RegistryConfig, 'claims'> & Partial<Pick<RegistryConfig, 'claims'>>)[];
  readonly auth: { readonly mode: string } & Readonly<Record<string, unknown>>;
  readonly database: PortolanConfig['database'];
  readonly server: PortolanConfig['server'];
  readonly telemetry: PortolanConfig['telemetry'];
  readonly middleware: Readonly<Record<string, Block>>;
}

/** A configuration that has passed every check, in the shape that is handed out. */
export function assembleConfig(
  given: Block,
  { kinds, plugins }: { readonly kinds: KindTable; readonly plugins: readonly LoadedPlugin[] },
): Omit<ValidatedConfig, 'warnings'> {
  // The schemas and rules have refused everything that is not of this shape.
  const checked = given as unknown as CheckedConfig;
  const { auth, database, server, telemetry } = checked;
  return {
    config: {
      sources: checked.sources.map((source) => assembleSource(source, kinds)),
      registries: checked.registries.map(({ name, sources, claims }) => ({
        name,
        sources,
        claims: claims ?? {},
      })),
      auth: { mode: auth.mode },
      database,
      server,
      telemetry,
    },
    authBlock: auth[auth.mode] as Block, // checked by the provider's schema, which is one of a map
    middleware: Object.entries(checked.middleware).map(([kind, block]) => ({ kind, block })),
    optionsOf: new Map(plugins.map((plugin) => [plugin, plugin.options as Block])), // likewise
  };
}

function assembleSource(source: CheckedConfig['sources'][number], kinds: KindTable): SourceConfig {
  const kind = Object.keys(source).find((key) => kinds.sources.has(key)) ?? '';
  return {
    name: source.name,
    kind,
    block: source[kind] as Block, // checked by the kind's schema, which is one of a map
    intervalMs: source.syncPolicy === undefined ? undefined : parseDuration(source.syncPolicy.interval),
    filter: source.filter,
    claims: source.claims ?? {},
  };
}
