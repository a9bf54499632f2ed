import type { ConfigBlock } from '@portolan/plugin-api';
import type { KindNames, KindTable } from '../kinds/kind-table.ts';
import { type WorkloadList, WORKLOAD_LISTS } from '../kind-lists/kind-lists.ts';
import { coreSchema, pluginMap, sourceSchema } from './core-json-schema.ts';
import {
  apiSourcesBlock,
  AUDIT,
  databaseBlock,
  FURTHER_KINDS,
  scratchBlock,
  sessionsBlock,
  serverBlock,
} from '../config/core-schema.ts';
import { telemetryBlock, telemetryWith } from '../config/telemetry-schema.ts';
import { oneOf } from '../faults/describe-value.ts';
import { environmentName, listSettings, type Setting } from '../config/environment-names.ts';
import { type JsonSchema, toCheckSchema, toEditorSchema } from '../config/json-schema.ts';

/** Schemas and settings of one configuration, without the blocks of kinds and plugins. */
export interface ComposedSchema {
  readonly core: JsonSchema;
  readonly coreBlocks: Readonly<Record<string, ConfigBlock>>;
  readonly names: KindNames;
  readonly exporter: string | undefined;
  readonly settings: readonly Setting[];
  readonly silentNames: readonly string[];
}

export interface CompositionInput {
  readonly kinds: KindTable;
  readonly names: KindNames;
  readonly mode: string | undefined;
  /** Keys of `middleware` in the file. Environment variables cannot add keys. */
  readonly middleware: readonly string[];
  /** Keys of `pages` in the file. Environment variables cannot add keys. */
  readonly pages: readonly string[];
  readonly usesAudit: boolean;
  readonly exporter: string | undefined;
}

export function composeSchema(input: CompositionInput): ComposedSchema {
  const { kinds, names, mode, middleware, usesAudit, exporter, pages } = input;
  const telemetry =
    exporter === undefined
      ? telemetryBlock
      : telemetryWith(kinds.telemetry.get(exporter)?.kind.config, names.telemetry);
  const coreBlocks = {
    database: databaseBlock,
    server: serverBlock,
    telemetry,
    apiSources: apiSourcesBlock,
    scratch: scratchBlock,
    sessions: sessionsBlock,
  };
  const audit = usesAudit ? kinds.middleware.get(AUDIT)?.kind.config : undefined;
  const provider = mode === undefined ? undefined : kinds.authProviders.get(mode)?.kind.config;
  const used = blocksUsed(kinds.middleware, middleware);
  const settings = listSettings({
    type: 'object',
    properties: {
      ...coreBlocks,
      auth: {
        type: 'object',
        properties: {
          mode: { type: 'string' },
          ...(provider === undefined ? {} : { [mode ?? '']: provider }),
        },
      },
      middleware: { type: 'object', properties: used },
      pages: { type: 'object', properties: blocksUsed(kinds.pages, pages) },
      ...(audit === undefined ? {} : { [AUDIT]: audit }),
    },
  });
  const idle = names.authProviders.filter((name) => name !== mode);
  const silentNames = [
    ...idle.map((name) => `${environmentName(['auth', name])}_`),
    ...names.middleware.map((name) => `${environmentName(['middleware', name])}_`),
    ...names.pages.map((name) => `${environmentName(['pages', name])}_`),
  ];
  return { core: composeCoreSchema(names, telemetry), coreBlocks, names, exporter, settings, silentNames };
}

function blocksUsed(
  kinds: ReadonlyMap<string, { readonly kind: { readonly config: ConfigBlock } }>,
  names: readonly string[],
): Readonly<Record<string, ConfigBlock>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const config = kinds.get(name)?.kind.config;
      return config === undefined ? [] : [[name, config] as const];
    }),
  );
}

/**
 * Returns the schema of the configuration without the blocks of kinds and plugins. Those are validated one by
 * one, so that messages can name the field.
 */
export function composeCoreSchema(kinds: KindNames, telemetry: ConfigBlock = telemetryBlock): JsonSchema {
  const modes = kinds.authProviders;
  return coreSchema({
    translate: toCheckSchema,
    expecting: (schema, expected) => ({ ...schema, expected }),
    pluginItem: {
      type: ['string', 'object'],
      minLength: 1,
      ...pluginMap,
      expected: 'a name, a path, or a map',
    },
    source: sourceParts(kinds.sources),
    modes,
    auth: { properties: anything(modes), expected: `a map with "mode", ${oneOf(modes)}` },
    middleware: {
      properties: anything(kinds.middleware),
      additionalProperties: false,
      moreKeys: FURTHER_KINDS,
    },
    audit: kinds.middleware.includes(AUDIT) ? {} : undefined,
    pages: { properties: anything(kinds.pages), additionalProperties: false, moreKeys: FURTHER_KINDS },
    telemetry,
    workload: forWorkloads((key) => ({
      properties: anything(kinds[key]),
      additionalProperties: false,
      moreKeys: FURTHER_KINDS,
    })),
  });
}

