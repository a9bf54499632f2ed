import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { callTool, connectClient, expectUsable } from '../clients/connect-client.ts';
import { runPortolan } from '../../support/command-line.ts';
import { provideEverythingImage } from '../../support/everything-image.ts';
import { requireNpmIndex } from '../../support/npm-index.ts';
import { OwnBaseImage } from '../../support/own-base-image.ts';
import { foldersBelow } from '../../support/user-folders.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { expectLines } from '../../support/examples/match-response.ts';
import { readSession, wordsOf } from '../../support/examples/recorded-session.ts';
import { ExampleCopy, EXAMPLES } from '../../support/examples/example-copy.ts';
import { readSteps, type Step } from '../../support/examples/read-steps.ts';
import { shownIn } from '../../support/examples/shown-in.ts';
import { takeSteps } from '../../support/examples/walk-through.ts';

const PACKAGE = 'npx://@modelcontextprotocol/server-everything@2026.8.31';

describe('examples that run a package', function () {
  this.timeout(180_000); // The hook builds an image.
  let user: WorkloadUser | undefined;
  let base: OwnBaseImage | undefined;
  before(async function () {
    user = await WorkloadUser.open(this);
    await requireNpmIndex(this, user, PACKAGE);
    base = await OwnBaseImage.make(user.runtime);
  });
  afterEach(() => user?.removeLeft());
  after(async () => {
    await base?.remove();
    await user?.close();
  });

  it('examples/exported-workload › works as its README shows', async () => {
    const [owner, { reference }] = [present(user), present(base)];
    await writeSettings(owner, `runtime_configs: { npx: { builder_image: "${reference}" } }\n`);
    const copy = await ExampleCopy.make('exported-workload');
    const file = path.join(copy.folder, 'practice.json');
    // SAFETY: the example contains this file.
    const { port: _any, ...shown } = JSON.parse(await readFile(file, 'utf8')) as Readonly<
      Record<string, unknown>
    >;
    await writeFile(file, JSON.stringify(shown));
    const steps = (await stepsOf('exported-workload')).map(withFreePort);
    const regions: string[] = [];
    const ready = async (url: string): Promise<void> => {
      await expectUsable(url);
      regions.push((await environmentAt(url))['REGION'] ?? '');
    };
    await takeSteps(copy, steps, { environment: owner.environment, ready });
    expect(regions).to.deep.equal(['harbour', 'open-sea', 'mid-ocean']);
    await owner.expectNoTraces();
  });

  it('examples/run-from-registry › works as its README shows', async () => {
    const [owner, { reference }] = [present(user), present(base)];
    await writeSettings(owner, `runtime_configs: { npx: { builder_image: "${reference}" } }\n`);
    const ready = async (url: string): Promise<void> => {
      await expectUsable(url);
      expect(await environmentAt(url)).to.include({ REGION: 'harbour', UNITS: 'nautical' });
    };
    const steps = await stepsOf('run-from-registry');
    await takeSteps(await ExampleCopy.make('run-from-registry'), steps, {
      // The last step refers to the default registry, which users have. No step looks a name up in it.
      environment: { ...owner.environment, PORTOLAN_DEFAULT_REGISTRY: 'http://127.0.0.1:9' },
      ready,
    });
    await owner.expectNoTraces();
  });

  it('examples/virtual-server › works as its README shows', async function () {
    this.timeout(300_000); // It builds two images, and runs eight commands.
    const [owner, { reference }] = [present(user), present(base)];
    await writeSettings(owner, `runtime_configs: { npx: { builder_image: "${reference}" } }\n`);
    const steps = await stepsOf('virtual-server');
    await takeSteps(await ExampleCopy.make('virtual-server'), steps, { environment: owner.environment });
    await owner.expectNoTraces();
  });

  it('examples/many-workloads › works as its README shows', async function () {
    this.timeout(300_000); // It builds two images, and runs nine commands.
    const [owner, { reference }] = [present(user), present(base)];
    await writeSettings(owner, `runtime_configs: { npx: { builder_image: "${reference}" } }\n`);
    const steps = await stepsOf('many-workloads');
    await takeSteps(await ExampleCopy.make('many-workloads'), steps, { environment: owner.environment });
    await owner.done('group', 'rm', 'team');
    await owner.expectNoTraces();
  });

  it('docs/get-started/serve-many-servers.md › works as shown', async function () {
    this.timeout(300_000); // It builds two images, and runs twelve commands.
    const [owner, { reference }] = [present(user), present(base)];
    await writeSettings(owner, `runtime_configs: { npx: { builder_image: "${reference}" } }\n`);
    // Containers of other tests on this engine may have the names in the page.
    const suffix = `-${randomBytes(4).toString('hex')}`;
    const own = (word: string): string =>
      word.replace(/^(?:everything|memory|desk)(?=$|_|\.yaml$)/, `$&${suffix}`);
    for (const step of await readSession('get-started/serve-many-servers.md')) {
      const [words, [file] = []] = splitAt(wordsOf(step), '>');
      const { status, stdout, stderr } = await owner.portolan(words.map(own));
      const printed = `${stdout}${stderr}`.replaceAll(suffix, '');
      expect(status, `$ ${step.command}\n${printed}`).to.equal(0);
      if (file !== undefined) {
        await writeFile(path.join(owner.root, own(file)), stdout);
        expect(printed).to.include(await shownIn('docs/get-started/serve-many-servers.md', 'members:\n'));
      }
      for (const line of step.output.split('\n').filter((shown) => shown !== '' && shown !== '…'))
        expectLines(withoutFigures(printed), withoutFigures(line));
    }
    // The file of the editor stays, without the entry.
    await owner.removeFiles(own('desk.yaml'), '.cursor/mcp.json');
    await owner.expectNoTraces();
  });

  it('docs/get-started/run-a-server.md › works as shown', async () => {
    const [owner, { reference }] = [present(user), present(base)];
    await writeSettings(owner, `runtime_configs: { npx: { builder_image: "${reference}" } }\n`);
    // Containers of other tests on this engine may have the name in the page.
    const name = `everything-${randomBytes(4).toString('hex')}`;
    for (const step of await readSession('get-started/run-a-server.md')) {
      const words = wordsOf(step).map((word) => (word === 'everything' ? name : word));
      const { status, stdout, stderr } = await owner.portolan(words);
      const printed = `${stdout}${stderr}`.replaceAll(name, 'everything');
      expect(status, `$ ${step.command}\n${printed}`).to.equal(0);
      for (const line of step.output.split('\n').filter((shown) => shown !== '…'))
        expectLines(withoutFigures(printed), withoutFigures(line));
    }
    await owner.expectNoTraces();
  });
});

