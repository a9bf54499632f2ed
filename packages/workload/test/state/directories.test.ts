import { expect } from 'chai';
import { type DirectoryFacts, directoriesOf, runtimeIdOf } from '../../src/state/directories.ts';

const facts = (more: Partial<DirectoryFacts>): DirectoryFacts => ({
  platform: 'linux',
  environment: {},
  home: '/home/ann',
  temporary: '/tmp',
  userId: 1000,
  ...more,
});

describe('directoriesOf', () => {
  it('follows the XDG rules on Linux', () => {
    expect(directoriesOf(facts({}))).to.deep.equal({
      config: '/home/ann/.config/portolan',
      ignoreFiles: ['/home/ann/.config/portolan/portolanignore'],
      runConfigs: '/home/ann/.local/state/portolan/runconfigs',
      groups: '/home/ann/.local/state/portolan/groups',
      statuses: '/home/ann/.local/share/portolan/statuses',
      policies: '/home/ann/.local/share/portolan/policies',
      logs: '/home/ann/.local/share/portolan/logs',
      secrets: '/home/ann/.local/share/portolan/secrets',
      runtime: '/tmp/portolan-1000',
    });
  });

  it('ignores variables that are not absolute paths', () => {
    const environment = {
      XDG_CONFIG_HOME: '/c',
      XDG_STATE_HOME: 'relative',
      XDG_DATA_HOME: '',
      XDG_RUNTIME_DIR: '/run/user/1000',
    };
    const directories = directoriesOf(facts({ environment }));
    expect(directories.config).to.equal('/c/portolan');
    expect(directories.ignoreFiles).to.deep.equal([
      '/c/portolan/portolanignore',
      '/home/ann/.config/portolan/portolanignore',
    ]);
    expect(directories.runConfigs).to.equal('/home/ann/.local/state/portolan/runconfigs');
    expect(directories.statuses).to.equal('/home/ann/.local/share/portolan/statuses');
    expect(directories.runtime).to.equal('/run/user/1000/portolan');
  });

  it('uses one folder on macOS, and also the ignore file of Linux', () => {
    const directories = directoriesOf(facts({ platform: 'darwin', home: '/Users/ann' }));
    expect(directories.config).to.equal('/Users/ann/Library/Application Support/portolan');
    expect(directories.statuses).to.equal('/Users/ann/Library/Application Support/portolan/statuses');
    expect(directories.ignoreFiles[1]).to.equal('/Users/ann/.config/portolan/portolanignore');
  });

  it('uses the application data folders on Windows', () => {
    const environment = { APPDATA: 'C:\\Users\\ann\\AppData\\Roaming' };
    const directories = directoriesOf(
      facts({
        platform: 'win32',
        environment,
        home: 'C:\\Users\\ann',
        temporary: 'C:\\T',
        userId: undefined,
      }),
    );
    expect(directories.config).to.equal('C:\\Users\\ann\\AppData\\Roaming\\portolan');
    expect(directories.logs).to.equal('C:\\Users\\ann\\AppData\\Local\\portolan\\logs');
    expect(directories.runtime).to.equal('C:\\T\\portolan');
  });

  it('runtimeIdOf › returns a short, stable identifier for each workload and state folder', () => {
    const one = directoriesOf(facts({}));
    const other = directoriesOf(facts({ home: '/home/ben' }));
    expect(runtimeIdOf('weather', one))
      .to.match(/^[0-9a-f]{12}$/)
      .and.equal(runtimeIdOf('weather', one));
    expect(runtimeIdOf('weather', one)).not.to.equal(runtimeIdOf('weather', other));
    expect(runtimeIdOf('weather', one)).not.to.equal(runtimeIdOf('notes', one));
  });
});
