import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { RunningPortolan, runPortolan } from '../../support/command-line.ts';
import { ExampleCopy, EXAMPLES, listExamples } from '../../support/examples/example-copy.ts';
import { readSteps, type Step } from '../../support/examples/read-steps.ts';
import { takeSteps, WalkThrough } from '../../support/examples/walk-through.ts';

const CONFIG = 'portolan.config.yaml';

/** Examples with a README that another test follows. */
const OTHERS: Readonly<Record<string, string>> = {
  'changed-tool': 'remote-examples.test.ts',
  'custom-cli-plugin': 'workload-examples.test.ts',
  'custom-proxy-middleware': 'remote-examples.test.ts',
  'exported-workload': 'workload-examples.test.ts',
  'kubernetes-registry': '../kubernetes/registry.test.ts',
  'many-workloads': 'workload-examples.test.ts',
  'run-from-registry': 'workload-examples.test.ts',
  'signed-requests': 'remote-examples.test.ts',
  'virtual-server': 'workload-examples.test.ts',
};

const all = await listExamples();
const folders = all.filter((folder) => !Object.hasOwn(OTHERS, folder));
const configured = all.filter((folder) => existsSync(path.join(EXAMPLES, folder, CONFIG)));

for (const [folder, file] of Object.entries(OTHERS)) {
  it(`examples/${folder} › is tested by ${file}`, async () => {
    const text = await readFile(path.join(import.meta.dirname, file), 'utf8');
    expect(text)
      .to.include(`'${folder}'`)
      .and.match(/takeSteps|'README.md'/);
  });
}

for (const folder of folders) {
  describe(`examples/${folder}`, function () {
    this.timeout(180_000); // The cases start the command line, once for each command of the README.
    const read = async (): Promise<readonly Step[]> =>
      readSteps(await readFile(path.join(EXAMPLES, folder, 'README.md'), 'utf8'));

    it('has a valid configuration', async () => {
      const steps = await read();
      const copy = await ExampleCopy.make(folder);
      const walk = new WalkThrough(copy);
      try {
        // Files that have to exist before the first step.
        for (const step of steps.slice(
          0,
          steps.findIndex(({ run }) => run !== 'program'),
        ))
          await walk.take(step);
        const { status, stderr } = await runPortolan(['config', 'check', '--config', CONFIG], {
          cwd: copy.folder,
        });
        expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      } finally {
        await walk.end().finally(() => copy.remove());
      }
    });

    it('works as its README shows', async () => {
      const steps = await read();
      expect(
        steps.map(({ run }) => run),
        'a block with `portolan serve`',
      ).to.include('serve');
      await takeSteps(await ExampleCopy.make(folder), steps);
    });
  });
}

describe('examples/anonymous-file-registry with a running server', function () {
  this.timeout(180_000); // The cases start the command line.

  let copy: ExampleCopy;
  beforeEach(async () => {
    copy = await ExampleCopy.make('anonymous-file-registry');
  });
  afterEach(() => copy.remove());

  it('serves a changed file, and keeps the last valid one when it breaks', async () => {
    const cwd = copy.folder;
    const listen = ['--address', '127.0.0.1:0', '--internal-address', 'off'];
    const server = new RunningPortolan(['serve', '--config', CONFIG, ...listen], { cwd });
    let address = '';
    const titles = async (): Promise<readonly unknown[]> => {
      const response = await fetch(
        `http://${address}/registry/main/v0.1/servers/dev.acme%2Fweather/versions`,
      );
      // SAFETY: the response of a registry, or an error without servers.
      const body = (await response.json()) as { readonly servers?: readonly { server: { title: string } }[] };
      return (body.servers ?? []).map((item) => item.server.title);
    };
    try {
      address = String((await server.logged('listening'))['address']);
      await eventually(async () => expect(await titles()).to.deep.equal(['Weather (pinned)']));
      const file = path.join(cwd, 'team.json');
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace('Weather (pinned)', 'Weather (changed)'));
      await eventually(async () => expect(await titles()).to.deep.equal(['Weather (changed)']));
      await writeFile(file, text.slice(0, 100));
      await server.logged('sync failed; the last valid data stays');
      expect(await titles()).to.deep.equal(['Weather (changed)']);
      await writeFile(file, text);
      await eventually(async () => expect(await titles()).to.deep.equal(['Weather (pinned)']));
    } finally {
      await server.stop();
    }
  });
});

describe('schema links in configurations of examples', function () {
  this.timeout(180_000); // The cases start the command line.

  for (const folder of configured) {
    it(`examples/${folder} links to a schema with its own kinds and options`, async () => {
      const cwd = path.join(EXAMPLES, folder);
      const [first = ''] = (await readFile(path.join(cwd, CONFIG), 'utf8')).split('\n');
      const [, target = ''] = first.split('# yaml-language-server: $schema=');
      const { stdout } = await runPortolan(['config', 'schema', '--config', CONFIG], { cwd });
      const written: unknown = JSON.parse(await readFile(path.join(cwd, target), 'utf8'));
      expect(written, `${target} of examples/${folder}; npm run docs writes it anew`).to.deep.equal(
        JSON.parse(stdout),
      );
    });
  }
});
