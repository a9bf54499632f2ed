import type { SourceEntry } from '@portolan/plugin-api';

/** Two servers and a skill, as the catalogue of `catalogueText(0)` holds them. */
export const ENTRIES: readonly SourceEntry[] = entriesOf(0);

/** A catalogue in the upstream format, another one for every number. */
export function catalogueText(revision: number): string {
  const documents = (type: SourceEntry['type']): readonly unknown[] =>
    entriesOf(revision)
      .filter((entry) => entry.type === type)
      .map((entry) => entry.document);
  return JSON.stringify({
    version: '1.0.0',
    meta: { last_updated: '2026-01-15T08:00:00Z' },
    data: { servers: documents('server'), skills: documents('skill') },
  });
}

function entriesOf(revision: number): readonly SourceEntry[] {
  return [
    {
      type: 'server',
      document: { name: 'dev.acme/notes', description: 'Notes – größer', version: `1.${revision}.0` },
    },
    { type: 'server', document: { name: 'dev.acme/tides', description: 'Tides', version: '2.0.0' } },
    {
      type: 'skill',
      document: { namespace: 'dev.acme', name: 'triage', description: 'Sorts', version: '0.3.0' },
    },
  ];
}
