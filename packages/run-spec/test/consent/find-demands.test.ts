import { expect } from 'chai';
import { findDemands } from '../../src/consent/find-demands.ts';
import type { ConsentFacts, Stranger } from '../../src/consent/grant.ts';
import { RUN_CONFIG_RULES } from '../../src/consent/run-config-rules.ts';
import { RUN_CONFIG_FIELDS, type RunConfig } from '../../src/run-config/run-config.ts';

const LINKS: Readonly<Record<string, string>> = {
  '/srv/link': '/srv/notes',
  '/srv/settings': '/etc',
  '/var/lib/docker': '/data/engine',
  '/srv/root': '/',
  '/srv/logs': '/home/ada',
};

const MODULES: Readonly<Record<string, string>> = {
  '/home/ada/src/gm/inner': '/home/ada/src/gm',
  '/home/ada/tools': '/home/ada',
};

const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  'inside.acme.example': ['203.0.114.1', '10.9.8.7'],
  'loop.acme.example': ['127.0.0.1'],
  'cloud.acme.example': ['169.254.169.254'],
  'six.acme.example': ['fe80::1'],
  'mapped.acme.example': ['::ffff:169.254.169.254'],
  'mcp.acme.example': ['8.8.8.8', '2001:4860:4860::8888'],
};

const FACTS: ConsentFacts = {
  home: '/home/ada',
  workingDirectory: '/work',
  ownFolders: ['/home/ada/.config/portolan', '/home/ada/.local/state/portolan'],
  engineSockets: ['/var/run/docker.sock', '/opt/engine/api.sock'],
  stateFolder: '/home/ada/.local/share/portolan/policies/weather',
  realPath: (file) => LINKS[file] ?? file,
  isSocket: (file) => file === '/srv/custom/engine',
  moduleFolder: (folder) => MODULES[folder] ?? folder,
  addressesOf: (name) => (name === 'gone.acme.example' ? undefined : (ADDRESSES[name] ?? [])),
};

const EMPTY_OIDC: NonNullable<RunConfig['oidc_config']> = {
  Issuer: '',
  Audience: '',
  JWKSURL: '',
  ClientID: '',
  ClientSecret: '',
  CACertPath: '',
  AuthTokenFile: '',
  AllowPrivateIP: false,
  InsecureAllowHTTP: false,
  IntrospectionURL: '',
  ResourceURL: '',
  Scopes: [],
  AllowedClients: [],
};

const lines = (config: Partial<RunConfig>, author: Stranger = 'file'): readonly string[] => {
  const { grants, refusals } = findDemands(config, author, FACTS);
  return [
    ...grants.map(({ line }) => line),
    ...refusals.map(({ setting, because }) => `refused ${setting}: ${because}`),
  ];
};

const mounts = (...read: readonly string[]): Partial<RunConfig> => ({ permission_profile: { read } });
const outbound = (...hosts: readonly string[]): Partial<RunConfig> => ({
  permission_profile: { network: { outbound: { allow_host: hosts, allow_port: [443] } } },
});
const headers = (secret: string): RunConfig['header_forward'] => ({
  add_plaintext_headers: {},
  add_headers_from_secret: { 'X-Key': secret },
});
const LOG_REFUSED =
  'refused audit_config.logFile: a file may be written only below the state folder of the workload';
const UNRESOLVED = ', whose name does not resolve now and may lead to a private network';
const LINK_LOCAL = 'refused remote_url: link-local addresses hand out credentials of machines';

interface Row {
  readonly title: string;
  readonly config: Partial<RunConfig>;
  readonly file: readonly string[];
  readonly entry?: readonly string[];
}

