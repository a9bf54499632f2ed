import { createRunConfig, findDemands } from '@portolan/run-spec';
import { expect } from 'chai';
import { requireAcceptedPaths } from '../../src/run/steps/check/require-accepted-paths.ts';
import { caught } from '../../../../test/support/caught.ts';

const HOME = '/home/me';

/** Returns the request of a file for two mounts while `~/data` is a link to `real`. */
function request(real: string): NonNullable<Parameters<typeof requireAcceptedPaths>[0]> {
  const write = [`${HOME}/data:/data`, `${HOME}/data2:/data2`];
  const demands = findDemands(createRunConfig({ permission_profile: { write } }), 'file', {
    home: HOME,
    workingDirectory: HOME,
    ownFolders: [],
    engineSockets: [],
    stateFolder: undefined,
    realPath: (file) => (file === `${HOME}/data` ? real : file),
    isSocket: () => false,
    moduleFolder: (folder) => folder,
    addressesOf: () => [],
  });
  return { asker: { author: 'file', origin: 'sha256:1', name: 'x.json' }, demands };
}

describe('requireAcceptedPaths', () => {
  for (const [accepted, found] of [
    [`${HOME}/data`, '/etc'],
    ['/srv', '/etc'],
    ['/srv', `${HOME}/data`],
  ] as const) {
    it(`rejects ${found} when ${accepted} was accepted`, async () => {
      const paths = { [`${HOME}/data`]: found };
      const error = await caught(() => requireAcceptedPaths(request(accepted), paths, HOME));
      expect(error).to.include({ code: 'ERR_MOUNT_CHANGED' });
    });
  }

  it('accepts the paths that the question showed, and mounts that only the user requested', () => {
    const same = { [`${HOME}/data`]: '/srv', [`${HOME}/data2`]: `${HOME}/data2` };
    requireAcceptedPaths(request('/srv'), { ...same, '/link': '/of-user' }, HOME);
    requireAcceptedPaths(undefined, { '/link': '/of-user' }, HOME);
  });
});
