import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { exitStatusOf } from '../../src/command-line/exit-status.ts';

describe('exitStatusOf', () => {
  const cases = [
    {
      title: 'returns 2 for an unknown flag',
      error: new PortolanError('ERR_UNKNOWN_FLAG', 'mistake', ''),
      status: 2,
    },
    {
      title: 'returns 2 for an invalid configuration',
      error: new PortolanError('ERR_CONFIG_INVALID', 'mistake', ''),
      status: 2,
    },
    {
      title: 'returns 2 for a missing file',
      error: new PortolanError('ERR_CONFIG_UNREADABLE', 'mistake', ''),
      status: 2,
    },
    {
      title: 'returns 2 for a plugin that does not load',
      error: new PortolanError('ERR_PLUGIN_IMPORT', 'mistake', ''),
      status: 2,
    },
    {
      title: 'returns 1 for an address in use',
      error: new PortolanError('ERR_ADDRESS_IN_USE', 'conflict', ''),
      status: 1,
    },
    {
      title: 'returns 1 for a database that is down',
      error: new PortolanError('ERR_DATABASE_UNAVAILABLE', 'unavailable', ''),
      status: 1,
    },
    {
      title: 'returns 1 for a code of Node.js',
      error: Object.assign(new Error(), { code: 'ENOENT' }),
      status: 1,
    },
    {
      title: 'returns the status of the container that the error reports',
      error: Object.assign(new PortolanError('ERR_SERVER_ENDED', 'unavailable', ''), { exitStatus: 7 }),
      status: 7,
    },
    {
      title: 'returns 1 for an error of that class without a status',
      error: Object.assign(new PortolanError('ERR_SERVER_ENDED', 'unavailable', ''), {
        exitStatus: undefined,
      }),
      status: 1,
    },
    { title: 'returns 1 for a value that is not an error', error: undefined, status: 1 },
  ];
  for (const { title, error, status } of cases) {
    it(title, () => {
      expect(exitStatusOf(error)).to.equal(status);
    });
  }
});
