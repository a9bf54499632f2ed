import { expect } from 'chai';
import { setTimeout as pass } from 'node:timers/promises';
import { AnswerDeadline } from '../../src/mcp/answer-deadline.ts';

describe('AnswerDeadline', () => {
  it('aborts with its reason when nothing is said', async () => {
    const deadline = new AnswerDeadline(5, () => new Error('late'));
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
    expect(deadline.signal.reason).to.have.property('message', 'late');
  });

  it('does not run while somebody is asked, and begins anew then', async () => {
    const deadline = new AnswerDeadline(20, () => new Error('late'));
    await deadline.during(async () => await pass(60));
    expect(deadline.signal.aborted).to.equal(false);
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
  });

  it('never aborts once it has ended', async () => {
    const deadline = new AnswerDeadline(5, () => new Error('late'));
    deadline.end();
    await pass(20);
    expect(deadline.signal.aborted).to.equal(false);
  });
});
