import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { type Lie, LyingWorld, PLACES } from './support/lying-world.ts';

interface TriedLie {
  readonly title: string;
  readonly tell: Lie;
  /** The one sentence in which it is refused. */
  readonly says: RegExp;
  /** Paths that are not asked once the lie is seen. */
  readonly spares?: readonly string[];
}

const MIB = 1024 * 1024;
const AFTER_METADATA = ['/register', '/token'];

/** 100 MB, as long as somebody takes it. */
function endless(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = (left: number): void => {
    if (left === 0 || response.destroyed) return void response.end();
    if (response.write(' '.repeat(MIB))) setImmediate(more, left - 1);
    else response.once('drain', () => more(left - 1));
  };
  more(100);
}

function page(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Hello</title>');
}

function sendTo(target: string): (response: ServerResponse, own: string) => void {
  return (response, own) => void response.writeHead(307, { location: new URL(target, own).href }).end();
}

const idToken = (claims: object): string =>
  [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');

const LIES: readonly TriedLie[] = [
  {
    title: 'metadata of another resource',
    tell: { resource: { resource: 'https://bank.example/mcp' } },
    says: /is about "https:\/\/bank\.example\/mcp", and not about http/,
    spares: AFTER_METADATA,
  },
  {
    title: 'metadata without a resource',
    tell: { resource: { resource: undefined } },
    says: /is about no resource/,
    spares: AFTER_METADATA,
  },
  {
    title: 'metadata at a file: address',
    tell: { challenge: 'Bearer resource_metadata="file:///etc/passwd"' },
    says: /the address of the protected resource metadata begins with file:/,
  },
  {
    title: 'metadata at the metadata service of a cloud',
    tell: { challenge: 'Bearer resource_metadata="https://169.254.169.254/latest"' },
    says: /169\.254\.169\.254\/latest was not fetched: .*169\.254\.169\.254/,
  },
  {
    title: 'a loopback name after a public one',
    tell: { resource: { authorization_servers: ['https://localhost:4433'] } },
    says: /localhost:4433\/.* was not fetched: The address localhost .* is not public/,
  },
  {
    title: 'a public name that resolves to this machine (DNS rebinding)',
    tell: { resource: { authorization_servers: ['https://rebinding.example'] } },
    says: /was not fetched: The address rebinding\.example \(127\.0\.0\.1\) is not public/,
  },
  {
    title: 'an authorization server at a javascript: address',
    tell: { resource: { authorization_servers: ['javascript:alert(1)'] } },
    says: /the authorization server that is named begins with javascript:/,
  },
  {
    title: 'an authorization server over http',
    tell: { resource: { authorization_servers: ['http://id.example'] } },
    says: /begins with http:\/\/id\.example, and only https/,
  },
  {
    title: 'an authorization server with a password',
    tell: { resource: { authorization_servers: ['https://a:b@id.example'] } },
    says: /holds a user or a password/,
  },
  {
    title: 'the metadata of another issuer',
    tell: { issuer: { issuer: 'https://id.example' } },
    says: /is about "https:\/\/id\.example"/,
    spares: AFTER_METADATA,
  },
  {
    title: 'a login page at a javascript: address',
    tell: { issuer: { authorization_endpoint: 'javascript:alert(1)' } },
    says: /authorization_endpoint of .* begins with javascript:/,
    spares: AFTER_METADATA,
  },
  {
    title: 'a login page at a file: address',
    tell: { issuer: { authorization_endpoint: 'file:///etc/passwd' } },
    says: /authorization_endpoint of .* begins with file:/,
    spares: AFTER_METADATA,
  },
  {
    title: 'a login page in the local network',
    tell: { issuer: { authorization_endpoint: 'https://192.168.1.1/reboot' } },
    says: /authorization_endpoint of .* is at 192\.168\.1\.1, which is not public/,
    spares: AFTER_METADATA,
  },
  {
    title: 'a login page on this machine',
    tell: { issuer: { authorization_endpoint: 'http://[::1]:9000/admin' } },
    says: /authorization_endpoint of .* is at \[::1\], which is not public/,
    spares: AFTER_METADATA,
  },
  {
    title: 'a login page at a name without a dot',
    tell: { issuer: { authorization_endpoint: 'https://router/admin' } },
    says: /authorization_endpoint of .* is at router, which is not public/,
    spares: AFTER_METADATA,
  },
  {
    title: 'a device page in the local network',
    tell: { byDevice: true, device: { verification_uri: 'https://printer.localhost./' } },
    says: /the page for another device is at printer\.localhost\., which is not public/,
    spares: ['/token'],
  },
  {
    title: 'a token endpoint over http',
    tell: { issuer: { token_endpoint: 'http://id.example/token' } },
    says: /token_endpoint of .* only https/,
    spares: AFTER_METADATA,
  },
  {
    title: 'no PKCE by S256',
    tell: { issuer: { code_challenge_methods_supported: ['plain'] } },
    says: /does not announce PKCE with S256/,
    spares: AFTER_METADATA,
  },
  {
    title: 'metadata of 100 MB',
    tell: { answers: { [PLACES.issuer]: endless } },
    says: /was not fetched: it is longer than 1 MiB/,
    spares: AFTER_METADATA,
  },
  {
    title: 'metadata behind endless redirects',
    tell: { answers: { [PLACES.issuer]: sendTo(PLACES.issuer) } },
    says: /has no metadata/,
    spares: AFTER_METADATA,
  },
  {
    title: 'a registration for another redirect address',
    tell: { registration: { redirect_uris: ['https://evil.example/callback'] } },
    says: /for other redirect addresses than were asked for/,
  },
  {
    title: 'a client id with control characters',
    tell: { registration: { client_id: 'a\u001b[2J' } },
    says: /names no client id/,
  },
  {
    title: 'a page instead of a registration',
    tell: { answers: { [PLACES.registration]: page } },
    says: /something that is no JSON object/,
  },
  {
    title: 'a registration endpoint that redirects',
    tell: { answers: { [PLACES.registration]: sendTo('/elsewhere') } },
    says: /the server answers with 307/,
    spares: ['/elsewhere'],
  },
  {
    title: 'a redirect of another login (state)',
    tell: { redirect: { state: 'another' } },
    says: /"state"/,
    spares: ['/token'],
  },
  {
    title: 'a redirect of another server (mix-up)',
    tell: { redirect: { iss: 'https://evil.example' } },
    says: /the answer came not from http/,
    spares: ['/token'],
  },
  {
    title: 'a redirect without the announced issuer',
    tell: { redirect: { iss: undefined } },
    says: /the answer came not from http/,
    spares: ['/token'],
  },
  {
    title: 'an error of another server',
    tell: { redirect: { iss: 'https://evil.example', code: undefined, error: 'call_this_number' } },
    says: /the answer came not from http[^(]*$/,
    spares: ['/token'],
  },
  {
    title: 'an error with terminal escapes',
    tell: { redirect: { code: undefined, error: '\u001b[2J' } },
    says: /says so \(an error\)/,
    spares: ['/token'],
  },
  {
    title: 'a token with a line break',
    tell: { token: { access_token: 'a\r\nX-Admin: 1' } },
    says: /a token that no header can hold/,
  },
  {
    title: 'a refresh token with control characters',
    tell: { token: { refresh_token: 'a\u0000' } },
    says: /a token that no header can hold/,
  },
  {
    title: 'an unsupported token type',
    tell: { token: { token_type: 'DPoP' } },
    says: /DPoP|no bearer tokens/,
  },
  { title: 'a token that is a number', tell: { token: { access_token: 7 } }, says: /"access_token"/ },
  {
    title: 'a token with an excessive lifetime',
    tell: { token: { expires_in: 1e300 } },
    says: /a token that lives for 1e\+300 s/,
  },
  { title: 'a token that has already expired', tell: { token: { expires_in: -1 } }, says: /"expires_in"/ },
  {
    title: 'a page instead of a token',
    tell: { answers: { [PLACES.token]: page } },
    says: /content-type|JSON/i,
  },
  {
    title: 'a token endpoint that redirects',
    tell: { answers: { [PLACES.token]: sendTo('/elsewhere') } },
    says: /HTTP response status/,
    spares: ['/elsewhere'],
  },
  { title: 'a token of 100 MB', tell: { answers: { [PLACES.token]: endless } }, says: /longer than 2 MiB/ },
  {
    title: 'an ID token for another client',
    tell: { token: { id_token: `${idToken({ iss: 'x', aud: 'other', sub: 's', iat: 1, exp: 4e9 })}.` } },
    says: /JWT|"alg"|"aud"|"iss"/,
  },
  {
    title: 'a device page at a javascript: address',
    tell: { byDevice: true, device: { verification_uri: 'javascript:alert(1)' } },
    says: /the page for another device begins with javascript:/,
    spares: ['/token'],
  },
  {
    title: 'a device code with terminal escapes',
    tell: { byDevice: true, device: { user_code: '\u001b[2J' } },
    says: /a code that nobody can type/,
    spares: ['/token'],
  },
];

describe('login with a false statement of the remote or its authorization server (numbered cases)', () => {
  let world: LyingWorld;
  before(async () => {
    world = await LyingWorld.open();
  });
  after(() => world.close());

  it('0: succeeds when every statement is true', async () => {
    expect((await world.logIn({})).accessToken).to.equal('a-token');
    expect((await world.logIn({ byDevice: true })).accessToken).to.equal('a-token');
    // No lie, but no life either: it is not renewed before it is refused.
    expect((await world.logIn({ token: { expires_in: 0 } })).expiresAt).to.equal(undefined);
  });

  for (const [index, { title, tell, says, spares = [] }] of LIES.entries()) {
    it(`${index + 1}: is refused for ${title}`, async () => {
      const error = await world.logIn(tell).catch((thrown: unknown) => thrown);
      expect(error).to.be.an('error').with.property('message').that.matches(says);
      const { code, message } = Object(error);
      expect(code).to.match(/^ERR_LOGIN_(?:UNTRUSTED|DISCOVERY|REGISTRATION|REFUSED)$/);
      // One sentence, and nothing in it that a terminal would obey.
      expect(message).to.match(/^[ -~]{20,400}\.$/);
      expect(world.asked.filter((path) => spares.includes(path))).to.deep.equal([]);
    });
  }
});
