import { expect } from 'chai';
import { isPortolanError } from '@portolan/plugin-api';
import { changeRunConfig } from '../../src/change/change-run-config.ts';
import type { RunChange } from '../../src/change/run-change.ts';
import { formatRunConfig } from '../../src/run-config/format-run-config.ts';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import type { RunConfig } from '../../src/run-config/run-config.ts';
import type { MergeInput } from '../../src/settings/merge-input.ts';
import { mergeSettings } from '../../src/settings/merge-settings.ts';
import { isOfServer } from '../../src/settings/refuse-server-flags.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlagName, type RunFlags } from '../../src/settings/run-flags.ts';
import { toRunConfig } from '../../src/settings/to-run-config.ts';
import { NO_USER_SETTINGS } from '../../src/settings/user-settings.ts';

const MEMBERS = { github: { workload: 'github' }, weather: { run: 'acme/weather:1' } };
const FILE = { members: MEMBERS, members_file: '/home/ann/desk.yaml' };

function inputOf(flags: RunFlags, more: Partial<MergeInput> = {}): MergeInput {
  return {
    request: { target: undefined, args: [], flags },
    target: { from: 'members', file: flags.members, group: flags.memberGroup },
    entry: undefined,
    user: NO_USER_SETTINGS,
    transports: new Map([['streamable-http', 'http']]),
    environment: new Map(),
    profileFile: undefined,
    policyFiles: flags.members === undefined ? [] : [{ flag: 'members', fields: FILE }],
    exposedPorts: undefined,
    context: { workingDirectory: '/home/ann', home: '/home/ann' },
    clock: () => new Date(0),
    ...more,
  };
}

function configOf(flags: RunFlags, more?: Partial<MergeInput>): RunConfig {
  const input = inputOf(flags, more);
  const settings = mergeSettings(input);
  return toRunConfig(settings, {
    target: input.target,
    image: '',
    transport: settings.transport?.value ?? '',
    proxyMode: settings.proxyMode?.value ?? '',
    proxyPort: settings.proxyPort?.value ?? 0,
    targetPort: undefined,
  });
}

function faultOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (isPortolanError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'none';
}

/** A value of each type of flag that the checks accept, by flag where another is needed. */
const VALUES = { text: 'a', texts: ['a=b'], list: ['a'], truth: true, integer: 8000, number: 1, duration: 1 };

describe('mergeSettings of a virtual server', () => {
  it('mergeSettings › makes a run config that is complete', () => {
    const config = configOf({ members: './desk.yaml', proxyPort: 8080, tools: ['github/search'] });
    expect(JSON.parse(formatRunConfig(config))).to.deep.equal({
      schema_version: 'v0.1.0',
      image: '',
      ...FILE,
      name: 'desk',
      base_name: 'desk',
      transport: 'streamable-http',
      proxy_mode: 'streamable-http',
      host: '127.0.0.1',
      port: 8080,
      target_host: '127.0.0.1',
      permission_profile: null,
      isolate_network: false,
      group: 'default',
      tools_filter: ['github/search'],
    });
    expect(parseRunConfig(formatRunConfig(config), 'desk.json').config).to.deep.equal(config);
  });

  it('mergeSettings › takes the group, and names the virtual server after it', () => {
    expect(configOf({ memberGroup: 'my team' })).to.include({ member_group: 'my team', name: 'my-team' });
  });

  it('mergeSettings › prefers flags to the file, and the file to defaults', () => {
    const membersFile = { name: 'stated', group: 'team' };
    const oidc_config = { Issuer: 'https://file.example' } as RunConfig['oidc_config'];
    const policyFiles: MergeInput['policyFiles'] = [
      { flag: 'members', fields: { ...FILE, debug: true, oidc_config, session_store: 'redis://file:1/0' } },
    ];
    const members = './desk.yaml';
    expect(configOf({ members }, { membersFile, policyFiles })).to.deep.include({
      name: 'stated',
      group: 'team',
      debug: true,
      oidc_config,
      session_store: 'redis://file:1/0',
    });
    const flags = {
      members,
      name: 'flag',
      group: 'other',
      oidcIssuer: 'https://flag.example',
      sessionStore: 'redis://flag:1/0',
    };
    const config = configOf(flags, { membersFile, policyFiles });
    expect(config).to.include({ name: 'flag', group: 'other', session_store: 'redis://flag:1/0' });
    expect(config.oidc_config?.Issuer).to.equal('https://flag.example');
  });

  const refused = RUN_FLAG_NAMES.filter(isOfServer);
  for (const name of refused.filter((one) => flagRow(one).names === undefined)) {
    it(`mergeSettings › refuses --${flagRow(name).flag}`, () => {
      const value = GOOD[name] ?? VALUES[flagRow(name).is];
      const fault = faultOf(() => mergeSettings(inputOf({ members: 'desk.yaml', [name]: value })));
      expect(fault).to.match(/^ERR_SETTINGS_CONFLICT: --\S+ cannot be used with --members: /);
    });
  }

  it('mergeSettings › refuses arguments', () => {
    const input = inputOf({ memberGroup: 'team' });
    const fault = faultOf(() => mergeSettings({ ...input, request: { ...input.request, args: ['-v'] } }));
    expect(fault).to.include('-- cannot be used with --member-group');
  });

  it('isOfServer › keeps the flags of the proxy', () => {
    const kept = RUN_FLAG_NAMES.filter((name) => !isOfServer(name)).map((name) => flagRow(name).flag);
    expect(kept).to.include.members([
      'name',
      'group',
      'tools',
      'authz-config',
      'oidc-issuer',
      'session-store',
    ]);
    expect(kept).not.to.include.members(['env', 'remote-auth', 'token-exchange-url', 'tools-override']);
  });

  it('mergeSettings › refuses --members for a server', () => {
    const target = { from: 'image', reference: 'nginx:1' } as const;
    const fault = faultOf(() => mergeSettings(inputOf({ members: 'desk.yaml' }, { target })));
    expect(fault).to.include('--members cannot be used with a server');
  });
});

