import { expect } from 'chai';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { START_STEPS } from '../../../packages/workload/src/supervisor/start-steps.ts';
import { provideEverythingImage } from '../../support/everything-image.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { PolicyBench, urlOf } from '../policy/support/policy-bench.ts';

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly step?: string;
}

/** Returns the lines of a supervisor's log that only `--debug` writes. */
function detailsIn(log: string): readonly Line[] {
  const lines = log
    .trimEnd()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  return lines.map((line): Line => JSON.parse(line)).filter(({ level }) => level === 'debug');
}

const stepsIn = (lines: readonly Line[], message: string): readonly (string | undefined)[] =>
  lines.filter(({ msg }) => msg === message).map(({ step }) => step);

describe('run --debug', function () {
  this.timeout(120_000);

  describe('with a server on this host', () => {
    let bench: PolicyBench;
    before(async () => {
      bench = await PolicyBench.open();
    });
    after(async () => {
      await bench?.close();
    });

    const detailsOf = async (name: string): Promise<readonly Line[]> =>
      detailsIn((await bench.portolan('logs', name, '--proxy')).stdout);

    it('logs each step and decision of the workload, and no value of a variable', async () => {
      const flags = ['--debug', '--session-ttl=90s', '--env=TOKEN=hunter2'];
      const url = await urlOf(await bench.run('stdio', 'detailed', ...flags));
      await McpClient.connect(url);
      const details = await detailsOf('detailed');
      const names = START_STEPS.map(({ name }) => name);
      expect(stepsIn(details, 'start step')).to.deep.equal(names);
      expect(stepsIn(details, 'start step done')).to.deep.equal(names);
      expect(details.map(({ msg }) => msg)).to.include.members([
        'runtime chosen',
        'proxy opens',
        'server is ready',
        'session began',
      ]);
      expect(details.find(({ msg }) => msg === 'proxy opens')).to.deep.include({
        transport: 'stdio',
        session_ttl_ms: 90_000,
        open_streams_keep_sessions: false,
        session_store: 'memory',
      });
      expect(JSON.stringify(details)).not.to.include('hunter2');
      await bench.portolan('stop', 'detailed');
      const messages = (await detailsOf('detailed')).map(({ msg }) => msg);
      expect(messages).to.include('workload ended');
    });

    it('applies to one later start with --debug, and to no other', async () => {
      await urlOf(await bench.run('stdio', 'later'));
      expect(await detailsOf('later')).to.deep.equal([]);
      expect((await bench.portolan('restart', 'later', '--debug')).status).to.equal(0);
      expect(stepsIn(await detailsOf('later'), 'start step')).to.include('openFront');
      await bench.portolan('restart', 'later');
      expect(stepsIn(await detailsOf('later'), 'start step').length).to.be.at.most(START_STEPS.length);
    });
  });

  it('logs the container settings of a server', async function () {
    const user = await WorkloadUser.open(this);
    try {
      const flags = ['--debug', '--name=detailed-container', '--transport=stdio'];
      await user.run(...flags, await provideEverythingImage(), '--', 'stdio');
      const details = detailsIn(await user.done('logs', 'detailed-container', '--proxy'));
      const messages = details.map(({ msg }) => msg);
      expect(messages).to.include.members(['containers of the server', 'container planned']);
      expect(details.find(({ msg }) => msg === 'containers of the server')).to.deep.include({
        network: 'isolated, one for each session',
        container_gateway: false,
      });
    } finally {
      await user.close();
    }
  });
});
