import { type ConfigBlock, isPortolanError, nearest, type SourceKind } from '@portolan/plugin-api';
import { type Block, isPlainMap } from '../../config/plain-data.ts';
import { formatConfigPath } from '../../faults/config-path.ts';
import { configProblem } from '../../faults/config-problem.ts';
import type { SourceConfig } from '../../config/core-schema.ts';
import { type JsonSchema, toEditorSchema } from '../../config/json-schema.ts';
import { oneOf } from '../../faults/describe-value.ts';
import { SchemaChecker } from '../../config/schema-checker.ts';
import { variantOf } from '../../config/variant-of.ts';
import { createSourceInstance } from '../create-instances.ts';
import type { CreationContext } from '../../kinds/create-instance.ts';
import { composeSourceSchema } from '../../validation/compose-schema.ts';
import { sourceInvalid, sourceRefused } from '../server-errors.ts';
import type { CheckedSource, SourceInstance, SourceKindDescription, SourceToCreate } from '../kernel.ts';
import type { KindEntry } from '../../kinds/kind-table.ts';
import { withinTime } from '../../lifetime/within-time.ts';
import { checkSource, checkSourceBlock, saysReach } from './check-source.ts';
import { guardSource, openLimitedContext } from './limited-context.ts';
import type { ReachLimits } from './reach-limits.ts';
import type { SourceKinds } from './source-kinds.ts';

export interface ApiSourcesInput extends CreationContext {
  readonly kinds: SourceKinds;
  readonly limits: ReachLimits;
  readonly directory: string;
}

/** Validates and creates sources that the API defines instead of the configuration file. */
export class ApiSources {
  readonly #input: ApiSourcesInput;
  /**
   * Compiled when the first source is checked and kept, because compilation blocks requests for 10 to 20 ms.
   */
  #compiled: { readonly checker: SchemaChecker; readonly schema: JsonSchema } | undefined;

  constructor(input: ApiSourcesInput) {
    this.#input = input;
  }

  async describeKinds(): Promise<readonly SourceKindDescription[]> {
    const described: SourceKindDescription[] = [];
    for (const name of this.#input.kinds.names) {
      const { kind } = await this.#entryOf(name);
      const { claimsFrom, config } = kind;
      described.push({
        kind: name,
        claimsFrom,
        viaApi: saysReach(kind),
        needsInterval: claimsFrom === 'source' && kind.isFixed === undefined,
        schema: toEditorSchema(config),
      });
    }
    return described;
  }

  async check(name: string, definition: unknown): Promise<CheckedSource> {
    const { kinds, limits, directory, secrets } = this.#input;
    const used = isPlainMap(definition) ? kinds.names.filter((kind) => Object.hasOwn(definition, kind)) : [];
    const entries = new Map<string, KindEntry<SourceKind>>();
    for (const kind of used) {
      const entry = await kinds.get(kind);
      if (entry !== undefined) entries.set(kind, entry);
    }
    const source = await checkSource({
      name,
      definition,
      kindNames: kinds.names,
      kinds: entries,
      ...this.#schemas(),
      limits,
      context: { directory, secrets },
    });
    const entry = await this.#entryOf(source.kind);
    await this.#try(source, entry);
    const { claimsFrom, config } = entry.kind;
    const { oneOfKeys: variants = [] }: ConfigBlock = config;
    return { ...source, claimsFrom, variant: variantOf(config, source.block), variants };
  }

  async create({ name, kind, block }: SourceToCreate): Promise<SourceInstance> {
    const { limits } = this.#input;
    const entry = await this.#entryOf(kind);
    const checked = await checkSourceBlock(entry, block, limits, this.#schemas().checker);
    const { instance, limited } = await this.#open(name, entry, checked);
    const check = async (): Promise<void> =>
      void (await checkSourceBlock(entry, checked, limits, this.#schemas().checker));
    return { kind: entry.kind, instance: guardSource(instance, check, () => limited.close()) };
  }

  /**
   * Creates a source and closes it at once, so that errors of its creation appear before the definition is
   * stored.
   */
  async #try({ name, block }: SourceConfig, entry: KindEntry<SourceKind>): Promise<void> {
    try {
      const { instance, limited } = await this.#open(name, entry, block);
      await withinTime(() => instance.close?.(), this.#input.limitMs).finally(() => limited.close());
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      throw isPortolanError(cause) ? sourceRefused(cause) : error;
    }
  }

  async #open(name: string, entry: KindEntry<SourceKind>, block: Block) {
    const { contextFor, limits } = this.#input;
    const limited = await openLimitedContext(contextFor(entry.plugin), limits);
    try {
      const input = { ...this.#input, contextFor: () => limited.context };
      return { instance: await createSourceInstance(input, entry, block, name), limited };
    } catch (error) {
      await limited.close();
      throw error;
    }
  }

  #schemas() {
    this.#compiled ??= {
      checker: new SchemaChecker(),
      schema: composeSourceSchema(this.#input.kinds.names),
    };
    return this.#compiled;
  }

  async #entryOf(kind: string): Promise<KindEntry<SourceKind>> {
    const { kinds } = this.#input;
    const entry = await kinds.get(kind);
    if (entry !== undefined) return entry;
    const didYouMean = nearest(kind, kinds.names);
    throw sourceInvalid([
      configProblem(formatConfigPath([kind]), 'an unknown kind', oneOf(kinds.names), { didYouMean }),
    ]);
  }
}
