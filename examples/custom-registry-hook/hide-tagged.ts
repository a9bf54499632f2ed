import type { ConfigBlock, Entry, Plugin } from '@portolan/plugin-api';

const options = {
  type: 'object',
  description: 'Which entries nobody gets to see.',
  required: ['hideTags'],
  properties: {
    hideTags: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      description: 'An entry with one of these tags is hidden.',
      examples: [['internal']],
    },
  },
} as const satisfies ConfigBlock;

/** Hides entries by tag, in every registry and for every caller. */
export default {
  name: 'hide-tagged',
  apiVersion: 2,
  options,
  apply({ hooks }, { hideTags }) {
    const hidden = new Set(hideTags);
    // The result depends only on the entries and this list, so this key lets the server cache pages.
    const cacheKey = (): string => hideTags.toSorted().join('\n');
    hooks.filterEntries.tap({ name: 'hide-tagged', cacheKey }, (entries) =>
      entries.filter((entry) => !tagsOf(entry).some((tag) => hidden.has(tag))),
    );
  },
} satisfies Plugin<typeof options>;

/** Tags are in the publisher's metadata, below vendor and package: `<vendor>.<package>.tags`. */
function tagsOf(entry: Entry): readonly string[] {
  const metadata = membersOf(entry.document['_meta'])['io.modelcontextprotocol.registry/publisher-provided'];
  return Object.values(membersOf(metadata))
    .flatMap((vendor) => Object.values(membersOf(vendor)))
    .flatMap((extension) => membersOf(extension)['tags'] ?? [])
    .filter((tag) => typeof tag === 'string');
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
