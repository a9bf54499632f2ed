import { isJsonObject, type JsonRecord, memberOf } from '@portolan/mcp-protocol';

/** Annotations with all hints that say how safe a tool is. */
export interface SafetyHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Defaults of the specification for hints that a tool lacks, which are the least safe ones. */
const LEAST_SAFE: SafetyHints = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

const SAFE_HINTS: SafetyHints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Returns annotations that are as unsafe as those of each of the tools. A hint that a tool lacks, or that is no boolean,
 * counts as the least safe value. Without tools, all hints are the least safe ones.
 */
export function leastSafeHints(definitions: readonly JsonRecord[]): SafetyHints {
  if (definitions.length === 0) return LEAST_SAFE;
  return definitions.map(hintsOf).reduce(
    (one, other) => ({
      readOnlyHint: one.readOnlyHint && other.readOnlyHint,
      destructiveHint: one.destructiveHint || other.destructiveHint,
      idempotentHint: one.idempotentHint && other.idempotentHint,
      openWorldHint: one.openWorldHint || other.openWorldHint,
    }),
    SAFE_HINTS,
  );
}

function hintsOf(definition: JsonRecord): SafetyHints {
  const annotations = memberOf(definition, 'annotations');
  const hint = (name: keyof SafetyHints): boolean => {
    const value = isJsonObject(annotations) ? memberOf(annotations, name) : undefined;
    return typeof value === 'boolean' ? value : LEAST_SAFE[name];
  };
  const openWorldHint = hint('openWorldHint');
  // The other two hints have a meaning only for tools that change something.
  if (hint('readOnlyHint')) return { ...SAFE_HINTS, openWorldHint };
  return {
    readOnlyHint: false,
    destructiveHint: hint('destructiveHint'),
    idempotentHint: hint('idempotentHint'),
    openWorldHint,
  };
}
