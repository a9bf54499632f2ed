import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const UNIT = path.resolve(import.meta.dirname, '../../../deploy/portolan.service');
const PROGRAM = '/usr/local/bin/portolan';
const run = promisify(execFile);

describe('deploy/portolan.service', () => {
  let text: string;
  before(async () => {
    text = await readFile(UNIT, 'utf8');
  });
  const valueOf = (key: string): string | undefined => new RegExp(`^${key}=(.*)$`, 'm').exec(text)?.[1];

  it('starts the server with its configuration, stops it in time, and does not restart it after a permanent error', () => {
    expect(valueOf('ExecStart')).to.equal(`${PROGRAM} serve --config /etc/portolan/portolan.config.yaml`);
    // 30 s for running requests and 5 s for the rest.
    expect(Number(valueOf('TimeoutStopSec'))).to.be.greaterThan(35);
    expect(valueOf('RestartPreventExitStatus')).to.equal('2');
  });

  it('keeps data in the state directory', () => {
    expect(valueOf('Environment')).to.include('XDG_DATA_HOME=/var/lib');
    expect(valueOf('StateDirectory')).to.equal('portolan');
  });

  describe('unit as systemd parses it', () => {
    let folder: string;
    let file: string;
    before(async function () {
      try {
        await run('systemd-analyze', ['--version']);
      } catch {
        skipSuite(this, 'there is no systemd-analyze');
      }
      folder = await mkdtemp(path.join(tmpdir(), 'portolan-systemd-'));
      file = path.join(folder, 'portolan.service');
      // systemd looks for the program, which is not installed here.
      await writeFile(file, text.replace(PROGRAM, process.execPath));
    });
    after(async () => {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    });

    it('has no errors', async () => {
      const { stdout, stderr } = await run('systemd-analyze', ['verify', '--man=no', file]);
      expect(`${stdout}${stderr}`).to.equal('');
    });

    it('starts at boot after the command of docs/operate/install-systemd.md', async () => {
      const root = path.join(folder, 'root');
      await mkdir(path.join(root, 'etc/systemd/system'), { recursive: true });
      await writeFile(path.join(root, 'etc/systemd/system/portolan.service'), text);
      // With another root folder, systemd cannot start units.
      const shown = await shownIn('docs/operate/install-systemd.md', 'systemctl enable ');
      const [program = '', ...words] = asHere(shown, { '--now': `--root=${root}` }).split(' ');
      await run(program, words);
      const wanted = path.join(root, 'etc/systemd/system/multi-user.target.wants/portolan.service');
      expect(await readlink(wanted)).to.match(/\/portolan\.service$/);
    });

    it('has a low exposure score', async () => {
      const { stdout } = await run('systemd-analyze', ['security', '--offline=true', '--no-pager', file]);
      const [, level] = /Overall exposure level for \S+: (\d+\.\d)/.exec(stdout) ?? [];
      expect(Number(level), stdout).to.be.at.most(2);
    });
  });
});
