import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { runPortolan } from '../../support/command-line.ts';
import { expectText } from '../../support/examples/match-response.ts';
import { readSession, wordsOf } from '../../support/examples/recorded-session.ts';
import {
  apiWith,
  type ScriptedRegistry,
  serverDocument,
  startScriptedRegistry,
} from '../../support/scripted-registry.ts';
import { foldersBelow } from '../../support/user-folders.ts';

const OFFICIAL = 'https://registry.modelcontextprotocol.io';

describe('a new machine without a configured registry', function () {
  this.timeout(180_000); // The cases start the command line.
  let root: string;
  let registry: ScriptedRegistry;
  let env: Readonly<Record<string, string>>;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-new-'));
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs: {} } };
    await writeFile(path.join(root, 'portolan.json'), JSON.stringify({ plugins: [host], runtimes }));
    await mkdir(path.join(root, 'config/portolan'), { recursive: true });
    registry = await startScriptedRegistry(apiWith([serverDocument('dev.acme/fetch')]));
    env = {
      ...foldersBelow(root),
      PORTOLAN_CONFIG: path.join(root, 'portolan.json'),
      PORTOLAN_RUNTIME: 'processes',
      PORTOLAN_DEFAULT_REGISTRY: registry.url,
    };
  });
  after(async () => {
    await registry.close();
    await rm(root, { recursive: true, force: true });
  });

  it('works as docs/guides/run/registries.md shows', async () => {
    // The official registry of this test is on loopback, which the command has to allow.
    await writeFile(path.join(root, 'config/portolan/config.yaml'), 'allow_private_registry_ip: true\n');
    for (const shown of await readSession('guides/run/registries.md')) {
      const { stdout, stderr } = await runPortolan(wordsOf(shown), { cwd: root, env });
      const printed = `${stdout}${stderr}`
        .replaceAll(registry.url, OFFICIAL)
        .replaceAll(/^(?:allow_private|Resolving ).*\n/gm, '');
      expectText(narrow(printed), narrow(shown.output));
    }
  });

  it('shows the default registry to users and programs, and can turn it off', async () => {
    const ask = async (...args: readonly string[]): Promise<string> =>
      (await runPortolan(args, { cwd: root, env })).stdout;
    expect(await ask('config', 'get-registry')).to.equal(`${registry.url} (default: none is set)\n`);
    const json = JSON.parse(await ask('config', 'get-registry', '--format', 'json')) as object;
    expect(json).to.include({ registry: registry.url, is_default: true });
    const listed = JSON.parse(await ask('config', 'list', '--format', 'json')) as object;
    expect(listed).to.include({ default_registry_url: registry.url });
    await ask('config', 'set', 'default_registry', 'false');
    expect(await ask('config', 'get-registry')).to.equal('No registry is set\n');
    expect(await ask('config', 'list')).not.to.include(registry.url);
    const { status, stderr } = await runPortolan(['search', 'fetch'], { cwd: root, env });
    expect({ status, stderr }).to.deep.include({ status: 2 });
    expect(stderr).to.include('No registry is configured');
    await ask('config', 'unset', 'default_registry');
  });
});

/** Removes the widths of columns, which depend on the addresses in them. */
function narrow(text: string): string {
  return text.replaceAll(/ {2,}/g, '  ');
}
