import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readExports } from '../../../scripts/reference/read-exports.ts';
import { inOrder, renderRoutes } from '../../../scripts/reference/render-routes.ts';

const root = path.resolve(import.meta.dirname, '../../..');

describe('the generated page of routes', () => {
  it('has a row for each endpoint with its role, its steps and its action', async () => {
    const page = await renderRoutes(root);
    const lines = page.split('\n');
    const cellsOf = (line = '') => line.split('|').map((cell) => cell.trim());
    const heads = cellsOf(lines.find((line) => line.startsWith('| Route |')));
    const publish = cellsOf(lines.find((line) => line.startsWith('| `POST /v1/entries` |')));
    expect(publish[heads.indexOf('Role')]).to.equal('`manageEntries`');
    expect(heads.filter((_, at) => publish[at] === '●')).to.deep.equal([
      '`markDryRun`',
      '`requireRole`',
      '`readParameters`',
      '`readBody`',
      '`runBeforePublish`',
    ]);
    expect(publish[heads.indexOf('Action')]).to.match(/^\[`publishEntry`\]\(.*\/actions\/entries\.ts\)$/);
  });

  it('describes every step by its docstring', async () => {
    for (const line of (await renderRoutes(root)).split('\n').filter((text) => /^(?:-|\d+\.) \[/.test(text)))
      expect(line).to.match(/^\S+ \[`\w+`\]\(\.\.\/\.\.\/packages\/registry-server\/src\/\S+\.ts\): [A-Z`]/);
  });
});

describe('the order of request steps in the generated page', () => {
  it('matches the order of steps of every endpoint', () => {
    expect(
      inOrder([['read', 'load', 'answer'], ['role', 'read', 'body'], ['body', 'answer'], []]),
    ).to.deep.equal(['role', 'read', 'load', 'body', 'answer']);
  });

  it('throws when two endpoints have contradicting orders', () => {
    expect(() =>
      inOrder([
        ['role', 'read'],
        ['read', 'role'],
      ]),
    ).to.throw('disagree about the order of role, read');
  });
});

describe('exports by name (readExports)', () => {
  it('throws when two files export the same name', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-exports-'));
    try {
      await writeFile(path.join(folder, 'a.ts'), '/** Loads. */\nexport function load(): void {}\n');
      await writeFile(path.join(folder, 'b.ts'), 'export const keep = 1;\n');
      expect([...(await readExports(folder, ['*.ts']))]).to.have.deep.members([
        ['load', { file: 'a.ts', about: 'Loads.' }],
        ['keep', { file: 'b.ts', about: undefined }],
      ]);
      await writeFile(path.join(folder, 'b.ts'), 'export const load = 1;\n');
      const refused = await readExports(folder, ['*.ts']).then(
        () => 'taken',
        (error: unknown) => String(error),
      );
      expect(refused).to.match(/load is exported by [ab]\.ts and [ab]\.ts/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
