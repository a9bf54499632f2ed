import type { ApiRequest, PageRequest } from '@portolan/plugin-api';
import { createTestContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { webConsole } from '../src/index.ts';
import { csrfOf } from '../src/login/visitor.ts';

const publicUrl = 'https://acme.example';
const pages = await webConsole.create({ title: 'Portolan' }, createTestContext());
const { routes } = await pages.open({
  version: '0.0.0',
  publicUrl,
  adminApi: true,
  logins: () => [],
  sessions: undefined,
});
const forms = routes.filter(({ method }) => method === 'POST');

const COOKIES = new Map([['__Host-portolan-visitor', 'mine']]);
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const TOKEN = `csrf=${csrfOf('mine')}`;

/** What is sent by others than a page of this server. */
const FOREIGN: readonly (Partial<PageRequest> & { readonly title: string })[] = [
  { title: 'without cookie and token' },
  { title: 'with a cookie alone', cookies: COOKIES },
  {
    title: 'with an empty cookie',
    cookies: new Map([['__Host-portolan-visitor', '']]),
    body: `csrf=${csrfOf('')}`,
  },
  { title: 'with the token of another cookie', cookies: COOKIES, body: `csrf=${csrfOf('other')}` },
  { title: 'with the token in the address', cookies: COOKIES, query: new URLSearchParams(TOKEN) },
  {
    title: 'from another site',
    cookies: COOKIES,
    body: TOKEN,
    headers: { ...FORM, 'sec-fetch-site': 'cross-site' },
  },
  {
    title: 'from another origin',
    cookies: COOKIES,
    body: TOKEN,
    headers: { ...FORM, origin: 'https://evil.example' },
  },
  {
    title: 'with a token that a proxy adds',
    headers: { ...FORM, authorization: 'Bearer added' },
    body: 'csrf=x',
  },
];

describe('console forms', () => {
  it('include more than five forms', () => {
    expect(forms.length).to.be.greaterThan(5);
  });

  for (const { method, path, name, handle } of forms) {
    const send = async (more: Partial<PageRequest>) => {
      const asked: ApiRequest[] = [];
      const answer = await handle({
        method,
        base: publicUrl,
        prefix: '',
        path,
        parameters: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, part = '']) => [part, 'x'])),
        query: new URLSearchParams(),
        headers: FORM,
        cookies: new Map(),
        body: '',
        requestId: 'test',
        signal: undefined,
        turn: async () => {},
        api: (request) => {
          asked.push(request);
          return Promise.resolve({ status: 404, headers: {}, json: {} });
        },
        ...more,
      });
      return {
        status: answer.status,
        text: String(answer.body),
        changes: asked.filter(({ method: verb = 'GET' }) => verb !== 'GET'),
      };
    };

    for (const { title, ...more } of FOREIGN) {
      it(`${name} changes nothing ${title}`, async () => {
        const { status, text, changes } = await send(more);
        expect([status, text.includes('Nothing was done'), changes]).to.deep.equal([403, true, []]);
      });
    }

    it(`${name} is accepted from a page of this server`, async () => {
      for (const headers of [
        FORM,
        { ...FORM, 'sec-fetch-site': 'same-origin' },
        { ...FORM, origin: publicUrl },
      ]) {
        const { text } = await send({ cookies: COOKIES, body: TOKEN, headers });
        expect(text).to.not.include('Nothing was done');
      }
    });
  }
});