/** Returns the words before and after `sign`. */
function splitAt(
  words: readonly string[],
  sign: string,
): readonly [before: readonly string[], after?: readonly string[]] {
  const at = words.indexOf(sign);
  return at < 0 ? [words] : [words.slice(0, at), words.slice(at + 1)];
}

/** Replaces what differs between runs: ports, times and column widths. */
function withoutFigures(text: string): string {
  return text
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/\b\d+ (?:s|min) ago\b|\bnow\b/g, '1 s ago')
    .replaceAll(/:\d+\//g, ':1/');
}

describe('examples/run-from-registry', function () {
  this.timeout(180_000); // The cases start the command line.

  it('has a valid configuration', async () => {
    const cwd = path.join(EXAMPLES, 'run-from-registry');
    const { status, stderr } = await runPortolan(['config', 'check', '--config', 'portolan.config.yaml'], {
      cwd,
    });
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
  });
});

describe('examples/custom-cli-plugin', function () {
  this.timeout(180_000); // The cases use npm and containers.

  it('works as its README shows', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'portolan-example-user-'));
    try {
      const steps = await stepsOf('custom-cli-plugin');
      await takeSteps(await ExampleCopy.make('custom-cli-plugin'), steps, {
        environment: foldersBelow(root),
      });
    } finally {
      await rm(root, { recursive: true });
    }
  });

  describe('as a dependency of a workload', () => {
    let user: WorkloadUser | undefined;
    before(async function () {
      user = await WorkloadUser.open(this);
    });
    after(() => user?.close());

    it('gives the workload the named secret and writes it nowhere', async () => {
      const owner = present(user);
      const copy = await ExampleCopy.make('custom-cli-plugin');
      try {
        await promisify(execFile)('npm', ['pack', '--silent'], { cwd: copy.folder });
        const tarball = path.join(copy.folder, 'portolan-plugin-secret-files-1.0.0.tgz');
        await owner.done('plugins', 'install', `file:${tarball}`);
        const config = ['--config', path.join(copy.folder, 'secret-stores.config.yaml')];
        await owner.done('secret', 'provider', 'files', ...config);
        const secret = ['--secret', 'weather-key,target=API_KEY'];
        const url = await owner.run(await provideEverythingImage(), '--name', 'lugger', ...secret, ...config);
        expect(await environmentAt(url)).to.include({ API_KEY: 'not-a-real-key' });
        expect(await owner.done('export', 'lugger', 'lugger.json')).not.to.include('not-a-real-key');
        expect(await readFile(path.join(owner.root, 'lugger.json'), 'utf8'))
          .to.include('weather-key,target=API_KEY')
          .and.not.to.include('not-a-real-key');
        await owner.removeFiles('lugger.json');
        await owner.removeAll('lugger');
      } finally {
        await copy.remove();
      }
    });
  });
});

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the suite was not set up');
  return value;
}

async function stepsOf(example: string): Promise<readonly Step[]> {
  return readSteps(await readFile(path.join(EXAMPLES, example, 'README.md'), 'utf8'));
}

/** Lets the test choose the port of the file, because it may be in use. */
function withFreePort(step: Step): Step {
  if (step.run !== 'program' || step.output.form !== 'json') return step;
  return {
    ...step,
    output: { ...step.output, text: step.output.text.replace('"port": 18432', '"port": "…", "…": "…"') },
  };
}

async function environmentAt(url: string): Promise<Readonly<Record<string, string>>> {
  const client = await connectClient(url);
  try {
    // SAFETY: the test server returns its variables as a JSON object.
    return JSON.parse(await callTool(client, 'get-env')) as Readonly<Record<string, string>>;
  } finally {
    await client.close();
  }
}

async function writeSettings({ root }: WorkloadUser, text: string): Promise<void> {
  const folder = path.join(root, 'config/portolan');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'config.yaml'), text);
}
