import type { FlagRow } from '../flag-row.ts';

export const TOOLS_FLAGS = {
  tools: {
    flag: 'tools',
    is: 'texts',
    group: 'TOOLS AND POLICY',
    description: 'tools that clients may use, separated by commas, by the names that clients see; repeatable',
    fallback: 'all',
    helpValue: 'NAME,NAME',
    field: 'tools_filter',
    convert: (texts) => texts.flatMap((text) => text.split(',')),
    setting: { default: [] },
  },
  toolsOverride: {
    flag: 'tools-override',
    is: 'text',
    group: 'TOOLS AND POLICY',
    description: 'JSON file with other names and descriptions for tools',
    helpValue: 'FILE',
    field: 'tools_override',
    names: 'files',
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
