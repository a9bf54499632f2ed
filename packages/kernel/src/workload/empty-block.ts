import type { ConfigBlock } from '@portolan/plugin-api';
import { type Block, isPlainMap } from '../config/plain-data.ts';
import { configInvalid } from '../validation/validation-errors.ts';
import { checkByKind, type CheckingKind, type CheckContext } from '../validation/check-by-kind.ts';
import type { KindEntry } from '../kinds/kind-table.ts';
import type { ConfigPath } from '../faults/config-path.ts';

type KindWithBlock = CheckingKind & { readonly config: ConfigBlock };

/**
 * Returns the validated default settings of a kind for which the user configured none. Throws
 * ERR_CONFIG_INVALID when the kind has required settings, and ERR_PLUGIN_CHECK.
 */
export async function emptyBlockOf(
  entry: KindEntry<KindWithBlock>,
  place: ConfigPath,
  context: CheckContext & { readonly configFile: string | undefined },
): Promise<Block> {
  const block = await emptyBlock(entry.kind.config, place, entry.shipped, context.configFile);
  const problems = checkByKind(entry, block, place, context).filter((problem) => problem.isWarning !== true);
  if (problems.length > 0) throw configInvalid(context.configFile, problems);
  return block;
}

/**
 * Fills defaults into an empty map. Avoids the slow schema checker where possible. Throws ERR_CONFIG_INVALID.
 */
export async function emptyBlock(
  block: ConfigBlock,
  place: ConfigPath,
  trusted: boolean,
  configFile: string | undefined,
): Promise<Block> {
  const value: Record<string, unknown> = {};
  if (trusted && isAllDefaults(block)) return withDefaults(block, value);
  const { SchemaChecker } = await import('../config/schema-checker.ts');
  const problems = new SchemaChecker().checkBlock(block, value, place);
  if (problems.length > 0) throw configInvalid(configFile, problems);
  return value;
}

function isAllDefaults({ properties = {}, required = [], oneOfKeys, anyOfKeys }: ConfigBlock): boolean {
  return (
    oneOfKeys === undefined &&
    anyOfKeys === undefined &&
    required.every((key) => properties[key]?.default !== undefined) &&
    Object.values(properties).every((inner) => !isPlainMap(inner.default) || isAllDefaults(inner))
  );
}

function withDefaults(block: ConfigBlock, value: Record<string, unknown>): Record<string, unknown> {
  for (const [key, inner] of Object.entries(block.properties ?? {})) {
    if (inner.default !== undefined && !Object.hasOwn(value, key))
      value[key] = structuredClone(inner.default);
    const input = value[key];
    if (isPlainMap(input)) withDefaults(inner, input);
  }
  return value;
}
