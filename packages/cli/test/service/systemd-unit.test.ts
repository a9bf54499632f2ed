import { expect } from 'chai';
import { isLingeringOurs, systemdUnit } from '../../src/service/systemd-unit.ts';

const PROGRAM = {
  command: ['/opt/node/bin/node', '--', '/opt/my "tools"/100%/$x\\portolan.js', 'service', 'run'],
  environment: { PATH: '/usr/bin:/opt/100%', XDG_DATA_HOME: '/home/a "b"\\c$d' },
};

describe('systemdUnit', () => {
  it('starts previous workloads, and stays active while they run', () => {
    const lines = systemdUnit(PROGRAM, false).split('\n');
    expect(lines).to.include('Type=oneshot').and.to.include('RemainAfterExit=yes');
    expect(lines).to.include('WantedBy=default.target');
  });

  it('escapes every special character of the command and its variables', () => {
    const lines = systemdUnit(PROGRAM, false).split('\n');
    expect(lines).to.include(
      'ExecStart="/opt/node/bin/node" "--" "/opt/my \\"tools\\"/100%%/$$x\\\\portolan.js" "service" "run"',
    );
    expect(lines).to.include('Environment="PATH=/usr/bin:/opt/100%%"');
    expect(lines).to.include('Environment="XDG_DATA_HOME=/home/a \\"b\\"\\\\c$d"');
  });

  it('records whether it enabled lingering', () => {
    expect(isLingeringOurs(systemdUnit(PROGRAM, true))).to.equal(true);
    expect(isLingeringOurs(systemdUnit(PROGRAM, false))).to.equal(false);
  });
});
