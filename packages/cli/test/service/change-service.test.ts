import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { caught } from '../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { installService, uninstallService } from '../../src/service/change-service.ts';
import type { ServiceContext } from '../../src/service/service-context.ts';

/** A machine with scripted results of its programs, and a lingering state that they change. */
class Machine {
  readonly asked: string[] = [];
  isLingering = false;
  mayLinger = true;
  hasSystemd = true;

  tryProgram: ServiceContext['tryProgram'] = async (program, [first = '']) => {
    this.asked.push(`${program} ${first}`);
    if (!this.hasSystemd) return { isDone: false, output: '' };
    if (first === 'show-user') return { isDone: true, output: this.isLingering ? 'yes\n' : 'no\n' };
    if (first.endsWith('-linger')) {
      if (this.mayLinger) this.isLingering = first === 'enable-linger';
      return { isDone: this.mayLinger, output: '' };
    }
    return { isDone: true, output: '' };
  };
}

describe('installService and uninstallService', () => {
  const folders = new TemporaryFolders();
  let home = '';
  let machine: Machine;
  beforeEach(async () => {
    home = await folders.make();
    machine = new Machine();
  });
  afterEach(() => folders.removeAll());

  const around = (more: Partial<ServiceContext> = {}): ServiceContext => ({
    platform: 'linux',
    home,
    environment: { PATH: '/usr/bin', HTTPS_PROXY: 'http://ann:hunter2@proxy' },
    user: 'ann',
    userId: 1000,
    command: ['/usr/bin/node', '--', '/opt/portolan.js', 'service', 'run'],
    logs: path.join(home, 'logs'),
    tryProgram: machine.tryProgram,
    ...more,
  });
  const unit = (): string => path.join(home, '.config/systemd/user/portolan.service');

  it('write a systemd unit that starts without a login of the user', async () => {
    const { lines } = await installService(around());
    expect(lines.join('\n')).to.include(unit()).and.to.include('HTTPS_PROXY').and.not.to.include('hunter2');
    expect(lines).to.have.length(2);
    const text = await readFile(unit(), 'utf8');
    expect(text).to.include('"/opt/portolan.js"').and.not.to.include('hunter2');
    expect((await stat(unit())).mode & 0o777).to.equal(0o600);
    const wish = path.join(path.dirname(unit()), 'default.target.wants/portolan.service');
    expect(await readlink(wish)).to.equal(unit());
    expect(machine.isLingering).to.equal(true);
    expect(machine.asked.at(-1)).to.equal('systemctl --user');
  });

  it('leave nothing behind after uninstall, even after several installs', async () => {
    await installService(around());
    await installService(around());
    expect((await uninstallService(around())).lines).to.deep.equal([`${unit()} is removed`]);
    expect(await readdir(path.join(home, '.config'))).to.deep.equal([]);
    expect(machine.isLingering).to.equal(false);
    expect((await uninstallService(around())).lines).to.deep.equal(['no service is installed']);
  });

  it('keep lingering that was on before, and the units and folders of others', async () => {
    machine.isLingering = true;
    const other = path.join(home, '.config/systemd/user/other.service');
    await mkdir(path.dirname(other), { recursive: true });
    await writeFile(other, '');
    await installService(around());
    await uninstallService(around());
    expect(machine.isLingering).to.equal(true);
    expect(await readdir(path.dirname(other))).to.deep.equal(['other.service']);
  });

  it('explain how to enable lingering when the user lacks the permission, and report an unresponsive systemd', async () => {
    machine.mayLinger = false;
    expect((await installService(around())).lines.join('\n')).to.include('sudo loginctl enable-linger ann');
    machine.hasSystemd = false;
    const { lines } = await installService(around());
    expect(lines.join('\n'))
      .to.include('does not respond now')
      .and.to.include('sudo loginctl enable-linger ann');
    expect((await uninstallService(around())).lines).to.deep.equal([`${unit()} is removed`]);
  });

  it('use the folder of XDG_CONFIG_HOME', async () => {
    const config = path.join(home, 'elsewhere');
    const there = around({ environment: { XDG_CONFIG_HOME: config } });
    await installService(there);
    expect(existsSync(path.join(config, 'systemd/user/portolan.service'))).to.equal(true);
    await uninstallService(there);
    expect(await readdir(config)).to.deep.equal([]);
  });

  it('write a launchd agent on macOS, and remove it with uninstall', async () => {
    const mac = around({ platform: 'darwin', command: ['/usr/bin/node', '/opt/a&b/portolan.js'] });
    const agent = path.join(home, 'Library/LaunchAgents/dev.portolan.workloads.plist');
    expect((await installService(mac)).lines[0]).to.include(agent);
    const text = await readFile(agent, 'utf8');
    expect(text).to.include('<string>/opt/a&amp;b/portolan.js</string>');
    expect(text).to.include('<key>AbandonProcessGroup</key><true/>').and.not.to.include('hunter2');
    await uninstallService(mac);
    expect(existsSync(agent)).to.equal(false);
    expect(machine.asked).to.deep.equal(['launchctl bootout']);
  });

  it('throw on other platforms', async () => {
    const windows = around({ platform: 'win32' });
    for (const change of [installService, uninstallService]) {
      const error = await caught(() => change(windows));
      expect(error).to.include({ code: 'ERR_SERVICE_UNSUPPORTED' });
      expect(error.hint).to.include('portolan service run');
    }
  });
});
