import { expect } from 'chai';
import { checkRequest } from '../../src/run/check-request.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('checkRequest', () => {
  const cases = [
    { title: 'nothing to run', request: { target: undefined }, code: 'ERR_RUN_TARGET' },
    {
      title: 'something to run beside a file',
      request: { target: 'acme/notes', fromConfig: 'notes.json' },
      code: 'ERR_RUN_TARGET',
    },
    {
      title: 'a setting beside a file',
      request: { target: undefined, fromConfig: 'notes.json', flags: { name: 'notes' } },
      code: 'ERR_SETTINGS_CONFLICT',
    },
  ];
  for (const { title, request, code } of cases) {
    it(`refuses ${title}`, async () => {
      const error = await caught(() => checkRequest({ args: [], flags: {}, ...request }));
      expect(error.code).to.equal(code);
    });
  }

  it('lets a file pass, and whatever else is named', async () => {
    await checkRequest({ target: undefined, fromConfig: 'notes.json', args: [], flags: {} });
    await checkRequest({ target: 'acme/notes', args: [], flags: { name: 'notes' } });
  });
});