/**
 * Returns the schema for workload commands. Settings of the registry server may be missing, because the
 * server validates those itself.
 */
export function composeWorkloadSchema(kinds: KindNames): JsonSchema {
  const schema = composeCoreSchema(kinds);
  const checked: readonly string[] = ['$schema', 'plugins', ...WORKLOAD_LISTS];
  // SAFETY: `coreSchema` above creates the properties.
  const properties = Object.entries(schema['properties'] as JsonSchema);
  return {
    ...schema,
    required: [],
    properties: Object.fromEntries(
      properties.map(([key, value]) => [key, checked.includes(key) ? value : {}]),
    ),
  };
}

function forWorkloads(
  schemaOf: (key: WorkloadList) => JsonSchema,
): Readonly<Record<WorkloadList, JsonSchema>> {
  // SAFETY: the object has one property for each of the lists.
  return Object.fromEntries(WORKLOAD_LISTS.map((list) => [list, schemaOf(list)])) as Record<
    WorkloadList,
    JsonSchema
  >;
}

export function composeSourceSchema(sourceKinds: readonly string[]): JsonSchema {
  return sourceSchema({
    translate: toCheckSchema,
    expecting: (schema, expected) => ({ ...schema, expected }),
    source: sourceParts(sourceKinds),
  });
}

function sourceParts(kinds: readonly string[]): JsonSchema {
  return { properties: anything(kinds), additionalProperties: false, moreKeys: FURTHER_KINDS };
}

/**
 * Returns the schema of the whole configuration for editors and the reference. Rejects only what the boot
 * rejects.
 */
export function composeConfigSchema(
  kinds: KindTable,
  pluginOptions: ReadonlyMap<string, ConfigBlock> = new Map(),
): JsonSchema {
  const audit = kinds.middleware.get(AUDIT)?.kind.config;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Portolan configuration',
    ...coreSchema({
      translate: toEditorSchema,
      expecting: (schema) => schema,
      pluginItem: pluginItemSchema(pluginOptions),
      source: {
        properties: blocksOf(kinds.sources),
        additionalProperties: false,
        oneOf: [...kinds.sources.keys()].map((kind) => ({ required: [kind] })),
      },
      modes: [...kinds.authProviders.keys()],
      auth: { properties: blocksOf(kinds.authProviders) },
      middleware: { properties: blocksOf(kinds.middleware), additionalProperties: false },
      audit: audit === undefined ? undefined : toEditorSchema(audit),
      pages: { properties: blocksOf(kinds.pages), additionalProperties: false },
      telemetry: telemetryOf(kinds),
      workload: forWorkloads((key) => ({ properties: blocksOf(kinds[key]), additionalProperties: false })),
    }),
  };
}

/**
 * Returns the schema of `telemetry` with the keys of every exporter. The boot validates which exporter is
 * chosen.
 */
function telemetryOf({ telemetry }: KindTable): ConfigBlock {
  const blocks = [...telemetry.values()].map(({ kind }): ConfigBlock => kind.config);
  const properties = Object.assign({}, ...blocks.map((block) => block.properties));
  return telemetryWith({ properties }, [...telemetry.keys()]);
}

function pluginItemSchema(pluginOptions: ReadonlyMap<string, ConfigBlock>): JsonSchema {
  const known = [...pluginOptions].map(([use, block]) => ({
    if: { properties: { use: { const: use } }, required: ['use'] },
    // `then` is a JSON Schema keyword here, and no code awaits this object.
    // oxlint-disable-next-line unicorn/no-thenable
    then: { properties: { options: toEditorSchema(block) } },
  }));
  return {
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'object', ...pluginMap, ...(known.length === 0 ? {} : { allOf: known }) },
    ],
  };
}

function anything(names: readonly string[]): JsonSchema {
  return Object.fromEntries(names.map((name) => [name, {}]));
}

function blocksOf(
  kinds: ReadonlyMap<string, { readonly kind: { readonly config: ConfigBlock } }>,
): JsonSchema {
  return Object.fromEntries([...kinds].map(([name, { kind }]) => [name, toEditorSchema(kind.config)]));
}
