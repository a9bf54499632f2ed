import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import fc from 'fast-check';
import { limitMs, trialsFor } from '../../../support/soak.ts';
import { FalseMachine, type Outcome } from './false-machine.ts';
import { type FalseMachineFacts, findUncovered } from './find-uncovered.ts';
import { lookUpFalselyAtOnce } from './false-network.ts';
import { randomEntry, randomFile } from './random-strangers.ts';

describe('access of a run compared with the grants that the user saw (fuzz test)', function () {
  this.timeout(limitMs(120_000));
  let root: string;
  let machine: FalseMachine;
  let facts: FalseMachineFacts;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-fuzz-'));
    machine = new FalseMachine(root);
    await machine.open();
    facts = {
      home: machine.home,
      workingDirectory: machine.work,
      ownFolders: [machine.own],
      realPath: (file) => machine.realPath(file),
      addressOf: lookUpFalselyAtOnce,
    };
  });
  after(async () => {
    await machine.close();
    // The TUF client ignores abort signals, and removes its folder shortly after an aborted run.
    await eventually(async () => expect((await readdir(tmpdir())).filter(isOfTuf)).to.deep.equal([]));
    await rm(root, { recursive: true, force: true });
  });

  const counts = { granted: 0, refused: 0, created: 0 };

  function expectCovered(outcome: Outcome, what: string): void {
    const uncovered = findUncovered(outcome, facts).map((one) => `${what} ${one}`);
    const shown = outcome.grants.map(({ line }) => `\n  shown: ${line}`).join('');
    expect(uncovered.length, `${uncovered.join('\n')}${shown}`).to.equal(0);
  }

  async function tryBoth(request: Parameters<FalseMachine['plan']>[0], catalogue?: string): Promise<void> {
    const plan = await machine.plan(request, catalogue);
    expectCovered({ ...plan, grants: [] }, 'plan');
    const run = await machine.run(request, catalogue);
    expectCovered(run, 'run');
    const shown = new Set(plan.grants.map(({ line }) => line));
    if (plan.error === undefined) expect(run.grants.filter(({ line }) => !shown.has(line))).to.deep.equal([]);
    counts.granted += run.grants.length > 0 ? 1 : 0;
    counts.created += run.specs.length > 0 ? 1 : 0;
    counts.refused += isRefusal(run.error) ? 1 : 0;
  }

  it('stays within the grants for any run config of a stranger', async () => {
    const file = machine.file('stranger.json');
    await fc.assert(
      fc.asyncProperty(randomFile, async (config) => {
        await writeFile(file, JSON.stringify(config));
        await tryBoth({ target: undefined, fromConfig: file, args: [], flags: {} });
      }),
      trialsFor({ short: 60, minutes: 10 }),
    );
  });

  it('stays within the grants for any registry entry of a stranger', async () => {
    const file = machine.file('catalogue.json');
    await fc.assert(
      fc.asyncProperty(randomEntry, async (entry) => {
        await writeFile(file, JSON.stringify({ data: { servers: [entry] } }));
        await tryBoth({ target: 'dev.acme/notes', args: [], flags: {} }, file);
      }),
      trialsFor({ short: 30, minutes: 10 }),
    );
  });

  it('covers runs that require consent, runs that are refused and runs that reach the engine', () => {
    for (const [what, count] of Object.entries(counts)) expect(count, what).to.be.above(0);
  });
});

/** The names of its temporary folders have no prefix. */
function isOfTuf(name: string): boolean {
  return /^[A-Za-z0-9]{6}$/.test(name);
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_CONSENT_REFUSED';
}
