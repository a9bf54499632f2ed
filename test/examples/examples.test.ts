import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { RunningPortolan, runPortolan } from '../support/command-line.ts';
import { expectText } from './match-answer.ts';
import { readSteps, type Step } from './read-steps.ts';
import { runCurl } from './run-curl.ts';

const EXAMPLES = path.resolve(import.meta.dirname, '../../examples');
const CONFIG = 'portolan.config.yaml';
const LISTEN = ['--address', '127.0.0.1:0', '--internal-address', 'off'] as const;

async function startExample(
  cwd: string,
  args: readonly string[],
): Promise<{ server: RunningPortolan; address: string }> {
  const server = new RunningPortolan([...args, ...LISTEN], { cwd });
  try {
    const { address } = await server.logged('listening');
    return { server, address: `http://${String(address)}` };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

const folders = (await readdir(EXAMPLES, { withFileTypes: true }))
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .toSorted();

for (const folder of folders) {
  describe(`examples/${folder}`, function () {
    this.timeout(30_000); // starts the command line
    const cwd = path.join(EXAMPLES, folder);
    let steps: readonly Step[];

    before(async () => {
      steps = readSteps(await readFile(path.join(cwd, 'README.md'), 'utf8'));
    });

    it('has a configuration without problems', async () => {
      const { status, stderr } = await runPortolan(['config', 'check', '--config', CONFIG], { cwd });
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    });

    it('is what its README shows', async () => {
      const serve = steps.find((step) => step.run === 'serve');
      expect(serve, 'a block with `portolan serve`').to.not.equal(undefined);
      const { server, address } = await startExample(cwd, serve?.run === 'serve' ? serve.args : []);
      try {
        for (const step of steps) await take(step, address, cwd);
      } finally {
        expect((await server.stop()).status, 'status of the server').to.equal(0);
      }
    });
  });
}

async function take(step: Step, address: string, cwd: string): Promise<void> {
  switch (step.run) {
    case 'serve':
      return;
    case 'portolan': {
      const { status, stdout, stderr } = await runPortolan(step.args, { cwd });
      expect({ status, stderr }, step.command).to.deep.equal({ status: 0, stderr: '' });
      expectText(stdout, step.output);
      return;
    }
    case 'curl':
      // The first sync runs while the server already listens.
      await eventually(() => runCurl(step.command, step.answer, address));
      return;
    default:
      step satisfies never;
  }
}

describe('examples/anonymous-file-registry, while it runs', function () {
  this.timeout(30_000); // starts the command line

  let cwd: string;
  beforeEach(async () => {
    cwd = await mkdtemp(path.join(tmpdir(), 'portolan-example-'));
    await cp(path.join(EXAMPLES, 'anonymous-file-registry'), cwd, { recursive: true });
  });
  afterEach(() => rm(cwd, { recursive: true }));

  it('serves a changed file, and keeps the last good one when it breaks', async () => {
    const { server, address } = await startExample(cwd, ['serve', '--config', CONFIG]);
    const titles = async (): Promise<readonly unknown[]> => {
      const response = await fetch(`${address}/registry/main/v0.1/servers/dev.acme%2Fweather/versions`);
      // The answer of a registry, or an error, which has no servers.
      const body = (await response.json()) as { readonly servers?: readonly { server: { title: string } }[] };
      return (body.servers ?? []).map((item) => item.server.title);
    };
    try {
      await eventually(async () => expect(await titles()).to.deep.equal(['Weather (pinned)']));
      const file = path.join(cwd, 'team.json');
      const text = await readFile(file, 'utf8');
      await writeFile(file, text.replace('Weather (pinned)', 'Weather (changed)'));
      await eventually(async () => expect(await titles()).to.deep.equal(['Weather (changed)']));
      await writeFile(file, text.slice(0, 100));
      await server.logged('sync failed; the last good data is kept');
      expect(await titles()).to.deep.equal(['Weather (changed)']);
      await writeFile(file, text);
      await eventually(async () => expect(await titles()).to.deep.equal(['Weather (pinned)']));
    } finally {
      await server.stop();
    }
  });
});

describe('the schemas that examples point editors to', function () {
  this.timeout(30_000); // starts the command line

  for (const folder of folders) {
    it(`examples/${folder} points to the schema of its own kinds and options`, async () => {
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
