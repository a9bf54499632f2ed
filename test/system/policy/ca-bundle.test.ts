import { type AddressInfo, connect as connectPlain } from 'node:net';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:tls';
import { eventually, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { initialize, McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { speakHttp } from '../../../packages/proxy/test/support/spoken-to.ts';
import {
  answerToken,
  ExchangeEndpoint,
} from '../../../plugins/proxy-token-exchange/test/exchange-endpoint.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { type OtlpCollector, startOtlpCollector } from '../../support/otlp/otlp-collector.ts';
import { PolicyBench, urlOf } from './support/policy-bench.ts';

const CALL = { id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message: 'ahoy' } } };

describe('portolan run --cli-ca-bundle', function () {
  this.timeout(120_000);
  let bench: PolicyBench;
  let bundle: string;
  let certificate: { readonly cert: Buffer; readonly key: Buffer };
  let fronts: Server[];
  let issuer: TestIssuer;
  let endpoint: ExchangeEndpoint;
  let collector: OtlpCollector;
  let decides: HttpServer;
  let remote: HttpBackendUnderTest;

  before(async () => {
    bench = await PolicyBench.open();
    const made = await makeCertificate(bench.root, ['localhost']);
    certificate = made;
    bundle = `--cli-ca-bundle=${made.file}`;
    fronts = [];
    issuer = await startTestIssuer({ algorithm: 'ES256', audience: 'weather' });
    endpoint = await ExchangeEndpoint.open((response, asked) => answerToken(response, asked));
    collector = await startOtlpCollector();
    decides = createHttpServer((request, response) => {
      request.resume();
      request.once('end', () => response.end('{"allow":true}'));
    });
    await new Promise<void>((resolve) => void decides.listen(0, '127.0.0.1', resolve));
    remote = await HttpBackendUnderTest.start(speakHttp);
  });
  after(async () => {
    await bench?.close();
    for (const front of fronts ?? []) await new Promise((resolve) => front.close(resolve));
    decides?.closeAllConnections();
    if (decides !== undefined) await new Promise((resolve) => decides.close(resolve));
    for (const one of [issuer, endpoint, collector, remote]) await one?.close();
  });

  /** Starts the same server behind TLS with an unknown authority, and returns its host and port. */
  async function behindTls(port: number): Promise<string> {
    const front = createServer(certificate, (socket) => {
      const plain = connectPlain(port, '127.0.0.1');
      socket.on('error', () => plain.destroy());
      plain.on('error', () => socket.destroy());
      socket.pipe(plain).pipe(socket);
    });
    // Proxy for a client that does not trust the authority.
    front.on('tlsClientError', () => undefined);
    fronts.push(front);
    await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve));
    // SAFETY: a TCP server has a port.
    return `localhost:${(front.address() as AddressInfo).port}`;
  }

  /** Returns the status of a call or the code of its error. */
  async function statusOfCall(url: URL, headers: Readonly<Record<string, string>> = {}): Promise<number> {
    const begun = await new McpClient(url).post(initialize(), { headers });
    expect(begun.status, begun.text).to.equal(200);
    const client = new McpClient(url, String(begun.headers['mcp-session-id'] ?? ''));
    const { status, json } = await client.post(CALL, { headers });
    return status === 200 ? (json?.error?.code ?? status) : status;
  }

  it('applies to the endpoint of a token exchange', async () => {
    const at = await behindTls(Number(new URL(endpoint.url).port));
    const flags = [
      `--oidc-issuer=${issuer.issuerUrl}`,
      '--oidc-audience=weather',
      '--jwks-allow-private-ip',
      `--token-exchange-url=https://${at}/token`,
      '--token-exchange-audience=backend',
      '--transport=streamable-http',
      remote.url.href,
    ];
    const bearer = { Authorization: `Bearer ${issuer.sign({ sub: 'ann' })}` };
    const plain = await urlOf(await bench.portolan('run', '--name=exchange-plain', ...flags));
    const refused = await new McpClient(plain).post(initialize(), { headers: bearer });
    expect([refused.status, refused.json.error.code]).to.deep.equal([200, 403]);
    expect(endpoint.asked).to.have.length(0);
    const trusting = await urlOf(await bench.portolan('run', '--name=exchange', bundle, ...flags));
    expect(await statusOfCall(trusting, bearer)).to.equal(200);
    expect(endpoint.asked).not.to.have.length(0);
  });

  it('applies to the telemetry collector', async () => {
    const at = await behindTls(Number(collector.address.split(':')[1]));
    const flags = [`--otel-endpoint=${at}`, '--otel-sampling-rate=1.0'];
    const plain = await urlOf(await bench.run('stdio', 'told-plain', ...flags));
    expect(await statusOfCall(plain)).to.equal(200);
    // The message precedes its end.
    expect((await bench.portolan('stop', 'told-plain')).status).to.equal(0);
    expect(collector.requests).to.have.length(0);
    const trusting = await urlOf(await bench.run('stdio', 'told', bundle, ...flags));
    expect(await statusOfCall(trusting)).to.equal(200);
    await eventually(() => expect(collector.spans.map(({ name }) => name)).to.include('tools/call echo'));
  });

  it('applies to a decision service; every call is denied without it', async () => {
    // SAFETY: a TCP server has a port.
    const at = await behindTls((decides.address() as AddressInfo).port);
    const pdp = { http: { url: `https://${at}`, timeout: 5 }, claim_mapping: 'standard' };
    const file = await bench.write('authz.json', JSON.stringify({ version: '1.0', type: 'httpv1', pdp }));
    const plain = await urlOf(await bench.run('stdio', 'decided-plain', `--authz-config=${file}`));
    expect(await statusOfCall(plain)).to.equal(403);
    const trusting = await urlOf(await bench.run('stdio', 'decided', bundle, `--authz-config=${file}`));
    expect(await statusOfCall(trusting)).to.equal(200);
  });

  it('applies to a remote server', async () => {
    const at = `https://${await behindTls(Number(remote.url.port))}${remote.url.pathname}`;
    const flags = ['--transport=streamable-http', '--start-timeout=5s'];
    const seen = remote.received.length;
    const refused = await bench.portolan('run', '--name=remote-plain', ...flags, at);
    expect(refused.status).to.equal(1);
    expect(remote.received).to.have.length(seen);
    const trusting = await urlOf(await bench.portolan('run', '--name=remote', bundle, ...flags, at));
    expect(await statusOfCall(trusting)).to.equal(200);
  });
});
