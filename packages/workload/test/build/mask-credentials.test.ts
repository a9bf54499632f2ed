import { expect } from 'chai';
import { listSecretTexts, type MaskedParts, maskTexts } from '../../src/build/mask-credentials.ts';

const NOTHING: MaskedParts = { secret: {}, shown: {}, authFiles: {} };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('maskTexts', () => {
  const cases: readonly {
    readonly title: string;
    readonly parts: Partial<MaskedParts>;
    readonly said: string;
    readonly shown: string;
  }[] = [
    {
      title: 'a secret',
      parts: { secret: { A: 't0ken' } },
      said: 'is t0ken, T0KEN.example.',
      shown: 'is ***, ***.example.',
    },
    { title: 'no short word', parts: { secret: { A: 'on' } }, said: 'on', shown: 'on' },
    {
      title: 'the password in a URL, encoded and decoded',
      parts: { shown: { A: 'https://me:p%40ss@py.acme.example/simple' } },
      said: `https://me:p%40ss@py.acme.example/ p@ss ${base64('me:p@ss')} py.acme.example`,
      shown: 'https://me:***@py.acme.example/ *** *** py.acme.example',
    },
    {
      title: 'a token in place of a user name',
      parts: { shown: { A: 'https://t0ken@py.acme.example/' } },
      said: 't0ken',
      shown: '***',
    },
    {
      title: 'a token in the path of a secret URL',
      parts: {
        secret: { A: 'https://py.acme.example/Abcdefgh01234567/simple/' },
        shown: { B: 'https://go.acme.example/Abcdefgh89012345/' },
        authFiles: { npmrc: 'registry=https://npm.acme.example/acme/Abcdefgh76543210/' },
      },
      said: '/Abcdefgh01234567/files/a.whl /acme/Abcdefgh76543210/-/a.tgz /Abcdefgh89012345/ simple',
      shown: '/***/files/a.whl /acme/***/-/a.tgz /Abcdefgh89012345/ simple',
    },
    {
      title: 'tokens of an npmrc',
      parts: {
        authFiles: {
          npmrc: `//a/:_authToken = "t0ken"\n//b/:_password=${base64('passw0rd')}\n_auth=${base64('me:0ther')}`,
        },
      },
      said: `t0ken passw0rd 0ther ${base64('me:0ther')} _authToken`,
      shown: '*** *** *** *** _authToken',
    },
    {
      title: 'passwords of a netrc',
      parts: { authFiles: { netrc: 'machine a.example login me password passw0rd' } },
      said: 'a.example me passw0rd',
      shown: 'a.example me ***',
    },
  ];
  for (const { title, parts, said, shown } of cases) {
    it(`masks ${title}`, () => {
      expect(maskTexts(said, listSecretTexts({ ...NOTHING, ...parts }))).to.equal(shown);
    });
  }
});
