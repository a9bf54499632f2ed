import { expect } from 'chai';
import { serverBaseOf } from '../../src/connection/server-base.ts';

describe('serverBaseOf', () => {
  const cases = [
    ['https://acme.example', 'https://acme.example/'],
    ['https://acme.example/registry/main', 'https://acme.example/'],
    ['https://acme.example/registry/main/v0.1/servers?limit=1', 'https://acme.example/'],
    ['https://acme.example/behind/registry/main/', 'https://acme.example/behind'],
    ['https://acme.example/behind/', 'https://acme.example/behind'],
    ['https://acme.example/b/registry/main/v0.1/servers/a%2Fb/versions/latest', 'https://acme.example/b'],
    ['https://acme.example/v0', 'https://acme.example/'],
    ['https://acme.example/registry/a/b', 'https://acme.example/registry/a/b'],
  ] as const;
  for (const [registry, server] of cases) {
    it(`returns ${server} for ${registry}`, () => {
      expect(serverBaseOf(new URL(registry)).href).to.equal(server);
    });
  }
});
