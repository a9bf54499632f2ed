import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ATTACKERS = [
  'A server in a container',
  'A remote server',
  'A caller of a workload',
  'A publisher',
  'A page in the browser',
  'A plugin package',
  "A package's build",
];

interface ThreatRow {
  readonly attacker: string;
  readonly limit: string;
  /** Paths of test files, from the root of the repository. */
  readonly tests: readonly string[];
}

async function readThreatModel(): Promise<readonly ThreatRow[]> {
  const page = await readFile(path.join(ROOT, 'SECURITY.md'), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith('Threat model\n')) ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2).map((line) => {
    const [, attacker = '', limit = '', tests = ''] = line.split('|').map((cell) => cell.trim());
    return { attacker, limit, tests: [...tests.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file) };
  });
}

describe('threat model in SECURITY.md', () => {
  it('lists limits for every attacker', async () => {
    const rows = await readThreatModel();
    expect([...new Set(rows.map(({ attacker }) => attacker))]).to.have.members(ATTACKERS);
    expect(rows.filter(({ limit }) => limit === '')).to.deep.equal([]);
  });

  it('names at least one existing test file in every line', async () => {
    const isTest = (file: string): boolean => file.endsWith('.test.ts') && existsSync(path.join(ROOT, file));
    const faults = (await readThreatModel()).flatMap(({ limit, tests }) =>
      tests.length === 0 ? [`${limit}: no test`] : tests.filter((file) => !isTest(file)),
    );
    expect(faults).to.deep.equal([]);
  });
});
