import { expect } from 'chai';
import { checkRequest } from '../../src/run/check-request.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('checkRequest', () => {
  const cases = [
    { title: 'a missing target', request: { target: undefined }, code: 'ERR_RUN_TARGET' },
    {
      title: 'a target beside a file',
      request: { target: 'acme/notes', fromConfig: 'notes.json' },
      code: 'ERR_RUN_TARGET',
    },
    {
      title: 'a flag beside a file',
      request: { target: undefined, fromConfig: 'notes.json', flags: { name: 'notes' } },
      code: 'ERR_SETTINGS_CONFLICT',
    },
  ];
  for (const { title, request, code } of cases) {
    it(`rejects ${title}`, async () => {
      const error = await caught(() => checkRequest({ args: [], flags: {}, ...request }));
      expect(error.code).to.equal(code);
    });
  }

  it('accepts a file, or a target with flags', async () => {
    await checkRequest({ target: undefined, fromConfig: 'notes.json', args: [], flags: {} });
    await checkRequest({ target: 'acme/notes', args: [], flags: { name: 'notes' } });
  });
});