const ROWS: readonly Row[] = [
  {
    title: 'the network of the host',
    config: { permission_profile: { network: { mode: 'host' } } },
    file: ['network of the host'],
    entry: ['refused permission_profile.network.mode: an entry may not ask for it'],
  },
  {
    title: 'a privileged container',
    config: { permission_profile: { privileged: true } },
    file: ['refused permission_profile.privileged: it controls the whole machine'],
    entry: ['refused permission_profile.privileged: it controls the whole machine'],
  },
  {
    title: 'a network without isolation',
    config: { isolate_network: false },
    file: ['reaches every address, without isolation'],
  },
  { title: 'outbound rules that restrict access', config: outbound('api.acme.example'), file: [], entry: [] },
  {
    title: 'an outbound rule that permits another container',
    config: outbound('172.18.0.2'),
    file: ['reaches 172.18.0.2 in a private network'],
    entry: ['reaches 172.18.0.2 in a private network'],
  },
  {
    title: 'a listener on the network',
    config: { host: '0.0.0.0', port: 8080 },
    file: ['listens on 0.0.0.0:8080'],
    entry: ['refused host: an entry may not ask for it', 'refused port: an entry may not ask for it'],
  },
  { title: 'a listener on loopback', config: { host: '127.0.0.1', port: 8080 }, file: [] },
  {
    title: 'the callback port',
    config: { port: 8666 },
    file: ['refused port: browsers return from logins to this port'],
  },
  { title: 'a published port', config: { publish: ['8080:80'] }, file: ['publishes 8080'] },
  {
    title: 'a secret of a container',
    config: { image: 'acme/x:1', secrets: ['GITHUB_TOKEN,target=T'] },
    file: ['gives the secret GITHUB_TOKEN to the server acme/x:1'],
    entry: ['gives the secret GITHUB_TOKEN to the server acme/x'],
  },
  {
    title: 'a secret in a header',
    config: { remote_url: 'https://mcp.acme.example/mcp', header_forward: headers('GITHUB_TOKEN') },
    file: ['gives the secret GITHUB_TOKEN to https://mcp.acme.example/mcp'],
  },
  {
    title: 'a token file for a remote',
    config: {
      remote_url: 'https://mcp.acme.example',
      remote_auth_config: { bearer_token_file: '/home/ada/token.txt' },
    },
    file: ['reads ~/token.txt and sends it to https://mcp.acme.example'],
  },
  {
    title: 'a token file for keys',
    config: {
      oidc_config: {
        ...EMPTY_OIDC,
        JWKSURL: 'https://evil.example/jwks',
        AuthTokenFile: '/home/ada/.ssh/id',
      },
    },
    file: ['reads ~/.ssh/id and sends it to https://evil.example/jwks'],
  },
  {
    title: 'a log file outside of the state folder',
    config: { audit_config: { logFile: '/home/ada/.bashrc' } },
    file: [LOG_REFUSED],
    entry: [LOG_REFUSED],
  },
  {
    title: 'a log file behind a symbolic link',
    config: { audit_config: { logFile: '/srv/logs' } },
    file: [LOG_REFUSED],
  },
  {
    title: 'a log file in the state folder',
    config: { audit_config: { logFile: '/home/ada/.local/share/portolan/policies/weather/audit.jsonl' } },
    file: [],
  },
  {
    title: 'variables of the host',
    config: {
      telemetry_config: { endpoint: 'https://c.example', environmentVariables: ['AWS_REGION'] },
    },
    file: ['sends AWS_REGION to https://c.example', 'sends traces and metrics to https://c.example'],
  },
  {
    title: 'a local folder that is built with a foreign image',
    config: {
      run_target: 'go:///home/ada/src',
      runtime_config: { builder_image: 'evil/x:1', additional_packages: [], build_with: [], runtime_env: {} },
    },
    file: ['builds ~/src with image evil/x:1', 'builds with image evil/x:1'],
  },
  {
    title: 'a folder whose Go module is above it',
    config: { run_target: 'go:///home/ada/src/gm/inner' },
    file: ['builds ~/src/gm'],
    entry: ['refused run_target: an entry may not ask for it'],
  },
  {
    title: 'a folder whose Go module is the home folder',
    config: { run_target: 'go:///home/ada/tools' },
    file: ['refused run_target: it holds data of a container engine or a package service'],
  },
  {
    title: 'an npm folder with a program below a Go module',
    config: { run_target: 'npx:///home/ada/src/gm/inner#admin' },
    file: ['builds ~/src/gm/inner'],
    entry: ['refused run_target: an entry may not ask for it'],
  },
  {
    title: 'a protected Python folder with a program',
    config: { run_target: 'uvx:///home/ada#admin' },
    file: ['refused run_target: it holds data of a container engine or a package service'],
  },
  { title: 'a package of an index', config: { run_target: 'npx://@acme/notes@1.0.0' }, file: [] },
  {
    title: 'a remote over http in a private network',
    config: { remote_url: 'http://10.9.8.7', header_forward: headers('KEY') },
    file: ['gives the secret KEY to http://10.9.8.7', 'connects to http://10.9.8.7, and sends X-Key'],
  },
  {
    title: 'a remote in a private network over https',
    config: { remote_url: 'https://192.168.1.1/mcp' },
    file: ['connects to https://192.168.1.1/mcp'],
    entry: ['connects to https://192.168.1.1/mcp'],
  },
  {
    title: 'a remote on loopback',
    config: { remote_url: 'http://localhost:3000' },
    file: ['connects to http://localhost:3000'],
    entry: ['connects to http://localhost:3000'],
  },
  {
    title: 'a link-local remote',
    config: { remote_url: 'http://169.254.169.254/latest' },
    file: [LINK_LOCAL],
    entry: [LINK_LOCAL],
  },
  {
    title: 'a link-local remote inside an IPv6 address',
    config: { remote_url: 'http://[::ffff:169.254.169.254]/' },
    file: [LINK_LOCAL],
  },
  {
    title: 'an image of an image registry in a private network',
    config: { image: '10.9.8.7:5000/acme/x:1' },
    file: ['pulls its image from 10.9.8.7:5000 in a private network'],
    entry: ['pulls its image from 10.9.8.7:5000 in a private network'],
  },
  {
    title: 'an image of an image registry in a private network, as the target of the run',
    config: { run_target: '10.9.8.7:5000/acme/x:1' },
    file: ['pulls its image from 10.9.8.7:5000 in a private network'],
  },
  {
    title: 'an image of a link-local image registry',
    config: { image: '169.254.169.254/x:1' },
    file: ['refused image: link-local addresses hand out credentials of machines'],
  },
  {
    title: 'a login at a private address',
    config: { remote_url: 'https://mcp.acme.example', remote_auth_config: { issuer: 'https://10.9.8.7' } },
    file: ['connects to https://10.9.8.7'],
    entry: ['connects to https://10.9.8.7'],
  },
  {
    title: 'a remote whose name resolves to a private address and others',
    config: { remote_url: 'https://inside.acme.example/mcp' },
    file: ['connects to https://inside.acme.example/mcp, which is in a private network'],
    entry: ['connects to https://inside.acme.example/mcp, which is in a private network'],
  },
  {
    title: 'a remote whose name resolves to loopback',
    config: { remote_url: 'https://loop.acme.example' },
    file: ['connects to https://loop.acme.example, which is in a private network'],
  },
  ...['cloud', 'six', 'mapped'].map((name) => ({
    title: `a remote whose name resolves to a link-local address (${name})`,
    config: { remote_url: `https://${name}.acme.example/latest` },
    file: [LINK_LOCAL],
    entry: [LINK_LOCAL],
  })),
  {
    title: 'a login whose name resolves to a private address',
    config: {
      remote_url: 'https://mcp.acme.example',
      remote_auth_config: { issuer: 'https://inside.acme.example' },
    },
    file: ['connects to https://inside.acme.example, which is in a private network'],
  },
  {
    title: 'a collector whose name resolves to a link-local address',
    config: { telemetry_config: { endpoint: 'https://cloud.acme.example' } },
    file: ['refused telemetry_config.endpoint: link-local addresses hand out credentials of machines'],
  },
  {
    title: 'an image whose registry resolves to a private address',
    config: { image: 'inside.acme.example/x:1' },
    file: ['pulls its image from inside.acme.example in a private network'],
  },
  {
    title: 'a remote whose name does not resolve',
    config: { remote_url: 'https://gone.acme.example/mcp', header_forward: headers('KEY') },
    file: [
      'gives the secret KEY to https://gone.acme.example/mcp',
      `connects to https://gone.acme.example/mcp${UNRESOLVED}, and sends X-Key`,
    ],
    entry: [
      'gives the secret KEY to https://gone.acme.example/mcp',
      `connects to https://gone.acme.example/mcp${UNRESOLVED}, and sends X-Key`,
    ],
  },
  {
    title: 'a login whose name does not resolve',
    config: {
      remote_url: 'https://mcp.acme.example',
      remote_auth_config: { issuer: 'https://gone.acme.example' },
    },
    file: [`connects to https://gone.acme.example${UNRESOLVED}`],
  },
  {
    title: 'an image whose registry does not resolve, which only the engine connects to',
    config: { image: 'gone.acme.example/x:1' },
    file: [],
  },
  { title: 'a public remote', config: { remote_url: 'https://mcp.acme.example/mcp' }, file: [], entry: [] },
  {
    title: 'a webhook with a key file',
    config: {
      validating_webhooks: [
        { name: 'w', url: 'https://h.example', failure_policy: 'fail', hmac_secret_ref: '/home/ada/key' },
      ],
    },
    file: ['reads ~/key as the key that signs calls of a webhook', 'sends every call to https://h.example'],
  },
  {
    title: 'an unknown field',
    config: { audit_config: { shell: 'x' } },
    file: ['uses the setting audit_config.shell, of which Portolan does not know what it opens'],
    entry: ['refused audit_config.shell: an entry may not set it'],
  },
];

