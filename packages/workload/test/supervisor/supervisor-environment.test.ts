import { expect } from 'chai';
import { supervisorEnvironment } from '../../src/supervisor/supervisor-environment.ts';

describe('supervisorEnvironment', () => {
  it('removes exactly the variables that hold secrets', () => {
    const kept = {
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy.acme.example:3128',
      DOCKER_HOST: 'unix:///run/docker.sock',
      PORTOLAN_CONFIG: '/etc/portolan.yaml',
      PORTOLAN_SECRETS_PROVIDER: 'encrypted',
      PORTOLAN_REGISTRY_TOKEN_FILE: '/run/token',
      PORTOLAN_HEALTH_CHECK_INTERVAL: '1s',
    };
    const secret = {
      'PORTOLAN_SECRET_weather-key': 'x',
      TOOLHIVE_SECRET_A: 'x',
      PORTOLAN_SECRETS_PASSWORD: 'x',
      TOOLHIVE_SECRETS_PASSWORD: 'x',
      TOOLHIVE_OIDC_CLIENT_SECRET: 'x',
      PORTOLAN_REMOTE_AUTH_BEARER_TOKEN: 'x',
      OP_SERVICE_ACCOUNT_TOKEN: 'x',
      OP_CONNECT_TOKEN: 'x',
      OP_SESSION_acme: 'x',
    };
    expect(supervisorEnvironment({ ...kept, ...secret })).to.deep.equal({ UV_THREADPOOL_SIZE: '8', ...kept });
  });
});
