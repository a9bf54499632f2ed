import { expect } from 'chai';
import { apiSource } from '../src/index.ts';
import { block } from './open-source.ts';

const around = { directory: '/etc/portolan', trustsLoopback: false };

function problemsOf(config: Parameters<typeof block>[0]) {
  return apiSource.check?.(block(config), around) ?? [];
}

describe('check of an api source', () => {
  for (const endpoint of [
    'https://registry.modelcontextprotocol.io',
    'http://127.0.0.1:8080/registry/main/',
    'https://registry.acme.example/v0.1.5',
  ]) {
    it(`accepts ${endpoint}`, () => expect(problemsOf({ endpoint })).to.deep.equal([]));
  }

  const REFUSED: Readonly<Record<string, RegExp>> = {
    'registry.acme.example': /no absolute address/,
    'file:///etc/passwd': /begins with file:/,
    'ftp://registry.acme.example': /begins with ftp:/,
    'https://reader:secret@registry.acme.example': /with a user or password/,
    'https://registry.acme.example/?token=x': /query/,
    'https://registry.acme.example/#servers': /fragment/,
    'https://registry.acme.example/v0.1': /ends with \/v0.1/,
    'https://registry.acme.example/base/v0/servers/': /ends with \/v0\/servers\//,
  };
  for (const [endpoint, found] of Object.entries(REFUSED)) {
    it(`refuses ${endpoint}, without its secrets in the message`, () => {
      const problems = problemsOf({ endpoint });
      expect(problems.map(({ place }) => place)).to.deep.equal(['endpoint']);
      expect(problems[0]?.found).to.match(found);
      expect(JSON.stringify(problems)).to.not.include('secret');
    });
  }

  it('suggests an address without the API version', () => {
    const [problem] = problemsOf({ endpoint: 'https://registry.acme.example/base/v0.1/servers' });
    expect(problem?.didYouMean).to.equal('https://registry.acme.example/base');
  });

  for (const timeout of ['0s', '-1s', '5m1s']) {
    it(`refuses the timeout ${timeout}`, () => {
      const problems = problemsOf({ endpoint: 'https://registry.acme.example', timeout });
      expect(problems.map(({ place }) => place)).to.deep.equal(['timeout']);
    });
  }
});
