import { createRecordingLogger } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { warmPolicies } from '../../src/supervisor/start-steps.ts';

describe('warmPolicies', () => {
  it('starts warmUp of each part once, without waiting, and logs failures', async () => {
    const logger = createRecordingLogger();
    const warmed: string[] = [];
    const placed = (name: string, warmUp?: () => void | Promise<void>) => ({
      instance: {
        warmUp: () => {
          warmed.push(name);
          return warmUp?.();
        },
      },
    });
    const never = new Promise<void>(() => undefined);
    const middleware = [
      { instance: {} },
      placed('throws', () => {
        throw new Error('not ready');
      }),
      placed('rejects', () => Promise.reject(new Error('no network'))),
      placed('goes on', () => never),
    ];
    const auth = { authProvider: placed('auth').instance };
    await warmPolicies({ policies: Promise.resolve({ middleware, auth }), context: { logger } });
    await new Promise((then) => setImmediate(then));
    expect(warmed).to.deep.equal(['auth', 'throws', 'rejects', 'goes on']);
    expect(logger.lines.map(({ level }) => level)).to.deep.equal(['debug', 'debug']);
  });
});
