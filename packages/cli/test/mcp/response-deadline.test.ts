import { expect } from 'chai';
import { setTimeout as pass } from 'node:timers/promises';
import { ResponseDeadline } from '../../src/mcp/response-deadline.ts';

describe('ResponseDeadline', () => {
  it('aborts with its reason when no message arrives', async () => {
    const deadline = new ResponseDeadline(5, () => new Error('late'));
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
    expect(deadline.signal.reason).to.have.property('message', 'late');
  });

  it('pauses during a question to the user, and starts again afterwards', async () => {
    const deadline = new ResponseDeadline(20, () => new Error('late'));
    await deadline.during(async () => await pass(60));
    expect(deadline.signal.aborted).to.equal(false);
    await new Promise((resolve) => deadline.signal.addEventListener('abort', resolve));
  });

  it('never aborts after its end', async () => {
    const deadline = new ResponseDeadline(5, () => new Error('late'));
    deadline.end();
    await pass(20);
    expect(deadline.signal.aborted).to.equal(false);
  });
});
