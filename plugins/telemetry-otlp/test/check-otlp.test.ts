import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { checkOtlp } from '../src/check-otlp.ts';
import type { OtlpConfig } from '../src/index.ts';
import { parseEndpoint, signalAddress } from '../src/parse-endpoint.ts';

const GOOD: OtlpConfig = { endpoint: 'localhost:4318', insecure: true, headers: {}, exportInterval: '60s' };

describe('parseEndpoint', () => {
  const cases = [
    { endpoint: 'localhost:4318', insecure: true, traces: 'http://localhost:4318/v1/traces' },
    { endpoint: 'localhost:4318', insecure: false, traces: 'https://localhost:4318/v1/traces' },
    { endpoint: '[::1]:4318', insecure: true, traces: 'http://[::1]:4318/v1/traces' },
    { endpoint: 'http://otel:4318', insecure: false, traces: 'http://otel:4318/v1/traces' },
    { endpoint: 'http://otel:4318/', insecure: true, traces: 'http://otel:4318/v1/traces' },
    { endpoint: 'HTTPS://o.example/a/b//', insecure: false, traces: 'https://o.example/a/b/v1/traces' },
    { endpoint: 'o.example/a', insecure: false, traces: 'https://o.example/a/v1/traces' },
  ];
  for (const { endpoint, insecure, traces } of cases) {
    it(`returns for ${endpoint}${insecure ? ', insecure' : ''} the address of traces ${traces}`, () => {
      const address = parseEndpoint({ endpoint, insecure });
      expect(address instanceof URL ? signalAddress(address, 'traces') : address).to.equal(traces);
    });
  }

  const refused = [
    'grpc://otel:4317',
    'ftp://otel',
    'https://otel:4318', // with "insecure"
    'otel:port',
    'http://',
    'http://user:pass@otel:4318',
    'otel:4318?x=1',
    'otel:4318#x',
    ' ',
  ];
  for (const endpoint of refused) {
    it(`refuses "${endpoint}"`, () => {
      expect(parseEndpoint({ endpoint, insecure: true })).to.have.property('fault');
    });
  }
});

describe('checkOtlp', () => {
  let directory: string;
  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'portolan-otlp-'));
    await writeFile(path.join(directory, 'empty.pem'), 'nothing\n');
  });
  after(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  const placesOf = (more: Partial<OtlpConfig>): readonly string[] =>
    checkOtlp({ ...GOOD, ...more }, { directory }).map(({ place }) => place);

  it('accepts valid settings', () => {
    expect(placesOf({ headers: { authorization: 'Bearer x' }, exportInterval: '1s' })).to.deep.equal([]);
  });

  const wrong: readonly { readonly more: Partial<OtlpConfig>; readonly place: string }[] = [
    { more: { endpoint: 'grpc://otel:4317' }, place: 'endpoint' },
    { more: { exportInterval: '999ms' }, place: 'exportInterval' },
    { more: { exportInterval: '2h' }, place: 'exportInterval' },
    { more: { headers: { 'no header': 'x' } }, place: 'headers' },
    { more: { headers: { authorization: 'two\nlines' } }, place: 'headers' },
    { more: { headers: { 'Content-Type': 'x' } }, place: 'headers' },
    { more: { caCertPath: 'absent.pem' }, place: 'caCertPath' },
    { more: { caCertPath: 'empty.pem' }, place: 'caCertPath' },
  ];
  for (const { more, place } of wrong) {
    it(`reports a problem of the settings ${JSON.stringify(more)}`, () => {
      expect(placesOf(more)).to.deep.equal([place]);
    });
  }

  it('repeats neither a password nor a header value', () => {
    const said = checkOtlp(
      { ...GOOD, endpoint: 'http://u:hunter2@otel:4318', headers: { authorization: 'hunter2\n!' } },
      { directory },
    );
    expect(said).to.have.length(2);
    expect(JSON.stringify(said)).not.to.include('hunter2');
  });
});
