import { expect } from 'chai';
import fc from 'fast-check';
import { formatVolume, parseProfileMount, parseVolume } from '../../src/parse/volume.ts';
import { caught } from '../../../../test/support/caught.ts';

const here = { workingDirectory: '/srv/here', home: '/home/ann', platform: 'linux' } as const;
const windows = { workingDirectory: 'C:\\work', home: 'C:\\Users\\ann', platform: 'win32' } as const;

describe('parseVolume', () => {
  const good = [
    { text: '/srv/notes:/data', host: '/srv/notes', container: '/data', readOnly: false },
    { text: '/srv/notes:/data:ro', host: '/srv/notes', container: '/data', readOnly: true },
    { text: '/srv/notes:/data:rw', host: '/srv/notes', container: '/data', readOnly: false },
    { text: './notes:/data', host: '/srv/here/notes', container: '/data', readOnly: false },
    { text: '..:/data', host: '/srv', container: '/data', readOnly: false },
    { text: '~/notes:/data', host: '/home/ann/notes', container: '/data', readOnly: false },
    { text: '~:/data', host: '/home/ann', container: '/data', readOnly: false },
    { text: '/srv/../etc:/a/../b/', host: '/etc', container: '/b', readOnly: false },
    { text: '/srv/my notes:/data', host: '/srv/my notes', container: '/data', readOnly: false },
    { text: 'C:\\notes:/data:ro', host: 'C:\\notes', container: '/data', readOnly: true },
    { text: 'c:/notes/../x:/data', host: 'c:\\x', container: '/data', readOnly: false },
  ];
  for (const { text, ...expected } of good) {
    it(`parses ${text}`, () => {
      expect(parseVolume(text, '--volume', here)).to.deep.equal(expected);
    });
  }

  for (const [text, readOnly] of [
    ['volume://notes:/data', false],
    ['volume://notes:/data:ro', true],
  ] as const) {
    it(`parses ${text} as a volume of the engine (toolhive 3121)`, () => {
      const volume = { host: 'volume://notes', volume: 'notes', container: '/data', readOnly };
      expect(parseVolume(text, '--volume', here)).to.deep.equal(volume);
      expect(formatVolume(volume)).to.equal(text);
      expect(parseProfileMount('volume://notes:/data', 'read[0]', readOnly, here)).to.deep.equal(volume);
    });
  }

  it('parses a stored relative name as a folder', () => {
    expect(parseVolume('notes:/data', 'volumes[0]', here)).to.include({ host: '/srv/here/notes' });
  });

  it('resolves relative Windows paths by Windows rules', () => {
    expect(parseVolume('.\\notes:/data', '--volume', windows).host).to.equal('C:\\work\\notes');
  });

  const bad = [
    { text: 'volume://notes', says: 'no ":"' },
    { text: 'volume://:/data', says: 'a name of a volume' },
    { text: 'volume://a/../b:/data', says: 'a name of a volume' },
    { text: 'volume://n:/data', says: 'a name of a volume' },
    { text: 'volume://notes:data', says: 'does not start with "/"' },
    { text: '/srv/notes', says: 'no ":"' },
    { text: '', says: 'no ":"' },
    { text: ':/data', says: 'no host path' },
    { text: '/srv:data', says: 'does not start with "/"' },
    { text: '/srv:', says: 'does not start with "/"' },
    { text: '/srv:/data:rx', says: 'neither ro nor rw' },
    { text: '/srv:/data:ro:z', says: 'too many parts' },
    { text: '/srv:/', says: 'root of the container' },
    { text: '/srv:/a/..', says: 'root of the container' },
    { text: '/srv:C:\\data', says: 'Windows path' },
    { text: '/srv:/data\\x', says: 'Windows path' },
    { text: '/srv/$HOME:/data', says: 'holds one of' },
    { text: '/srv;rm:/data', says: 'holds one of' },
    { text: '/srv:/da\0ta', says: 'holds one of' },
  ];
  for (const { text, says } of bad) {
    it(`rejects ${JSON.stringify(text)}`, async () => {
      const error = await caught(() => parseVolume(text, '--volume', here));
      expect(error.code).to.equal('ERR_SETTING');
      expect(error.message).to.include('--volume').and.to.include(says);
    });
  }

  it('parses the output of formatVolume', () => {
    const part = fc.stringMatching(/^[a-z0-9._ -]{1,12}$/).filter((text) => !/^\.{1,2}$/.test(text));
    const volume = fc.record({
      host: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
      container: fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
      readOnly: fc.boolean(),
    });
    fc.assert(
      fc.property(volume, (one) => {
        expect(parseVolume(formatVolume(one), '--volume', here)).to.deep.equal(one);
      }),
    );
  });

  it('returns absolute normalized paths or throws a coded error for any text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        try {
          const { host, container } = parseVolume(text, '--volume', here);
          expect(host).to.match(/^(?:\/|[A-Za-z]:)/);
          expect(container)
            .to.match(/^\/[^:]+$/)
            .and.not.match(/\/\.\.?(?:\/|$)/);
        } catch (error) {
          expect(await caught(() => Promise.reject(error))).to.have.property('code', 'ERR_SETTING');
        }
      }),
    );
  });
});

describe('parseProfileMount', () => {
  const cases = [
    { text: '/srv/docs', expected: { host: '/srv/docs', container: '/srv/docs', readOnly: true } },
    { text: '/srv/docs:/data', expected: { host: '/srv/docs', container: '/data', readOnly: true } },
    { text: './docs:/data', expected: { host: '/srv/here/docs', container: '/data', readOnly: true } },
    { text: 'D:\\docs:/data', expected: { host: 'D:\\docs', container: '/data', readOnly: true } },
    { text: 'share://docs:/data', expected: undefined },
    { text: 'volume://d:/data', expected: undefined },
  ];
  for (const { text, expected } of cases) {
    it(`parses ${text}`, () => {
      expect(parseProfileMount(text, 'read[0]', true, here)).to.deep.equal(expected);
    });
  }

  for (const text of [
    '/a:/b:/c',
    '/a:/b:ro',
    'docs',
    ':/b',
    'D:\\docs',
    '/a:D:\\b',
    'volume://docs',
    '/a|b:/c',
  ]) {
    it(`rejects ${text}`, async () => {
      expect(await caught(() => parseProfileMount(text, 'read[0]', true, here))).to.have.property(
        'code',
        'ERR_SETTING',
      );
    });
  }
});
