import { expect } from 'chai';
import { parsePermissionProfile } from '../../src/permissions/parse-permission-profile.ts';
import {
  BUILT_IN_PROFILES,
  chooseProfile,
  findBuiltInProfile,
  networkModeOf,
  type PermissionProfile,
  withNetworkMode,
} from '../../src/permissions/permission-profile.ts';
import { profileDocument } from '../../src/permissions/profile-document.ts';
import { addVolumes, mountsOfProfile, withWholePaths } from '../../src/permissions/profile-mounts.ts';
import { caught } from '../../../../test/support/caught.ts';

const context = { workingDirectory: '/srv/here', home: '/home/ann', platform: 'linux' } as const;
const indexer = {
  name: 'docs-indexer',
  read: ['/srv/docs:/data/docs'],
  write: ['/var/tmp/index:/data/index'],
  network: {
    outbound: { allow_host: ['.acme.dev', 'api.example.org', '10.0.0.0/8', '::1'], allow_port: [443] },
  },
};

describe('parsePermissionProfile', () => {
  it('parses every field', () => {
    const value = {
      ...indexer,
      privileged: true,
      network: { ...indexer.network, mode: 'bridge', inbound: { allow_host: ['a'] } },
    };
    expect(parsePermissionProfile(value, 'p.json', 'refused')).to.deep.equal({
      ...value,
      network: { ...value.network, outbound: { ...value.network.outbound, insecure_allow_all: false } },
    });
  });

  const bad = [
    { title: 'a value that is not a map', value: [], says: 'expected a map' },
    { title: 'a misspelt network', value: { netwrok: {} }, says: 'netwrok: found an unknown key' },
    { title: 'a misspelt outbound', value: { network: { outbond: {} } }, says: 'network.outbond' },
    {
      title: 'a string instead of a list',
      value: { read: '/srv' },
      says: 'read: found "/srv"; expected a list',
    },
    {
      title: 'a string instead of a port',
      value: { network: { outbound: { allow_port: ['443'] } } },
      says: 'allow_port[0]',
    },
    { title: 'port 0', value: { network: { outbound: { allow_port: [0] } } }, says: 'allow_port[0]' },
    {
      title: 'a URL instead of a host',
      value: { network: { outbound: { allow_host: ['https://a'] } } },
      says: 'allow_host[0]',
    },
    {
      title: 'a CIDR range that is too wide',
      value: { network: { outbound: { allow_host: ['10.0.0.0/33'] } } },
      says: 'allow_host[0]',
    },
    { title: 'yes instead of true', value: { privileged: 'yes' }, says: 'privileged: found "yes"' },
  ];
  for (const { title, value, says } of bad) {
    it(`rejects ${title}`, async () => {
      const error = await caught(() => parsePermissionProfile(value, 'p.json', 'refused'));
      expect(error.code).to.equal('ERR_PERMISSION_PROFILE');
      expect(error.message).to.include('p.json').and.to.include(says);
    });
  }

  it('reports all problems at once', async () => {
    const { message } = await caught(() =>
      parsePermissionProfile({ read: 1, write: 2 }, 'p.json', 'refused'),
    );
    expect(message).to.include('read:').and.to.include('write:');
  });

  it('omits unknown keys on request', () => {
    expect(parsePermissionProfile({ name: 'a', more: 1 }, 'entry', 'ignored')).not.to.have.property('more');
  });
});

describe('chooseProfile', () => {
  const file: PermissionProfile = { name: 'mine' };
  const registry: PermissionProfile = { name: 'theirs' };
  const cases = [
    {
      title: 'a built-in profile by name',
      choose: () => chooseProfile('none', file, registry),
      from: 'flag',
      name: 'none',
    },
    {
      title: 'the older name of the profile none',
      choose: () => chooseProfile('stdio', undefined, undefined),
      from: 'flag',
      name: 'none',
    },
    {
      title: 'the profile of a file',
      choose: () => chooseProfile('p.json', file, registry),
      from: 'flag',
      name: 'mine',
    },
    {
      title: 'the profile of the registry entry',
      choose: () => chooseProfile(undefined, undefined, registry),
      from: 'registry',
      name: 'theirs',
    },
    {
      title: 'the profile network by default',
      choose: () => chooseProfile(undefined, undefined, undefined),
      from: 'default',
      name: 'network',
    },
  ];
  for (const { title, choose, from, name } of cases) {
    it(`chooses ${title}`, () => {
      const chosen = choose();
      expect(chosen.from).to.equal(from);
      expect(chosen.profile.name).to.equal(name);
    });
  }
  it('rejects a name that is neither a file nor a built-in profile', async () => {
    expect(await caught(() => chooseProfile('nome', undefined, registry))).to.have.property(
      'code',
      'ERR_PERMISSION_PROFILE',
    );
    expect(findBuiltInProfile('constructor')).to.equal(undefined);
  });
});

