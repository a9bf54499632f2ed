import { publishDefinitions, type PublishedDefinitions } from '@portolan/entry-format';
import { isJsonObject } from '@portolan/plugin-api';
import { badArgument } from '../terminal/terminal-errors.ts';
import type { Publications } from './read-publications.ts';

/** Definitions of a running workload that an entry is to publish. */
export interface WorkloadDefinitions {
  readonly workload: string;
  readonly definitions: Omit<PublishedDefinitions, 'from' | 'faults'>;
  /** Size of the definitions as JSON, in bytes. */
  readonly bytes: number;
}

const KINDS = { tools: 'tool', prompts: 'prompt', templates: 'template' } as const;

/** Returns `demo: 3 tools, 1 prompt, 0 templates; 2,345 bytes`, for people. */
export function describeDefinitions({ workload, definitions, bytes }: WorkloadDefinitions): string {
  const counts = Object.entries(KINDS).map(([list, one]) => {
    // SAFETY: the keys of `KINDS` are lists of the definitions.
    const count = definitions[list as keyof typeof KINDS]?.length ?? 0;
    return `${count} ${one}${count === 1 ? '' : 's'}`;
  });
  return `${workload}: ${counts.join(', ')}; ${bytes.toLocaleString('en')} bytes`;
}

/**
 * Returns the publications with the definitions in their entry. Throws ERR_BAD_ARGUMENT unless the file is one
 * server, because one workload has the definitions of one server.
 */
export function addDefinitions(
  { from, entries }: Publications,
  { definitions }: WorkloadDefinitions,
): Publications {
  const [entry] = entries;
  if (from !== 'document' || entry === undefined || !('type' in entry) || entry.type !== 'server')
    throw badArgument('--with-tools: found a file that is not one server; expected a server.json');
  const { document } = entry;
  if (!isJsonObject(document)) return { from, entries };
  return { from, entries: [{ ...entry, document: publishDefinitions(document, definitions) }] };
}
