import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { showEngineAddress } from '../src/engine/engine-address.ts';
import { namedEngine, usualEngines } from '../src/engine/engine-candidates.ts';
import type { EngineContext } from '../src/engine/engine-candidates.ts';
import { codeOf } from './support/code-of.ts';
import { inTemporaryFolder } from './support/temporary-folder.ts';

function context(home: string, environment: Record<string, string> = {}): EngineContext {
  return { environment, home, platform: 'linux', temporaryFolder: join(home, 'tmp') };
}

async function addContext(home: string, name: string, host: string): Promise<string> {
  const place = createHash('sha256').update(name).digest('hex');
  const folder = join(home, '.docker/contexts/meta', place);
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'meta.json'),
    JSON.stringify({ Name: name, Endpoints: { docker: { Host: host } } }),
  );
  return place;
}

describe('namedEngine and usualEngines with PORTOLAN_RUNTIME=podman', () => {
  const others = { PORTOLAN_DOCKER_SOCKET: '/docker', DOCKER_HOST: 'unix:///host', DOCKER_CONTEXT: 'x' };
  const podman = { ...others, PORTOLAN_RUNTIME: 'podman' };
  for (const [more, expected] of [
    [{}, undefined],
    [{ CONTAINER_HOST: 'unix:///container' }, 'unix:///container'],
    [{ CONTAINER_HOST: 'unix:///container', PORTOLAN_PODMAN_SOCKET: '/podman' }, 'unix:///podman'],
  ] as const) {
    it(`uses ${Object.keys(more).join(' and ') || 'nothing of Docker'}`, () =>
      inTemporaryFolder(async (home) => {
        const found = await namedEngine(context(home, { ...podman, ...more }), undefined);
        expect(found && showEngineAddress(found.address)).to.equal(expected);
      }));
  }

  it('searches only the default locations of Podman', () =>
    inTemporaryFolder(async (home) => {
      const found = await usualEngines(context(home, podman));
      expect(new Set(found.map(({ from }) => from))).to.deep.equal(new Set(['the usual place of Podman']));
    }));
});

describe('namedEngine', () => {
  const everything = {
    PORTOLAN_PODMAN_SOCKET: '/podman',
    PORTOLAN_DOCKER_SOCKET: '/docker',
    PORTOLAN_COLIMA_SOCKET: '/colima',
    DOCKER_HOST: 'unix:///host',
    DOCKER_CONTEXT: 'from-variable',
  };
  const cases = [
    { from: 'PORTOLAN_PODMAN_SOCKET', address: 'unix:///podman' },
    { from: 'PORTOLAN_DOCKER_SOCKET', address: 'unix:///docker' },
    { from: 'PORTOLAN_COLIMA_SOCKET', address: 'unix:///colima' },
    { from: 'the configuration', address: 'unix:///configured' },
    { from: 'DOCKER_HOST', address: 'unix:///host' },
    { from: 'the Docker context "from-variable"', address: 'unix:///variable' },
    { from: 'the Docker context "from-file"', address: 'unix:///file' },
  ];
  for (const [index, expected] of cases.entries()) {
    it(`returns the engine of ${expected.from} when nothing before it is set`, () =>
      inTemporaryFolder(async (home) => {
        await addContext(home, 'from-variable', 'unix:///variable');
        await addContext(home, 'from-file', 'unix:///file');
        await writeFile(join(home, '.docker/config.json'), '{"currentContext":"from-file"}');
        const later = new Set(cases.slice(index).map(({ from }) => from));
        const environment = Object.fromEntries(
          Object.entries(everything).filter(
            ([name]) => later.has(name) || (name === 'DOCKER_CONTEXT' && index < cases.length - 1),
          ),
        );
        const configured = index <= 3 ? 'unix:///configured' : undefined;
        const found = await namedEngine(context(home, environment), configured);
        expect(found && { from: found.from, address: showEngineAddress(found.address) }).to.deep.equal(
          expected,
        );
      }));
  }

  it('returns undefined when no engine is configured', () =>
    inTemporaryFolder(async (home) => {
      expect(await namedEngine(context(home), undefined)).to.equal(undefined);
      expect(await namedEngine(context(home, { DOCKER_CONTEXT: 'default' }), undefined)).to.equal(undefined);
    }));

  it('reads the certificates of a context', () =>
    inTemporaryFolder(async (home) => {
      const place = await addContext(home, 'far', 'tcp://engine:2376');
      const folder = join(home, '.docker/contexts/tls', place, 'docker');
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, 'ca.pem'), 'CA');
      const found = await namedEngine(context(home, { DOCKER_CONTEXT: 'far' }), undefined);
      const tls = { ca: 'CA', cert: undefined, key: undefined, verify: true };
      expect(found?.address).to.deep.equal({ over: 'tcp', host: 'engine', port: 2376, tls });
    }));

  it('uses the certificates of DOCKER_CERT_PATH when DOCKER_TLS_VERIFY is set', () =>
    inTemporaryFolder(async (home) => {
      await writeFile(join(home, 'key.pem'), 'KEY');
      const environment = { DOCKER_HOST: 'tcp://engine', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: home };
      const found = await namedEngine(context(home, environment), undefined);
      const tls = { ca: undefined, cert: undefined, key: 'KEY', verify: true };
      expect(found?.address).to.deep.equal({ over: 'tcp', host: 'engine', port: 2376, tls });
    }));

  it('refuses a context that does not exist', () =>
    inTemporaryFolder(async (home) => {
      const environment = { DOCKER_CONTEXT: 'nowhere' };
      expect(await codeOf(namedEngine(context(home, environment), undefined))).to.equal(
        'ERR_RUNTIME_ADDRESS',
      );
    }));

  for (const text of ['{', '[]']) {
    it(`refuses a config.json that holds ${text}`, () =>
      inTemporaryFolder(async (home) => {
        await mkdir(join(home, '.docker'));
        await writeFile(join(home, '.docker/config.json'), text);
        expect(await codeOf(namedEngine(context(home), undefined))).to.equal('ERR_RUNTIME_ADDRESS');
      }));
  }
});

describe('usualEngines', () => {
  it('returns the sockets of Docker, then Podman, then Colima', () =>
    inTemporaryFolder(async (home) => {
      await mkdir(join(home, 'tmp/podman'), { recursive: true });
      await writeFile(join(home, 'tmp/podman/podman-machine-default-api.sock'), '');
      await writeFile(join(home, 'tmp/podman/podman-machine-default.log'), '');
      const found = await usualEngines(context(home, { XDG_RUNTIME_DIR: '/run/user/7' }));
      expect(found.map(({ address }) => showEngineAddress(address).replace(home, '~'))).to.deep.equal([
        'unix:///var/run/docker.sock',
        'unix:///run/user/7/docker.sock',
        'unix://~/.docker/run/docker.sock',
        'unix://~/.docker/desktop/docker.sock',
        'unix://~/.rd/docker.sock',
        'unix://~/.orbstack/run/docker.sock',
        'unix:///var/run/podman/podman.sock',
        'unix:///run/user/7/podman/podman.sock',
        'unix://~/.local/share/containers/podman/machine/podman.sock',
        'unix://~/tmp/podman/podman-machine-default-api.sock',
        'unix://~/.colima/default/docker.sock',
      ]);
    }));
});
