import { expect } from 'chai';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MANIFEST, PluginUser } from './support/plugin-user.ts';

describe('portolan plugins', function () {
  this.timeout(120_000); // npm packs and installs

  let user: PluginUser;
  let tarball: string;
  before(async () => {
    user = await PluginUser.make();
    tarball = await user.pack('source', MANIFEST);
  });
  after(() => user.remove());

  it('install › adds the command and the kind of a packed package', async () => {
    const installed = await user.portolan('plugins', 'install', `file:${tarball}`);
    expect(installed).to.include({
      status: 0,
      stdout: 'installed acme-portolan-harbour 1.2.3\n',
      stderr: '',
    });
    expect(await user.portolan('plugins')).to.include({ status: 0, stdout: 'acme-portolan-harbour 1.2.3\n' });
    expect(await user.portolan('hail', 'there')).to.include({ status: 0, stdout: 'ahoy there\n' });
    expect(await user.portolan('plugins', 'list')).to.include({
      status: 0,
      stdout: 'acme-portolan-harbour 1.2.3\n',
    });
    expect((await user.portolan('--help')).stdout).to.match(/^PLUGIN COMMANDS\n {2}hail +Hail a ship$/m);
    const kinds = JSON.parse((await user.portolan('kinds', '--format', 'json')).stdout) as readonly {
      kind: string;
    }[];
    expect(kinds.find(({ kind }) => kind === 'harbour')).to.include({
      sort: 'secret store',
      plugin: 'acme-portolan-harbour',
      origin: 'installed',
    });
  });

  it("passes on the exit status and the error of a plugin's command", async () => {
    expect(await user.portolan('hail', 'quiet')).to.include({ status: 3, stdout: '', stderr: '' });
    expect(await user.portolan('hail', 'nobody')).to.include({
      status: 7,
      stderr: 'error: no ship in sight\nhint: wait\n',
    });
  });

  it('uninstall › removes the command and the kind', async () => {
    expect(await user.portolan('plugins', 'uninstall', 'acme-portolan-harbour')).to.include({ status: 0 });
    const { status, stderr } = await user.portolan('hail');
    expect(status).to.equal(2);
    expect(stderr).to.include('unknown command "hail"');
  });

  it('loads no command of a plugin with an invalid manifest, and all other commands work', async () => {
    const source = await user.write('outdated', { ...MANIFEST, name: 'acme-outdated' });
    expect(await user.portolan('plugins', 'link', source)).to.include({
      status: 0,
      stdout: 'linked acme-outdated 1.2.3\n',
    });
    expect(await user.portolan('hail', 'there')).to.include({
      status: 0,
      stdout: 'ahoy there\n',
      stderr: '',
    });
    await writeFile(
      path.join(source, 'package.json'),
      JSON.stringify({ ...MANIFEST, name: 'acme-outdated', portolan: { plugin: '.', apiVersion: 99 } }),
    );
    await writeFile(path.join(source, 'commands/hail.js'), "process.stdout.write('code of the plugin ran');");
    const listed = await user.portolan('plugins');
    expect(listed.status).to.equal(0);
    expect(listed.stdout).to.include(`acme-outdated 1.2.3 (linked: ${source})`).and.not.include('code of');
    expect(listed.stderr).to.match(
      /^warning: the commands of the plugin .*outdated are unavailable: .*version 99/,
    );
    expect(await user.portolan('plugins', 'unlink', source)).to.include({ status: 0 });
  });

  it('update › installs the current content of a file again', async () => {
    const packed = await user.pack('renewed', { ...MANIFEST, name: 'acme-renewed' });
    await user.portolan('plugins', 'install', `file:${packed}`);
    const next = await user.pack('renewed-2', { ...MANIFEST, name: 'acme-renewed', version: '1.3.0' });
    await rename(next, packed);
    expect(await user.portolan('plugins', 'update', 'acme-renewed')).to.include({
      status: 0,
      stdout: 'updated acme-renewed 1.3.0\n',
    });
    const shown = JSON.parse(
      (await user.portolan('plugins', 'inspect', 'acme-renewed', '--format', 'json')).stdout,
    );
    expect(shown).to.include({ version: '1.3.0', from: `file:${packed}`, hasKinds: true, hasCommands: true });
    await user.portolan('plugins', 'uninstall', 'acme-renewed');
  });

  for (const command of ['uninstall', 'inspect', 'update']) {
    it(`${command} › suggests the nearest plugin when no plugin has that name`, async () => {
      await user.portolan('plugins', 'install', `file:${tarball}`);
      expect(await user.portolan('plugins', command, 'acme-portolan-harbor')).to.include({
        status: 1,
        stderr:
          'error: the plugin acme-portolan-harbor is not installed\nhint: did you mean `acme-portolan-harbour`?\n',
      });
    });
  }

  it('link › rejects a folder without a package', async () => {
    const { status, stderr } = await user.portolan('plugins', 'link', user.folder);
    expect(status).to.equal(2);
    expect(stderr).to.include('it has no package.json');
  });

  it('uninstall › warns when the plugin provides the chosen secret store, and later commands say how to recover', async () => {
    await user.portolan('plugins', 'install', `file:${tarball}`);
    expect(await user.portolan('secret', 'provider', 'harbour')).to.include({ status: 0 });
    const { status, stdout, stderr } = await user.portolan('plugins', 'uninstall', MANIFEST.name);
    expect({ status, stdout }).to.deep.equal({ status: 0, stdout: `uninstalled ${MANIFEST.name}\n` });
    expect(stderr)
      .to.match(/^warning: no plugin provides the secret store "harbour" any more/)
      .and.include('`portolan secret provider TYPE`');
    for (const words of [
      ['secret', 'list'],
      ['secret', 'get', 'key'],
    ]) {
      const later = await user.portolan(...words);
      expect(later.status).to.equal(2);
      expect(later.stderr)
        .to.match(/^error: Unknown secret store "harbour"; expected /)
        .and.include('`portolan plugins install`')
        .and.include('`portolan secret provider TYPE`');
    }
    const variable = await user.runAs(['secret', 'list'], { PORTOLAN_SECRETS_PROVIDER: 'harbour' });
    expect(variable.stderr).to.include('set PORTOLAN_SECRETS_PROVIDER to another store');
    expect(await user.portolan('secret', 'provider', 'environment')).to.include({ status: 0 });
    await user.portolan('plugins', 'install', `file:${tarball}`);
    expect((await user.portolan('plugins', 'uninstall', MANIFEST.name)).stderr).to.equal('');
    await user.portolan('plugins', 'install', `file:${tarball}`);
    await user.portolan('secret', 'provider', 'harbour');
  });

  it('kinds and config check › show what each kind is loaded for, and which plugin to name', async () => {
    await user.portolan('plugins', 'install', `file:${tarball}`);
    const config = (more: object): string =>
      JSON.stringify({
        sources: [{ name: 'a', quay: {}, syncPolicy: { interval: '1h' } }],
        registries: [{ name: 'main', sources: ['a'] }],
        auth: { mode: 'pilot' },
        database: { url: 'sqlite::memory:' },
        ...more,
      });
    await writeFile(path.join(user.folder, 'unnamed.json'), config({}));
    await writeFile(path.join(user.folder, 'named.json'), config({ plugins: ['acme-portolan-harbour'] }));
    const loadedFor = async (file: string): Promise<Readonly<Record<string, readonly string[]>>> => {
      const { stdout } = await user.portolan('kinds', '--config', file, '--format', 'json');
      // SAFETY: the command prints a list of these.
      const kinds = JSON.parse(stdout) as readonly { kind: string; loadedFor: readonly string[] }[];
      return Object.fromEntries(kinds.map((one) => [one.kind, one.loadedFor]));
    };
    expect(await loadedFor('unnamed.json')).to.deep.include({
      quay: [],
      pilot: ['workload'],
      harbour: ['workload'],
    });
    expect(await loadedFor('named.json')).to.deep.include({
      quay: ['registry-server'],
      pilot: ['registry-server', 'workload'],
      harbour: ['workload'],
    });
    const shown = await user.portolan('kinds', '--config', 'unnamed.json');
    expect(shown.stdout).to.match(/^source +quay +acme-portolan-harbour +installed +nothing +/m);
    expect(shown.stderr).to.match(/^note: .*"acme-portolan-harbour" only when "plugins"/);
    for (const command of [['config', 'check'], ['serve']]) {
      const { status, stderr } = await user.portolan(...command, '--config', 'unnamed.json');
      expect(status).to.equal(2);
      const sentence = 'The installed plugin "acme-portolan-harbour" brings it: add it to "plugins"';
      expect(stderr.split(sentence), stderr).to.have.length(3);
    }
    expect(await user.portolan('config', 'check', '--config', 'named.json')).to.include({ status: 0 });
  });

  it('reset › uninstalls everything, and warns about the chosen secret store', async () => {
    const reset = await user.portolan('plugins', 'reset');
    expect(reset).to.include({ status: 0, stdout: 'uninstalled all plugins\n' });
    expect(reset.stderr).to.match(/^warning: no plugin provides the secret store "harbour"/);
    expect(await user.portolan('plugins')).to.include({ status: 0, stdout: 'no plugins installed\n' });
  });
});
