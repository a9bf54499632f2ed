import { expect } from 'chai';
import { findTokenFault } from '../../src/connection/access-token.ts';
import { isThisMachine, readRegistryAddress } from '../../src/connection/read-address.ts';

describe('findTokenFault', () => {
  const cases: readonly (readonly [token: string, fault: string | undefined])[] = [
    ['abc.def-_~+/=', undefined],
    ['', 'it is empty'],
    ['Bearer abc', 'it begins with "Bearer"'],
    ['bearer\tabc', 'it begins with "Bearer"'],
    ['bearerabc', undefined],
    ['abc def', 'it holds characters that no token has'],
    ['abc\ndef', 'it holds characters that no token has'],
    ['a=b', 'it holds characters that no token has'],
    ['ä', 'it holds characters that no token has'],
  ];
  for (const [token, fault] of cases) {
    it(`returns ${fault ?? 'nothing'} for ${JSON.stringify(token)}`, () => {
      expect(findTokenFault(token)).to.equal(fault);
    });
  }
});

describe('readRegistryAddress', () => {
  const cases: readonly (readonly [text: string, fault: string | undefined])[] = [
    ['https://registry.acme.example/a', undefined],
    ['http://127.0.0.1:8080', undefined],
    ['', 'no-url'],
    ['registry.acme.example', 'no-url'],
    ['/registry', 'no-url'],
    ['ftp://registry.acme.example', 'protocol'],
    ['https://ada@registry.acme.example', 'login'],
    ['https://:secret@registry.acme.example', 'login'],
  ];
  for (const [text, fault] of cases) {
    it(`returns ${fault ?? 'nothing'} for ${JSON.stringify(text)}`, () => {
      expect(readRegistryAddress(text).fault).to.equal(fault);
    });
  }
});

describe('isThisMachine', () => {
  for (const [hostname, expected] of [
    ['localhost', true],
    ['a.localhost', true],
    ['127.1.2.3', true],
    ['[::1]', true],
    ['localhost.acme.example', false],
    ['127.0.0.1.acme.example', false],
    ['10.0.0.1', false],
  ] as const) {
    it(`returns ${expected} for ${hostname}`, () => {
      expect(isThisMachine({ hostname })).to.equal(expected);
    });
  }
});
