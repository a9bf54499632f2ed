import { expect } from 'chai';
import { hideUserInfo, quote } from '../../src/parse/text-faults.ts';

describe('hideUserInfo', () => {
  const cases = [
    ['http://user:pass@host/mcp', 'http://host/mcp'],
    ['HTTPS://user:p%40ss@host:8443/a@b', 'HTTPS://host:8443/a@b'],
    ['https://us@er:pass@host', 'https://host'],
    ['https:\\\\user:pass@host', 'https:\\\\host'],
    ['https:user:pass@host', 'https:host'],
    ['https:////user:pass@host', 'https:////host'],
    ['redis://:pass@host:6379/0', 'redis://host:6379/0'],
    ['see http://a:b@x and http://c:d@y', 'see http://x and http://y'],
    ['npx://@acme/notes@1.0.0', 'npx://@acme/notes@1.0.0'],
    ['ghcr.io/acme/notes@sha256:00', 'ghcr.io/acme/notes@sha256:00'],
    ['https://host/mcp?to=a@b', 'https://host/mcp?to=a@b'],
  ] as const;
  for (const [text, expected] of cases) {
    it(`returns ${expected} for an address with credentials`, () => {
      expect(hideUserInfo(text)).to.equal(expected);
      expect(quote(text)).to.equal(JSON.stringify(expected));
    });
  }
});
