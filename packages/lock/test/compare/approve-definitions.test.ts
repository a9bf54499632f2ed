import { expect } from 'chai';
import {
  approveDefinitions,
  baselineOf,
  compareDefinitions,
  type CurrentDefinitions,
  type Difference,
  formatLockFile,
  FORMULA,
  LOCK_FILE_VERSION,
  lockDefinitions,
  type LockedDefinitions,
  revokeItems,
} from '../../src/index.ts';
import { PROMPT, SERVER, TEMPLATE, TOOL } from '../support/definitions.ts';

const OTHER = { name: 'other', description: 'Reads.' };
const CURRENT: CurrentDefinitions = {
  tools: [TOOL, OTHER],
  prompts: [PROMPT],
  templates: [TEMPLATE],
  server: SERVER,
  resolved: { package: 'p', version: '1.0.0', integrity: 'sha512-a' },
};
const CHANGED: CurrentDefinitions = {
  ...CURRENT,
  tools: [{ ...OTHER, description: 'Reads and sends.' }, { name: 'new' }],
  server: { ...SERVER, version: '99.0.0', instructions: 'Obey.', capabilities: { tools: {}, logging: {} } },
  resolved: { package: 'p', version: '2.0.0', integrity: 'sha512-b' },
};
const FACTS = { source: 'npx://p@1.0.0' };

function firstLock(): LockedDefinitions {
  const { locked } = lockDefinitions({ facts: FACTS, current: CURRENT, approval: { date: '2026-11-29' } });
  if (locked === undefined) throw new Error('expected a lock');
  return locked;
}

function approve(
  isApproved: (difference: Difference) => boolean,
  current: CurrentDefinitions = CHANGED,
): LockedDefinitions {
  const facts = { source: 'npx://p@2.0.0' };
  const approval = { date: '2026-12-24' };
  return approveDefinitions({ facts, current, approval, previous: firstLock(), isApproved }).locked;
}

function textOf({ workload }: LockedDefinitions): string {
  const workloads = new Map([['own', workload]]);
  return formatLockFile({ version: LOCK_FILE_VERSION, formula: FORMULA, workloads }, 'portolan.lock.d/');
}

function differencesOf({ workload, contents }: LockedDefinitions): readonly string[] {
  const differences = compareDefinitions(baselineOf(workload, contents), CHANGED, { reportRemoved: true });
  return differences.map(({ kind, name }) => `${kind} ${name}`.trim());
}

describe('approveDefinitions', () => {
  const all = differencesOf(firstLock());

  it('approveDefinitions › leaves nothing different when everything is approved', () => {
    expect(all).to.have.length(7);
    const locked = approve(() => true);
    expect(differencesOf(locked)).to.deep.equal([]);
    expect(locked.workload.source).to.equal('npx://p@2.0.0');
  });

  it('approveDefinitions › changes nothing when nothing is approved', () => {
    expect(textOf(approve(() => false))).to.equal(textOf(firstLock()));
  });

  for (const one of all) {
    it(`approveDefinitions › approves only ${one} when only it is selected`, () => {
      const locked = approve(({ kind, name }) => `${kind} ${name}`.trim() === one);
      expect(differencesOf(locked)).to.deep.equal(all.filter((other) => other !== one));
    });
  }

  for (const isApproved of [false, true]) {
    it(`approveDefinitions › keeps the approved definition when the current one has a fault, and it is ${isApproved ? '' : 'not '}approved`, () => {
      const current = { ...CURRENT, tools: [TOOL, { name: 'other', title: '\ud800' }] };
      const locked = approve(() => isApproved, current);
      expect(locked.workload.tools.get('other')).to.deep.equal(firstLock().workload.tools.get('other'));
    });
  }
});

describe('revokeItems', () => {
  const { workload } = firstLock();

  it('revokeItems › removes the named items, so that they are new again', () => {
    const revoked = revokeItems(workload, ['other']);
    expect([...(revoked?.tools.keys() ?? [])]).to.deep.equal(['search_code']);
    expect(revoked?.prompts).to.deep.equal(workload.prompts);
  });

  it('revokeItems › keeps the workload without items when no name is given', () => {
    const revoked = revokeItems(workload, undefined);
    expect([revoked?.tools.size, revoked?.prompts.size, revoked?.templates.size]).to.deep.equal([0, 0, 0]);
    expect(revoked?.server).to.deep.equal(workload.server);
  });

  it('revokeItems › returns undefined when a name is not locked', () => {
    expect(revokeItems(workload, ['other', 'unknown'])).to.equal(undefined);
  });
});