const PROTECTED = [
  '/',
  '/../',
  '/proc',
  '/proc/sys',
  '/sys/fs',
  '/dev',
  '/dev/../proc',
  '/run',
  '/var',
  '/var/run',
  '/var/run/docker.sock',
  '/run/user/1000/podman/podman.sock',
  '/tmp/docker.sock',
  '/opt/engine',
  '/opt/engine/api.sock',
  '~',
  '~/.config',
  '~/.config/portolan/config.yaml',
  '~/.local/state/portolan',
  '/home',
  '/srv/root',
  '/run/containerd/containerd.sock',
  '/run/systemd',
  '/run/dbus',
  '/run/k3s/containerd',
  '/run/docker/containerd',
  '/run/buildkit',
  '/run/cri-dockerd.sock',
  '/run/snapd.socket',
  '/run/user/0',
  '/run/user/1000/gnupg',
  '/run/media',
  '/var/lib',
  '/var/lib/docker',
  '/var/lib/docker/volumes/data',
  '/data/engine',
  '/data',
  '/var/lib/containerd',
  '/var/lib/lxd/unix.socket',
  '/var/snap/lxd/common/lxd/unix.socket',
  '/var/spool/cron',
  '/boot',
  '/etc',
  '/etc/docker/certs.d',
  '/srv/settings',
  '~/.colima',
  '~/.colima/work',
  '~/.colima/work/docker.sock',
  '~/.lima/work/sock',
  '~/.local/share/docker',
];

