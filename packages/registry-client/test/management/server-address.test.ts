import { expect } from 'chai';
import { parseServerAddress } from '../../src/management/server-address.ts';

describe('parseServerAddress', () => {
  const good = [
    { text: 'https://registry.acme.example', is: 'https://registry.acme.example/' },
    { text: 'https://acme.example/registry//', is: 'https://acme.example/registry' },
    { text: 'http://localhost:8080', is: 'http://localhost:8080/' },
    { text: 'http://portolan.localhost', is: 'http://portolan.localhost/' },
    { text: 'http://127.8.0.1:1', is: 'http://127.8.0.1:1/' },
    { text: 'http://[::1]:8080/', is: 'http://[::1]:8080/' },
  ];
  for (const { text, is } of good) {
    it(`accepts ${text}`, () => {
      expect(parseServerAddress(text, { allowInsecure: false }).href).to.equal(is);
    });
  }

  const bad = [
    undefined,
    '',
    'registry.acme.example',
    'ftp://registry.acme.example',
    'https://una:secret@acme.example',
    'https://acme.example/?token=secret',
    'https://acme.example/#secret',
    'http://registry.acme.example',
    'http://127.0.0.1.acme.example',
    'http://localhost.acme.example',
    'http://10.0.0.1',
  ];
  for (const text of bad) {
    it(`rejects ${text}, and shows no secret`, () => {
      expect(() => parseServerAddress(text, { allowInsecure: false }))
        .to.throw()
        .that.satisfies((error: Error & { code: string }) => {
          return error.code === 'ERR_SERVER_ADDRESS' && !error.message.includes('secret');
        });
    });
  }

  it('accepts http to another host with permission', () => {
    const { href } = parseServerAddress('http://registry.acme.example', { allowInsecure: true });
    expect(href).to.equal('http://registry.acme.example/');
  });
});