const GOOD: Partial<Record<RunFlagName, unknown>> = {
  start: 'lazy',
  stopAfterIdleMs: 600_000,
  secrets: ['a,target=B'],
  volumes: ['/a:/b'],
  publish: ['80:80'],
  isolateNetwork: true,
  imageVerification: 'warn',
  runtimeAddPackages: ['git'],
  transport: 'stdio',
  proxyMode: 'sse',
  targetPath: '/a',
  stdioSessions: 'own',
  remoteAuthIssuer: 'https://a.example',
  remoteAuthAuthorizeUrl: 'https://a.example',
  remoteAuthTokenUrl: 'https://a.example',
  remoteAuthResource: 'https://a.example',
  remoteForwardHeaders: ['X-A=b'],
  remoteForwardHeadersSecret: ['X-A=b'],
  tokenExchangeUrl: 'https://a.example',
  tokenExchangeHeaderName: 'X-A',
  tokenExchangeSubjectTokenType: 'jwt',
};

describe('changeRunConfig of a virtual server', () => {
  const change = (config: RunConfig, part: Partial<RunChange>, more?: Partial<MergeInput>): RunConfig =>
    changeRunConfig(
      config,
      { flags: {}, args: undefined, unset: [], ...part },
      inputOf(part.flags ?? {}, more),
    ).config;
  const desk = configOf({ members: './desk.yaml', tools: ['github/search'] });

  it('changeRunConfig › changes a setting of the proxy, and keeps the rest', () => {
    const changed = change(desk, { flags: { tools: ['github/x'], oidcIssuer: 'https://id.example' } });
    expect(changed).to.deep.include({
      ...desk,
      tools_filter: ['github/x'],
      oidc_config: changed.oidc_config,
    });
    expect(changed.oidc_config?.Issuer).to.equal('https://id.example');
    expect(change(desk, { unset: ['tools'] }).tools_filter).to.deep.equal([]);
  });

  it('changeRunConfig › replaces the members by those of another file, or by a group', () => {
    const members = { other: { workload: 'other' } };
    const policyFiles: MergeInput['policyFiles'] = [
      { flag: 'members', fields: { members, members_file: '/home/ann/other.yaml' } },
    ];
    const other = change(desk, { flags: { members: 'other.yaml' } }, { policyFiles });
    expect(other).to.deep.equal({ ...desk, members, members_file: '/home/ann/other.yaml' });
    const group = change(desk, { flags: { memberGroup: 'team' } });
    expect(group).to.deep.equal({ ...desk, members: {}, members_file: '', member_group: 'team' });
    expect(change(group, { flags: { members: 'other.yaml' } }, { policyFiles })).to.deep.equal(other);
  });

  it('changeRunConfig › refuses flags of a server, and the removal of all members', () => {
    expect(faultOf(() => change(desk, { flags: { env: ['A=b'] } }))).to.include('--env cannot be used with');
    expect(faultOf(() => change(desk, { unset: ['members'] }))).to.include('--unset: found "members"');
    expect(faultOf(() => change(desk, { unset: ['env'] }))).to.equal('none');
  });
});
