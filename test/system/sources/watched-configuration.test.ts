import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type LogLine, RunningPortolan } from '../../support/command-line.ts';
import { readSession, wordsOf } from '../../support/examples/recorded-session.ts';
import { serverDocument } from '../../support/scripted-registry.ts';

const TAKEN = 'applied the configuration';
const REFUSED = 'the configuration was not applied; everything stays unchanged';
const SOON = { withinMs: 30_000 };

interface Wanted {
  readonly sources: readonly string[];
  readonly listed: readonly string[];
  readonly claims?: string;
  readonly interval?: string;
}

function configuration({ sources, listed, claims = '', interval = '1h' }: Wanted): string {
  const each = sources.map(
    (name) => `  - { name: ${name}, file: { path: ${name}.json }, syncPolicy: { interval: ${interval} } }\n`,
  );
  return `auth: { mode: anonymous }
database: { url: "sqlite::memory:" }
sources:
${each.join('')}registries:
  - { name: main, sources: [${listed.join(', ')}]${claims} }
`;
}

describe('portolan serve --watch', function () {
  this.timeout(120_000);
  let folder: string;
  let server: RunningPortolan;
  let url: string;
  let shown: readonly string[];

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-watched-'));
    for (const name of ['catalogue', 'trial']) {
      const data = { servers: [serverDocument(`dev.acme/${name}`)] };
      await writeFile(path.join(folder, `${name}.json`), JSON.stringify({ data }));
    }
    await write({ sources: ['catalogue'], listed: ['catalogue'] });
    const [step] = await readSession('guides/registry/reload-configuration.md', 'Watch the file');
    if (step === undefined) throw new Error('the page shows no session');
    shown = step.output.split('\n');
    const listen = ['--address', '127.0.0.1:0', '--internal-address', 'off'];
    server = new RunningPortolan([...wordsOf(step), ...listen], { cwd: folder });
    url = `http://${String((await server.logged('listening'))['address'])}/registry/main/v0.1/servers`;
  });
  after(async () => {
    const { status } = await server.stop();
    await rm(folder, { recursive: true, force: true });
    expect(status).to.equal(0);
  });

  const file = (): string => path.join(folder, 'portolan.config.yaml');
  const write = async (wanted: Wanted): Promise<void> => await writeFile(file(), configuration(wanted));
  const lines = (message: string): readonly LogLine[] => server.log.filter(({ msg }) => msg === message);

  /** Waits for one more log line with this message. Other lines may come between. */
  async function told(message: string, change: () => Promise<void>): Promise<LogLine> {
    const before = lines(message).length;
    await change();
    const after = await eventually(async () => {
      const now = lines(message);
      if (now.length === before) throw new Error(`not told: ${message}`);
      return now;
    }, SOON);
    return after.at(-1) ?? {};
  }

  async function expectServers(...names: readonly string[]): Promise<void> {
    await eventually(async () => {
      const response = await fetch(url);
      // SAFETY: the API document describes this type.
      const { servers } = (await response.json()) as {
        readonly servers: readonly { readonly server: { readonly name: string } }[];
      };
      expect(servers.map(({ server: { name } }) => name).toSorted()).to.deep.equal(
        names.map((name) => `dev.acme/${name}`),
      );
    }, SOON);
  }

  /**
   * Expects the output that the page shows: `…` stands for any text in a line or, alone on a line, for any
   * lines.
   */
  function expectShown(at: number, line: LogLine): void {
    const text = JSON.stringify(line).replaceAll(folder + path.sep, '');
    const parts = (shown.filter((one) => one !== '…')[at] ?? '')
      .split('…')
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    expect(text).to.match(new RegExp(`^${parts.join('.*')}$`));
  }

  it('applies changed sources, registries and claims as the guide shows', async () => {
    await expectServers('catalogue');
    expectShown(0, lines('listening')[0] ?? {});
    const taken = await told(TAKEN, () =>
      write({
        sources: ['catalogue', 'trial'],
        listed: ['catalogue', 'trial'],
        claims: ', claims: { org: acme }',
      }),
    );
    expectShown(1, taken);
    await expectServers('catalogue', 'trial');
    const refused = await told(REFUSED, () =>
      write({ sources: ['catalogue', 'trial'], listed: ['catalogue', 'trail'] }),
    );
    expectShown(2, refused);
    await expectServers('catalogue', 'trial');
  });

  it('follows a changed symbolic link, and stops syncing removed sources', async () => {
    const versions = { '1': ['catalogue', 'trial'], '2': ['trial'] };
    for (const [version, names] of Object.entries(versions)) {
      await mkdir(path.join(folder, version));
      await writeFile(path.join(folder, version, 'c.yaml'), configuration({ sources: names, listed: names }));
    }
    await symlink('1', path.join(folder, '..data'));
    await symlink('..data/c.yaml', path.join(folder, 'link'));
    // The registry before had claims. This one has none.
    await told(TAKEN, () => rename(path.join(folder, 'link'), file()));
    await symlink('2', path.join(folder, '..next'));
    const { changes } = await told(TAKEN, () =>
      rename(path.join(folder, '..next'), path.join(folder, '..data')),
    );
    expect(changes).to.deep.equal([
      'sources.catalogue: removed',
      'registries.main.sources: "catalogue, trial" → "trial"',
    ]);
    await expectServers('trial');
    expect(await readFile(file(), 'utf8')).not.to.include('catalogue.json');
  });

  it('syncs a source with changed settings at once, and also applies changes on SIGHUP', async () => {
    await rm(file());
    await write({ sources: ['trial'], listed: ['trial'], interval: '2h' });
    await eventually(
      async () =>
        expect(JSON.stringify(lines(TAKEN).at(-1))).to.include(
          'sources.trial.syncPolicy.interval: \\"1h0m0s\\" → \\"2h0m0s\\"',
        ),
      SOON,
    );
    await expectServers('trial');
    await told('the configuration is unchanged', async () => server.kill('SIGHUP'));
  });
});
