import { expect } from 'chai';
import { ANN, Authorizer, call, configOf } from './support.ts';

describe('the cost of a denial', () => {
  let authorizer: Authorizer | undefined;
  afterEach(async () => {
    await authorizer?.close();
    authorizer = undefined;
  });

  const policies = {
    'one attribute':
      'permit(principal, action, resource == Tool::"a") when { context has claim_role && context.claim_role == "admin" };',
    'the whole context':
      'permit(principal, action, resource == Tool::"a") when { principal has claim_role && context == {"x": 1} };',
    'the whole context first':
      'permit(principal, action, resource == Tool::"a") when { context == {"x": 1} && principal has claim_role };',
  };
  for (const [what, policy] of Object.entries(policies)) {
    for (const [count, maxMs] of [
      [40_000, 2000],
      [200_000, 6000],
    ] as const) {
      it(`is at most ${maxMs} ms of CPU with ${count} arguments and a policy that reads ${what}`, async () => {
        authorizer = await Authorizer.open(configOf([policy]));
        const asked = call('a', Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1])));
        const before = process.cpuUsage();
        expect(await authorizer.allows(asked, ANN)).to.equal(false);
        const { user, system } = process.cpuUsage(before);
        expect((user + system) / 1000).to.be.below(maxMs);
      });
    }
  }
});
