import { expect } from 'chai';
import fc from 'fast-check';
import { parsePackage } from '../../src/target/parse-package.ts';
import {
  containerNameOf,
  imageNameOfPackage,
  isWorkloadName,
  nameOfEntry,
  nameOfImage,
  nameOfPackage,
  nameOfUrl,
  parseGroupName,
  parseWorkloadName,
} from '../../src/target/workload-name.ts';
import { caught } from '../../../../test/support/caught.ts';

const clock = (): Date => new Date('2026-11-21T00:00:00Z');

describe('default names of workloads', () => {
  const cases = [
    {
      of: 'ghcr.io/acme/weather-mcp:1',
      make: (text: string) => nameOfImage(text, clock),
      name: 'acme-weather-mcp',
    },
    { of: 'nginx', make: (text: string) => nameOfImage(text, clock), name: 'nginx' },
    { of: 'localhost:5000/a/b/c_d.e', make: (text: string) => nameOfImage(text, clock), name: 'b-c-d-e' },
    { of: '???', make: (text: string) => nameOfImage(text, clock), name: 'workload-1795219200' },
    { of: '@acme/notes-mcp@2.1.0', make: nameOfPackage, name: 'acme-notes-mcp-2-1-0' },
    { of: './cmd/server', make: nameOfPackage, name: 'cmd-server' },
    { of: '.', make: nameOfPackage, name: 'portolan-container' },
    { of: 'dev.acme/weather', make: nameOfEntry, name: 'dev-acme-weather' },
    { of: 'https://api.acme.dev/mcp', make: (text: string) => nameOfUrl(new URL(text)), name: 'acme' },
    { of: 'http://localhost:8080', make: (text: string) => nameOfUrl(new URL(text)), name: 'localhost' },
    { of: 'http://10.1.2.3/mcp', make: (text: string) => nameOfUrl(new URL(text)), name: '10-1-2-3' },
    { of: 'http://[fe80::1]/mcp', make: (text: string) => nameOfUrl(new URL(text)), name: 'fe80-1' },
  ];
  for (const { of, make, name } of cases) {
    it(`are ${name} for ${of}`, () => {
      expect(make(of)).to.equal(name);
    });
  }

  it('are always valid', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const name of [nameOfImage(text, clock), nameOfPackage(text), nameOfEntry(text)]) {
          expect(isWorkloadName(name), name).to.equal(true);
          expect(containerNameOf(name)).to.match(/^[A-Za-z0-9][A-Za-z0-9_.-]+$/);
        }
      }),
    );
    fc.assert(fc.property(fc.webUrl(), (url) => isWorkloadName(nameOfUrl(new URL(url)))));
  });
});

describe('parseWorkloadName', () => {
  it('keeps a valid name, and replaces invalid characters with a warning', () => {
    expect(parseWorkloadName('weather_1.a-B', '--name')).to.deep.equal({
      name: 'weather_1.a-B',
      warning: undefined,
    });
    const { name, warning } = parseWorkloadName('my weather/x', '--name');
    expect(name).to.equal('my-weather-x');
    expect(warning).to.include('my-weather-x');
  });
  for (const text of ['', '.', '..', '///', 'a'.repeat(101)]) {
    it(`rejects ${JSON.stringify(text.slice(0, 20))}`, async () => {
      expect(await caught(() => parseWorkloadName(text, '--name'))).to.have.property('code', 'ERR_SETTING');
    });
  }
});

describe('parseGroupName', () => {
  it('accepts lowercase letters, digits and single inner spaces', () => {
    expect(parseGroupName('team maps_1-x', '--group')).to.equal('team maps_1-x');
  });
  for (const text of ['', 'Team', ' a', 'a ', 'a  b', 'a/b', '../a']) {
    it(`rejects ${JSON.stringify(text)}`, async () => {
      expect(await caught(() => parseGroupName(text, '--group'))).to.have.property('code', 'ERR_SETTING');
    });
  }
});

describe('containerNameOf', () => {
  for (const [name, expected] of [
    ['weather', 'weather'],
    ['a', 'portolan-a'],
    ['_a', 'portolan-a'],
    ['.a-b', 'portolan-a-b'],
  ] as const) {
    it(`returns ${expected} for ${name}`, () => {
      expect(containerNameOf(name)).to.equal(expected);
    });
  }
});

describe('imageNameOfPackage', () => {
  for (const [scheme, ecosystem, text, expected] of [
    ['npx', 'npm', '@acme/Notes_mcp@2.1.0', 'portolanlocal/npx-acme-notes-mcp-2-1-0'],
    ['go', 'go', './cmd/server', 'portolanlocal/go-cmd-server'],
    ['go', 'go', '.', 'portolanlocal/go-portolan-container'],
  ] as const) {
    it(`returns ${expected} for ${scheme}://${text}`, () => {
      expect(imageNameOfPackage(scheme, parsePackage(text, ecosystem))).to.equal(expected);
    });
  }
});
