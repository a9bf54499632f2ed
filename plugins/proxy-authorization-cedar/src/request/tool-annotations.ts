import { isJsonObject } from '@portolan/plugin-api';
import type { Attributes } from '../engine/arguments.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Maximum number of tools of one server, on all pages of its list, whose hints are remembered. */
export const MAX_TOOLS = 10_000;

/**
 * What the server itself says of its tools, in answers to `tools/list`; never
 * what a client says. A list on one page replaces everything. Of one on several,
 * a client may ask for a part alone, so that nothing else is forgotten.
 */
export class ToolAnnotations {
  #hints = new Map<string, Attributes>();

  /** Takes a page; false where more tools are listed than can be remembered. */
  learn(tools: readonly unknown[], isWhole: boolean): boolean {
    const known = isWhole ? new Map<string, Attributes>() : new Map(this.#hints);
    for (const tool of tools) {
      const name = isJsonObject(tool) ? tool['name'] : undefined;
      if (typeof name === 'string') known.set(name, hintsOf(tool));
    }
    if (known.size > MAX_TOOLS) return false;
    this.#hints = known;
    return true;
  }

  of(tool: string): Attributes {
    return this.#hints.get(tool) ?? NONE;
  }

  /** Returns a look-up of the current hints, which later lists do not change. */
  snapshot(): (tool: string) => Attributes {
    const hints = this.#hints;
    return (tool) => hints.get(tool) ?? NONE;
  }
}

const NONE: Attributes = {};

function hintsOf(tool: unknown): Attributes {
  const annotations = isJsonObject(tool) ? tool['annotations'] : undefined;
  if (!isJsonObject(annotations)) return NONE;
  const given = HINTS.flatMap((hint): [string, boolean][] => {
    const value = Object.hasOwn(annotations, hint) ? annotations[hint] : undefined;
    return typeof value === 'boolean' ? [[hint, value]] : [];
  });
  return given.length === 0 ? NONE : Object.fromEntries(given);
}
