import { expect } from 'chai';
import { newWorkloadState, type WorkloadState } from '../../src/state/workload-state.ts';
import { Notices } from '../../src/supervisor/process/notices.ts';

describe('Notices', () => {
  let state: WorkloadState;
  let changes: number;
  let notices: Notices;
  beforeEach(() => {
    state = newWorkloadState('notes', new Date(0));
    changes = 0;
    notices = new Notices({
      note: (change) => {
        changes += 1;
        state = change(state);
      },
    });
  });

  it('shows the notices of all services in the order of their first notice', () => {
    notices.say('audit', 'audit: the disk is full.');
    notices.say('cedar', 'cedar: no policies.');
    notices.say('audit', 'audit: the disk is still full.');
    expect(state.notice).to.equal('audit: the disk is still full. cedar: no policies.');
  });

  it('removes the notice of one service, and keeps the others', () => {
    notices.say('audit', 'audit: the disk is full.');
    notices.say('cedar', 'cedar: no policies.');
    notices.say('cedar', '');
    expect(state.notice).to.equal('audit: the disk is full.');
    notices.say('audit', '');
    expect(state.notice).to.equal('');
  });

  it('writes nothing without a change', () => {
    notices.say('cedar', '');
    notices.say('audit', 'x');
    notices.say('audit', 'x');
    expect(changes).to.equal(1);
  });
});
