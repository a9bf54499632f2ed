import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compare, documentAt, type EntryKey, SECOND_VERSION_EVERY } from './generate.ts';

/** Entry of a catalogue with its team. */
export interface TeamKey extends EntryKey {
  readonly index: number;
  readonly team: string;
}

/** Catalogue split into one file per team. */
export interface TeamCatalogues {
  readonly count: number;
  /** Catalogue files by team. */
  readonly files: ReadonlyMap<string, string>;
  /** All versions in list order. */
  readonly keys: readonly TeamKey[];
}

export function teamNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `team-${String(at).padStart(2, '0')}`);
}

/** Writes a catalogue of `count` entries split over teams; all versions of a name belong to one team. */
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
