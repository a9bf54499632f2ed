import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LockedDefinitions, LockFile, StoredLock } from '../../src/index.ts';
import { lockDefinitions } from '../../src/index.ts';
import { PROMPT, SERVER, TEMPLATE, TOOL } from './definitions.ts';

/** Returns the definitions of a workload, all approved. */
export function lockWorkload(name: string): LockedDefinitions {
  const { locked, faults } = lockDefinitions({
    facts: { source: `npx://@acme/${name}@2.1.0` },
    current: {
      tools: [
        { ...TOOL, description: `Searches ${name}.` },
        { ...TOOL, name: 'a' },
      ],
      prompts: [PROMPT],
      templates: [TEMPLATE],
      server: { ...SERVER, name },
      resolved: { package: `@acme/${name}`, version: '2.1.0', integrity: 'sha512-AAAA' },
      signer: { issuer: 'https://issuer.example', identity: 'https://acme.example/build@refs/heads/main' },
    },
    approval: { date: '2026-11-29', by: 'ada' },
  });
  if (locked === undefined || faults.length > 0) throw new Error('the definitions have faults');
  return locked;
}

/** Returns a lock file with workloads of the given names. */
export function storedLock(names: readonly string[]): StoredLock {
  const all = names.map((name) => [name, lockWorkload(name)] as const);
  const lock: LockFile = {
    version: 1,
    formula: 1,
    workloads: new Map(all.map(([name, { workload }]) => [name, workload])),
  };
  return { lock, contents: new Map(all.flatMap(([, { contents }]) => [...contents])) };
}

/** Temporary folder of a test; removed when the test ends. */
export async function makeFolder(): Promise<{ readonly folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'portolan-lock-'));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
