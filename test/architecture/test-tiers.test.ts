import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { chooseTests } from '../../scripts/tests/choose-tests.ts';
import { findNeeds, NEEDS } from '../../scripts/tests/test-needs.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('the fast tier of tests', () => {
  it('has no test that starts a process or a container, directly or through support code', () => {
    const files = chooseTests(root, 'fast');
    expect(files).to.include('test/architecture/test-tiers.test.ts');
    const found = files.flatMap((file) =>
      findNeeds(root, file).map(
        ({ need, way }) =>
          `${way.join(' → ')} (${need}): name the file .slow.test.ts, or move it to test/system`,
      ),
    );
    expect(found.join('\n')).to.equal('');
  });
});

describe('NEEDS', () => {
  it('names existing files only', () => {
    const files = [...NEEDS.keys()].filter((name) => name.endsWith('.ts'));
    expect(files.filter((file) => !existsSync(path.join(root, file)))).to.deep.equal([]);
  });
});

describe('findNeeds', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-needs-'));
    await mkdir(path.join(folder, 'test/support'), { recursive: true });
    await mkdir(path.join(folder, 'packages/kernel/src'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true }));

  const MODULE = `'node:child_process'`; // Imports are left out, because the module's own import would match.
  const ENGINE = `'@portolan/runtime-docker'`;
  const STARTS = `import { spawn } from ${MODULE};\n`;
  const cases = [
    {
      title: 'finds a direct import',
      files: { 'test/a.test.ts': `import path from 'node:path';\n${STARTS}` },
      finds: ['process: test/a.test.ts → node:child_process'],
    },
    {
      title: 'finds an import of support code, over several lines and through other modules',
      files: {
        'test/a.test.ts': `import {\n  one,\n  two,\n} from './support/one.ts';\n`,
        'test/support/one.ts': `export * from './two.ts';\n`,
        'test/support/two.ts': STARTS,
      },
      finds: ['process: test/a.test.ts → test/support/one.ts → test/support/two.ts → node:child_process'],
    },
    {
      title: 'finds a dynamic import',
      files: { 'test/a.test.ts': `const { spawn } = await import(${MODULE});\n` },
      finds: ['process: test/a.test.ts → node:child_process'],
    },
    {
      title: 'finds the engine',
      files: { 'test/a.test.ts': `import { dockerRuntime } from ${ENGINE};\n` },
      finds: ['engine: test/a.test.ts → @portolan/runtime-docker'],
    },
    {
      title: 'ignores type imports and imports of the product',
      files: {
        'test/a.test.ts': `import type { ChildProcess } from ${MODULE};\nimport { boot } from '../packages/kernel/src/boot.ts';\n`,
        'packages/kernel/src/boot.ts': STARTS,
      },
      finds: [],
    },
  ];
  for (const { title, files, finds } of cases) {
    it(title, async () => {
      for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
      const found = findNeeds(folder, 'test/a.test.ts');
      expect(found.map(({ need, way }) => `${need}: ${way.join(' → ')}`)).to.deep.equal(finds);
    });
  }
});
