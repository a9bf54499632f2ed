import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { entryVersionPath } from '../../src/actions/entries.ts';
import { serverVersionPath } from '../../src/actions/show-server-version.ts';
import { sourcePath } from '../../src/actions/sources.ts';
import { listExtensionQuery, listServersQuery } from '../../src/parameters/list-parameters.ts';
import { createPathReader, createQueryReader } from '../../src/parameters/read-values.ts';

const readServers = createQueryReader(listServersQuery);
const readExtensions = createQueryReader(listExtensionQuery);

describe('createQueryReader', () => {
  it('sets the defaults of parameters, and leaves other absent parameters undefined', () => {
    expect(readServers('').values).to.deep.equal({
      limit: 30,
      cursor: undefined,
      search: undefined,
      updated_since: undefined,
      version: undefined,
      include_deleted: undefined,
    });
  });

  const cases = [
    { raw: 'limit=5', values: { limit: 5 } },
    { raw: 'limit=1001', values: { limit: 1000 } },
    { raw: `limit=${'9'.repeat(400)}`, values: { limit: 1000 } },
    { raw: 'search=a+b%2Bc', values: { search: 'a b+c' } },
    { raw: 'sear%63h=x', values: { search: 'x' } },
    { raw: 'search==x', values: { search: '=x' } },
    { raw: '&&search=x&', values: { search: 'x' } },
    { raw: 'search', values: { search: undefined } },
    { raw: 'search=%25', values: { search: '%' } },
    { raw: '%E0=1&search=x', values: { search: 'x' } },
    { raw: 'search=x&other=%E0', values: { search: 'x' } },
    {
      raw: 'updated_since=2024-02-29T23:59:59.123456z',
      values: { updated_since: '2024-02-29T23:59:59.123456z' },
    },
    { raw: 'constructor=1&__proto__=2', values: { limit: 30 } },
  ];
  for (const { raw, values } of cases) {
    it(`parses ${raw.slice(0, 40)}`, () => {
      expect(readServers(raw).values).to.include(values);
    });
  }

  it('returns equal keys for equal values in any spelling', () => {
    const { key } = readServers('search=a%20b&limit=30');
    expect(readServers('x=y&search=a+b').key).to.equal(key);
    expect(readServers('search=a+b&limit=31').key).not.to.equal(key);
    expect(readExtensions('status=active,deprecated').key).to.equal(
      readExtensions('status=DEPRECATED,active,active').key,
    );
  });

  it('throws only ERR_PARAMETER_INVALID', () => {
    const names = fc.constantFrom(...Object.keys(listServersQuery), ...Object.keys(listExtensionQuery), 'x');
    const pairs = fc.array(
      fc.tuple(
        names,
        fc.oneof(
          fc.string(),
          fc.string().map((text) => encodeURIComponent(text.toWellFormed())),
        ),
      ),
    );
    fc.assert(
      fc.property(pairs, (all) => {
        const raw = all.map(([name, value]) => `${name}=${value}`).join('&');
        for (const read of [readServers, readExtensions]) {
          try {
            read(raw);
          } catch (error) {
            expect(isPortolanError(error) && error.code).to.equal('ERR_PARAMETER_INVALID');
          }
        }
      }),
    );
  });
});

describe('createPathReader', () => {
  for (const { table, texts, says } of [
    {
      table: sourcePath,
      texts: { sourceName: 'no name' },
      says: 'The name of the source is "no name"; expected a name',
    },
    {
      table: entryVersionPath,
      texts: { entryType: 'x' },
      says: 'The type of the entry is "x"; expected one of',
    },
    {
      table: serverVersionPath,
      texts: { registryName: 'r', serverName: 'acme', version: '' },
      says: 'The name of the server is "acme"; expected a server name',
    },
  ]) {
    it(`describes the invalid path parameter: ${says}`, () => {
      expect(() => createPathReader(table)(texts)).to.throw(says);
    });
  }
});
