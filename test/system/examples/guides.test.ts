import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { globSync } from 'node:fs';
import { glob, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { run } from '../../../scripts/run.ts';
import { RunningPortolan, runPortolan } from '../../support/command-line.ts';
import { completeConfiguration, isConfiguration, variablesOf } from '../../support/complete-configuration.ts';
import { problemsOfThisMachine } from '../../support/problems-of-this-machine.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** Pages with configurations to check. Contributing pages and plugin READMEs show parts of files only. */
const CONFIGURING = [
  'README.md',
  ...globSync('docs/{*.md,{get-started,guides,concepts,operate,extend}/**/*.md}', { cwd: root }).toSorted(),
];

const CONFIGURATIONS = (
  await Promise.all(
    CONFIGURING.map(async (file) =>
      codeBlocks(await readFile(path.join(root, file), 'utf8'), 'yaml')
        .filter((text) => isConfiguration(text) && !isOfPlugin(file, text))
        .map((text) => ({ file, text })),
    ),
  )
).flat();

describe('the guides', function () {
  this.timeout(120_000); // The cases start the compiler, and the command line for each configuration.

  it('link to files that exist', async () => {
    const broken: string[] = [];
    for await (const file of glob(['*.md', 'docs/**/*.md', '{packages,plugins,examples}/*/README.md'], {
      cwd: root,
    })) {
      const text = await readFile(path.join(root, file), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)(?:#[^)]*)?\)/g)) {
        const found = await stat(path.join(root, path.dirname(file), target)).catch(() => undefined);
        if (found === undefined) broken.push(`${file}: ${target}`);
      }
    }
    expect(broken).to.deep.equal([]);
  });

  it('show plugins that type-check', async () => {
    const cache = path.join(root, 'node_modules/.cache');
    await mkdir(cache, { recursive: true });
    const folder = await mkdtemp(path.join(cache, 'portolan-guides-'));
    try {
      for (const name of ['src', 'test']) await mkdir(path.join(folder, name));
      let count = 0;
      for await (const file of glob('docs/{concepts,extend,guides}/**/*.md', { cwd: root })) {
        const blocks = codeBlocks(await readFile(path.join(root, file), 'utf8'), 'ts');
        for (const [index, block] of blocks.entries()) {
          count += 1;
          // The test in this page imports its first block by this name.
          const isSource = file.endsWith('write-a-source.md') && index === 0;
          const name = isSource ? 'src/source.ts' : `test/${path.basename(file, '.md')}-${count}.ts`;
          await writeFile(path.join(folder, name), block);
        }
      }
      expect(count).to.be.greaterThan(6);
      const settings = { extends: path.join(root, 'tsconfig.json'), include: ['src', 'test'] };
      await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify(settings));
      await run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('README.md › shows a configuration and a catalogue that a registry serves', async () => {
    const text = await readFile(path.join(root, 'README.md'), 'utf8');
    const configuration = codeBlocks(text, 'yaml').find((block) => block.includes('./catalogue.json'));
    const catalogue = codeBlocks(text, 'json').find((block) => block.startsWith('{ "data"'));
    const folder = await mkdtemp(path.join(tmpdir(), 'portolan-guides-'));
    const more = `database: { url: "sqlite::memory:" }\nserver: { address: "127.0.0.1:0", internalAddress: "off" }\n`;
    await writeFile(path.join(folder, 'portolan.config.yaml'), `${configuration}${more}`);
    await writeFile(path.join(folder, 'catalogue.json'), String(catalogue));
    try {
      const { stdout, status } = await runPortolan(['config', 'check'], { cwd: folder });
      expect({ status, warns: stdout.includes('warning') }, stdout).to.deep.equal({
        status: 0,
        warns: false,
      });
      const running = new RunningPortolan(['serve'], { cwd: folder });
      try {
        const { address } = await running.logged('listening');
        await eventually(async () => {
          const answer = await fetch(`http://${String(address)}/registry/main/v0.1/servers`);
          // Response of the consumer API.
          const { servers } = (await answer.json()) as { servers: readonly { server: { name: string } }[] };
          expect(servers.map(({ server }) => server.name)).to.deep.equal(['com.acme/notes']);
        });
      } finally {
        await running.stop();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('show more than 12 configurations', () => {
    expect(CONFIGURATIONS.length).to.be.greaterThan(12);
  });

  for (const { file, text } of CONFIGURATIONS) {
    it(`${file} › shows a valid configuration: ${text.split('\n', 1)[0]}`, async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'portolan-guides-'));
      try {
        await writeFile(path.join(folder, 'portolan.config.yaml'), completeConfiguration(text));
        const options = { cwd: folder, env: variablesOf(text) };
        const { status, stderr } = await runPortolan(['config', 'check'], options);
        expect(problemsOfThisMachine(stderr)).to.deep.equal([]);
        expect(status).to.equal(stderr === '' ? 0 : 2);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});

/** Returns true if a configuration needs a plugin, which `plugin-guide.test.ts` builds. */
function isOfPlugin(file: string, text: string): boolean {
  return file.startsWith('docs/extend/') && /^plugins:/m.test(text);
}

function codeBlocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  );
}
