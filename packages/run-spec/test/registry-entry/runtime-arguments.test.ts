import type { JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import { previewEntryDemands } from '../../src/consent/entry-demands.ts';
import { fillServerSettings, findMissingInputs } from '../../src/registry-entry/fill-server-settings.ts';
import { readServerSettings } from '../../src/registry-entry/read-server-settings.ts';
import type { ServerSettings } from '../../src/registry-entry/server-settings.ts';
import { mergeSettings } from '../../src/settings/merge-settings.ts';
import type { MergedSettings } from '../../src/settings/merged-settings.ts';
import type { RunFlags } from '../../src/settings/run-flags.ts';
import { NO_USER_SETTINGS } from '../../src/settings/user-settings.ts';
import { parsePermissionProfile } from '../../src/permissions/parse-permission-profile.ts';
import { caught } from '../../../../test/support/caught.ts';

const HTTP = { type: 'streamable-http', url: 'http://localhost:9280/mcp' };

function entry(item: JsonObject): ServerSettings {
  return readServerSettings({
    name: 'dev.acme/notes',
    description: 'Notes',
    version: '1.0.0',
    packages: [{ registryType: 'oci', identifier: 'acme/notes:1', transport: { type: 'stdio' }, ...item }],
  });
}

const named = (name: string, value?: string, more: JsonObject = {}): JsonObject => ({
  type: 'named',
  name,
  ...(value === undefined ? {} : { value }),
  ...more,
});
const word = (value: string): JsonObject => ({ type: 'positional', value });
const docker = (...runtimeArguments: readonly JsonObject[]): ServerSettings =>
  entry({ runtimeArguments: [...runtimeArguments], transport: HTTP });

interface Given {
  readonly answers?: Readonly<Record<string, string>>;
  readonly flags?: RunFlags;
  readonly isPrivileged?: boolean;
}

function merge(
  server: ServerSettings,
  { answers = {}, flags = {}, isPrivileged = false }: Given = {},
): MergedSettings {
  const given = { values: new Map(Object.entries(answers)), secrets: new Set<string>(), hasArguments: false };
  return mergeSettings({
    request: { target: 'x', args: [], flags },
    target: { from: 'registry', server: server.server },
    entry: { server, filled: fillServerSettings(server, given) },
    user: NO_USER_SETTINGS,
    transports: new Map([
      ['stdio', 'messages'],
      ['streamable-http', 'http'],
    ]),
    environment: new Map(),
    profileFile: isPrivileged ? parsePermissionProfile({ privileged: true }, 'x', 'refused') : undefined,
    exposedPorts: [],
    context: { workingDirectory: '/srv/here', home: '/home/ann', platform: 'linux' },
    clock: () => new Date(0),
  });
}

const mountsOf = (settings: MergedSettings): JsonObject => {
  const { read = [], write = [] } = settings.container?.profile.profile ?? {};
  return { read: [...read], write: [...write] };
};
const missingOf = (server: ServerSettings): readonly string[] =>
  findMissingInputs(server, { values: new Map(), secrets: new Set(), hasArguments: false }).map(
    ({ name }) => name,
  );
const linesOf = (server: ServerSettings): readonly string[] => {
  const { grants, refusals } = previewEntryDemands(server);
  return [...grants.map(({ line }) => line), ...refusals.map(({ found, because }) => `${found}: ${because}`)];
};

describe('runtime arguments of an entry for docker (B2)', () => {
  const WORKSPACE = {
    variables: { workspace: { description: 'Folder', isRequired: true, format: 'filepath' } },
  };

  for (const argument of [
    named('--mount', 'type=bind,src={workspace},dst=/work', WORKSPACE),
    named('--mount', 'type=bind,source={workspace},target=/work', { isRequired: true }),
    named('-v', '{workspace}:/work', WORKSPACE),
    named('--volume', '{workspace}:/work', { isRequired: true }),
    named('--volume={workspace}:/work', undefined, { isRequired: true, variables: {} }),
  ]) {
    it(`requires the folder of ${JSON.stringify(argument).slice(22, 80)}, and mounts the user's folder without consent`, () => {
      const server = docker(argument);
      expect(missingOf(server)).to.deep.equal(['workspace']);
      expect(linesOf(server)).to.deep.equal([]);
      const settings = merge(server, { answers: { workspace: '/srv/work' } });
      expect(mountsOf(settings)).to.deep.equal({ read: [], write: ['/srv/work:/work'] });
      expect(settings.container?.entryVolumes).to.deep.include.members([
        { text: '/srv/work:/work', author: 'user', place: settings.container?.entryVolumes[0]?.place },
      ]);
    });
  }

  it('omits the volume of an optional folder without a value', () => {
    const server = docker(named('-v', '{dir}:/work', { variables: { dir: { description: 'x' } } }));
    expect(missingOf(server)).to.deep.equal([]);
    expect(mountsOf(merge(server))).to.deep.equal({ read: [], write: [] });
  });

  for (const [argument, line, mounts] of [
    [named('-v', '/srv/data:/data:ro'), 'read /srv/data', { read: ['/srv/data:/data'], write: [] }],
    [
      named('--mount', 'type=bind,src=/srv/data,dst=/data'),
      'write /srv/data',
      { read: [], write: ['/srv/data:/data'] },
    ],
    [
      named('--mount', 'type=bind,src=/srv/data,dst=/data,readonly'),
      'read /srv/data',
      { read: ['/srv/data:/data'], write: [] },
    ],
    [
      named('-v', '{dir}:/data', { variables: { dir: { default: '/srv/data' } } }),
      'write /srv/data',
      { read: [], write: ['/srv/data:/data'] },
    ],
  ] as const) {
    it(`requires consent for the fixed path of ${String(argument['value'])}`, () => {
      const server = docker(argument);
      expect(linesOf(server)).to.deep.equal([line]);
      const settings = merge(server);
      expect(mountsOf(settings)).to.deep.equal(mounts);
      expect(settings.container?.entryVolumes.map(({ author }) => author)).to.deep.equal(['entry']);
    });
  }

  it('requires consent for a volume of the engine (toolhive 3121)', () => {
    const server = docker(
      named('-v', 'notes-data:/data'),
      named('--mount', 'source=cache,target=/cache,readonly'),
    );
    expect(linesOf(server)).to.deep.equal(['write the volume notes-data', 'read the volume cache']);
    expect(mountsOf(merge(server))).to.deep.equal({
      read: ['volume://cache:/cache'],
      write: ['volume://notes-data:/data'],
    });
  });

  // A server that wrote the folder may have left a link in it.
  for (const source of ['{dir}/../.ssh', '{dir}/notes', '{dir}{more}', '/srv{dir}', '{dir}/{more}']) {
    it(`treats the path ${source}, which adds to the user's value, as a path of the entry`, () => {
      const volume = named('-v', `${source}:/data`, { isRequired: true });
      const settings = merge(docker(volume), { answers: { dir: '/home/ann/work/', more: '.ssh' } });
      expect(settings.container?.entryVolumes.map(({ author }) => author)).to.deep.equal(['entry']);
    });
  }

  it("treats a path that is exactly the user's value as a path of the user", () => {
    for (const source of ['{dir}', '{dir}/']) {
      const volume = named('-v', `${source}:/data`, { isRequired: true });
      const settings = merge(docker(volume), { answers: { dir: '/srv/a' } });
      expect(
        settings.container?.entryVolumes.map(({ author }) => author),
        source,
      ).to.deep.equal(['user']);
    }
  });

  it('rejects a value that adds a path or a mode', async () => {
    const volume = docker(named('-v', '{dir}:/work', { isRequired: true }));
    expect(await caught(() => merge(volume, { answers: { dir: '/a:/b' } }))).to.have.property(
      'code',
      'ERR_SETTING',
    );
    const mount = docker(named('--mount', 'type=bind,src={dir},dst=/work', { isRequired: true }));
    const settings = merge(mount, { answers: { dir: '/srv/a,dst=/etc' } });
    expect(mountsOf(settings)).to.deep.equal({ read: [], write: ['/srv/a,dst=/etc:/work'] });
  });

  it('rejects the socket of the engine', () => {
    expect(linesOf(docker(named('-v', '/var/run/docker.sock:/s')))).to.deep.equal([
      'a mount of /var/run/docker.sock: it leads to the socket of a container engine',
    ]);
  });

  for (const args of [
    [named('--network', 'none')],
    [named('--net=none')],
    [word('--network'), word('none')],
  ]) {
    it(`disables the network for ${JSON.stringify(args)}`, () => {
      const { container } = merge(docker(...args));
      expect(container?.network).to.include({ value: 'none', from: 'registry' });
      expect(container?.profile.profile.network?.mode).to.equal('none');
      expect(merge(docker(...args), { flags: { network: 'bridge' } }).container?.network.value).to.equal(
        'bridge',
      );
    });
  }

  it('rejects another network, unless the user names a network', async () => {
    for (const network of ['host', 'backend']) {
      const server = docker(named('--network', network));
      const error = await caught(() => merge(server));
      expect(error).to.include({ code: 'ERR_RUNTIME_ARGUMENT' });
      expect(error).to.have.property('hint').that.includes(`--network ${network}`);
      expect(merge(server, { flags: { network } }).container?.network).to.include({
        value: network,
        from: 'flag',
      });
    }
    const asked = docker(named('--network', '{net}', { isRequired: true }));
    expect(await caught(() => merge(asked, { answers: { net: 'host' } }))).to.include({
      code: 'ERR_RUNTIME_ARGUMENT',
    });
  });

  for (const argument of [
    named('--privileged'),
    named('--cap-add', 'SYS_ADMIN'),
    named('--cap-add=ALL'),
    named('--device', '/dev/kvm'),
    named('--security-opt', 'seccomp=unconfined'),
    named('--pid', 'host'),
    word('--privileged'),
  ]) {
    it(`rejects ${JSON.stringify(argument)}, unless a profile file of the user is privileged`, async () => {
      const error = await caught(() => merge(docker(argument)));
      expect(error).to.include({ code: 'ERR_RUNTIME_ARGUMENT' });
      expect(error).to.have.property('hint').that.includes('--permission-profile');
      const flags = { permissionProfile: './own.json' };
      expect(
        merge(docker(argument), { flags, isPrivileged: true }).container?.profile.profile.privileged,
      ).to.equal(true);
    });
  }

  it('publishes the port of the transport on loopback', () => {
    for (const value of ['9280:9280', '0.0.0.0:9280:9280', '127.0.0.1:9280:9280/tcp']) {
      const { container } = merge(docker(named('-p', value)));
      expect(container?.publish).to.deep.include({ value: ['9280:9280'], from: 'registry' });
    }
    const asked = docker(named('-p', '{port}:9280', { isRequired: true }));
    expect(missingOf(asked)).to.deep.equal(['port']);
    expect(merge(asked, { answers: { port: '9000' } }).container?.publish.value).to.deep.equal(['9000:9280']);
  });

  for (const [title, server, flags] of [
    ['of another service', docker(named('-p', '5432:5432')), {}],
    ['while the proxy listens for other machines', docker(named('-p', '9280:9280')), { host: '0.0.0.0' }],
    ['past the policies of the run', docker(named('-p', '9280:9280')), { authzConfig: './a.json' }],
  ] as const) {
    it(`publishes no port ${title}, and names the flag for it`, () => {
      const { container, warnings } = merge(server, { flags });
      expect(container?.publish.value).to.deep.equal([]);
      expect(warnings.filter((text) => text.includes('--publish'))).to.have.lengthOf(1);
    });
  }

  it('parses variables in every form, and requires those without a value', () => {
    const server = docker(
      word('run'),
      word('-e'),
      word('A=1'),
      word('-eB=2'),
      named('--env=C=3'),
      named('-e', 'D'),
    );
    expect(server.variables.map(({ name }) => name)).to.deep.equal(['A', 'B', 'C', 'D']);
    expect(
      fillServerSettings(server, {
        values: new Map([['D', '4']]),
        secrets: new Set(),
        hasArguments: false,
      }).variables.get('C'),
    ).to.equal('3');
    expect(missingOf(docker(named('-e', 'D', { isRequired: true })))).to.deep.equal(['D']);
  });

  it('lists arguments without an effect in one line, and omits them', () => {
    const server = docker(word('run'), word('-it'), named('--rm'), word('--init'), named('--pull', 'always'));
    expect(server.notes).to.deep.equal([
      'Left out, because Portolan decides it itself: -i, -t, --rm, --init, --pull.',
    ]);
    expect(merge(server).container?.publish.value).to.deep.equal([]);
  });

  it('names each unsupported argument, and rejects a required one', async () => {
    const optional = docker(
      named('--shm-size', '1g'),
      named('--mount', 'type=tmpfs,dst=/t'),
      named('-v', '/data'),
    );
    expect(optional.notes).to.have.lengthOf(3);
    expect(optional.notes[0]).to.include('--shm-size 1g is left out: Portolan has no such setting');
    merge(optional);
    const error = await caught(() => merge(docker(named('--shm-size', '1g', { isRequired: true }))));
    expect(error).to.include({ code: 'ERR_RUNTIME_ARGUMENT' });
    expect(error.message).to.include('"--shm-size 1g"');
  });
});

describe('runtime arguments of an entry for uvx and npx (uv 17779)', () => {
  const pypi = (...runtimeArguments: readonly JsonObject[]): JsonObject => ({
    registryType: 'pypi',
    identifier: 'mcp-server-time',
    version: '2026.1.2',
    runtimeArguments: [...runtimeArguments],
  });
  const npm = (...runtimeArguments: readonly JsonObject[]): JsonObject => ({
    registryType: 'npm',
    identifier: '@acme/notes',
    version: '2.1.0',
    runtimeArguments: [...runtimeArguments],
  });
  const PROGRAM = [word('serve'), word('--verbose')];
  const chosen = { form: 'package', scheme: 'uvx', package: 'mcp-server-time@2026.1.2#serve' };

  for (const item of [
    { ...pypi(named('--from')), packageArguments: PROGRAM },
    { ...pypi(named('--from', 'mcp-server-time')), packageArguments: PROGRAM },
    { ...pypi(named('--from', 'MCP_server.time==1.0')), packageArguments: PROGRAM },
    {
      ...pypi(word('--from'), word('mcp-server-time==2026.1.2'), word('serve')),
      packageArguments: [word('--verbose')],
    },
    { ...pypi(named('--from=mcp-server-time'), word('serve')), packageArguments: [word('--verbose')] },
    { ...pypi(word('--from'), word('serve')), packageArguments: [word('--verbose')] },
  ]) {
    it(`chooses the program after --from: ${JSON.stringify(item).slice(0, 160)}`, () => {
      const server = entry(item);
      expect(server.runs).to.deep.equal(chosen);
      expect(merge(server).args.value).to.deep.equal(['--verbose']);
      expect(server.notes).to.deep.equal([]);
    });
  }

  for (const [identifier, argument, expected, args] of [
    ['intugle', 'intugle-mcp', 'intugle@1#intugle-mcp', []],
    ['mcp-server-time', 'mcp_server_time', 'mcp-server-time@1', []],
    ['intugle', 'serve', 'intugle@1', ['serve']],
    ['intugle', 'intuglemcp', 'intugle@1', ['intuglemcp']],
    ['intugle', '--intugle-mcp', 'intugle@1', ['--intugle-mcp']],
  ] as const) {
    it(`treats the first argument ${argument} of ${identifier} as ${args.length > 0 ? 'an argument' : 'the program'} (official registry 741)`, () => {
      const server = entry({
        registryType: 'pypi',
        identifier,
        version: '1',
        packageArguments: [word(argument)],
      });
      expect(server.runs).to.include({ package: expected });
      expect(merge(server).args.value).to.deep.equal(args);
    });
  }

  it('keeps the extras of a package in --from', () => {
    const server = entry({ ...pypi(named('--from', 'mcp-server-time[cli]')), packageArguments: PROGRAM });
    expect(server.runs).to.include({ package: 'mcp-server-time[cli]@2026.1.2#serve' });
  });

  for (const argument of [
    named('-p'),
    named('--package'),
    named('--package', '@acme/notes@2.1.0'),
    named('--package=@acme/notes'),
  ]) {
    it(`chooses the program after ${JSON.stringify(argument)} of npx`, () => {
      const server = entry({ ...npm(named('-y'), argument), packageArguments: PROGRAM });
      expect(server.runs).to.include({ package: '@acme/notes@2.1.0#serve' });
      expect(merge(server).args.value).to.deep.equal(['--verbose']);
      expect(server.notes).to.deep.equal(['Left out, because Portolan decides it itself: -y.']);
    });
  }

  it('ignores the repeated name of the package', () => {
    const server = entry(npm(word('-y'), word('@acme/notes@2.1.0')));
    expect(server.runs).to.include({ package: '@acme/notes@2.1.0' });
    expect(server.notes).to.deep.equal(['Left out, because Portolan decides it itself: -y.']);
  });

  it('rejects another required package, and names an optional one', async () => {
    const other = (more: JsonObject = {}): JsonObject => npm(named('-p', '@acme/other@1', more));
    expect(entry(other()).notes[0]).to.include('-p @acme/other@1 is left out');
    expect(await caught(() => merge(entry(other({ isRequired: true }))))).to.include({
      code: 'ERR_RUNTIME_ARGUMENT',
    });
  });

  it('passes --with to the build, and --python as its base image', () => {
    const server = entry(
      pypi(
        named('--with', 'pydantic<2.13,httpx[http2,socks]'),
        named('--with', 'anyio'),
        named('--python', '3.12'),
      ),
    );
    expect(merge(server).container?.runtime).to.deep.include({
      from: 'registry',
      value: {
        builder_image: 'python:3.12-slim',
        additional_packages: [],
        build_with: ['pydantic<2.13', 'httpx[http2,socks]', 'anyio'],
        runtime_env: {},
      },
    });
    const own = merge(server, { flags: { runtimeImage: 'acme/python:1', runtimeAddPackages: ['git'] } });
    expect(own.container?.runtime).to.deep.include({ from: 'flag' });
    expect(own.container?.runtime.value).to.include({ builder_image: 'acme/python:1' });
    expect(own.container?.runtime.value?.build_with).to.have.lengthOf(3);
  });

  it('requires a value for each input in these arguments', () => {
    const server = entry(pypi(named('--with', 'driver=={v}', { isRequired: true })));
    expect(missingOf(server)).to.deep.equal(['v']);
    expect(merge(server, { answers: { v: '1.2' } }).container?.runtime.value?.build_with).to.deep.equal([
      'driver==1.2',
    ]);
  });

  it('reports a version of Python for which there is no base image', () => {
    expect(entry(pypi(named('--python', 'pypy3.10'))).notes[0]).to.include('--python pypy3.10 is left out');
  });
});