const ASKED = [
  '/dev/shm/data',
  '/run/media/ada/disk',
  '/var/log/acme',
  '/var/lib/acme',
  '~/.local/bin',
  '/etcetera',
];

describe('findDemands', () => {
  it('requires consent for each mount, with its host path', () => {
    const profile = { read: ['~/.ssh:/keys'], write: ['/srv/data'] };
    expect(lines({ permission_profile: profile }, 'entry')).to.deep.equal(['read ~/.ssh', 'write /srv/data']);
    expect(lines(mounts('.:/cwd'), 'entry')).to.deep.equal(['read /work']);
    expect(lines({ volumes: ['./notes:/notes:ro'] })).to.deep.equal(['read /work/notes']);
  });

  it('shows the target of a symbolic link', () => {
    expect(lines(mounts('/srv/link:/x'))).to.deep.equal(['read /srv/link (a link to /srv/notes)']);
  });

  for (const path of PROTECTED) {
    it(`refuses a mount of ${path} by entries and files`, () => {
      for (const author of ['entry', 'file'] as const) {
        const { grants, refusals } = findDemands(mounts(`${path}:/x`), author, FACTS);
        expect(grants).to.deep.equal([]);
        expect(refusals).to.have.length(1);
      }
    });
  }

  for (const path of ['/usr', '/usr/local/bin', '/bin', '/sbin/x', '/lib', '/lib64']) {
    it(`permits a read-only mount of ${path}, a folder with programs of the system`, () => {
      const asks = (key: 'read' | 'write'): readonly string[] =>
        lines({ permission_profile: { [key]: [`${path}:/x`] } }, 'entry');
      expect(asks('read')).to.deep.equal([`read ${path}`]);
      expect(asks('write')).to.deep.equal([
        'refused permission_profile.write[0]: the system runs programs in it',
      ]);
      expect(lines({ volumes: [`${path}:/x`] })).to.deep.equal([
        'refused volumes[0]: the system runs programs in it',
      ]);
    });
  }

  it('refuses a mount of any socket, such as that of the Docker engine', () => {
    expect(lines(mounts('/srv/custom/engine:/x'))).to.deep.equal([
      'refused permission_profile.read[0]: it is the socket of a program of the host',
    ]);
  });

  for (const hidden of [
    '\u001B',
    '\u007F',
    '\u0085',
    '\u00AD',
    '\u200B',
    '\u2028',
    '\u202E',
    '\uFEFF',
    '\uD800',
  ]) {
    const code = (hidden.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const because = 'it holds control or format characters, so it looks like something else';
    it(`refuses paths and names with U+${code}, and shows its position`, () => {
      const configs: readonly Partial<RunConfig>[] = [
        mounts(`/srv/a${hidden}b:/x`),
        { volumes: [`/srv/a${hidden}b:/x`] },
        { run_target: `go:///srv/a${hidden}b` },
        { header_forward: headers(`a${hidden}b`) },
        { oidc_config: { ...EMPTY_OIDC, CACertPath: `/srv/a${hidden}b` } },
        { telemetry_config: { [`a${hidden}b`]: 1 } },
      ];
      for (const config of configs) {
        const { grants, refusals } = findDemands(config, 'file', FACTS);
        expect(grants).to.deep.equal([]);
        expect(refusals.map((one) => one.because)).to.deep.equal([because]);
        expect(refusals[0]?.found).to.contain(`a<U+${code}>b`);
      }
    });
  }

  it('refuses a mount of a folder whose name imitates the text of a link', () => {
    expect(lines(mounts('/srv/share (a link to ~/notes):/x'))).to.deep.equal([
      'refused permission_profile.read[0]: its name reads as that of a link',
    ]);
  });

  for (const path of ASKED) {
    it(`requires consent for a mount of ${path}`, () => {
      expect(lines(mounts(`${path}:/x`), 'entry')).to.deep.equal([`read ${path}`]);
    });
  }

  for (const { title, config, file, entry } of ROWS) {
    it(`requires consent, or refuses: ${title}`, () => {
      expect(lines(config)).to.deep.equal(file);
      if (entry !== undefined) expect(lines(config, 'entry')).to.deep.equal(entry);
    });
  }

  for (const [name, owner] of [
    ['__portolan_builds_x', 'Portolan itself'],
    ['__thv_workloads_OAUTH_REFRESH_TOKEN_notes', 'Portolan itself'],
    ['BUILD_AUTH_FILE_npmrc', 'Portolan itself'],
    ['registry-user-acme', 'Portolan itself'],
    ['OAUTH_REFRESH_TOKEN_other', 'the login of another workload'],
    ['OAUTH_CLIENT_SECRET_notes-more', 'the login of another workload'],
  ] as const) {
    it(`refuses the secret ${name} in any field of a file or an entry`, () => {
      const because = `it belongs to ${owner}`;
      const reference = `${name},target=T`;
      const parts: Readonly<Record<string, Partial<RunConfig>>> = {
        'secrets[0]': { secrets: [reference] },
        'header_forward.add_headers_from_secret.X-Key': { header_forward: headers(name) },
        'telemetry_config.headers.k': { telemetry_config: { headers: { k: reference } } },
        'remote_auth_config.cached_refresh_token_ref': {
          remote_auth_config: { cached_refresh_token_ref: reference },
        },
      };
      for (const author of ['entry', 'file'] as const) {
        for (const [setting, part] of Object.entries(parts)) {
          expect(lines({ name: 'notes', ...part }, author)).to.deep.equal([`refused ${setting}: ${because}`]);
        }
      }
    });
  }

  it('requires consent for secrets of an earlier login when a moved file names the same workload', () => {
    for (const name of ['OAUTH_REFRESH_TOKEN_notes', 'OAUTH_REFRESH_TOKEN_notes-1732896000-0a1b2c3d']) {
      const login = { cached_refresh_token_ref: `${name},target=refresh_token` };
      const config = { name: 'notes', remote_url: 'https://mcp.acme.example', remote_auth_config: login };
      expect(lines(config)).to.deep.equal([`gives the secret ${name} to https://mcp.acme.example`]);
    }
  });

  it('shows the image that receives a secret, and the name that the file gives it', () => {
    const secrets = ['GITHUB_TOKEN,target=T'];
    const line = (config: Partial<RunConfig>): unknown =>
      findDemands({ ...config, secrets }, 'file', FACTS).grants.find(({ kind }) => kind === 'secret')?.line;
    expect(line({ image: 'evil/x:1', run_target: 'dev.acme/notes' })).to.equal(
      'gives the secret GITHUB_TOKEN to the server evil/x:1, which the file calls dev.acme/notes',
    );
    expect(line({ image: '', run_target: 'npx://@acme/notes' })).to.equal(
      'gives the secret GITHUB_TOKEN to the server npx://@acme/notes',
    );
  });

  for (const [key, destination] of Object.entries({
    bearer_token: 'https://evil.example/mcp',
    cached_access_token_ref: 'https://evil.example/mcp',
    client_secret: 'https://login.acme.example/token and https://login.evil.example',
    cached_refresh_token_ref: 'https://login.acme.example/token and https://login.evil.example',
    cached_reg_token_ref: 'https://clients.evil.example/1',
  })) {
    it(`shows every server that receives remote_auth_config.${key} of a file`, () => {
      const { grants } = findDemands(
        {
          remote_url: 'https://evil.example/mcp',
          remote_auth_config: {
            token_url: 'https://login.acme.example/token',
            cached_issuer: 'https://login.evil.example',
            cached_reg_client_uri: 'https://clients.evil.example/1',
            [key]: 'GITHUB_TOKEN,target=T',
          },
        },
        'file',
        FACTS,
      );
      expect(grants.find(({ kind }) => kind === 'secret')?.line).to.equal(
        `gives the secret GITHUB_TOKEN to ${destination}`,
      );
    });
  }

  it('requires consent for a secret in the headers of telemetry', () => {
    const telemetry = { endpoint: 'https://c.example', headers: { k: 'MINE,target=h' } };
    expect(lines({ telemetry_config: telemetry })).to.include('gives the secret MINE to https://c.example');
  });

  it('has a rule for every field of the run config', () => {
    const known = Object.keys(RUN_CONFIG_RULES);
    const without = Object.keys(RUN_CONFIG_FIELDS).filter(
      (field) => !known.some((rule) => rule === field || rule.startsWith(`${field}.`)),
    );
    expect(without).to.deep.equal([]);
  });

  it('requires no consent for the settings of an empty run', () => {
    const config = { image: 'acme/x:1', isolate_network: true, permission_profile: { network: {} } };
    expect(lines(config)).to.deep.equal([]);
  });
});
