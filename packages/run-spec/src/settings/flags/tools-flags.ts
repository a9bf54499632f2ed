import type { FlagRow } from '../flag-row.ts';
import { badSetting } from '../settings-errors.ts';

/** Which tools of a server clients see, and under which names. */
export const TOOLS_FLAGS = {
  tools: {
    flag: 'tools',
    is: 'texts',
    group: 'TOOLS AND POLICY',
    description: 'tools that clients may use, separated by commas, by the names that they see; repeatable',
    fallback: 'all',
    helpValue: 'NAME,NAME',
    field: 'tools_filter',
    setting: { default: [], check: splitToolNames },
  },
  toolsOverride: {
    flag: 'tools-override',
    is: 'text',
    group: 'TOOLS AND POLICY',
    description: 'JSON file with other names and descriptions for tools',
    helpValue: 'FILE',
    field: 'tools_override',
  },
} as const satisfies Readonly<Record<string, FlagRow>>;

/** The names, each once. An empty one is refused: without any, all tools would be seen. */
function splitToolNames(texts: readonly string[], place: string): readonly string[] {
  const names = texts.flatMap((text) => text.split(',').map((name) => name.trim()));
  if (names.includes('')) throw badSetting(place, texts.join(' '), 'names of tools, separated by commas');
  return [...new Set(names)];
}
