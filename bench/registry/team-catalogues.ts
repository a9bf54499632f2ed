import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compare, documentAt, type EntryKey, SECOND_VERSION_EVERY } from './generate.ts';

/** Where an entry of a catalogue that is spread over teams belongs. */
export interface TeamKey extends EntryKey {
  readonly index: number;
  readonly team: string;
}

/** A catalogue in one file for each team. */
export interface TeamCatalogues {
  readonly count: number;
  /** Catalogue files by team. */
  readonly files: ReadonlyMap<string, string>;
  /** All versions in the order of lists. */
  readonly keys: readonly TeamKey[];
}

/** Names of so many teams. */
export function teamNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `team-${String(at).padStart(2, '0')}`);
}

/** Writes the catalogue of `count` entries spread over teams; all versions of a name are of one team. */
export async function writeTeamCatalogues(
  folder: string,
  count: number,
  teams: readonly string[],
): Promise<TeamCatalogues> {
  await mkdir(folder, { recursive: true });
  const keys: TeamKey[] = [];
  const files = new Map<string, string>();
  for (const [position, team] of teams.entries()) {
    const servers = [];
    for (let index = 0; index < count; index += 1) {
      if (Math.floor(index / SECOND_VERSION_EVERY) % teams.length !== position) continue;
      const document = documentAt(index, count);
      servers.push(document);
      keys.push({ name: document.name, version: document.version, index, team });
    }
    const file = path.join(folder, `${team}.json`);
    const meta = { last_updated: '2026-01-15T08:00:00Z' };
    await writeFile(file, JSON.stringify({ version: '1.0.0', meta, data: { servers } }));
    files.set(team, file);
  }
  keys.sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  return { count, files, keys };
}
