import { expect } from 'chai';
import { createRunConfig } from '@portolan/run-spec';
import {
  foreignStateFolder,
  labelsOfName,
  ownLabels,
  roleOf,
  stateIdOf,
  workloadLabels,
} from '../../src/state/workload-labels.ts';

const OURS = { statuses: '/home/me/.local/share/portolan/statuses' };
const THEIRS = { statuses: '/home/you/.local/share/portolan/statuses' };

describe('workloadLabels', () => {
  const config = createRunConfig({
    name: 'notes',
    transport: 'stdio',
    port: 4711,
    group: 'default',
    isolate_network: true,
    container_labels: { team: 'maps', 'portolan.dev/name': 'another' },
  });

  it("contains name, owner and role of the workload, which override the user's labels", () => {
    expect(workloadLabels(config, 'session', OURS)).to.deep.equal({
      team: 'maps',
      'portolan.dev/workload': 'true',
      'portolan.dev/name': 'notes',
      'portolan.dev/role': 'session',
      'portolan.dev/state': stateIdOf(OURS),
      'portolan.dev/state-folder': OURS.statuses,
      'portolan.dev/basename': 'notes',
      'portolan.dev/transport': 'stdio',
      'portolan.dev/port': '4711',
      'portolan.dev/group': 'default',
      'portolan.dev/network-isolation': 'true',
    });
  });

  it('contains the labels of ownLabels and labelsOfName', () => {
    const labels = workloadLabels(config, 'server', OURS);
    expect(labels).to.include(ownLabels('notes', OURS));
    expect(labels).to.include(ownLabels(undefined, OURS));
    expect(labels).to.include(labelsOfName('notes'));
    expect(ownLabels('notes', THEIRS)).not.to.deep.equal(ownLabels('notes', OURS));
  });

  it('roleOf › returns the role, and undefined for containers of other programs', () => {
    expect(roleOf(workloadLabels(config, 'gateway', OURS))).to.equal('gateway');
    expect(roleOf({ 'portolan.dev/role': 'pirate' })).to.equal(undefined);
    expect(roleOf({})).to.equal(undefined);
  });
});

describe('foreignStateFolder', () => {
  const config = createRunConfig({ name: 'notes' });

  it('returns undefined for our own state folder, and the path of any other', () => {
    expect(foreignStateFolder(workloadLabels(config, 'server', OURS), OURS)).to.equal(undefined);
    expect(foreignStateFolder(workloadLabels(config, 'server', THEIRS), OURS)).to.equal(THEIRS.statuses);
    expect(foreignStateFolder({ 'portolan.dev/state': 'x' }, OURS)).to.equal('an unknown folder');
  });
});
