import { expect } from 'chai';
import { createRunConfig } from '../../src/run-config/run-config.ts';
import { refuseCallbackPort } from '../../src/run-config/refuse-callback-port.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('refuseCallbackPort', () => {
  for (const fields of [{ port: 8666 }, { publish: ['8080:80', '8666:80'] }]) {
    it(`rejects ${JSON.stringify(fields)}`, async () => {
      const config = createRunConfig({ name: 'notes', ...fields });
      expect((await caught(() => refuseCallbackPort(config))).code).to.equal('ERR_SETTING');
    });
  }

  it('accepts other ports', () => {
    refuseCallbackPort(createRunConfig({ name: 'notes', port: 8667, publish: ['8080:8666'] }));
  });
});
