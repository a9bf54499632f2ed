import { expect } from 'chai';
import { publishModule } from '../build/support/go-module.ts';
import { GO_HOST, LocalIndexes, NPM_HOST, PYTHON_HOST } from '../build/support/local-indexes.ts';
import { publishNpm } from '../build/support/npm-package.ts';
import { publishWheel } from '../build/support/python-package.ts';
import type { Finished } from '../../support/command-line.ts';
import { OwnBaseImage } from '../../support/own-base-image.ts';
import { skipSuite } from '../../support/skip-suite.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { ImageRegistry } from './support/image-registry.ts';
import { TOOLS_SERVER } from './support/tools-server.ts';

const dockerfile = (...command: readonly string[]): string =>
  `FROM portolan-test/node\nCOPY server.mjs /server.mjs\nENTRYPOINT ${JSON.stringify(['node', ...command])}\n`;

/** An item of `portolan update --format json`. */
interface Report {
  readonly available: boolean;
  readonly of: string;
  readonly current: string;
  readonly newest: string;
  readonly updated: boolean;
  readonly tools: object | null;
}

describe('portolan update with an engine that pulls and builds', function () {
  this.timeout(600_000); // The cases pull, build, and start a process for each command.
  let anybody: WorkloadUser;
  let user: WorkloadUser;
  let indexes: LocalIndexes;

  before(async function () {
    anybody = await WorkloadUser.open(this); // The suite is skipped without an engine.
    indexes = await LocalIndexes.open(anybody.root);
    user = await WorkloadUser.at(anybody.runtime, {
      ...indexes.environment,
      npm_config_registry: `https://${NPM_HOST}/`,
      UV_INDEX_URL: `https://${PYTHON_HOST}/simple`,
      GOPROXY: `https://${GO_HOST},direct`,
      GOSUMDB: 'off',
    });
    await user.done('config', 'set-ca-cert', indexes.certificate);
  });
  afterEach(async () => await user?.removeLeft());
  after(async () => {
    await user?.close();
    await indexes?.close();
    await anybody?.close();
  });

  async function update(
    ...args: readonly string[]
  ): Promise<Finished & { readonly reports: readonly Report[] }> {
    const finished = await user.portolan(['update', '--format', 'json', ...args]);
    // SAFETY: output of Portolan. A test that reads a missing field fails.
    const reports = finished.stdout === '' ? [] : (JSON.parse(finished.stdout) as readonly Report[]);
    return { ...finished, reports };
  }

  const toolsOf = async (name: string): Promise<readonly string[]> => {
    // SAFETY: output of Portolan. A test that reads it otherwise fails.
    const tools = JSON.parse(await user.done('mcp', 'tools', name, '--format', 'json')) as readonly {
      readonly name: string;
    }[];
    return tools.map((tool) => tool.name);
  };

  describe('an image of an image registry', () => {
    let registry: ImageRegistry;
    before(async () => {
      registry = await ImageRegistry.open(anybody.root);
      const images = {
        first: dockerfile('/server.mjs', 'list', 'read'),
        second: dockerfile('/server.mjs', 'read', 'find'),
        third: dockerfile('/server.mjs', 'read', 'find', 'sort'),
        broken: dockerfile('-e', 'process.exit(1)'),
      };
      await registry.make(images, { 'server.mjs': TOOLS_SERVER });
      registry.publish('first', '1.0');
    });
    after(async () => await registry?.close());

    it('updates to a newer tag, then to a new image under the same tag, and rolls back when it does not start', async () => {
      const { repository } = registry;
      const flags = ['--name', 'pulled', '--transport', 'stdio', '--isolate-network=false'];
      const url = await user.run(...flags, `${repository}:1.0`);
      expect(await update('--check')).to.deep.include({ status: 0 });

      registry.publish('second', '1.1', '1.2-slim', '2.0-rc.1');
      const check = await update('--check');
      expect(check.status, check.stderr).to.equal(3);
      expect(check.reports[0]).to.deep.include({ of: 'image', available: true, updated: false });
      expect(check.reports[0]?.newest).to.match(new RegExp(`^${repository}:1\\.1@sha256:[0-9a-f]{64}$`));
      expect(await toolsOf('pulled')).to.deep.equal(['list', 'read']);

      const newer = await update('pulled');
      expect(newer.status, newer.stderr).to.equal(0);
      expect(newer.reports[0]).to.deep.include({
        updated: true,
        tools: { added: ['find'], removed: ['list'], changed: [] },
      });
      expect(await toolsOf('pulled')).to.deep.equal(['read', 'find']);
      expect((await update('--check')).status).to.equal(0);

      // The tag now refers to another image.
      registry.publish('third', '1.1');
      const moved = await update('pulled');
      expect(moved.status, moved.stderr).to.equal(0);
      expect(await toolsOf('pulled')).to.deep.equal(['read', 'find', 'sort']);

      registry.publish('broken', '1.2');
      const broken = await update('pulled');
      expect(broken.status).to.equal(1);
      expect(broken.stderr).to.contain('pulled is started again with its earlier settings');
      expect(await toolsOf('pulled')).to.deep.equal(['read', 'find', 'sort']);
      expect((await user.list())[0]).to.include({ status: 'running', url });
      const { image } = JSON.parse(await user.done('export', 'pulled', '-'));
      expect(image).to.equal(`${repository}:1.1`);
      await user.removeAll('pulled');
    });

    it('reports an image registry that does not respond', async () => {
      const flags = ['--name', 'alone', '--transport', 'stdio', '--isolate-network=false'];
      await user.run(...flags, `${registry.repository}:1.0`);
      await registry.stop();
      const { status, stderr } = await update('--check');
      expect(status).to.equal(1);
      expect(stderr).to.contain(`The image registry ${registry.repository.split('/')[0]}`);
      await user.removeAll('alone');
    });
  });

  it('builds the newest version of a package, and keeps the settings', async () => {
    const publish = async (version: string, ...tools: readonly string[]): Promise<void> =>
      await publishNpm(indexes, anybody.root, {
        name: '@acme/notes',
        version,
        files: {
          'server.mjs': `#!/usr/bin/env node\nprocess.argv.push(...${JSON.stringify(tools)});\n${TOOLS_SERVER}`,
        },
        more: { bin: { notes: 'server.mjs' } },
      });
    const base = await OwnBaseImage.make(user.runtime);
    try {
      await publish('1.0.0', 'list');
      const flags = ['--name', 'built', '--isolate-network=false', '--runtime-image', base.reference];
      const url = await user.run(...flags, '-e', 'LANGUAGE=en', 'npx://@acme/notes');
      expect(await toolsOf('built')).to.deep.equal(['list']);
      // The cached lookup is valid for an hour, which the test does not wait for.
      await publish('1.1.0', 'list', 'find');
      const check = await update('--check');
      expect(check.status, check.stderr).to.equal(3);
      expect(check.reports[0]).to.deep.include({
        of: 'package',
        current: 'npx://@acme/notes@1.0.0',
        newest: 'npx://@acme/notes@1.1.0',
      });
      const { status, stderr } = await update('--all');
      expect(status, stderr).to.equal(0);
      expect(await toolsOf('built')).to.deep.equal(['list', 'find']);
      expect((await user.list())[0]).to.include({ status: 'running', url });
      const exported = JSON.parse(await user.done('export', 'built', '-'));
      expect(exported.env_vars).to.deep.include({ LANGUAGE: 'en' });
      await user.removeAll('built');
    } finally {
      await user.removeLeft();
      await base.remove();
    }
  });

  const MODULE = 'example.org/acme/notes';
  const others = [
    {
      from: 'portolan-test/python-plain',
      run: 'uvx://py-notes',
      publish: (version: string) => publishWheel(indexes, 'py-notes', version),
      versions: ['1.9', '1.10', '2.0rc1'],
      packages: ['uvx://py-notes@1.9', 'uvx://py-notes@1.10'],
    },
    {
      from: 'portolan-test/go-plain',
      run: `go://${MODULE}/cmd/server`,
      publish: (version: string) => publishModule(indexes, MODULE, version),
      versions: ['v1.9.0', 'v1.10.0', 'v2.0.0-rc.1'],
      packages: [`go://${MODULE}/cmd/server@v1.9.0`, `go://${MODULE}/cmd/server@v1.10.0`],
    },
  ] as const;
  for (const { from, run, publish, versions, packages } of others) {
    describe(`a package: ${run}`, () => {
      before(async function () {
        if ((await user.runtime.inspectImage(from)) === undefined)
          skipSuite(this, `no image ${from}; scripts/container-env.sh up all makes it`);
      });

      it('builds the newest release, at the same address', async () => {
        const base = await OwnBaseImage.make(user.runtime, from);
        try {
          const [first, ...later] = versions;
          publish(first);
          const flags = ['--name', 'built', '--isolate-network=false', '--runtime-image', base.reference];
          const url = await user.run(...flags, run);
          expect((await update('--check')).status).to.equal(0);
          for (const version of later) publish(version);
          const check = await update('--check');
          expect(check.status, check.stderr).to.equal(3);
          const [current, newest] = packages;
          expect(check.reports[0]).to.deep.include({ of: 'package', current, newest, updated: false });
          const { status, stderr, reports } = await update('built');
          expect(status, stderr).to.equal(0);
          expect(reports[0]).to.deep.include({ current, newest, updated: true });
          expect((await user.list())[0]).to.include({ status: 'running', url });
          expect((await update('--check')).status).to.equal(0);
          await user.removeAll('built');
        } finally {
          await user.removeLeft();
          await user.removeImages();
          await base.remove();
        }
      });
    });
  }
});
