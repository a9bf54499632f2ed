import { expect } from 'chai';
import type { Finished } from '../../support/command-line.ts';
import { PolicyBench, urlOf } from './support/policy-bench.ts';

const yamlOf = (...policies: readonly string[]): string =>
  `version: "1.0"\ntype: cedarv1\ncedar:\n  policies:\n${policies.map((policy) => `    - '${policy}'\n`).join('')}`;

/** Policies about tools with these names, which no caller has. */
const about = (...tools: readonly string[]): string =>
  yamlOf(
    ...tools.map(
      (tool) =>
        `permit(principal == Client::"none", action == Action::"call_tool", resource == Tool::"${tool}");`,
    ),
  );

describe('portolan authz validate (N4)', function () {
  this.timeout(180_000);
  let bench: PolicyBench;
  before(async () => {
    bench = await PolicyBench.open();
    await bench.write('good.yaml', about('echo', 'get-sum'));
    await bench.write('misspelt.yaml', about('echo', 'get_sum'));
    await bench.write('broken.yaml', yamlOf('permit(principal, action'));
    await bench.write('other.json', '{"version":"1.0","type":"cedarv1","cedar":{"policies":[],"x":1}}');
    await bench.write('override.json', JSON.stringify({ toolsOverride: { get_env: { name: 'env' } } }));
    // Its policies hide every tool from its caller.
    const own = ['--authz-config', 'misspelt.yaml', '--tools', 'echoo,get-sum'];
    await urlOf(await bench.run('stdio', 'hidden', ...own));
    await urlOf(await bench.run('stdio', 'open'));
  });
  after(() => bench.close());

  const validate = async (...args: readonly string[]): Promise<Finished> =>
    await bench.portolan('authz', 'validate', ...args);
  const reported = async (...args: readonly string[]) => {
    const { status, stdout, stderr } = await validate(...args, '--format', 'json');
    expect(stdout, stderr).not.to.equal('');
    return { status, ...JSON.parse(stdout) };
  };

  it('accepts files that run accepts', async () => {
    const { status, stdout, stderr } = await validate('good.yaml', '--config', 'misspelt.yaml');
    expect([status, stdout], stderr).to.deep.equal([0, 'no problems\n']);
  });

  it('reports every file that run refuses, with status 2', async () => {
    const { status, problems } = await reported('good.yaml', 'broken.yaml', 'other.json', 'absent.yaml');
    expect(status).to.equal(2);
    expect(problems.map(({ place }: { place: string }) => place)).to.deep.equal([
      'broken.yaml',
      'other.json',
      'absent.yaml',
    ]);
    const { stdout } = await validate('broken.yaml');
    expect(stdout).to.match(/^broken\.yaml: /);
    for (const file of ['broken.yaml', 'other.json', 'absent.yaml'])
      expect(await bench.run('stdio', 'refused', '--authz-config', file), file).to.include({ status: 2 });
  });

  for (const workload of ['hidden', 'open']) {
    it(`compares names with the unfiltered list of the workload ${workload}`, async () => {
      const files = ['misspelt.yaml', '--workload', workload];
      const { status, stdout, stderr } = await validate(...files, '--tools', 'echoo,get-sum');
      expect([status, stdout], stderr).to.deep.equal([
        2,
        [
          `misspelt.yaml: ${workload} lists no tool "get_sum"; did you mean "get-sum"?`,
          `--tools: ${workload} lists no tool "echoo"; did you mean "echo"?`,
          '',
        ].join('\n'),
      ]);
      const good = await validate('good.yaml', '--workload', workload, '--tools', 'echo');
      expect([good.status, good.stdout], good.stderr).to.deep.equal([
        0,
        `no problems; ${workload} lists every tool\n`,
      ]);
      const overridden = await reported('--tools-override', 'override.json', '--workload', workload);
      expect(overridden.unknown).to.deep.equal([
        { tool: 'get_env', place: '--tools-override override.json', suggestion: 'get-env' },
      ]);
    });
  }

  it('checks the settings of the workload when no others are given', async () => {
    const { status, unknown, workload } = await reported('--workload', 'hidden');
    expect({ status, unknown, workload }).to.deep.equal({
      status: 2,
      workload: 'hidden',
      unknown: [
        { tool: 'get_sum', place: 'authz_config of the run config of hidden', suggestion: 'get-sum' },
        { tool: 'echoo', place: 'tools_filter of the run config of hidden', suggestion: 'echo' },
      ],
    });
    expect(await reported('--workload', 'open')).to.deep.include({ status: 0, unknown: [] });
  });

  it('fails without anything to check, and suggests names for an unknown workload', async () => {
    expect(await validate()).to.include({ status: 2 });
    const { status, stderr } = await validate('good.yaml', '--workload', 'hiden');
    expect(status).to.equal(1);
    expect(stderr).to.include('hidden');
  });

  it('exits with status 1 when the workload does not run', async () => {
    expect(await bench.portolan('stop', 'open')).to.include({ status: 0 });
    const { status, stderr } = await validate('good.yaml', '--workload', 'open');
    expect(status).to.equal(1);
    expect(stderr).to.include('is not running');
    expect(await validate('broken.yaml', '--workload', 'open')).to.include({ status: 2 });
  });
});
