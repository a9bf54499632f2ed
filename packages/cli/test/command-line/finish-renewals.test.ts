import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { finishRenewals } from '../../src/command-line/server-command.ts';

describe('finishRenewals', () => {
  /**
   * Returns access whose renewal waits until the test releases it, and records of what happened.
   */
  function renewing() {
    const process = new EventEmitter();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const ended: number[] = [];
    const done: string[] = [];
    const renew = async (): Promise<string> => {
      const token = await promise;
      done.push(token);
      return token;
    };
    const access = { from: 'login', who: 'ada', token: renew, renewed: renew } as const;
    const end = (status: number): void => {
      ended.push(status);
      done.push('end');
    };
    return { process, resolve, reject, ended, done, access: finishRenewals(access, { process, end }) };
  }

  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    it(`stores the renewed token before the process ends on ${signal}`, async () => {
      const { process, resolve, done, ended, access } = renewing();
      const asked = access.token();
      process.emit(signal, signal);
      expect(ended).to.deep.equal([]);
      resolve('new');
      await asked;
      expect(done).to.deep.equal(['new', 'end']);
      expect(ended).to.deep.equal([status]);
      expect(process.listenerCount(signal)).to.equal(0);
    });

  it('ends the process at once on a second signal, and after a failed renewal', async () => {
    const impatient = renewing();
    void impatient.access.renewed('old');
    impatient.process.emit('SIGINT', 'SIGINT');
    impatient.process.emit('SIGINT', 'SIGINT');
    expect(impatient.ended).to.deep.equal([130]);
    impatient.resolve('new');

    const failing = renewing();
    const asked = failing.access.renewed('old').catch(() => 'failed');
    failing.process.emit('SIGINT', 'SIGINT');
    failing.reject(new Error('away'));
    expect(await asked).to.equal('failed');
    expect(failing.ended).to.deep.equal([130]);
  });

  it('does not handle signals outside of a renewal', async () => {
    const { process, resolve, access, ended } = renewing();
    resolve('token');
    expect(await access.token()).to.equal('token');
    expect(ended).to.deep.equal([]);
    expect(process.eventNames()).to.deep.equal([]);
    expect(access).to.include({ from: 'login', who: 'ada' });
  });
});
