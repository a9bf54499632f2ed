import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { exitStatusOf } from '../../src/command-line/exit-status.ts';

describe('exitStatusOf', () => {
  const cases = [
    {
      title: 'is 2 for an unknown flag',
      error: new PortolanError('ERR_UNKNOWN_FLAG', 'mistake', ''),
      status: 2,
    },
    {
      title: 'is 2 for a configuration with faults',
      error: new PortolanError('ERR_CONFIG_INVALID', 'mistake', ''),
      status: 2,
    },
    {
      title: 'is 2 for a missing file',
      error: new PortolanError('ERR_CONFIG_UNREADABLE', 'mistake', ''),
      status: 2,
    },
    {
      title: 'is 2 for a plugin that does not load',
      error: new PortolanError('ERR_PLUGIN_IMPORT', 'mistake', ''),
      status: 2,
    },
    {
      title: 'is 1 for an address in use',
      error: new PortolanError('ERR_ADDRESS_IN_USE', 'conflict', ''),
      status: 1,
    },
    {
      title: 'is 1 for a database that is down',
      error: new PortolanError('ERR_DATABASE_UNAVAILABLE', 'unavailable', ''),
      status: 1,
    },
    { title: 'is 1 for a code of Node.js', error: Object.assign(new Error(), { code: 'ENOENT' }), status: 1 },
    {
      title: 'is that of a container whose end the error tells of',
      error: Object.assign(new PortolanError('ERR_SERVER_ENDED', 'unavailable', ''), { exitStatus: 7 }),
      status: 7,
    },
    {
      title: 'is 1 for an error that could have one and has none',
      error: Object.assign(new PortolanError('ERR_SERVER_ENDED', 'unavailable', ''), {
        exitStatus: undefined,
      }),
      status: 1,
    },
    { title: 'is 1 for what is no error', error: undefined, status: 1 },
  ];
  for (const { title, error, status } of cases) {
    it(title, () => {
      expect(exitStatusOf(error)).to.equal(status);
    });
  }
});
