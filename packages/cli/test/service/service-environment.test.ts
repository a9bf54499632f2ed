import { expect } from 'chai';
import { serviceEnvironment } from '../../src/service/service-environment.ts';
import { caught } from '../../../../test/support/caught.ts';

describe('serviceEnvironment', () => {
  it('selects only the variables that workloads depend on', () => {
    const kept = {
      PATH: '/opt/homebrew/opt/node@22/bin:/usr/bin',
      DOCKER_HOST: 'ssh://me@build.acme.example:22',
      DOCKER_CONTEXT: 'build',
      DOCKER_CERT_PATH: '/home/a/.docker',
      DOCKER_TLS: '1',
      DOCKER_TLS_VERIFY: '1',
      CONTAINER_HOST: 'unix:///run/user/1000/podman/podman.sock',
      PORTOLAN_PODMAN_SOCKET: '/run/podman/a.sock',
      PORTOLAN_DOCKER_SOCKET: '/run/docker/a.sock',
      PORTOLAN_COLIMA_SOCKET: '/run/colima/a.sock',
      PORTOLAN_CONFIG: '/etc/portolan.yaml',
      https_proxy: 'http://proxy.acme.example:3128',
    };
    const others = {
      HOME: '/home/a',
      PORTOLAN_SECRETS_PASSWORD: 'x',
      PORTOLAN_SECRET_KEY: 'x',
      PORTOLAN_TOKEN: 'x',
      AWS_SECRET: 'x',
      XDG_DATA_HOME: '',
      DOCKER_CONFIG: undefined,
    };
    expect(serviceEnvironment({ ...kept, ...others })).to.deep.equal({ variables: kept, leftOut: [] });
  });

  const passwords = {
    HTTPS_PROXY: ['http://ann:hunter2@proxy.acme.example', 'ann:hunter2@proxy:3128', 'http://hunter2@proxy'],
    DOCKER_HOST: ['ssh://ann:hunter2@build.acme.example'],
    PORTOLAN_DEFAULT_REGISTRY: ['https://ann:hunter2@registry.acme.example'],
  };
  for (const [name, values] of Object.entries(passwords)) {
    for (const value of values) {
      it(`leaves out ${name} for a value like ${value.replace('hunter2', '…')}`, () => {
        expect(serviceEnvironment({ [name]: value })).to.deep.equal({ variables: {}, leftOut: [name] });
      });
    }
  }

  it('throws for a value that would add a line to the file', async () => {
    for (const value of ['a\nExecStart=/bin/evil', 'a\rb', 'a\u0000']) {
      const error = await caught(() => serviceEnvironment({ PATH: value }));
      expect(error).to.include({ code: 'ERR_BAD_ARGUMENT' });
      expect(error.message).to.include('PATH').and.not.to.include('evil');
    }
  });
});
