import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorClassOf } from '@portolan/plugin-api';
import { createRunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { planRun } from '../../../src/run/plan-run.ts';
import type { RunPlan } from '../../../src/run/run-plan.ts';
import { keepListedTools } from '../../../src/state/listed-tools.ts';
import { ownProcess } from '../../../src/state/process-identity.ts';
import { caught } from '../../../../../test/support/caught.ts';
import { TemporaryFolders } from '../../../../../test/support/temporary-folders.ts';
import { testWorkloadContext, type TestWorkloadContext } from '../../support/test-workload-context.ts';

const { signal } = new AbortController();
const folders = new TemporaryFolders();

describe('planRun of a virtual server', () => {
  let context: TestWorkloadContext;
  beforeEach(async () => {
    context = testWorkloadContext(await folders.make());
  });
  afterEach(() => folders.removeAll());

  const planFile = async (text: string): Promise<RunPlan> => {
    const file = path.join(context.workingDirectory, 'desk.yaml');
    await writeFile(file, text);
    const request = { target: undefined, args: [], flags: { members: 'desk.yaml' } };
    return await planRun(request, context, signal);
  };

  it('shows what each member resolves to, and changes nothing', async () => {
    const {
      name,
      virtual_server: virtual,
      warnings,
    } = await planFile(`members:
  git: { workload: git }
  linear: { url: "https://mcp.linear.example/mcp", tools: [list] }
  weather: { run: "acme/weather:1" }
`);
    expect(name).to.equal('desk');
    expect(
      virtual?.members.map(({ name: member, kind, resolved, tools_from: from }) => [
        member,
        kind,
        resolved,
        from,
      ]),
    ).to.deep.equal([
      ['git', 'workload', 'no such workload; unavailable until there is one', undefined],
      ['linear', 'url', 'remote server', 'file'],
      ['weather', 'run', 'image unknown', undefined],
    ]);
    expect(virtual?.names.map((one) => one.name)).to.deep.equal(['linear_list']);
    expect(virtual?.members[2]?.plan?.name).to.equal('desk-member-weather');
    expect(warnings.join('\n'))
      .to.include('member git: there is no workload git yet')
      .and.to.include('member weather: ');
    expect(await context.store.list()).to.deep.equal([]);
  });

  it('uses the list of tools that the supervisor of a workload recorded', async () => {
    const config = createRunConfig({ name: 'git', image: 'acme/git:1' });
    await context.store.claim(config, await ownProcess(), {
      imageDigest: '',
      mountPaths: {},
      replace: false,
    });
    await keepListedTools(path.join(context.directories.policies, 'git'), ['log', 'diff']);
    const { virtual_server: virtual } = await planFile('members: { g: { workload: git, tools: [log] } }');
    expect(virtual?.members[0]).to.include({ tools_from: 'record', tools: 1 });
    expect(virtual?.names.map((one) => one.name)).to.deep.equal(['g_log']);
  });

  it('refuses a file that shows conflicts, with each pair', async () => {
    const error = await caught(() =>
      planFile(`members:
  a: { url: "https://a.example/mcp", tools: [x, y], prefix: false }
  b: { url: "https://b.example/mcp", tools: [x, y], prefix: false }
`),
    );
    expect(error).to.include({ code: 'ERR_SETTING' });
    expect(errorClassOf(error)).to.equal('mistake');
    for (const name of ['x', 'y'])
      expect(error).to.have.property('message').that.includes(`a/${name} and b/${name}`);
  });

  it('plans the workloads of a group', async () => {
    for (const name of ['b', 'a']) {
      const config = createRunConfig({ name, image: 'acme/git:1', group: 'default' });
      await context.store.claim(config, await ownProcess(), {
        imageDigest: '',
        mountPaths: {},
        replace: false,
      });
    }
    const request = { target: undefined, args: [], flags: { memberGroup: 'default', name: 'all' } };
    const { virtual_server: virtual } = await planRun(request, context, signal);
    expect(virtual?.members.map(({ name }) => name)).to.deep.equal(['a', 'b']);
  });
});