describe('networkModeOf', () => {
  for (const [text, expected] of [
    [undefined, { mode: 'bridge' }],
    ['', { mode: 'bridge' }],
    ['default', { mode: 'bridge' }],
    ['host', { mode: 'host' }],
    ['none', { mode: 'none' }],
    ['mine', { mode: 'named', name: 'mine' }],
  ] as const) {
    it(`parses ${String(text)}`, () => {
      expect(networkModeOf(text)).to.deep.equal(expected);
    });
  }
  it('returns a profile with the mode and otherwise unchanged permissions', () => {
    expect(withNetworkMode(BUILT_IN_PROFILES.none, 'mine').network).to.deep.include({ mode: 'mine' });
    expect(withNetworkMode({}, 'mine').network?.outbound?.insecure_allow_all).to.equal(true);
    expect(withNetworkMode({ network: {} }, 'mine').network?.outbound).to.equal(undefined);
  });
});

describe('mountsOfProfile', () => {
  it('mounts a path under read and write as writable, and warns about unsupported addresses', () => {
    const profile = { read: ['/a:/x', '/b', 'share://v:/z'], write: ['/a:/x', './d:/y'] };
    const { mounts, warnings } = mountsOfProfile(profile, 'p.json', context);
    expect(mounts).to.deep.equal([
      { host: '/a', container: '/x', readOnly: false },
      { host: '/b', container: '/b', readOnly: true },
      { host: '/srv/here/d', container: '/y', readOnly: false },
    ]);
    expect(warnings).to.have.lengthOf(1);
  });
  it('keeps the first mount read-only when another host path claims its container path', () => {
    const { mounts, warnings } = mountsOfProfile({ read: ['/a:/x'], write: ['/c:/x'] }, 'p.json', context);
    expect(mounts).to.deep.equal([{ host: '/a', container: '/x', readOnly: true }]);
    expect(warnings).to.deep.equal(['p.json: /c:/x is not mounted: /a is mounted at /x already.']);
  });
  it('names every invalid mount', async () => {
    const error = await caught(() => mountsOfProfile({ read: ['x;y'], write: ['::'] }, 'p.json', context));
    expect(error.code).to.equal('ERR_PERMISSION_PROFILE');
    expect(error.message).to.include('read[0]').and.to.include('write[0]');
  });
});

describe('withWholePaths', () => {
  it('makes host paths absolute', () => {
    const profile = { name: 'p', read: ['./a:/a', '/b', '~/c:/c', 'share://v:/z'], write: ['d/../e:/e'] };
    expect(withWholePaths(profile, 'p.json', context)).to.deep.equal({
      name: 'p',
      read: ['/srv/here/a:/a', '/b', `${context.home}/c:/c`, 'share://v:/z'],
      write: ['/srv/here/e:/e'],
    });
    expect(withWholePaths({}, 'p.json', context)).to.deep.equal({});
  });
  it('names every invalid mount', async () => {
    const error = await caught(() => withWholePaths({ read: ['x;y'], write: ['::'] }, 'p.json', context));
    expect(error.code).to.equal('ERR_PERMISSION_PROFILE');
    expect(error.message).to.include('read[0]').and.to.include('write[0]');
  });
});

describe('addVolumes', () => {
  it('adds volumes to a copy of the profile, and keeps existing mounts', () => {
    const profile: PermissionProfile = { name: 'p', read: ['/a:/x'], write: ['./f:/f'] };
    const { profile: added, warnings } = addVolumes(
      profile,
      ['/b:/x', './c:/y:ro', '/d:/z', '/e:/z'],
      context,
    );
    expect(added).to.deep.equal({
      name: 'p',
      read: ['/a:/x', '/srv/here/c:/y'],
      write: ['/srv/here/f:/f', '/d:/z'],
    });
    expect(warnings.map((warning) => warning.split(' ')[0])).to.deep.equal(['/b:/x', '/e:/z']);
    expect(profile.read).to.deep.equal(['/a:/x']);
  });
  it('adds a volume of the profile only once', () => {
    const profile: PermissionProfile = { read: ['/a:/x'], write: ['/b:/y', '/z'] };
    const { profile: added, warnings } = addVolumes(profile, ['/a:/x:ro', '/b:/y', '/z:/z'], context);
    expect(added).to.deep.equal(profile);
    expect(warnings).to.deep.equal([]);
    expect(addVolumes(profile, ['/b:/y:ro'], context).warnings).to.have.lengthOf(1);
  });
  it('warns about mounts of the profile that are not possible', () => {
    const { warnings } = addVolumes({ read: ['share://v:/z'] }, [], context, 'p.json');
    expect(warnings).to.deep.equal([
      'p.json: share://v:/z is not mounted: it is no address volume://NAME:/path with a name of two characters or more.',
    ]);
  });
});

describe('profileDocument', () => {
  it('omits empty fields, except those with a meaning', () => {
    expect(profileDocument(BUILT_IN_PROFILES.none)).to.deep.equal({
      name: 'none',
      network: { outbound: {} },
    });
    expect(profileDocument({})).to.deep.equal({});
    expect(profileDocument({ network: {} })).to.deep.equal({ network: {} });
  });
});
