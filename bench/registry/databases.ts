import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { run } from '../../scripts/run.ts';
import type { UndoStack } from './undo-stack.ts';

export type EngineName = 'SQLite' | 'PostgreSQL';

/** Database engine that is available here. */
export interface Engine {
  readonly name: EngineName;
  /** Creates an empty database and returns its address; removed at the end. */
  createDatabase(): Promise<string>;
}

const SCRIPT = path.join(import.meta.dirname, '../../scripts/postgres.sh');

/** Returns an engine that creates a file in this folder for each database. */
export function sqliteEngine(folder: string): Engine {
  let made = 0;
  return {
    name: 'SQLite',
    createDatabase: async () => `sqlite:${path.join(folder, `registry-${++made}.db`)}`,
  };
}

/**
 * Returns PostgreSQL at PORTOLAN_TEST_POSTGRES_URL, else an own server that it starts; a string with the
 * reason if neither is available.
 */
export async function postgresEngine(folder: string, undo: UndoStack): Promise<Engine | string> {
  const given = process.env['PORTOLAN_TEST_POSTGRES_URL'];
  const server = given ?? (await startPostgres(path.join(folder, 'postgres'), undo));
  if (server === undefined)
    return 'PostgreSQL is not installed, and PORTOLAN_TEST_POSTGRES_URL names no server';
  return {
    name: 'PostgreSQL',
    async createDatabase() {
      const name = `portolan_bench_${randomUUID().replaceAll('-', '')}`;
      await administer(server, `create database ${name}`);
      if (given !== undefined) {
        undo.push(`database ${name}`, () => administer(server, `drop database ${name} with (force)`));
      }
      const url = new URL(server);
      url.pathname = `/${name}`;
      return url.href;
    },
  };
}

async function startPostgres(folder: string, undo: UndoStack): Promise<string | undefined> {
  if (!existsSync('/usr/lib/postgresql') && (await run('which', ['initdb']).catch(() => '')) === '')
    return undefined;
  undo.push('PostgreSQL', () =>
    existsSync(path.join(folder, 'data')) ? run('bash', [SCRIPT, 'stop', folder]) : '',
  );
  return (await run('bash', [SCRIPT, 'start', folder])).trim();
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
