import { isJsonObject } from '@portolan/plugin-api';
import type { Attributes } from '../engine/arguments.ts';

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Maximum number of tools of one server, on all pages of its list. */
export const MAX_TOOLS = 10_000;

/**
 * Annotations of tools as the server lists them, never as a client states them. A complete list replaces all;
 * a page replaces only its own tools, because a client may request a single page.
 */
export class ToolAnnotations {
  #hints = new Map<string, Attributes>();

  /** Stores a list or a page; false if there are more tools than the maximum. */
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

  /** Later lists do not change the snapshot. */
  snapshot(): (tool: string) => Attributes {
    const hints = this.#hints;
    return (tool) => hints.get(tool) ?? NONE;
  }
}

const NONE: Attributes = {};

function hintsOf(tool: unknown): Attributes {
  const annotations = isJsonObject(tool) ? tool['annotations'] : undefined;
  if (!isJsonObject(annotations)) return NONE;
  const inputs = HINTS.flatMap((hint): [string, boolean][] => {
    const value = Object.hasOwn(annotations, hint) ? annotations[hint] : undefined;
    return typeof value === 'boolean' ? [[hint, value]] : [];
  });
  return inputs.length === 0 ? NONE : Object.fromEntries(inputs);
}
