import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { findUnknownTools } from '../../src/run/operations/check-policies.ts';
import { forgetListedTools, keepListedTools, readListedTools } from '../../src/state/listed-tools.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

describe('findUnknownTools (N4)', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-listed-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const TOOLS = [
    { tool: 'get_sum', place: 'authz.yaml' },
    { tool: 'echo', place: 'authz.yaml' },
    { tool: 'nothing-like-it', place: '--tools' },
  ];
  const find = async (seen: readonly string[]) =>
    await findUnknownTools(TOOLS, { workload: 'w', seen }, testWorkloadContext(folder));

  it('returns tools that the caller does not see, with similar names', async () => {
    expect(await find(['echo', 'get-sum'])).to.deep.equal([
      { tool: 'get_sum', place: 'authz.yaml', suggestion: 'get-sum' },
      { tool: 'nothing-like-it', place: '--tools', suggestion: null },
    ]);
  });

  it("prefers the complete list that the supervisor stored over the caller's list", async () => {
    const kept = path.join(testWorkloadContext(folder).directories.policies, 'w');
    expect(await readListedTools(kept)).to.equal(undefined);
    await keepListedTools(kept, ['echo', 'get_sum', 'nothing-like-it']);
    expect(await find(['echo'])).to.deep.equal([]);
    await keepListedTools(kept, ['echo']);
    expect(await find([])).to.have.length(2);
    await forgetListedTools(kept);
    await forgetListedTools(kept);
    expect(await find(['echo', 'get_sum'])).to.have.length(1);
  });
});
